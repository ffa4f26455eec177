package lessons

import (
	"html"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/handrail-dev/handrail/lessons/lazyregexp"
)

// glyph is what a reader takes a stretch of a text for.
type glyph struct {
	r       rune
	at, end int
}

// escaped matches what stands for another character in HTML, and for < and > in JSON.
var escaped = lazyregexp.New(`^(?:&(?:amp;)*(?:#[xX][0-9a-fA-F]{1,6};?|#[0-9]{1,7};?|(?:lt|LT);?|[A-Za-z]{2,8};)|\\+(?:u00|x|u\{)3[cCeE]\}?)`)

// skeleton returns a text as it looks: lookalikes as the ASCII letters that they look like, without what is
// invisible, combining or a backslash, and the index of the last >.
func skeleton(s string) (out []glyph, lastEnd int) {
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if r == '&' || r == '\\' {
			if m := escaped().FindString(s[i:min(len(s), i+64)]); m != "" {
				size, r = len(m), '<'
				if m[0] == '&' {
					r, _ = utf8.DecodeRuneInString(html.UnescapeString("&" + strings.TrimPrefix(strings.ReplaceAll(m, "amp;", ""), "&")))
				} else if strings.ContainsAny(m, "eE") {
					r = '>'
				}
			}
		}
		for _, part := range look(r) {
			if part == '>' {
				lastEnd = len(out)
			}
			out = append(out, glyph{part, i, i + size})
		}
		i += size
	}
	return out, lastEnd
}

// look returns what a character looks like, "" for one that is not seen.
func look(r rune) string {
	switch {
	case r == '\\', isVariant(r), isInvisible(r):
		return ""
	case r < utf8.RuneSelf:
		return string(r)
	}
	for _, first := range []rune{0x1f150, 0x1f170, 0x1f1e6} { // letters in circles, squares and flags
		if r >= first && r < first+26 {
			return string('A' + r - first)
		}
	}
	return strings.Map(func(r rune) rune {
		if unicode.In(r, unicode.Mn, unicode.Me) {
			return -1
		}
		return latin(r)
	}, norm.NFKD.String(string(latin(r)))) // both: a lunate sigma looks like a c, what is compatible to it does not
}

// latin returns the ASCII character that another one looks like.
func latin(r rune) rune {
	if at := strings.IndexRune(lookalikes, r); r >= utf8.RuneSelf && at >= 0 {
		return rune(lookalikes[strings.LastIndexByte(lookalikes[:at], ' ')+1])
	}
	return r
}

// lookalikes are the letters that compatibility does not make ASCII, each group after the one they look like.
const lookalikes = " AАΑᎪꓮ aаɑαᴀ BВΒᏴꓐ bЬƄʙ CСϹᏟꓚ cсϲᴄ DᎠꓓ dԁᏧꓒᴅ EЕΕᎬꓰ eеҽεєᴇ FϜꓝҒ fꜰ GԌᏀꓖ gɡցɢ HНΗᎻꓧ hһհᏂʜ IІΙӀᏆꓲ iіιɩıɪ JЈᎫꓙ jјϳᴊ KКΚᏦꓗ kкκᴋ" +
	" LᏞꓡԼ lӏǀʟ MМΜᎷꓟ mмᴍ NΝꓠИ nոпηɴ OОΟՕꓳ oоοօσᴏ PРΡᏢꓑ pрρᴘ QԚ qԛ RᎡꓣᏒ rгᴦʀ SЅՏᏚꓢ sѕꜱ TТΤᎢꓔ tтτᴛ UՍꓴ uυսᴜ VѴᏙꓦ vѵνᴠ WԜᎳꓪ wԝѡωᴡ XХΧꓫ xхχ YΥҮꓬᎩ yуүγʏ ZΖᏃꓜ zᴢ [【〔❲⟦⦋〖⁅⟬ "

// alike makes one of the characters that look alike within ASCII.
func alike(s string) string {
	return strings.NewReplacer("i", "l", "1", "l", "|", "l", "0", "o", "5", "s", "3", "e").Replace(s)
}
