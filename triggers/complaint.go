package triggers

import "sync"

// The words a failure is named with.
const (
	enFail  = `(?:fail\w*|break\w*|broke\w*|crash\w*|error\w*|bug\w*|wrong|hang\w*|freez\w*|throw\w*|panic\w*|leak\w*|(?:not|isn't|doesn't|does not|don't|won't|can't|didn't|aren't) (?:work\w*|compil\w*|build\w*|run\w*|pass\w*|start\w*|fixed|show\w*|load\w*|connect\w*|respond\w*|save\w*|help\w*)|flak\w*|red|500|404|null|undefined|missing|empty|garbled|duplicated?|happen\w*|timing out|times? out|timed out)`
	koFail  = `(?:안\s?[돼되됨됩]|안\s?[나뜨먹열켜보]|에러|오류|실패|깨[져지졌진]|깨짐|터[져지졌진짐]|터[짐지]|죽[어는었네음]|망가|틀[려리렸린]|버그|못\s?[하찾읽]|멈[춰추췄]|누락|빠[져지졌]|크래시|뻗|튕|먹통|이상해|이상하|꼬[여이였]|느려|안\s?고쳐|사라[져지졌]|중복)`
	koThing = `(?:실수|에러|오류|문제|버그|증상|현상|이슈|짓|장애|실패|패턴)`
)

// complaints recognises that something fails again, in English and Korean.
var complaints = sync.OnceValue(func() rules {
	return compile([]string{
		// English
		`\bstill\b[^,]{0,40}?\b` + enFail,
		`\bstill (?:the )?(?:same|seeing|getting|there|an issue|a problem|no luck|nothing|doing it|does it)\b`,
		enFail + `[^,]{0,30}\bagain\b`,
		`\b(?:again|once more)\b[^,]{0,25}\b` + enFail,
		`\bwhy (?:does|do|is|are|did|has|have)\b.{0,50}\b(?:keeps?|always|constantly|still|again|every time)\b.{0,30}`,
		`\bkeeps? (?:on )?(?:fail|break|crash|happen|com|reappear|return|throw|mak|do|forget|ignor|los|reset|gett|show|tim|delet|remov|undo|revert|overwrit|hang|giv|add)\w*ing\b`,
		`\bkeeps? (?:on )?(?:coming back|making|doing|losing|getting|timing out|giving)\b`,
		`\b(?:the )?(?:exact )?same (?:\w+ )?(?:error|bug|mistake|problem|issue|failure|crash|thing|stack ?trace|symptom)s?\b.{0,30}\b(?:again|as (?:before|yesterday|last|the)|keeps?|back|still|twice|every)\b`,
		`\b(?:made|making|make|repeat\w*|did|doing|with) the (?:exact )?same (?:mistake|error|thing|bug)\b`,
		`\b(?:again|still)\b.{0,20}\bsame (?:\w+ )?(?:error|bug|mistake|problem|issue|failure)\b`,
		`\b(?:i|we|you|he|she|they) (?:already |just |literally |had )*(?:fixed|solved|resolved|corrected|told you|asked you|said)\b.{0,40}\b(?:yesterday|last week|last time|earlier|before|already|this morning|again|twice|times)\b`,
		`\b(?:i|we) (?:already|just) (?:fixed|solved|told you|went through|corrected)\b`,
		`\b(?:i )?thought (?:we|you|i|this|that|it)(?:'d| had| was| were)? ?(?:already )?(?:fix|solv|resolv)\w*\b`,
		`\byou (?:said|told me|claimed|promised) (?:that )?(?:it|this|that|you)\b.{0,30}\b(?:fix|work|solv|done|resolv|pass)\w*`,
		`\b(?:wasn't|weren't|isn't) (?:this|that|it) (?:already )?(?:supposed to be )?(?:fixed|solved|resolved)\b`,
		`\b(?:broke|breaks|broken|stopped working|stopped \w+ing|fails?|failing|crashes|crashing|regressed)\b.{0,30}\b(?:after|since|because of|with) (?:your|the last|that last|that|the latest|this last)\b`,
		`\byour (?:last |latest |previous )?(?:fix|change|edit|refactor\w*|commit|patch|update|suggestion)\b.{0,25}\b(?:broke|breaks|has broken|made it worse|didn't|doesn't|did not|does not|undid|reverted|caused)\b`,
		`\b(?:the |that |this )?fix (?:didn't|doesn't|did not|does not|hasn't|isn't)\b`,
		`\b(?:didn't|doesn't|did not) (?:actually |really )?(?:fix|solve|resolve) (?:it|this|that|the|anything)\b`,
		`\b(?:bug|error|issue|problem|crash|failure|exception|warning|flake|leak|it|that|this)(?:'s| is| has| just)? (?:came back|come back|is back|back again|back|returned|resurfaced|reappeared|regressed)\b.{0,10}$`,
		`\b(?:came back|is back again|is back|has resurfaced|has reappeared|has returned)\b`,
		`\bnot (?:this )?again\b`,
		`\bhere we go again\b`,
		`\b(?:second|third|fourth|fifth|2nd|3rd|4th|5th|nth|umpteenth|tenth) time\b.{0,40}`,
		`\bhow many (?:more )?times\b`,
		`\b(?:another|new|a|this|perf|performance|clear|nasty|same|big|the)\s+regression\b`,
		`\bregression (?:in|after|since|from|again|with|on|introduced|caused)\b`,
		`\bit (?:has )?regressed\b|\bregressed (?:again|since|after)\b`,
		`\bback to (?:square one|being broken|failing|broken)\b`,
		`\byou (?:deleted|removed|reverted|undid|overwrote|forgot|ignored|skipped|dropped|changed)\b.{0,40}\bagain\b`,
		`\b(?:stop|quit) (?:making|doing|repeating|breaking|removing|deleting|reverting|ignoring)\b`,
		`\b(?:worked|was working|were passing|passed) (?:yesterday|before|fine before|earlier|last week|until|an hour ago)\b`,
		// Korean
		`또\s?(?:\S+\s){0,3}?` + koFail,
		`또\s?(?:이래|그래|이러|그러|시작|발생|나[왔와네요옴]|나타|떴|뜨|뜬|생[겼기]|반복|재발|똑같|같은|이거|저래|왜)`,
		koFail + `.{0,12}또\s?$`,
		`(?:여전히|아직도|아직|계속|자꾸|매번|맨날|항상|번번이)\s?(?:\S+\s){0,4}?(?:` + koFail + `|같은|똑같|그대로|발생|나[와네오요옴]|뜨[네는고]|뜬|떠|이래|그래|이러|그러|반복|까먹|잊|무시|빼먹|지워|되돌)`,
		`왜\s?(?:\S+\s){0,4}?(?:자꾸|계속|또|매번|맨날|반복|여전히|아직도|다시)`,
		`(?:고쳤|고친|고쳐졌|고쳐준|고쳐|수정했|수정한|수정됐|해결했|해결됐|해결된|해결한|잡았|잡은)\S{0,6}(?:는데|잖|건데|다며|다더니|더니|다고|줄\s?알|거\s?아니|거라며|다면서)`,
		`(?:어제|아까|방금|지난번|저번|전에|지난주|그저께|오전에|예전)\S*\s?(?:\S+\s){0,2}?(?:고친|고쳤|수정|해결|말했|말한|얘기|잡은|잡았|됐는데|되던|됐었)`,
		`(?:비슷한|같은|똑같은|동일한|그)\s?` + koThing + `.{0,14}(?:또|반복|계속|다시|왜|했|하네|하고|네|잖|나[와네왔]|발생|이야|야$|$)`,
		`(?:비슷한|같은|똑같은|동일한)\s?` + koThing + `(?:를|을|가|이|야|네|다|임)?\s?(?:또|반복|했|하네|하고|나|발생|$)`,
		`재발(?:했|하|됐|함|이|인|해|중|$)`,
		`회귀\s?(?:버그|했|됐|발생|인|이네|같)`,
		`다시\s?(?:\S+\s){0,2}?(?:깨[져졌지]|안\s?[돼되됨]|터[졌지져]|에러|오류|실패|망가|죽|발생|나타[났나]|생겼|돌아왔|살아났|먹통|느려|원래대로|원상|틀)`,
		`(?:말했|얘기했|했|그랬|그러지\s?말라|하지\s?말라|말라고\s?했|라고\s?했)(?:었)?잖`,
		`하지\s?말라(?:고|니까)`,
		`몇\s?번(?:을|째|이나|씩)?\s?(?:말|얘기|고치|고쳐|해야|이야|야|같은|설명|반복|째)`,
		`(?:벌써|이게|이거)\s?(?:두|세|네|다섯|몇|\d+)\s?번째`,
		`(?:안|못)\s?고쳐(?:졌|진|지|짐|짔)|고쳐지지\s?않|해결(?:이)?\s?안\s?[돼됐되됨]|수정(?:이)?\s?안\s?[돼됐되됨]|반영(?:이)?\s?안\s?[돼됐되됨]`,
		`(?:바꾼|수정한|고친|바꿨|손댄|리팩토링한|머지한|업데이트한)\S*\s?(?:\S+\s){0,2}?(?:뒤|후|다음|이후|부터|는데|더니)\S*\s?(?:\S+\s){0,3}?` + koFail,
		`(?:이전|예전|원래|아까|어제)(?:에는|엔|까지|까진|까지는|는)?\s?(?:\S+\s){0,2}?(?:됐는데|되던|잘\s?되|됐었|돌아갔|통과했)`,
	}, []string{
		// English: statistics, tests for regressions, their absence
		`\b(?:linear|logistic|ridge|lasso|polynomial|quantile|poisson|cox|multivariate|multiple|stepwise|bayesian|gaussian|nonlinear|non-linear|least squares|symbolic|kernel|tree|softmax) regression`,
		`\bregression[- ](?:tests?|testing|suites?|analysis|models?|coefficients?|lines?|curves?|plans?|checks?|pipeline|jobs?|ci|runs?|task|head|loss|target|layer|problem|algorithm|equation|report|coverage|harness|baseline)\b`,
		`\b(?:no|any|without|avoid|prevent|against|catch|detect|zero|potential|possible|future|guard against|check for|look for|watch for|introduc\w+ (?:a|any)|cause (?:a|any)|risk of) (?:\w+ )?regressions?\b`,
		// English: it does not fail any more, or might
		`\bno longer\b|\b(?:any ?more)$|\bworks (?:again|now|fine|great|perfectly)\b|\b(?:is|are|it's|all|everything|now) working (?:again|now)\b|\b(?:is|are|now) (?:fixed|green|passing|solved)\b|\bfixed now\b|\bpass(?:es)? again\b`,
		`^(?:if|when|whenever|in case|unless|should|once|what (?:happens|should|if)|how (?:do|should|can|would|to)|suppose|assume|assuming|imagine)\b`,
		`\b(?:if|in case|whenever|unless|until|even if|even when) (?:it|this|that|the|they|we|you|a|an|any|something)\b`,
		`\b(?:make sure|ensure|so that|so it|to avoid|prevent\w*|never again|avoid|guarantee)\b`,
		`\b(?:don't|do not|doesn't|won't|shouldn't|should not|must not|never|not|nothing) (?:\w+ )?(?:break|fail|crash|happen|forget|regress|throw|error|hang)\w* (?:again|anymore|any more)\b`,
		`(?:^|\b(?:please|can you|could you|let's|lets|just|and|then|to|now|i'll|i will|we) )(?:try|run|rerun|start|build|read|check|test|look|explain|show|say|tell|do|open|call|ask|compile|deploy|execute|review|think|go) (?:\w+ ){0,4}again\b(?:[^,]{0,20})?$`,
		`^(?:please |can you |could you |would you |let's |lets |now )*(?:add|write|implement|create|build|make|design|explain|describe|document|translate|rename|refactor|generate|list|show|summarize|summarise|draft|handle|retry|log|mock|simulate|train|fit|plot|compute|calculate|use|update|review|change|convert|set)\b`,
		`\b(?:second|third|fourth|fifth|2nd|3rd|4th|5th) time (?:is|through|around|zone|step|slot|series|you (?:call|click|press|run)|the (?:user|function|button|page|handler|client|method|loop|callback|job))\b`,
		`\b(?:called|clicked|invoked|fires?|runs?|rendered|loaded|visited) (?:a|the|for the) (?:second|third|2nd|3rd) time\b`,
		`\bstill (?:need|want|have|learning|waiting|reading|working on|unsure|thinking|use|using|supports?|support)\b`,
		`\bwithout (?:breaking|failing|crashing)\b|\b(?:keeps?|keep) (?:working|going|running|improving|passing)\b`,
		`\bdid(?:n't| not) (?:it|you|we|i)? ?(?:ask|mean|say)\b`,
		`\b(?:error|exception|failure|fail|bug|crash)[- ]?(?:handling|handler|message|messages|boundary|code|codes|type|types|class|report|reports|tracker|page|pages|log|logs|rate|budget|mode|modes|over|fast|safe|case|cases)\b`,
		`\bwhy (?:does|do|is|are) (?:\w+ ){0,4}(?:always|still) (?:return|use|used|need|recommend|prefer|call|allocat|considered|better|faster|slower)`,
		// Korean: statistics, tests, prevention
		`회귀\s?(?:분석|모델|모형|테스트|시험|계수|직선|식|문제|알고리즘|방지|검사|함수|트리)|(?:선형|로지스틱|다중|다항|릿지|라쏘)\s?회귀`,
		`재발\s?방지|재발하지\s?않|재발\s?안|방지(?:하|할|책|를)|막(?:으려|을|는|기|아\s?줘|도록)`,
		`(?:않게|않도록|안\s?[되나하생깨터]\S{0,2}(?:게|도록)|없게|없도록|말게|지\s?않으려)`,
		// Korean: it does not fail any more, or might
		`(?:이제|이젠|더\s?이상|더는|지금은)\s?(?:\S+\s){0,3}?(?:안\s?[깨나터죽뜨]|잘|정상|통과|해결|괜찮|됩니다|돼요|된다|되네|지\s?않)`,
		`(?:하면|되면|나면|지면|으면|하거나|할\s?경우|는\s?경우|경우에|경우엔|할\s?때|날\s?때|될\s?때|할\s?수도|을까|ㄹ까|려면)(?:\s|는|도|$|,)`,
		`다시\s?(?:\S+\s)?(?:해\s?줘|해\s?봐|해\s?주세요|해\s?볼|시도|실행|돌려|확인|설명|빌드|배포|한번|작성|보내|읽|알려|만들)`,
		`(?:추가|구현|작성|만들어|설명|정리|번역|리팩토링|설계|문서화|알려|처리|적용|변경|생성|보여)\s?(?:해\s?줘|해\s?주세요|해\s?줄래|하자|해\s?봐|부탁|줘|주세요|해라|할래)`,
		`(?:에러|오류|실패|예외|버그|크래시)\s?(?:처리|메시지|코드|핸들링|페이지|로그|리포트|타입|핸들러|클래스|화면|문구|율|케이스)`,
		`(?:재시도|리트라이|retry)`,
		`(?:뭐|무엇|뭔|무슨\s?뜻|어떤\s?의미|차이)\S{0,4}(?:야|예요|인가요|이야|죠|지|요|가요)?$`,
	})
})
