package say

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/handrail-dev/handrail/index/near"
	"github.com/handrail-dev/handrail/lessons"
	"github.com/handrail-dev/handrail/lessons/journal"
	"github.com/handrail-dev/handrail/lessons/life"
	"github.com/handrail-dev/handrail/postcheck/check"
	"github.com/handrail-dev/handrail/postcheck/proof"
	"github.com/handrail-dev/handrail/server/brain"
)

// Locale is the language people are spoken to in: English or Korean.
type Locale string

// The locales.
const (
	English Locale = "en"
	Korean  Locale = "ko"
)

// LocaleOf returns the locale for a language tag as editors and environments spell it
// ("ko", "ko-KR", "ko_KR.UTF-8"); everything but Korean is English.
func LocaleOf(tag string) Locale {
	lang, _, _ := strings.Cut(strings.ToLower(tag), ".")
	if lang == "ko" || lang == "kor" || strings.HasPrefix(lang, "ko-") || strings.HasPrefix(lang, "ko_") {
		return Korean
	}
	return English
}

type text = Text

// Say returns the sentence in l with its arguments filled in.
func (l Locale) Say(t text, args ...any) string { return t.In(string(l), args...) }

var statusTexts = map[lessons.Status]text{
	lessons.Active: {"active", "활성"}, lessons.Archived: {"archived", "보관됨"},
	lessons.Drafted: {"draft", "초안"}, lessons.Quarantined: {"put away as wrong", "틀린 카드로 보관됨"}, lessons.Conflicted: {"in conflict", "충돌"},
}

// Status names the status of a card.
func (l Locale) Status(s lessons.Status) string { return l.Say(statusTexts[s]) }

var problemText = map[lessons.ProblemCode]text{
	lessons.FrontmatterSyntax: {"The frontmatter is not valid YAML: %s.", "머리말이 올바른 YAML이 아닙니다: %s."},
	lessons.FrontmatterOpen:   {"The frontmatter has no closing ---; add it on a line of its own.", "머리말을 닫는 ---가 없습니다. 한 줄에 따로 넣어 주세요."},
	lessons.BadValue:          {"%q cannot be %q; use one of: %s.", "%q에 %q 값을 쓸 수 없습니다. 가능한 값: %s."}, // see choice
	lessons.MisspelledKey:     {"Handrail does not know the key %q; did you mean %q?", "Handrail이 모르는 키 %q입니다. %q을(를) 쓰려던 것인가요?"},
	lessons.UnknownKey:        {"Handrail does not know the key %q; it is kept as it is.", "Handrail이 모르는 키 %q입니다. 그대로 둡니다."},
	lessons.NotUTF8:           {"The file is not UTF-8 text; save it as UTF-8.", "UTF-8 텍스트가 아닙니다. UTF-8로 저장해 주세요."},
	lessons.TooLarge:          {"The file has %s bytes, more than the %s that are read.", "파일이 %s바이트로, 읽는 한도 %s바이트를 넘습니다."},
	lessons.MissingRootCause:  {"The card has no root cause; say why the mistake happened.", "근본 원인이 없습니다. 왜 실수가 생겼는지 적어 주세요."},
	lessons.MissingChecklist:  {"The card has no concrete checklist item; say what to check next time.", "구체적인 체크리스트 항목이 없습니다. 다음에 무엇을 확인할지 적어 주세요."},
	lessons.TopicTitle:        {"The title %q names an area, and an agent may see nothing else of the card. Say the rule or the mistake in 4 to 14 words, such as %q.", "제목 %q은(는) 분야 이름일 뿐인데, 에이전트는 제목만 볼 수도 있습니다. 규칙이나 실수를 문장으로 적어 주세요. 예: %q."},
	lessons.ChatTitle:         {"The title %q does not say what went wrong or what to do next time.", "제목 %q에서 무엇이 잘못되었는지, 다음에 무엇을 해야 하는지 알 수 없습니다."},
	lessons.MissingTitle:      {"The card has no title.", "제목이 없습니다."},
	lessons.HoldsSecret:       {"The field %q holds what looks like a secret; take it out or put a placeholder in its place.", "%q 항목에 비밀 값처럼 보이는 것이 있습니다. 지우거나 다른 말로 바꿔 주세요."},
	lessons.InvisibleText:     {"The card holds invisible characters (%s); they are never shown to an agent.", "보이지 않는 문자(%s)가 있습니다. 에이전트에게는 전달하지 않습니다."},
	lessons.ConflictMarkers:   {"A merge left conflict markers here, so the card is not used. Keep what holds and remove the markers.", "병합 충돌 표시가 남아 있어 이 카드를 쓰지 않습니다. 맞는 내용만 남기고 표시를 지워 주세요."},
	lessons.CheckTwice:        {"The item has a check already; only its first one runs.", "항목에 check가 이미 있습니다. 첫 번째 것만 실행합니다."},
	lessons.CheckStray:        {"The check belongs to no item, so it does not run; indent it below a checklist item.", "어느 항목에도 속하지 않은 check라 실행하지 않습니다. 체크리스트 항목 아래에 들여 써 주세요."},
	lessons.CheckSyntax:       {"The check does not run: it is not valid YAML: %s.", "check를 실행하지 않습니다. 올바른 YAML이 아닙니다: %s."},
	lessons.CheckKind:         {"The check does not run: it needs exactly one of forbid, require, touch, ran and command.", "check를 실행하지 않습니다. forbid, require, touch, ran, command 가운데 하나만 적어 주세요."},
	lessons.CheckKey:          {"The check does not run: the key %q has no place in it.", "check를 실행하지 않습니다. 키 %q은(는) 여기에 쓸 수 없습니다."},
	lessons.CheckNeeds:        {"The check does not run: it needs %q.", "check를 실행하지 않습니다. %q이(가) 필요합니다."},
	lessons.CheckValue:        {"The check does not run: the value of %q cannot be used: %s.", "check를 실행하지 않습니다. %q 값을 쓸 수 없습니다: %s."},
	lessons.CheckMisses:       {"The check does not run: its pattern does not match the example %q.", "check를 실행하지 않습니다. 패턴이 예 %q와(과) 맞지 않습니다."},
	lessons.CheckHits:         {"The check does not run: its pattern matches %q, which shall pass.", "check를 실행하지 않습니다. 통과해야 할 %q이(가) 패턴과 맞습니다."},
	brain.IdleGuard:           {"This guard never speaks: no item has a check that forbids a line (forbid) or a command (command) and runs.", "줄(forbid)이나 명령(command)을 막는, 실행되는 검사가 없어 이 guard는 아무 일도 하지 않습니다."},
	brain.NoSuchPath:          {"No file matches the path %q yet.", "경로 %q에 맞는 파일이 아직 없습니다."},
	brain.StillDraft:          {"This draft becomes active when you save it with a root cause and a concrete checklist item.", "근본 원인과 구체적인 체크리스트 항목을 적고 저장하면 활성 카드가 됩니다."},
	brain.InjectionSuspect:    {"This may be there to steer an agent: %q. See who wrote it before you trust it.", "에이전트를 조종하려는 글일 수 있습니다: %q. 신뢰하기 전에 누가 썼는지 확인해 주세요."},
	brain.SecretInCard:        {"This looks like a secret. Take it out: the card goes to git and to agents.", "비밀 값처럼 보입니다. 카드는 git과 에이전트에 전달되니 지워 주세요."},
	brain.QuarantinedTitle:    {"The card %s has the same title key and was put away as wrong (%s).", "제목이 사실상 같은 %s 카드가 틀린 카드로 보관되어 있습니다(%s)."},
	brain.DuplicateTitle:      {"The card %s has the same title key; consider merging the two.", "%s 카드와 제목이 사실상 같습니다. 하나로 합치는 것을 고려해 주세요."},
}

// Problem returns one sentence about a problem of a card.
func (l Locale) Problem(p lessons.Problem) string {
	t, ok := problemText[p.Code]
	if !ok {
		return string(p.Code)
	}
	if p.Code == lessons.BadValue && len(p.Args) == 3 {
		return l.choice(p.Args[0], p.Args[1], p.Args[2])
	}
	args := make([]any, strings.Count(t[0], "%s")+strings.Count(t[0], "%q"))
	for i := range args {
		args[i] = l.short("") // where it lacks one
		if i < len(p.Args) {
			args[i] = l.short(p.Args[i])
		}
	}
	return l.Say(t, args...)
}

// Brought says that others' cards came since the person knew all.
func (l Locale) Brought(who []string, files int) string {
	return l.Say(text{"%d cards by %s came with the last pull: handrail trust --review", "마지막 pull에서 카드 %d개를 받았습니다(쓴 사람: %s): handrail trust --review"}, files, strings.Join(who, ", "))
}

// errorTexts pairs what callers tell apart with its sentence; the first match counts.
// %s, where a sentence has it, is the path the error names.
var errorTexts = []struct {
	is   error
	code string
	text text
}{
	{brain.ErrUnfinished, "unfinished", text{"A change of the card%s stopped half-way and could not be taken back yet. Free some disk space or mend the folder's permissions; the next change or start takes it back.", "카드%s을(를) 바꾸다가 중간에 멈췄고 아직 되돌리지 못했습니다. 디스크 공간을 비우거나 폴더 권한을 고쳐 주세요. 다음에 바꾸거나 시작할 때 되돌립니다."}},
	{brain.ErrDamaged, "damaged", text{"The copy of the card%s from before is damaged or gone, so nothing was taken back. Git may have the older text.", "카드%s의 이전 사본이 손상되었거나 없어서 되돌리지 않았습니다. 이전 내용은 git에 있을 수 있습니다."}},
	{brain.ErrStray, "stray", text{"The brain%s is left alone: its files lie elsewhere than this project, or another user owns it or a folder on the way. \"handrail trust\" shows its cards and asks whether they may speak.", "brain%s을(를) 쓰지 않습니다. 파일이 이 프로젝트 밖에 있거나, 그 폴더나 상위 폴더가 다른 사용자의 것입니다. \"handrail trust\"에서 카드를 보고 쓸지 정할 수 있습니다."}},
	{brain.ErrAbove, "above", text{"There is no brain folder. Create one with \"handrail init\", or name one: \"handrail --brain FOLDER\", in an editor handrail.brain.path. One lies above this repository%s: \"handrail trust\" lets it speak here.", "brain 폴더가 없습니다. \"handrail init\"으로 만들거나 \"handrail --brain 폴더\"로, 편집기에서는 handrail.brain.path로 지정해 주세요. 이 저장소 위에는 있습니다%s: \"handrail trust\"로 여기서도 쓸 수 있습니다."}},
	{lessons.ErrNoBrain, "no-brain", text{"There is no brain folder%s. Create one with \"handrail init\", or name one: \"handrail --brain FOLDER\", in an editor handrail.brain.path.", "brain 폴더가 없습니다%s. \"handrail init\"으로 만들거나 \"handrail --brain 폴더\"로, 편집기에서는 handrail.brain.path로 지정해 주세요."}},
	{lessons.ErrNotAFolder, "not-a-folder", text{"The brain%s is not a folder. Name a folder: \"handrail --brain FOLDER\", in an editor handrail.brain.path.", "brain%s이(가) 폴더가 아닙니다. \"handrail --brain 폴더\"로, 편집기에서는 handrail.brain.path로 폴더를 지정해 주세요."}},
	{journal.ErrState, "state", text{"Handrail's state folder may not be written, so nothing was changed: undo would not know of it. Check its permissions and its disk (XDG_STATE_HOME, else ~/.local/state).", "Handrail의 상태 폴더에 쓸 수 없어 아무것도 바꾸지 않았습니다. 바꾸면 되돌릴 수 없습니다. 폴더 권한과 디스크를 확인해 주세요(XDG_STATE_HOME, 없으면 ~/.local/state)."}},
	{syscall.ENOTDIR, "not-a-folder", text{"The path%s is not a folder, or lies below a file. Name a folder.", "경로%s이(가) 폴더가 아니거나 파일 아래에 있습니다. 폴더를 지정해 주세요."}},
	{lessons.ErrOutsideBrain, "outside-brain", text{"The path%s leads out of the brain. Name a card inside it.", "경로%s이(가) brain 밖을 가리킵니다. brain 안의 카드를 지정해 주세요."}},
	{lessons.ErrBadPath, "bad-path", text{"%s is not the path of a card. Name a markdown file relative to the brain, such as lessons/name.md.", "%s은(는) 카드 경로가 아닙니다. lessons/name.md처럼 brain 기준의 마크다운 파일을 지정해 주세요."}},
	{lessons.ErrTooDeep, "too-deep", text{"The folder%s lies more than 64 folders deep and is not read. Move it up.", "폴더%s이(가) 64단계보다 깊은 곳에 있어 읽지 않습니다. 위로 옮겨 주세요."}},
	{lessons.ErrTooLarge, "too-large", text{"The file%s is larger than 1 MiB and is not read. Split it into smaller notes.", "파일%s이(가) 1MiB보다 커서 읽지 않습니다. 작은 노트로 나눠 주세요."}},
	{lessons.ErrFrontmatter, "frontmatter", text{"The frontmatter%s cannot be edited safely, so the file was left as it is. Mend its YAML and try again.", "머리말%s을(를) 안전하게 고칠 수 없어 파일을 그대로 두었습니다. YAML을 바로잡고 다시 시도해 주세요."}},
	{lessons.ErrConflicted, "conflicted", text{"The card%s holds conflict markers of a merge. Resolve the conflict and try again.", "카드%s에 병합 충돌 표시가 있습니다. 충돌을 해결하고 다시 시도해 주세요."}},
	{lessons.ErrBusy, "busy", text{"Another program is writing to the brain%s. Try again in a moment.", "다른 프로그램이 brain%s에 쓰는 중입니다. 잠시 뒤 다시 시도해 주세요."}},
	{brain.ErrNotACard, "not-a-card", text{"%s is a note, not a card. Give it a type, such as \"type: lesson\".", "%s은(는) 카드가 아니라 노트입니다. \"type: lesson\"처럼 종류를 적어 주세요."}},
	{brain.ErrUnknownCandidate, "unknown-candidate", text{"That candidate is gone%s: it was recorded, dismissed or has expired. \"handrail review\" shows those that wait.", "그 후보는 이제 없습니다%s. 이미 기록했거나 제외했거나 기한이 지난 후보입니다. 기다리는 후보는 \"handrail review\"에서 볼 수 있습니다."}},
	{brain.ErrTwin, "duplicate", text{"The card%s says the same. Count the mistake there (\"handrail bump\") and dismiss this one, or record it by itself.", "같은 내용의 카드%s이(가) 있습니다. 그 카드에 횟수를 더하고(\"handrail bump\") 이 후보를 제외하거나, 이 후보만 따로 기록하세요."}},
	{brain.ErrStale, "stale-candidate", text{"The file%s and whatever else the candidate is about are gone. Record it all the same (\"handrail review accept --anyway\"), or dismiss it.", "파일%s 등 후보가 다루는 파일이 모두 없어졌습니다. 그래도 기록하거나(\"handrail review accept --anyway\") 제외해 주세요."}},
	{brain.ErrNotAsked, "not-asked", text{"This conversation has a draft already, and the person's message asks for no more, so nothing was written. Do not call this again; go on with the work and tell the person, who can ask for it (\"record these lessons\") or run \"handrail new\".", "이 대화에는 이미 초안이 있고 사용자의 메시지가 더 요청하지 않아 쓰지 않았습니다. 다시 부르지 말고 하던 일을 계속하며 사용자에게 알려 주세요. 사용자는 \"교훈 기록해 줘\"라고 말하거나 \"handrail new\"를 실행할 수 있습니다."}},
	{brain.ErrCrowd, "crowd", text{"More than 200 cards of agents wait for somebody to look at them%s. Settle some first (\"handrail tidy\", \"handrail verify\"), then record this one.", "아무도 보지 않은 에이전트 카드가 200개를 넘었습니다%s. 먼저 정리한 뒤(\"handrail tidy\", \"handrail verify\") 기록하세요."}},
	{brain.ErrForbidden, "forbidden", text{"The person's message says that no lesson is to be made, so nothing was written. Do not call this again for this message; go on with the work.", "사용자의 메시지가 교훈을 남기지 말라고 하므로 쓰지 않았습니다. 이 메시지에 대해서는 다시 부르지 말고 하던 일을 계속하세요."}},
	{brain.ErrUnknownAnswer, "unknown-answer", text{"That answer is not known any more%s. Name the cards or the request instead.", "그 답변의 기록이 없습니다%s. 카드나 요청을 직접 지정해 주세요."}},
	{brain.ErrQuarantined, "quarantined", text{"The card%s was put away as wrong and takes nothing up. \"handrail archive --back\" brings it back.", "틀린 카드로 보관된 카드%s에는 아무것도 더하지 않습니다. \"handrail archive --back\"으로 되살릴 수 있습니다."}},
	{brain.ErrUnknownFiles, "untrusted", text{"This brain was not made here, and nobody knows who wrote it, so none of its cards is shown. \"handrail trust\" shows their titles and asks.", "여기서 만들지 않았고 누가 썼는지 알 수 없는 brain이라 카드를 보여 주지 않습니다. \"handrail trust\"에서 제목을 보고 정할 수 있습니다."}},
	{brain.ErrUntrusted, "untrusted", text{"Others wrote cards of this brain, and you have not trusted it, so none is shown. \"handrail trust\" says who wrote what.", "다른 사람이 쓴 카드가 있는 brain이고 아직 신뢰하지 않아 카드를 보여 주지 않습니다. \"handrail trust\"에서 누가 썼는지 볼 수 있습니다."}},
	{brain.ErrNothingToUndo, "nothing-to-undo", text{"Nothing was done that could be taken back%s.", "되돌릴 작업이 없습니다%s."}},
	{brain.ErrChanged, "changed", text{"The card%s was changed since, so nothing was taken back. \"handrail log\" shows what was done to it.", "카드%s이(가) 그 뒤에 바뀌어 되돌리지 않았습니다. \"handrail log\"에서 지난 작업을 볼 수 있습니다."}},
	{brain.ErrNoBase, "no-base", text{"There is no commit%s to compare with. Name one of the git repository you are in; in CI, fetch it first.", "비교할 커밋%s이(가) 없습니다. 지금 있는 git 저장소의 커밋을 지정해 주세요. CI라면 먼저 fetch해 주세요."}},
	{brain.ErrUncertain, "uncertain", text{"The process that keeps this brain ended before it answered, so nobody knows whether the change was made. Look at the card before you repeat it.", "이 brain을 맡은 프로세스가 답하기 전에 끝나 변경되었는지 알 수 없습니다. 다시 하기 전에 카드를 확인해 주세요."}},
	{fs.ErrExist, "exists", text{"The file%s exists already and was not overwritten. Choose another name.", "파일%s이(가) 이미 있어 덮어쓰지 않았습니다. 다른 이름을 골라 주세요."}},
	{fs.ErrNotExist, "not-found", text{"There is no file%s in the brain. \"handrail list\" shows the cards.", "brain에 파일%s이(가) 없습니다. \"handrail list\"로 카드를 볼 수 있습니다."}},
	{fs.ErrPermission, "permission", text{"The file%s may not be read or written. Check its permissions.", "파일%s을(를) 읽거나 쓸 권한이 없습니다. 권한을 확인해 주세요."}},
	{syscall.EROFS, "read-only", text{"The brain is on a read-only disk, so nothing was written. Copy it to one that can be written.", "brain이 읽기 전용 디스크에 있어 아무것도 쓰지 않았습니다. 쓸 수 있는 디스크로 옮겨 주세요."}},
	{syscall.ENOSPC, "disk-full", text{"The disk is full; nothing was changed. Free some space and try again.", "디스크가 가득 차 아무것도 바꾸지 않았습니다. 공간을 비우고 다시 시도해 주세요."}},
	{syscall.EFBIG, "disk-full", text{"The file may not grow any further; nothing was changed. Raise the limit or free some space and try again.", "파일을 더 키울 수 없어 아무것도 바꾸지 않았습니다. 한도를 늘리거나 공간을 비우고 다시 시도해 주세요."}},
	{syscall.ELOOP, "link-loop", text{"The path%s is a loop of links. Mend the link.", "경로%s의 링크가 제자리로 돌아옵니다. 링크를 바로잡아 주세요."}},
	{syscall.EISDIR, "not-a-file", text{"The path%s is a folder where a file is needed. Name a file, or move the folder away.", "경로%s이(가) 폴더입니다. 파일을 지정하거나 폴더를 치워 주세요."}},
	{syscall.EDQUOT, "disk-full", text{"Your share of the disk is used up; nothing was changed. Free some space and try again.", "디스크 할당량을 다 써 아무것도 바꾸지 않았습니다. 공간을 비우고 다시 시도해 주세요."}},
	{syscall.EMFILE, "too-many-files", text{"Too many files are open at the same time. Try again in a moment, or raise the limit (ulimit -n).", "동시에 연 파일이 너무 많습니다. 잠시 뒤 다시 시도하거나 한도(ulimit -n)를 늘려 주세요."}},
	{syscall.ENFILE, "too-many-files", text{"Too many files are open on this machine. Try again in a moment.", "이 컴퓨터에서 연 파일이 너무 많습니다. 잠시 뒤 다시 시도해 주세요."}},
	{syscall.ENAMETOOLONG, "bad-path", text{"The name%s is too long for the disk. Choose a shorter one.", "이름%s이(가) 너무 깁니다. 더 짧은 이름을 골라 주세요."}},
	{syscall.EIO, "disk-error", text{"The disk could not be read or written%s. Check the disk, then try again.", "디스크를 읽거나 쓰지 못했습니다%s. 디스크를 확인하고 다시 시도해 주세요."}},
	{exec.ErrNotFound, "no-program", text{"The program%s was not found. Install it, or put it on the PATH.", "프로그램%s을(를) 찾을 수 없습니다. 설치하거나 PATH에 넣어 주세요."}},
	{context.Canceled, "cancelled", text{"The request was cancelled%s.", "요청이 취소되었습니다%s."}},
	{context.DeadlineExceeded, "timeout", text{"The request took too long%s. Try again.", "요청이 너무 오래 걸렸습니다%s. 다시 시도해 주세요."}},
}

// Reason says why something is suggested about a card.
func (l Locale) Reason(g life.Suggestion) string {
	switch g.Reason {
	case life.OneOff:
		return l.Say(text{"seen once, not used for %d days", "한 번만 나왔고 %d일 동안 쓰이지 않음"}, g.Days)
	case life.Stale:
		return l.Say(text{"not seen or used for %d days", "%d일 동안 나오거나 쓰이지 않음"}, g.Days)
	case life.Gone:
		return l.Say(text{"the code it names changed, not seen for %d days", "다루던 코드가 바뀌었고 %d일 동안 나오지 않음"}, g.Days)
	case life.SameKey:
		return l.Say(text{"the same title", "같은 제목"})
	case life.Overlap:
		return l.Say(text{"%.0f %% of the words are the same", "단어의 %.0f%%가 같음"}, 100*g.Share)
	}
	return string(g.Reason)
}

// Outdated says what became of the code that a card names.
func (l Locale) Outdated(o brain.Outdated) string {
	if o.Gone {
		return l.Say(text{"%s, which it names, is gone since %s", "카드가 가리키는 %s이(가) %s에서 사라짐"}, o.Code, o.Commit)
	}
	return l.Say(text{"%s, which it names, was rewritten up to %s", "카드가 가리키는 %s이(가) %s까지 거의 새로 쓰임"}, o.Code, o.Commit)
}

// Guarded says which lesson stands against an action, as its card has it.
func (l Locale) Guarded(c lessons.Card, it lessons.Item, r check.Result) string {
	t := text{"A lesson asks first: %s [%s]", "교훈에 따라 먼저 확인합니다: %s [%s]"}
	if c.Guard == lessons.GuardDeny {
		t = text{"A lesson forbids this: %s [%s]", "교훈에 따라 막았습니다: %s [%s]"}
	}
	said := l.Say(t, brain.Head(it.Text, brain.MaxGuardItem), c.Path)
	if r.File != "" {
		said += " (" + r.File + ")"
	}
	return lessons.Shown(said)
}

// Explain returns one clear sentence about err with a way out, for a person. Of an error that
// nobody has worded it quotes the cause. What it quotes is inert.
func (l Locale) Explain(err error) string { return lessons.Inert(l.sentence(err)) }

func (l Locale) sentence(err error) string {
	if said, ok := errors.AsType[Said](err); ok {
		return l.Say(said.Text, said.Args...)
	}
	if weak, ok := errors.AsType[*brain.WeakError](err); ok {
		if len(weak.Problems) == 1 && weak.Problems[0].Code == lessons.MissingTitle {
			return l.Say(text{"A card needs a title; name the mistake in a few words.", "카드에는 제목이 있어야 합니다. 실수를 몇 마디로 적어 주세요."})
		}
		reasons := make([]string, len(weak.Problems))
		for i, p := range weak.Problems {
			reasons[i] = l.Problem(p)
		}
		return l.Say(text{"The candidate is not a card yet: %s", "아직 카드가 될 수 없는 후보입니다: %s"}, strings.Join(reasons, " "))
	}
	if bad, ok := errors.AsType[*brain.RequestError](err); ok {
		return l.refusal(bad)
	}
	for _, e := range errorTexts {
		if errors.Is(err, e.is) {
			if !strings.Contains(e.text[0], "%s") {
				return l.Say(e.text)
			}
			return l.Say(e.text, l.subject(e.text, err))
		}
	}
	return l.Say(text{
		"Something unexpected went wrong%s. Try again; \"handrail doctor\" looks for what is wrong here.",
		"예상하지 못한 문제가 생겼습니다%s. 다시 시도해 주세요. \"handrail doctor\"로 문제를 찾아볼 수 있습니다.",
	}, innermost(err))
}

// needTexts say what a request lacks. A sentence takes the field, or nothing.
var needTexts = map[lessons.Need]text{
	brain.NeedText:    {"The %s is empty; give it some words.", "%s이(가) 비어 있습니다. 내용을 적어 주세요."},
	brain.NeedReason:  {"A reason takes 1 to %d characters; say in a few words why.", "이유는 1자에서 %d자까지입니다. 왜 그런지 몇 마디로 적어 주세요."},
	brain.NeedMinutes: {"A pause lasts at least a minute; without a length it lasts until you end it.", "멈추는 시간은 1분 이상이어야 합니다. 시간을 적지 않으면 직접 끝낼 때까지 멈춥니다."},
	brain.NeedTwo:     {"A card cannot be merged into itself; name two cards.", "카드를 자기 자신에 합칠 수 없습니다. 서로 다른 카드 두 개를 지정해 주세요."},
	brain.NeedWords:   {"The request has no words to know it by; give the request that the card is not for.", "알아볼 낱말이 없는 요청입니다. 카드를 쓰지 않을 요청을 적어 주세요."},
	brain.NeedURI:     {"The field %q takes the address of a file, such as file:///home/me/app.go.", "%q에는 file:///home/me/app.go 같은 파일 주소를 써 주세요."},
}

// refusal says what is wrong with a request.
func (l Locale) refusal(e *brain.RequestError) string {
	t, ok := needTexts[e.Need]
	switch {
	case e.Need == brain.NeedArgument:
		return l.Say(text{"There is no argument %q; there are: %s.", "인자 %q은(는) 없습니다. 가능한 인자: %s."}, l.short(e.Value), strings.Join(e.Allowed, ", "))
	case e.Need == brain.NeedReason:
		return l.Say(t, lessons.MaxReason)
	case !ok:
		return l.choice(e.Field, e.Value, strings.Join(e.Allowed, ", "))
	case strings.Contains(t[0], "%"):
		return l.Say(t, e.Field)
	}
	return l.Say(t)
}

// choice says that a field cannot have a value, and which it can have.
func (l Locale) choice(field, value, allowed string) string {
	switch several := strings.Contains(allowed, ","); {
	case value == "":
		return l.Say(text{"%q has no value; write it like this: %s.", "%q에 값이 없습니다. 이렇게 써 주세요: %s."}, field, allowed)
	case !several:
		return l.Say(text{"%q cannot be %q; write it like this: %s.", "%q에 %q 값을 쓸 수 없습니다. 이렇게 써 주세요: %s."}, field, l.short(value), allowed)
	}
	return l.Say(text{"%q cannot be %q; use one of: %s.", "%q에 %q 값을 쓸 수 없습니다. 가능한 값: %s."}, field, l.short(value), allowed)
}

// short returns a value as a sentence can quote it: on one line, and not long.
func (l Locale) short(value string) string {
	value = strings.Join(strings.Fields(strings.ToValidUTF8(value, "")), " ")
	if value == "" {
		return l.Say(text{"(empty)", "(빈 값)"})
	}
	if len(value) > maxCause {
		return brain.Head(value, maxCause) + "…"
	}
	return value
}

// maxCause bounds how much of an error is quoted, in bytes.
const maxCause = 120

// innermost returns what the innermost error says, on one line, quoted and behind a colon; "" where it says nothing.
func innermost(err error) string {
	var next error
	switch e := err.(type) { //nolint:errorlint // it is unwrapped step by step
	case interface{ Unwrap() error }:
		next = e.Unwrap()
	case interface{ Unwrap() []error }:
		if list := e.Unwrap(); len(list) > 0 {
			next = list[len(list)-1] // of "%w: %w" the second is the cause
		}
	}
	if next != nil {
		return innermost(next)
	}
	cause := brain.Head(strings.Join(strings.Fields(err.Error()), " "), maxCause)
	if cause != "" {
		cause = fmt.Sprintf(": %q", cause)
	}
	return cause
}

// Code returns the stable name of an error for machines: "no-brain", "bad-path", "weak" …,
// or "internal" for one nobody tells apart.
func Code(err error) string {
	if _, weak := errors.AsType[*brain.WeakError](err); weak {
		return "weak"
	}
	if _, bad := errors.AsType[*brain.RequestError](err); bad {
		return "bad-request"
	}
	for _, e := range errorTexts {
		if errors.Is(err, e.is) {
			return e.code
		}
	}
	return "internal"
}

// subject returns the path an error names, quoted for the middle of a sentence (with a
// space before it) or for its start (without). After a Korean verb it stands in brackets.
func (l Locale) subject(t text, err error) string {
	lead := " "
	if strings.HasPrefix(t[0], "%s") {
		lead = ""
	}
	path := ""
	if named, ok := errors.AsType[*lessons.PathError](err); ok {
		path = named.Path
	} else if file, ok := errors.AsType[*fs.PathError](err); ok {
		path = file.Path
	} else if program, ok := errors.AsType[*exec.Error](err); ok {
		path = program.Name
	}
	path = filepath.ToSlash(path) // as cards are named; quoted, a backslash would be two
	if path == "" {
		switch {
		case lead != "":
			return ""
		case l == Korean:
			return "그것" // the particles of the sentence need a word before them
		}
		return "That"
	}
	if r := []rune(path); len(r) > 80 {
		path = string(r[:40]) + "…" + string(r[len(r)-30:])
	}
	if l == Korean && strings.Contains(t[1], "다%s.") {
		return fmt.Sprintf("(%q)", path)
	}
	return lead + fmt.Sprintf("%q", path)
}

// Draft says what keeps a new card a draft, and the way out.
func (l Locale) Draft(c brain.Created) string {
	lacks := make([]string, len(c.Weak))
	for i, p := range c.Weak {
		lacks[i] = l.Problem(p)
	}
	return l.Say(text{
		"It is a draft and comes before no request yet. %s Then save it in the editor, or run \"handrail review promote %s\".",
		"아직 초안이라 어떤 요청에도 나오지 않습니다. %s 그런 다음 편집기에서 저장하거나 \"handrail review promote %s\"를 실행하세요.",
	}, strings.Join(lacks, " "), c.Path)
}

// Heads is the heading of the titles that a conversation begins with, of a project's brain or of the person's own.
func (l Locale) Heads(mine, tools bool) string {
	head := l.Say(text{"LESSON TITLES — mistakes made here before", "교훈 제목 — 전에 있었던 실수"})
	if mine {
		head = l.Say(text{"LESSON TITLES — this person's own, in every project", "교훈 제목 — 이 사람의 것, 모든 프로젝트에서"})
	}
	if tools {
		head += l.Say(text{"; lessons_get with a title shows the card", ". lessons_get에 제목을 넘기면 카드를 볼 수 있음"})
	}
	return "[" + head + "]"
}

// Week says what the lessons gave and cost in the last seven days, as far as it is known; "" where nothing is.
func (l Locale) Week(w brain.Told, model bool) string {
	if w.Talks == 0 {
		return ""
	}
	out := l.Say(text{"This week: %[1]d titles, %[2]d cards, %[3]d tokens a conversation", "이번 주: 제목 %[1]d개, 카드 %[2]d개, 대화당 %[3]d토큰"}, w.Titles, w.Cards, w.Tokens/w.Talks)
	if !model {
		out += l.Say(text{", no model asked", ", 모델 호출 없음"})
	}
	if len(w.Kept)+len(w.Fell) > 0 {
		out += l.Say(text{"; %d mistakes did not come again, %d did", "; 재발하지 않은 실수 %d개, 재발한 실수 %d개"}, len(w.Kept), len(w.Fell))
	}
	return out + "."
}

var evidenceTexts = map[string]text{
	"tests": {"tests", "테스트"}, "build": {"build", "빌드"}, "lint": {"lint", "린트"}, "run": {"run", "실행"}, "commit": {"commit", "커밋"}, "push": {"push", "푸시"},
}

// evidence says what a command proved: "tests passed: go test ./… · code edited after it".
func (l Locale) evidence(e brain.Evidence) string {
	said := text{"%s, outcome unknown: %s", "%s, 결과 모름: %s"}
	switch {
	case e.Failed == nil:
	case *e.Failed:
		said = text{"%s failed: %s", "%s 실패: %s"}
	default:
		said = text{"%s passed: %s", "%s 통과: %s"}
	}
	out := l.Say(said, evidenceTexts[e.Kind], e.Command)
	if e.Stale {
		out += l.Say(text{" · code edited after it", " · 그 뒤에 코드가 고쳐짐"})
	}
	return out
}

// Worded returns a footer whose evidence and doubts are said in words too.
func (l Locale) Worded(f brain.Footer) brain.Footer {
	f.Evidence, f.Doubts = slices.Clone(f.Evidence), slices.Clone(f.Doubts)
	for i, e := range f.Evidence {
		f.Evidence[i].Said = l.evidence(e)
	}
	for i, d := range f.Doubts {
		said := text{"Nothing ran that shows this: %s", "이것을 보여 주는 실행이 없음: %s"}
		if d.Why == proof.HasFailed {
			said = text{"The last run failed: %s", "마지막 실행은 실패했음: %s"}
		}
		f.Doubts[i].Said = l.Say(said, d.Text)
	}
	return f
}

var embeddingsText = map[error]text{
	near.ErrAddress: {"the address is not http or https, or holds a password or a query", "http(s) 주소가 아니거나 비밀번호 또는 쿼리가 들어 있음"},
	near.ErrPlain:   {"the key would go over plain http to another machine; use https", "키가 암호화되지 않은 http로 다른 컴퓨터에 가게 됨. https를 써 주세요"},
	near.ErrDown:    {"nobody answers", "응답 없음"},
	near.ErrSlow:    {"it takes longer than a search may wait", "검색이 기다릴 수 있는 시간보다 느림"},
	near.ErrAnswer:  {"what it answers is not embeddings", "응답이 임베딩이 아님"},
}

// NoEmbeddings says why the embeddings model cannot be used.
func (l Locale) NoEmbeddings(why error) string {
	reason := why.Error()
	for err, t := range embeddingsText {
		if errors.Is(why, err) {
			reason = l.Say(t)
		}
	}
	if status, ok := errors.AsType[near.StatusError](why); ok {
		reason = status.Error()
	}
	return l.Say(text{"The embeddings model cannot be used (%s). Cards are found by their words until it can.", "임베딩 모델을 쓸 수 없습니다(%s). 그동안 카드는 단어로 찾습니다."}, reason)
}

// The sentences of Why.
var (
	WhyMatched     = text{"Your words stand in it: %s.", "요청에 쓴 말이 카드에 있습니다: %s."}
	WhyAlways      = text{"It comes with every request, as a rule of high severity.", "심각도가 높은 규칙이라 모든 요청에 붙습니다."}
	WhyPath        = text{"It is about a file of the request: %s.", "요청의 파일에 관한 카드입니다: %s."}
	WhyAction      = text{"It came when the agent acted: %s.", "에이전트가 작업할 때 제공했습니다: %s."}
	WhyQuarantined = text{"It was put away as wrong: %s.", "틀린 카드로 보관되어 있습니다: %s."}
	WhyStatus      = text{"Only active cards come; this one is %s.", "활성 카드만 제공합니다. 이 카드의 상태: %s."}
	WhyProject     = text{"It is for the project %s only.", "%s 프로젝트에만 쓰는 카드입니다."}
	WhyPaused      = text{"Lessons are paused; \"handrail pause --off\" ends that.", "교훈을 멈춰 두었습니다. \"handrail pause --off\"로 다시 시작합니다."}
	WhyNever       = text{"You said never for requests like “%s”.", "“%s” 같은 요청에는 쓰지 않기로 했습니다."}
	WhyGiven       = text{"This conversation has it already.", "이 대화에서 이미 받은 카드입니다."}
	WhyRoom        = text{"It fits, but there was no room left beside the cards that fit better.", "맞는 카드이지만 더 잘 맞는 카드들 때문에 자리가 없었습니다."}
	WhyNothing     = text{"None of your words stands in it.", "요청에 쓴 말이 카드에 하나도 없습니다."}
	WhyOneWord     = text{"Only %s stands in it, and one word is not enough; it lacks %s.", "카드와 겹치는 말이 %s 하나뿐이라 모자랍니다. 없는 말: %s."}
	WhyCommon      = text{"Your words stand in it (%s), but too far apart, or they are too common in this brain.", "요청에 쓴 말이 카드에 있지만(%s) 서로 너무 떨어져 있거나 이 brain에서 너무 흔합니다."}
	WhyABit        = text{"It falls a bit short: it has %s, but not %s.", "조금 모자랍니다. 있는 말: %s. 없는 말: %s."}
	WhyFar         = text{"It falls far short: it has %s, but not %s.", "많이 모자랍니다. 있는 말: %s. 없는 말: %s."}
)

// What stands in titles' blocks and new cards.
var (
	NearHeads     = text{"[LESSON TITLES — near this request]", "[교훈 제목 — 이 요청과 가까움]"}                   // the heading of the titles that may concern a request
	MoreHeads     = text{"and %d more", "외 %d개"}                                                         // how many cards are not named
	WhatWentWrong = text{"The rule or the mistake in 4 to 14 words, no area", "분야가 아니라 규칙이나 실수를 한 문장으로"} // in a new card where its title is to come
	NewLesson     = text{"new lesson", "새 교훈"}                                                           // names the file of a card that has no title yet
)
