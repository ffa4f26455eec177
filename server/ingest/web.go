package ingest

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"path"
	"slices"
	"syscall"
	"time"
)

const (
	// fetchTime is how long a server may take for all of a document.
	fetchTime = 30 * time.Second
	// maxRedirects is how often it may send one elsewhere.
	maxRedirects = 5
)

// narrow are networks that are reached by a global address and are private all the same: those of
// carriers (RFC 6598), benchmarks (RFC 2544), and translations of IPv4 (RFC 6052, RFC 3056).
var narrow = []netip.Prefix{
	netip.MustParsePrefix("100.64.0.0/10"), netip.MustParsePrefix("198.18.0.0/15"), netip.MustParsePrefix("240.0.0.0/4"),
	netip.MustParsePrefix("0.0.0.0/8"), netip.MustParsePrefix("64:ff9b::/96"), netip.MustParsePrefix("2002::/16"),
}

// public reports whether an address is of no private network.
func public(a netip.Addr) bool {
	a = a.Unmap()
	return a.IsGlobalUnicast() && !a.IsPrivate() && !slices.ContainsFunc(narrow, func(p netip.Prefix) bool { return p.Contains(a) })
}

// Remote reports whether a source is an address of the web.
func Remote(source string) bool {
	u, err := url.Parse(source)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https")
}

// Status is what a server said in place of the document: "404 Not Found".
type Status string

func (s Status) Error() string { return string(s) }

// reason returns what an error of the network comes to.
func reason(err error) error {
	_, unknown := errors.AsType[*net.DNSError](err)
	_, distrusted := errors.AsType[*tls.CertificateVerificationError](err)
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, ErrPrivate):
		return err
	case unknown:
		return ErrHost
	case distrusted:
		return ErrSecure
	}
	return fmt.Errorf("%w: %w", ErrServer, err)
}

// fetch gets a document and its kind. Every address is looked at when it is dialled, so that neither a
// name nor a redirect leads into a private network; a proxy would dial for us, so none is used.
func (r Reader) fetch(ctx context.Context, source string) (name string, data []byte, kind string, err error) {
	reach := r.Reach
	if reach == nil {
		reach = public
	}
	dialer := &net.Dialer{Control: func(_, address string, _ syscall.RawConn) error {
		at, err := netip.ParseAddrPort(address)
		if err == nil && !reach(at.Addr()) {
			err = ErrPrivate
		}
		return err
	}}
	client := http.Client{
		Transport: &http.Transport{DialContext: dialer.DialContext, DisableKeepAlives: true},
		CheckRedirect: func(req *http.Request, via []*http.Request) error {
			if len(via) > maxRedirects || via[0].URL.Scheme == "https" && req.URL.Scheme != "https" {
				return http.ErrUseLastResponse
			}
			return nil
		},
	}
	ctx, cancel := context.WithTimeout(ctx, fetchTime)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, source, nil)
	if err != nil {
		return "", nil, "", err
	}
	req.Header.Set("User-Agent", "handrail")
	req.Header.Set("Accept", "text/markdown, text/plain, text/html, application/pdf")
	res, err := client.Do(req)
	if err != nil {
		return "", nil, "", reason(err)
	}
	defer res.Body.Close() //nolint:errcheck // read only
	if res.StatusCode != http.StatusOK {
		return "", nil, "", Status(res.Status)
	}
	data, err = io.ReadAll(io.LimitReader(res.Body, MaxDisk+1))
	if err != nil {
		return "", nil, "", reason(err)
	}
	if len(data) > MaxDisk {
		return "", nil, "", ErrLarge
	}
	name = path.Base(res.Request.URL.Path)
	said, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type"))
	switch said {
	case "text/html", "application/xhtml+xml":
		kind = kindHTML
	case "application/pdf":
		kind = kindPDF
	case "text/markdown":
		kind = kindMarkdown
	case "text/plain", "":
		kind = cmp.Or(kindOf(name), kindText)
	default:
		return "", nil, "", fmt.Errorf("%s: %w", said, ErrKind)
	}
	if name == "." || name == "/" {
		name = res.Request.URL.Host
	}
	return name, data, kind, nil
}
