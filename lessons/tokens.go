package lessons

import (
	"sync"

	"github.com/tiktoken-go/tokenizer"
)

// codec returns the o200k tokenizer; its vocabulary is compiled in and unpacked once.
var codec = sync.OnceValues(func() (tokenizer.Codec, error) { return tokenizer.Get(tokenizer.O200kBase) })

// CountTokens returns how many o200k tokens a text has. Should the vocabulary not load,
// it returns the number of bytes, which no text exceeds.
func CountTokens(text string) int {
	if text == "" {
		return 0
	}
	c, err := codec()
	if err != nil {
		return len(text)
	}
	n, err := c.Count(text)
	if err != nil {
		return len(text)
	}
	return n
}
