package stream

func init() { poisonMemory = true }

const OlderLettersQuery = oldDeadLetterQuery
