module github.com/scoterdb/scoter

go 1.26
