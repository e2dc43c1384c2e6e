package postgres

import "testing"

func FuzzParseNodeNeverFailsBadly(f *testing.F) {
	f.Add(`({QUERY :commandType 1 :targetList ({TARGETENTRY :expr {CONST :constisnull false :constvalue 4 [ 1 0 0 0 ]} :resjunk false}) :cteList <>})`)
	f.Add(`{A :b "x\"y" :c \<\> :d (b 1 2) :e}`)
	f.Fuzz(func(t *testing.T, text string) {
		n, err := parseNode(text)
		if err != nil || n == nil {
			return
		}
		n.get("targetList")
		n.list("targetList")
	})
}
