package heard

import "testing"

// TestUndo: what tells an agent to take back what it did, and what only speaks of undoing.
func TestUndo(t *testing.T) {
	for _, text := range []string{
		"please undo your last change", "take that out again", "undo that", "Revert.", "Let's revert that change and try again.", "put it back the way it was", "roll back the last commit please",
		"Please remove what you just added", "go back to the previous version", "can you undo this?", "no, discard all of that", "change it back", "throw away the last edits", "get rid of the changes you made in cart.py",
		"I don't like it, undo", "Never mind, revert.", "we can't ship this, roll it back", "revert cart.py", "please restore src/cart.py and leave the rest",
		"방금 변경한 거 취소하고 원래대로 돌려놔", "방금 수정은 롤백해줘", "그거 다시 빼줘", "아까 고친 거 원복해줘", "이전 상태로 되돌려 주세요", "네가 추가한 함수 지워줘", "이전 버전으로 돌아가자",
	} {
		if !Judge(text, Context{}).Undo {
			t.Errorf("%q asks for no undo", text)
		}
	}
	for _, text := range []string{
		"", "add an undo button to the editor", "revert the order status when a payment fails", "the undo stack loses its last step", "did you revert that?", "don't undo that", "don't undo that, please", "never revert cart.py", "it looks odd, but don't roll it back", "why was this reverted?",
		"I used git to revert all these changes", "remove that guard", "write a rollback migration", "restore the database from the dump", "after an undo, redo does nothing", "take the total out of the loop and cache it",
		"주문을 취소하면 재고를 되돌리는 기능 만들어줘", "취소 버튼 색 바꿔줘", "되돌리지 마", "왜 롤백했어?", "입력창 수정 빼고 나머지만 커밋해줘", "> undo that\nwhat does this mean?",
	} {
		if Judge(text, Context{}).Undo {
			t.Errorf("%q asks for an undo", text)
		}
	}
}

// TestBlames: what says what the agent did or must not do, and what only asks for more or says nothing of it.
func TestBlames(t *testing.T) {
	for _, text := range []string{
		"You deleted the totals from the invoice.", "no, you're editing the copy of the schema", "you didn't run the linter before the commit", "I asked you to rename it, not to rewrite it",
		"we never commit generated files here", "why didn't you run the linter?", "don't touch the prices of old orders", "그 파일은 절대 건드리지 마",
		"do not fill fixtures", "Don't swap databases. Take the old one.", "why did you rewrite the header when I asked you just to move it?",
	} {
		if !Blames(text) {
			t.Errorf("%q blames nobody", text)
		}
	}
	for _, text := range []string{
		"You can find the format of it in the docs.", "You need one table for each of the months.", "I don't think it means what it says there.", "you didn't do it", "did you change the schema of the orders?", "why do you see three totals in the invoice?",
		"the total should be at the bottom", "제목은 위에 있어야 해", "don't do that again", "make sure that the totals in the list do not wrap",
		"they are pages with the picture in them instead of the picture", "아니 그 폴더 말고 옆 폴더에 있는 파일",
	} {
		if Blames(text) {
			t.Errorf("%q blames the agent", text)
		}
	}
}
