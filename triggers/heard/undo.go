package heard

import (
	"strings"

	"github.com/handrail-dev/handrail/lessons/lazyregexp"
)

// undoing are the ways to tell an agent to take back what it did: a verb that says so, with the
// agent's work, a file or a bare pronoun behind it, or "put it back". The verb alone says little:
// "add an undo button", "revert the status of an order".
var undoing = lazyregexp.New(strings.Join([]string{
	`(?:^|[,;] )(?:(?:no|ok(?:ay)?|oh|hm+|wait|please|just|now|then|and|so|lets|can you|could you)[ ,.!]*)*(?:undo|revert|roll ?back|back out)(?:[ ,.!]|please|now|again)*$`,
	`\b(?:undo|revert|roll ?back|back out|reverse|discard|scrap|throw (?:out|away)|restore)(?: (?:all|both|of))* (?:that|this|it|them|these|those|everything|all)(?:$| ?[.!?,]| (?:again|please|and|for now|now|to|completely|entirely|back|as)\b)`,
	`\b(?:undo|revert|roll ?back|restore|discard) (?:the )?(?:file|\S*\w\.[a-z]{1,5})(?:$| ?[.!?,]| (?:again|please|and|now|to|back|as)\b)`, // a path is read as "file"
	`\b(?:undo|revert|roll ?back|back out|reverse|discard|scrap|drop|remove|delete|get rid of|throw (?:out|away)|take (?:back|out)) (?:\S+ ){0,3}(?:(?:what|whatever|that|everything|all|code|parts?|lines?|stuff|things?) you\b|your\b|(?:last|latest|previous|recent|these|those|this|that|the|all|any) (?:\S+ ){0,2}(?:changes?|edits?|modifications?|commits?)\b|changes? you\b)`,
	`\b(?:take|put|change|turn|set|bring|roll|pull|switch) (?:that|this|it|them|those|these|everything|your \w+|the (?:changes?|edits?|old \w+)) (?:all )?(?:back|out)(?: out)?(?:$| ?[.!?,]| (?:again|please|and|now|to|as|how|where|like)\b)`,
	`\bback to (?:how|what|the way|where) (?:it|that|this|they|things?|we)\b|\b(?:how|as|the way|like) (?:it|they|that|things) (?:was|were)(?: before)?(?:$| ?[.!?,])|\b(?:go|change|get|restore|put) (?:\S+ ){0,3}(?:back )?to (?:the|its) (?:original|previous|old|prior|former)\b`,
	`되돌[려리]|원래 ?(?:대로|상태|모습|코드)|원상 ?복구|원복|(?:롤백|리버트|복구) ?(?:해|하[고자세]|시켜|부탁|$)|돌려 ?놓|돌려 ?놔|(?:이전|전|처음|예전)(?:으로|대로| ?(?:상태|버전|코드)(?:로|대로)) ?(?:다시 )?(?:돌|복구|바꿔|해)|없던 ?(?:일|걸)로`,
	`(?:방금|아까|네가|니가|너가|마지막|수정|변경|작업|고친|바꾼|추가한|넣은|만든|그거|그것|이거|저거|다시|도로)\S*(?: \S+){0,4}? ?(?:취소 ?(?:해|하|시|$)|빼 ?(?:줘|라|주|봐|$)|지워 ?(?:줘|라|주|$)|없애 ?(?:줘|라|주|$)|걷어내)`,
}, "|"))

// denied matches what goes before an undoing, and it, where its own clause says not to.
var denied = lazyregexp.New(`\b(?:dont|do not|never|shouldnt|cannot|cant)\b[^,;]*$`)

// notUndoing matches a sentence about undoing that asks for none: a condition, a question, what
// the person did, a feature.
var notUndoing = lazyregexp.New(`\b(?:if|unless|without|why|did you|have you|i (?:just |already |have |had )?(?:undo|undid|reverted|revert|rolled)|(?:i|we) (?:can|could|used)|using|used|only when|button|feature|shortcut|users?)\b|버튼|기능|(?:리|하|우|빼|애)지 ?(?:마|말|않)|왜 |[했됐]나|면 `)

// AsksUndo reports whether the person tells the agent to take back what it did. It says nothing
// alone: something must then be taken back.
func AsksUndo(text string) bool {
	for _, s := range own(text).sentences {
		at := undoing().FindStringIndex(s.said)
		if at != nil && !notUndoing().MatchString(s.said) && !denied().MatchString(strings.TrimRight(s.said[:at[1]], " .!?,;")) {
			return true
		}
	}
	return false
}

// blames matches a sentence that says what the agent did, was asked for, or must not do. "You" who may, need or could do something
// is only asked for more, and "I don't think so" is about something else.
var blames = lazyregexp.New(`\byou(?:re|ve)? (?:(?:just|also|still|again|only|have|are|were|did|do|seem to be) )*(?:not|didnt|dont|arent|\w*[^e\W]ed|\w+ing|` +
	`made|broke|wrote|put|ran|left|took|got|forgot|lost|went)\b|\bi (?:only |just )?(?:asked|told|wanted) you (?:not )?to\b|` +
	`(?:^|[^i] )(?:dont|do not)\b|\b(?:never|no need|must|should not|shouldnt|stop|without|instead of)\b|` +
	`지 ?마|말고|말라고?|하지 말|[네니너]가 |왜 .*(?:했|바꿨|바꾸|지웠|지우|넣)`)

// minBlame is how many words a sentence has that says what was done: "you didn't do it" does not.
const minBlame = 5

// Blames reports whether a correction is about what the agent did or must not do, and not about what the person had meant.
func Blames(text string) bool {
	for _, s := range own(text).sentences {
		if !strings.HasSuffix(s.said, "?") && len(strings.Fields(s.norm)) >= minBlame && blames().MatchString(s.norm) {
			return true
		}
	}
	return false
}
