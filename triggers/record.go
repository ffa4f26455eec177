package triggers

import "sync"

// A request to record asks that what just happened be kept as a lesson: by that word, as
// a mistake not to be made again, or by a bare "record this". Recording something else
// (a video, a log line, a setting) is work like any other.

// englishRequests finds requests to record in English. Its phrases name a lesson; its
// marks only point at "this" or at a mistake, which may as well be data of the program.
var englishRequests = sync.OnceValue(func() grammar {
	words := english()
	words["keep"] = `record|save|log|capture|write(?: down| up)?|note(?: down)?|jot(?: down)?|store|keep|add|create|make|file|remember|memori[sz]e|document|turn|put|draft|register|persist|open|start|produce|generate|commit|append|convert|extract|formulate|distil\w*|summari[sz]e`
	words["lesson"] = `lessons?(?: learned| learnt)?|lesson[- ]cards?|gotchas?|pitfalls?|learnings?|takeaways?|post-?mortems?|qa[- ]?findings?|playbooks?|handrail(?: cards?)?|memory cards?|experience cards?|mistake cards?|knowledge cards?|guardrails?|cautionary tales?`
	words["fault"] = `mistakes?|failures?|blunders?|screw-?ups?|mess-?ups?|fuck-?ups?|root causes?|slip-?ups?|oversights?|incidents?|findings?|insights?|bug pattern|trap|debugging (?:session|story)|experience|what (?:went wrong|happened|we learned|we learnt|i learned|broke|caused (?:it|this|that)|just happened|the cause was|bit us)|why (?:this|that|it) (?:failed|broke|happened)`
	words["end"] = `(?: please| pls| plz| too| as well| down| somewhere| now| then| for me| thanks| ok| okay| properly| somehow)*[.!]*$`
	words["later"] = `for (?:next time|later|the future|future (?:reference|sessions?|use|me|you)|the next|posterity|the team|everyone|others|the record)|so (?:that )?(?:we|you|i|it|this|nobody|no one|the next|next time|others|future)|in case (?:it|this|we|you)|before (?:we|you|i) forget|next time|as a (?:lesson|reminder|warning|gotcha|note to self|reference)`
	words["start"] = `(?:^|[,;:(] ?)`
	words["this"] = `this|that|it|this one|that one|all (?:of )?(?:this|that)|these`
	words["thing"] = `buttons?|pages?|forms?|endpoints?|tables?|columns?|fields?|features?|functions?|methods?|components?|schemas?|class(?:es)?|modals?|dialogs?|screens?|apis?|labels?|icons?|menus?|checkbox(?:es)?|middleware|hooks?|handlers?|scripts?|apps?|commands?|widgets?`
	return script{
		words:  words,
		edge:   `\b`,
		clause: `[,;:()]| but | yet | and then `,
		phrases: `
# keep … lesson
{start}{please}(?:{keep}) (?:\S+ ){0,9}?(?:{lesson})
{please}(?:{keep}) (?:\S+ ){0,5}?(?:{lesson})
(?:{this}) (?:\w+ )?(?:deserves|needs|should|must|belongs|goes|is|would|has to|ought to|calls for|makes|ends up|end up|lands?) (?:\w+ ){0,4}?(?:{lesson}|card)
(?:want|need|like) (?:\w+ ){0,3}(?:recorded|saved|kept|written down|noted|captured|documented|stored|logged) (?:as|in|under|for) (?:\w+ ){0,2}(?:{lesson})
(?:want|need|would like|id like|worth|lets have|deserves) (?:to (?:have|keep|make|write|record|add) )?(?:a|an|another) (?:new )?(?:{lesson}|card)(?: \w+)? (?:about|for|on|from|out of|of)
{start}{please}(?:update|extend|amend|append to) (?:\w+ ){0,2}(?:{lesson}) (?:with|about|to include|from)
^{please}(?:{lesson})(?: learned| learnt)? ?(?:to (?:record|keep|save|remember|note))
^(?:{lesson}) ?: .+
{start}{please}(?:{keep}|turn|make|convert) (?:{this}|what|everything|the whole \w+|our) (?:\S+ ){0,6}?(?:card|checklist|rule for next time)
{start}{please}(?:add|make|create|write|open|start|draft) (?:a|an|another|one|one more|the) (?:new )?card(?:$|[.!]| (?:for (?:this|that|it)|about|from (?:this|that)|so|because|out of))
{start}{please}(?:put|add|save|store|write|record|commit|file|keep|log|append) (?:{this}|what \w+ \w+) (?:\w+ ){0,4}?(?:in|into|to|under|onto) (?:the |our |your |my )?(?:brain|long-?term memory|memory|memories|lessons?|experience memory|knowledge base|team knowledge)
commit (?:this|that|it) to memory
# do not forget
(?:dont|do not|never|lets not|cant|must not|mustnt|shouldnt|better not) (?:ever )?(?:forget|lose) (?:this|that|about this|these|the|our|your) (?:\w+ )?(?:{fault}|lesson|learning)
^(?:record|note to self|take (?:a )?note|for the lessons) ?: .+
(?:dont|do not|never) let (?:us|me|this|that|it) (?:forget|happen|slip)`,
		marks: `
# record this
{start}{please}(?:record|remember|memori[sz]e|note|jot|capture) (?:{this})(?: down)?{end}
{start}{please}write (?:{this}) down{end}
{start}{please}(?:record|remember|note|write down|jot down|save|log|capture|keep|store|document|memori[sz]e|write) (?:{this}|what \w+ \w+)(?: down| somewhere| in mind)? (?:\w+ )?(?:{later})
{start}{please}(?:record|remember|note) (?:{this}) for\b
{start}{please}(?:jot|write|note) (?:{this}) down\b
# record the mistake
{start}{please}(?:record|remember|note|write|jot|capture|log|save|keep|store|document|memori[sz]e)(?: down)? (?:this|that|the|our|your|my|these|those|what)? ?(?:\w+ ){0,2}?(?:{fault})(?:{end}|,|:| (?:{later})| (?:somewhere|here|in the|we|you|i|that|and|with|from|to the|into the|for|of))
{start}{please}(?:write|note|jot) down (?:why|what (?:went|happened|caused|we|i)|how (?:we|i|this))\b
{start}{please}(?:make|take|leave|keep|put) (?:a |yourself a |me a |us a )?(?:\w+ )?(?:note|record|reminder|memo) (?:of|about|on|that|for|to self|to yourself) (?:this|that|the|our|your|my|what|it|these)(?: \w+)?(?: (?:{fault}))?(?:{end}| (?:{later}))
{start}{please}(?:make|take|leave|keep) (?:a |yourself a )?(?:\w+ )?(?:note|record) of (?:\w+ ){0,3}(?:{fault})
{start}{please}(?:record|note down|jot down|write down|remember)[ :,]+(?:always|never|dont|do not|we must|you must|next time)\b
(?:dont|do not|never|lets not|cant|must not|mustnt|shouldnt|better not) (?:ever )?(?:forget|lose) (?:this|that|about this|these)(?: one| bug| again| time)?{end}
(?:we|you|i) (?:should|must|need to|have to|better|ought to|really should|gotta) (?:really |definitely |always |just )?(?:record|remember|write (?:this|that|it) down|note|document|save|capture|keep) (?:{this}|what)(?: one| down| mistake| lesson)?(?:{end}| (?:{later})| (?:happened|went wrong|we learned|somewhere|and))
(?:{this}) (?:should|must|needs to|has to|ought to) (?:be|get) (?:recorded|remembered|written down|noted|documented|saved)(?: (?:{later}|somewhere|as)|{end})
(?:{this}) (?:is |was )?(?:one )?(?:is )?worth (?:recording|remembering|writing down|noting|keeping|a (?:card|lesson|note))
{start}{please}(?:note|record|remember|write|log) (?:it|that|this)[.!]? (?:never|always|dont)\b`,
		never: `
\b(?:dont|do not|no need to|never|stop|without|shouldnt|should not|not to|not necessary to|neednt|need not|no reason to|rather not|instead of|dont bother|dont have to|do not need to|didnt ask (?:you )?to|who asked you to) (?:\w+ )?(?:record|recording|save|saving|log|logging|note|noting|remember|remembering|creat\w+|writ\w+|mak\w+|add\w*|document\w*|stor\w+|keep\w*|captur\w+|turn\w*)\b
\blessons? \d
\b(?:piano|music|english|math|maths|driving|language|video|course|school|online|swimming|guitar|yoga|tennis|french|spanish|german|korean|history|first|next|previous|chess|dance|singing|ski|golf|cooking|art|drum|violin|group|private|trial|free) lessons?\b
\blessons?[- ](?:plans?|tables?|pages?|components?|models?|views?|schemas?|lists?|ids?|controllers?|services?|entit\w+|screens?|repositor\w+|apis?|endpoints?|bookings?|schedules?|content|videos?|players?|progress|forms?|titles?|durations?|prices?|objects?|class(?:es)?|modules?|routes?|buttons?|fields?|templates?|parser|index|count|view|quiz\w*|materials?|slots?|calendar|app|number|names?|reminders?|notes? (?:app|feature)|picker|store|data|feed|tab|cards? (?:ui|component|view|layout))\b
\b(?:students?|teachers?|pupils?|tutors?|learners?|courses?|curriculum|kids|quiz|diary|instructors?|school|academy|classroom)\b
\b(?:the |a |each |our )?(?:users?|clients?|players?|customers?|visitors?) (?:can|should|must|may|will|needs?|wants?|to|could|has|have|records?|saves?)\b
\bif the (?:model|user|app|client|player|server)\b
\b(?:add|create|make|implement|build|design|need|want|code|style|rename|wire|write|fix) (?:me )?(?:a|an|the|another|some|new)? ?(?:[\w-]+ ){0,3}(?:{thing})\b
\b(?:{thing}) (?:to|that|which|for|where) (?:\w+ )?(?:record|save|log|store|keep|track|remember|note|captur)\w*
\b(?:video|audio|screencast|macro|sound|voice|gif|microphone|webcam|playback|sales|dns|mx|txt record|cname)\b
\bper (?:user|request|day|session|minute|hour)\b
^(?:how|where|why|when|what|which|who|does|do|did|is|are|was|were|has|have)\b
\bdo you (?:still )?remember\b|\bi (?:cant|dont|cannot|do not) remember\b|\bremember me\b|\bremember to\b|\bas (?:far as )?i remember\b
\bremember that (?:the|it|we|this|a|an|our|you|i|there|all|every|some|in|on|when|if)\b
\b(?:show|list|read|search|delete|remove|find|translate|count|sort|review|display|print|explain|rename|edit|move|archive|ignore|apply|use|check|refresh|load|reload|import|export|merge|dedupe|tag|rate) (?:me )?(?:\w+ ){0,3}(?:lessons?|gotchas?|pitfalls?|cards?|learnings?|takeaways?)\b
\b(?:summari[sz]e|open) (?:the |all |our |my )?(?:\w+ )?(?:lessons?|cards?|learnings?|takeaways?|gotchas?)\b
\b(?:blog ?post|article|essay|novel|story|poem|slides|presentation|talk|newsletter|speech)\b
\b(?:credit|business|id|debit|sim|graphics|video|profile|product|gift|flash|score|trading|playing|report|pricing|user|info|summary|stat|stats|trello|kanban|jira|index|greeting|loyalty|key|sd|memory (?:sd|micro)|micro ?sd|sound|network|task|todo)[ -]?cards?\b|\bcard (?:component|layout|number|payment|game|grid|view|list|deck|design|style|reader|stack|shadow|ui|to the (?:board|deck|list))s?\b|\bstylesheet\b
\btemplates?\b
\bnote that\b|\bkeep in mind that\b`,
		before: `
\b(?:if|whether|unless|when(?:ever)?|every time|once)\b .*\b(?:record|save|log|store|remember|note|write|capture|keep)\b
\b(?:it|that|which|app|system|server|service|tool|bot|agent|they|function|middleware|script) (?:records?|saves?|logs?|stores?|remembers?|writes?|keeps?|captures?)\b`,
		after: `
 (?:is|are|was|were|isnt|doesnt|does|has|looks|seems|says|shows) (?:the |a |not |no |missing|wrong|broken|outdated|stored|saved)`,
		harmless: `
\b(?:to|in|into|as|from|inside) (?:the |a |an |our |my |each |every )?(?:[\w-]+ )?(?:file|log|logfile|logs|database|db|table|disk|redis|s3|json|csv|yaml|localstorage|local storage|cookies?|session storage|stdout|stderr|console|sentry|spreadsheet|changelog|readme|clipboard|handler|middleware|hook|state|store|variable|config|settings|payload|response|request|header|constant|catch block|callback|parser|reducer|component|service|class|method|function|commit message|comments?|pr|pull request|description)\b
\b(?:{thing})\b
\.(?:js|ts|go|py|md|json|ya?ml|txt|csv|toml|java|rs|rb|php|css|html)\b
\b(?:test|tests|snapshot|fixture|benchmark)s?\b`,
	}.compile()
})

// koreanRequests finds requests to record in Korean, in the same two degrees.
var koreanRequests = sync.OnceValue(func() grammar {
	words := korean()
	words["lesson"] = `교훈|레슨|lessons?|레쓴|gotcha|pitfall|포스트 ?모템|post-?mortem|시행 ?착오|삽질 ?(?:노트|기록|일지|경험)?|실수 ?노트|오답 ?노트|(?:실수|경험|기억|지식|교훈|레슨|lesson|재발 ?방지) ?(?:카드|card)|플레이북|playbook|qa[ -]?finding|반면교사|함정|깨달은 ?(?:점|것|거)|(?:오늘 |이번에 |여기서 )?배운 ?(?:점|것|거|내용)|난간`
	words["fault"] = `실수|실책|삽질|장애 ?원인|원인|사고|시행 ?착오|잘못|함정|해결 ?(?:방법|과정|법)|해결책|실패|뭐가 ?잘못\S*|무엇이 ?잘못\S*|왜 ?(?:틀렸|깨졌|실패했|안 ?됐|터졌)\S*|이 ?(?:문제|버그|이슈|장애|에러)|이번 ?(?:문제|버그|이슈|장애|에러)`
	words["this"] = `이거|이건|이걸|이것|이것도|이거도|이 ?내용|이 ?건|방금 ?(?:거|건|그거|것|일|한 ?거|내용|실수|상황|난리 ?난 ?거|\S+ ?거)|이번 ?(?:거|건|일|것|내용|실수|장애|사고|문제|삽질|버그|케이스|이슈|사례)|그거|그건|그걸|이런 ?거|이런 ?건|이런 ?실수|지금 ?(?:거|건|이거|내용|한 ?거|상황)|여기까지|오늘 ?(?:거|일|건|내용|배운 ?거|삽질|실수)|이 ?(?:실수|문제|버그|교훈|사례|사고|장애|이슈|삽질|케이스|경험)|위 ?내용|이 ?대화`
	words["next"] = `다음|나중|앞으로|다음번|재발|같은 ?(?:일|실수)|두 ?번 ?다시|잊지|잊어버리|까먹|반복|다시 ?(?:는 ?)?안|다신|다시는|안 ?그러|또 ?(?:안|이러|헷갈|그러|당하|하지)|안 ?당하`
	words["hey"] = `(?:(?:그럼|그러면|좋아|자|아|음|ok|okay|오케이|ㅇㅋ|ㅇㅇ|꼭|응|어|그래|네|일단|이제|그리고|됐다|됐어|굿|휴|와|하|참|제발|우리|팀 ?\S+|오늘|여기서|나중에|바로|혹시|그럼 ?이제|해결됐으니|해결했으니|고쳤으니|끝났으니)\S{0,2}[ ,.!~]+)*`
	words["adv"] = `(?:꼭|좀|잘|다|반드시|일단|이제|제발|나중에|바로|어딘가에?|어디|따로|하나|확실히|제대로|항상)? ?`
	// What closes an order.
	words["do"] = `(?:을|를|은|는|도)? ?(?:좀|꼭|잘|하나|다|바로|제대로|확실히|따로|다시)? ?(?:해$|해[.!~, ]|하자|해 ?줘|해 ?주[세라시]|해 ?줬으면|해 ?주면|해 ?줄래|해 ?줄 ?수|해[:：]|할 ?수 ?있[어을나]|해 ?둬|해 ?두|해 ?둡|해 ?둘래|해 ?놔|해 ?놓|해라|합시다|해야|할게|하렴|하면 ?좋|하는 ?게 ?좋|하길|부탁|ㄱㄱ|고고|ㄱ$|ㄱ[ !.]|바람|바랍|요망|필요|각|좀[.!~]*$|[.!~]*$)`
	words["put"] = `(?:어|여|겨|기|길|김|가|려|아|워|해|가게|고)? ?(?:줘|주[세라렴십]|줄래|줄 ?수|주면|줬으면|둬|두[자세고면]|둡시다|둘 ?만|놔|놓[자고으아]|라[.! ]|라$|야 ?(?:해|돼|겠|지|함|됨)|자$|자[.!~ ]|[.!~]*$|[:：]|달라|다오|드려|보자|부탁|해 ?줘|해 ?주)`
	return script{
		words:  words,
		clause: `[,;:()]|(?:는데|은데|건데|인데|니까|지만|더니|거든요?|고요|구요|잖아요?|[졌됐났했었았렸웠쳤]어|네요?|어요|니다|됐다|했다|했음) `,
		phrases: `
# 교훈으로 기록
(?:{lesson})\S{0,3} (?:[^\s,]+ ){0,4}?(?:기록|메모|저장|박제|정리|등록|추가|작성|생성|기재|보관|업데이트|반영|문서화|카드 ?화|포함|record|save|add|note)(?:{do})
(?:{lesson})\S{0,3} (?:[^\s,]+ ){0,4}?(?:남|적|만들|써|올|넣|챙|들어)(?:{put})
(?:{lesson})(?:기록|저장|정리|추가|등록|작성) ?(?:해|하|부탁|$)
(?:{lesson}) ?(?:추가|기록|등록|저장|메모) ?[:：]
(?:교훈|레슨|lesson|함정)(?:이네|이다|감이|감|거리|각|이야|이구나|이군|네)\S{0,3} (?:[^\s,]+ )?(?:저장|기록|메모|남|적|추가|카드|등록|만들)
(?:교훈|레슨|lesson|반면교사)(?:으로|로)(?:[,.!]|$)
(?:기록|저장|메모|정리|남겨|적어)\S{0,3} (?:[^\s,]+ ){0,3}?(?:교훈|레슨|lesson|실수 ?노트|오답 ?노트)(?:으로|에|로|카드)
^{hey}(?:교훈|레슨|lesson) ?[:：]
(?:교훈|레슨|lesson|qa[ -]?finding) ?(?:카드|card)? ?(?:하나 |한 ?장 )?(?:남|적|만들|써|추가|작성|생성)(?:{put})
(?:{this}|{next}|{fault}|다음 ?사람)\S{0,3} (?:[^\s,]+ ){0,5}?(?:카드|card)(?:로|에|를|을| ?하나| ?한 ?장)? ?(?:[^\s,]+ )?(?:남|적|만들|써|추가|작성|생성|올|등록)\S*
# 브레인에
(?:^|[\s,])(?:brain|브레인|handrail|핸드레일|장기 ?기억|지식 ?베이스)\S{0,3} (?:[^\s,]+ ){0,3}?(?:기록|저장|추가|등록|메모|정리)(?:{do})
(?:^|[\s,])(?:brain|브레인|handrail|핸드레일|장기 ?기억|지식 ?베이스)\S{0,3} (?:[^\s,]+ ){0,3}?(?:남|적|넣|올|써|박)(?:{put})
(?:{this})\S{0,2} (?:메모리|기억)에 (?:저장|남|넣|추가|새)\S*`,
		marks: `
# 이거 기록해
(?:^|, ?){hey}(?:{this})?\S{0,2} ?{adv}(?:기록|메모|박제|카드 ?화)(?:{do})
(?:{this}|{fault}|{next})\S{0,4} (?:[^\s,]+ ){0,5}?(?:기록|메모|박제|카드 ?화)(?:{do})
^{hey}(?:{this})?\S{0,2} ?{adv}(?:기억|기록|메모|적어)(?:해)? ?(?:둬|둘 ?것|두자|놔|놓자|라)[,.:!]
# 기억해 둬
^{hey}(?:{this})?\S{0,2} ?{adv}기억(?:해 ?둬|해 ?두|해 ?놔|해 ?놓|해라|해$|해[.!,]|해 ?줘|해 ?주|하자|하고 ?있어|하세요|해야)
(?:{this}|{fault}|교훈)\S{0,3} (?:[^\s,]+ ){0,3}?기억(?:해 ?둬|해 ?두|해 ?놔|해 ?놓|해라|해$|해[.!,]|해 ?줘|해 ?주|하자|하고 ?있어|하세요|해야)
(?:{this}|이 ?실수|교훈)\S{0,3} (?:[^\s,]+ )?(?:잊지|까먹지) ?(?:마|말)
# 남겨 둬, 적어 둬
(?:{this}|{fault}|{next})\S{0,4} (?:[^\s,]+ ){0,6}?(?:남겨|남기|적어|써) ?(?:둬|두|놔|놓)\S*
(?:{next})\S{0,4} (?:[^\s,]+ ){0,6}?(?:남겨|적어|써) ?줘\S*
(?:이런|이|그|같은|방금|이번|내|네) ?(?:실수|삽질|교훈)\S{0,3} (?:[^\s,]+ ){0,4}?(?:남|적)(?:{put})
^{hey}(?:{this})\S{0,2} {adv}(?:남겨|적어) ?(?:둬|두|놔|놓)\S*
(?:적어|써|남겨) ?(?:두자|둬|놓자|놔)\S{0,2},? (?:나중|다음|또|안 ?그러면)`,
		never: `
(?:기록|저장|메모|적|남기|추가|등록|만들|남길|적을|기록할|저장할|카드)(?:하|을|를|은|는)? ?(?:지 ?(?:마|말|않)|필요 ?(?:는 |가 |도 )?없|는 ?말|까지는? ?(?:않|말|없)|안 ?해도|말고|마$|마[.! ])
(?:굳이|안) ?(?:남길|남겨도|기록|적어도|적을|저장|메모|추가)
(?:피아노|영어|수학|음악|온라인|운전|기타|수영|골프|테니스|요가|과외|댄스|보컬|발레|스키|개인|그룹|무료|체험|드럼|미술|요리) ?(?:레슨|수업)
(?:레슨|수업) ?(?:예약|모델|앱|테이블|페이지|가격|일정|스케줄|영상|등록 ?(?:화면|페이지|폼)|엔티티|api|상세|신청|결제|필드|진행|시간|회차|수강|출석|후기|강사|선생|회원)
(?:교훈|레슨|회고|카드|노하우|함정)\S{0,3} ?(?:\S+ )?(?:보여|찾아|삭제|지워|조회|알려|읽어|뭐|무엇|뭔|요약|목록(?: ?(?:보|좀|줘|뽑|조회|출력|$))|몇 ?개|어디|언제|있어\??$|있나|있는지|얻을 ?수|번역|검색|열어|무시|정렬|보관 ?처리|숨[겨기]|합쳐|비교)
교훈적인|교훈 ?(?:동화|이야기|우화)|오답 ?노트(?:에|를|를 ?) ?\S* ?\S* ?(?:기능|앱|화면)
(?:신용|체크|명함|프로필|상품|결제|교통|그래픽|트렐로|칸반|유심|게임|멤버십|선물|학생|회원|플래시|단어|암기|포토|통계|요약|가격) ?카드|카드 ?(?:결제|번호|컴포넌트|레이아웃|ui|뷰|게임|목록|디자인|섹션|리스트|승인|사|앱)|(?:트렐로|칸반|지라|보드)\S* (?:\S+ )?카드
(?:기능|함수|메서드|버튼|컴포넌트|컬럼|미들웨어|스크립트|클래스|페이지|엔드포인트|훅|테스트 ?코드|필드|체크박스|api|모달|폼|메뉴|앱)(?:을|를|도|이|은|는|에)? ?(?:\S+ ){0,2}?(?:추가|구현|작성|만들|넣|수정|짜|기획|개발)
(?:기록|저장|메모|기억) ?(?:하는|되는|하도록|되도록|하게|되게|용|된|한 ?(?:거|것|내용|파일|데이터)|했[어던는지나]|했는데|됐|되[어나지]|하면|이 ?안|이 ?나|나\??$|상실|력|장치|안 ?나|앱|관리|유지)
(?:기록|저장|메모|기억)(?:을|이|은|들을?|내역)? ?(?:보여|찾아|삭제|지워|조회|알려|읽어|정리|언제|어디|초기화|복구|비교|백업|옮|분석|열람)
(?:운동|식단|방문|접속|로그인|검색|구매|결제|근무|출석|공부|학습|독서|게임|채팅|대화|거래|작업|변경|수정|배포|커밋|git|신|최고|개인|시청|주행|건강|수면|의료|진료|통화|요청|응답|시간|실행|명령\S*) ?기록
(?:어떻게|어디에?|언제|무엇을|뭘|누가) (?:\S+ ){0,4}?(?:기록|저장|메모|기억|남)
(?:사용자|유저|고객|학생|플레이어|회원)(?:가|이|는|은|의|별|들이)? 
(?:교훈|레슨|카드) ?목록(?:을|를)|템플릿|(?:걸로|것으로|거로|걸루|기억에|기억으로) 기억|걸로 기억
실수로 |실수 ?방지|실수했|(?:기록|레슨|교훈|카드) ?버튼`,
		before: `
(?:하면|되면|나면|으면|할 ?때|날 ?때|할 ?때마다|될 ?때마다|경우) (?:[^\s,]+ ){0,4}?(?:기록|저장|메모|남|적|추가|알림)
(?:자동으로|주기적으로|매번|\d+초마다|실시간으로) (?:[^\s,]+ ){0,3}?(?:기록|저장|남|적|추가)`,
		after: `
\S*(?: \S{1,6})? ?(?:버튼|기능|화면|페이지|앱|api|메서드|함수|로직|테이블|컬럼|코드|문구|필드|메뉴|라는|이라는|라고|테스트)
\S*(?:나요|을까|ㄹ까|할까요?|습니까|는 ?거야|는지)`,
		harmless: `
(?:로그|파일|디비|db|데이터베이스|테이블|엑셀|시트|화면|영상|음성|소리|동영상|디스크|레디스|쿠키|로컬 ?스토리지|localstorage|콘솔|액세스|감사|통계|센트리|sentry|매크로|s3|csv|json|yaml|txt|readme|리드미|changelog|체인지로그|커밋 ?메시지|주석|코멘트|댓글|pr|todo|할 ?일|목록|노션|notion|슬랙|위키|클립보드|변수|캐시|세션|스토리지|폴더|핸들러|보고서|이슈 ?트래커|지라|메일)(?:에|에다|에도|로|으로|를|을|는|만|가|이|에만|에서)? ?(?:\S+ ){0,3}?(?:기록|저장|메모|남|적|추가|써)
\.(?:js|ts|go|py|md|json|ya?ml|txt|csv|java|kt|swift|rb|php|css|html)`,
	}.compile()
})

// Classify judges a message by its text alone: which trigger it is, and the words that
// make it so, as written. A request to record wins over a complaint. ok is false when the
// message is neither.
func Classify(text string) (t Trigger, evidence string, ok bool) {
	s := sentences(text)
	for _, g := range []func() grammar{englishRequests, koreanRequests} {
		if e, ok := g().find(s); ok {
			return Record, e, true
		}
	}
	for _, g := range []func() grammar{koreanComplaints, englishComplaints} {
		if e, ok := g().find(s); ok {
			return Complaint, e, true
		}
	}
	return "", "", false
}
