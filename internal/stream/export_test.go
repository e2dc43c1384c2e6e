package stream

func init() { poisonMemory = true }

const OlderLettersQuery = olderLettersQuery
