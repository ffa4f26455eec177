package triggers

import "sync"

// recordRequests recognises that a person asks for a lesson to be recorded.
var recordRequests = sync.OnceValue(func() rules {
	return compile([]string{
		// English
		`\b(?:record|save|log|capture|write down|note down|jot down|store|keep|add|create|make|file|remember|document|turn)\b.{0,40}\b(?:lessons?|gotchas?|pitfalls?|lesson card|post-?mortem|learnings?)\b`,
		`\b(?:record|remember|save|write down|note|note down|capture|log) (?:this|that|the|our|your|my) (?:\w+ )?(?:mistake|lesson|failure|bug pattern|blunder|screw-?up|root cause)\b`,
		`^(?:please |ok,? |okay,? |and |also |can you |could you |now |so )*(?:record|remember|note|write) (?:this|that|it)(?: down)?(?: please| too| as well| for (?:next time|later|the future|future reference))?$`,
		`\b(?:remember|record|save|note|write) (?:this|that|it)(?: down)? (?:for next time|so (?:that )?(?:we|you|i|it)|as a)\b`,
		`\b(?:lesson learned|lessons learned)\b.{0,12}\b(?:record|save|write|note|card)\b`,
		`\b(?:make|write|create|add) (?:a|an|the) (?:lesson|qa[- ]finding|handrail) ?(?:card)?\b`,
		`\b(?:don't|do not|never) (?:ever )?forget (?:this|that) (?:mistake|lesson|bug|one)\b`,
		`\b(?:put|add) (?:this|that|it) (?:in|into|to) (?:the |our |your )?(?:brain|lessons|lesson cards?|handrail|memory)\b`,
		// Korean
		`^(?:자|그럼|좋아|오케이|ok|이제|일단|그리고|아|음|꼭|응|그래)?,?\s?(?:이거|이건|이걸|이것도|이것|이\s?내용|이\s?건|방금\s?(?:거|건|그거|실수|것)|이번\s?(?:거|건|일|실수|것|내용)|그거|그건)?(?:은|는|을|를|도)?\s?(?:꼭|좀|잘|다|반드시)?\s?(?:기록|메모)(?:해|\s?해|\s?좀\s?해|해\s?둬|해\s?놔|\s?부탁|\s?남겨|해\s?줘|해\s?주세요|해\s?두자|해\s?놓자|하자|해\s?둘래)\S{0,6}$`,
		`(?:교훈|레슨|lesson|실수\s?노트|오답\s?노트|레슨\s?카드|회고|시행착오|삽질)\S{0,5}\s?(?:\S+\s){0,2}?(?:기록|저장|남겨|남기|적어|메모|등록|추가|만들|정리|써\s?줘|써\s?둬|박아|올려)`,
		`(?:기록|저장|메모|정리)(?:해서|해)?\s?(?:\S+\s){0,2}?(?:교훈|레슨)(?:으로|에|카드)`,
		`(?:이\s?|그\s?|이번\s?|방금\s?|같은\s?)?실수\S{0,3}\s?(?:\S+\s){0,2}?(?:기록|기억|남겨|적어|메모|저장)(?:해|\s?해|\s?둬|\s?놔|\s?줘|\s?두|\s?놓|\s?부탁)`,
		`(?:이거|이건|이걸|이\s?실수|이번\s?건|이번\s?일|방금\s?거|그거|이것)\S{0,2}\s?(?:\S+\s)?(?:기록|기억|메모|적어|남겨)(?:해|\s?해)?\s?(?:둬|놔|줘|주세요|두자|놓자|둡시다|놓고|해|$)`,
		`(?:다음|나중|앞으로|다음번)\S{0,3}\s?(?:\S+\s){0,4}?(?:기록|기억|메모|적어|남겨)(?:해|\s?해)?\s?(?:둬|놔|줘|주세요|두자|놓자)`,
		`(?:brain|브레인|handrail|핸드레일)\S{0,3}\s?(?:\S+\s){0,2}?(?:기록|저장|남겨|추가|넣어|적어|등록)`,
	}, []string{
		// English: other things are recorded, or nothing is
		`\b(?:don't|do not|no need to|never|stop|without|shouldn't|not to) (?:\w+ )?(?:record|recording|save|saving|log|logging|note|remember|create|creating|write|make|add)\b`,
		`\b(?:dns|mx|txt|cname|aaaa|a|srv|ns|database|db|user|patient|medical|payment|audit|health|student|track|active|log|event) records?\b`,
		`\brecord (?:the |a |an |my |our |this )?(?:video|audio|screen|macro|session|call|meeting|sound|voice|gif|demo|screencast|macro|metrics?|timestamp|time|trace|fps|latency|usage|event|events|request|response|row|type|class|field|id|of|in)\b`,
		`\b(?:how|where|why|when|what|which|does|do|did|is|are|should) (?:\w+ ){0,5}(?:record|save|log|store|remember|lesson)\w*\b.{0,60}$`,
		`\blesson (?:plan|table|page|component|model|view|schema|list|id|controller|service|entity|screen|repository|api|endpoint|booking|schedule|content|video|player|progress|form)s?\b`,
		`\b(?:piano|music|english|math|driving|language|video|course|school|online|swimming|guitar) lessons?\b`,
		`\bremember me\b|\bremember to\b|\bremember (?:that|when|how)\b.{0,30}\?$`,
		`\b(?:function|method|endpoint|api|button|feature|command|class|table|column|field|page|hook|component|test|migration|class|script|job|service)\b.{0,40}\b(?:record|save|log|store|capture)`,
		`\b(?:if|when|whenever) (?:the |a |an )?(?:user|client|player|student|teacher|customer)\b`,
		`\b(?:to|in|into) (?:the |a |our )?(?:file|log|logfile|database|db|table|disk|redis|s3|json|csv|localstorage|cookie|session)\b`,
		`\b(?:read|summari[sz]e|search|show|list|delete|remove|open|find|translate) (?:\w+ ){0,4}lessons?\b`,
		// Korean
		`(?:기록|저장|메모|적|남기|추가|등록|만들)(?:하)?지\s?(?:마|말|않|는\s?말)`,
		`(?:기록|저장)(?:하는|되는|할|하도록|되도록|하게|되게|용|된|한|했)`,
		`(?:로그|파일|디비|db|데이터베이스|테이블|엑셀|시트|화면|영상|음성|소리|동영상|디스크|레디스|쿠키|세션|콘솔|액세스|감사|통계|시간|이벤트|매크로)\S{0,3}\s?(?:\S+\s){0,2}?(?:기록|저장|메모|남겨|남기|적어|추가)`,
		`(?:기능|함수|메서드|버튼|api|컴포넌트|코드|테이블|컬럼|스크립트|클래스|페이지|엔드포인트|훅|테스트)\S{0,3}\s?(?:\S+\s){0,2}?(?:추가|구현|작성|만들|넣어|수정|짜)`,
		`기록\s?(?:을|이|은)?\s?(?:보여|찾아|삭제|지워|조회|알려|읽어|확인|정리해서\s?보여|언제|어디)`,
		`(?:피아노|영어|수학|음악|온라인|운전|기타|수영)\s?(?:레슨|수업)`,
		`(?:교훈|레슨)\S{0,4}\s?(?:\S+\s)?(?:보여|찾아|삭제|지워|조회|알려|읽어|뭐|무엇|요약|목록)`,
		`(?:어떻게|어디에|왜|언제|무엇을)\s?(?:\S+\s){0,4}?(?:기록|저장)`,
	})
})

// Classify judges a message by its text alone: which trigger it is, and the words that
// make it so. A request to record wins over a complaint.
func Classify(text string) (t Trigger, evidence string, ok bool) {
	s := sentences(text)
	if e, ok := recordRequests().find(s); ok {
		return Record, e, true
	}
	if e, ok := complaints().find(s); ok {
		return Complaint, e, true
	}
	return "", "", false
}
