package heard

import "testing"

// TestAsksUndo: what tells an agent to take back what it did, and what only speaks of undoing.
func TestAsksUndo(t *testing.T) {
	for _, text := range []string{
		"please undo your last change", "take that out again", "undo that", "Revert.", "Let's revert that change and try again.", "put it back the way it was", "roll back the last commit please",
		"Please remove what you just added", "go back to the previous version", "can you undo this?", "no, discard all of that", "change it back", "throw away the last edits", "get rid of the changes you made in cart.py",
		"I don't like it, undo", "Never mind, revert.", "we can't ship this, roll it back", "revert cart.py", "please restore src/cart.py and leave the rest",
		"방금 변경한 거 취소하고 원래대로 돌려놔", "방금 수정은 롤백해줘", "그거 다시 빼줘", "아까 고친 거 원복해줘", "이전 상태로 되돌려 주세요", "네가 추가한 함수 지워줘", "이전 버전으로 돌아가자",
	} {
		if !AsksUndo(text) {
			t.Errorf("%q asks for no undo", text)
		}
	}
	for _, text := range []string{
		"", "add an undo button to the editor", "revert the order status when a payment fails", "the undo stack loses its last step", "did you revert that?", "don't undo that", "don't undo that, please", "never revert cart.py", "it looks odd, but don't roll it back", "why was this reverted?",
		"I used git to revert all these changes", "remove that guard", "write a rollback migration", "restore the database from the dump", "after an undo, redo does nothing", "take the total out of the loop and cache it",
		"주문을 취소하면 재고를 되돌리는 기능 만들어줘", "취소 버튼 색 바꿔줘", "되돌리지 마", "왜 롤백했어?", "입력창 수정 빼고 나머지만 커밋해줘", "> undo that\nwhat does this mean?",
	} {
		if AsksUndo(text) {
			t.Errorf("%q asks for an undo", text)
		}
	}
}
