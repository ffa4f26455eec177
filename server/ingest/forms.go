package ingest

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	htmltomarkdown "github.com/JohannesKaufmann/html-to-markdown/v2"
	"github.com/ledongthuc/pdf"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// fromHTML returns the title and the text of a page as markdown: of what it marks as its main part, else of its body
// without what it marks as navigation.
func fromHTML(data []byte) (title, text string, err error) {
	page, err := html.Parse(bytes.NewReader(data))
	if err != nil {
		return "", "", fmt.Errorf("read the page: %w", err)
	}
	if n := find(page, atom.Title); n != nil && n.FirstChild != nil {
		title = strings.Join(strings.Fields(n.FirstChild.Data), " ")
	}
	main := page
	for _, tag := range []atom.Atom{atom.Main, atom.Article, atom.Body} {
		if n := find(page, tag); n != nil {
			main = n
			break
		}
	}
	strip(main, main.DataAtom == atom.Body || main == page)
	src, err := htmltomarkdown.ConvertNode(main)
	if err != nil {
		return "", "", fmt.Errorf("read the page: %w", err)
	}
	return title, string(src), nil
}

// find returns the first element of a kind, nil where there is none.
func find(n *html.Node, tag atom.Atom) *html.Node {
	for d := range n.Descendants() {
		if d.Type == html.ElementNode && d.DataAtom == tag {
			return d
		}
	}
	return nil
}

// strip takes out what is no text of a page; of a whole page also its head and foot, which an article has for its title.
func strip(n *html.Node, whole bool) {
	for c := n.FirstChild; c != nil; {
		next := c.NextSibling
		switch tag := c.DataAtom; {
		case whole && (tag == atom.Header || tag == atom.Footer), slices.Contains(noText, tag):
			n.RemoveChild(c)
		default:
			strip(c, whole)
		}
		c = next
	}
}

// noText are the elements that hold none of a page's own words.
var noText = []atom.Atom{
	atom.Nav, atom.Aside, atom.Script, atom.Style, atom.Noscript, atom.Form, atom.Iframe, atom.Svg, atom.Template,
}

// fromPDF returns the text of a PDF, a heading for each page. One of pictures alone has none.
func fromPDF(data []byte) (text string, err error) {
	defer func() {
		if v := recover(); v != nil { // the reader does so on a damaged file
			err = fmt.Errorf("a damaged PDF (%v): %w", v, ErrKind)
		}
	}()
	r, err := pdf.NewReader(bytes.NewReader(data), int64(len(data)))
	if errors.Is(err, pdf.ErrInvalidPassword) {
		return "", ErrLocked
	}
	if err != nil {
		return "", fmt.Errorf("%w: %w", ErrKind, err)
	}
	if r.NumPage() > MaxPages {
		return "", ErrLarge
	}
	var out strings.Builder
	for n := 1; n <= r.NumPage() && out.Len() <= MaxText; n++ {
		said, err := r.Page(n).GetPlainText(nil)
		if err != nil {
			return "", fmt.Errorf("page %d: %w: %w", n, ErrKind, err)
		}
		said = strings.TrimSpace(strings.ToValidUTF8(said, ""))
		if said != "" {
			fmt.Fprintf(&out, "## Page %d\n\n%s\n\n", n, said)
		}
	}
	return out.String(), nil
}
