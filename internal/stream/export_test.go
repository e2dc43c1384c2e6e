package stream

func init() { poisonMemory = true }
