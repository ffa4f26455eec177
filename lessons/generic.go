package lessons

import "strings"

// Generic reports whether a word, in lower case, names a language, a tool or a layer: such words speak to half of all commands
// and files, so a tag or a glob of nothing else says nothing of what a card is about.
func Generic(word string) bool { return generic[word] }

var generic = func() map[string]bool {
	out := map[string]bool{}
	for w := range strings.FieldsSeq(`
		go golang python py javascript js typescript ts tsx jsx java kotlin rust ruby php c cpp csharp swift shell bash sh sql html css json yaml toml markdown md
		node npm pnpm yarn bun pip uv cargo make git docker test tests testing unit ci build lint run dev prod src lib app api web server client cmd main internal pkg
		http db config docs doc scripts script tools tool bin security performance bug error fix backend frontend index status log diff`) {
		out[w] = true
	}
	return out
}()
