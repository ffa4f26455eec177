package server

import (
	"context"
	"net/url"
	"strings"

	"handrail/lessons/lazyregexp"
	"handrail/server/watch"
)

// scpRemote matches user@host:owner/repo, as git takes it for ssh.
var scpRemote = lazyregexp.New(`^(?:[\w.-]+@)?([\w.-]+\.[\w-]+):([^/:][^:]*)$`)

// CommitPages returns what the address of a commit's page begins with, by the remote origin of
// the repository that holds dir; "" where git knows none, or it is no host on the web.
func CommitPages(ctx context.Context, dir string) string {
	out, err := watch.GitOutput(ctx, dir, "config", "--get", "remote.origin.url")
	if err != nil {
		return ""
	}
	return commitPages(strings.TrimSpace(out))
}

func commitPages(remote string) string {
	host, path := "", ""
	if m := scpRemote.FindStringSubmatch(remote); m != nil {
		host, path = m[1], m[2]
	} else if u, err := url.Parse(remote); err == nil {
		switch u.Scheme {
		case "https", "http":
			host, path = u.Host, u.Path
		case "ssh", "git", "git+ssh":
			host, path = u.Hostname(), u.Path
		}
	}
	path = strings.Trim(strings.TrimSuffix(path, ".git"), "/")
	if host == "" || !strings.Contains(path, "/") {
		return ""
	}
	page := "/commit/"
	if host == "bitbucket.org" {
		page = "/commits/"
	}
	return (&url.URL{Scheme: "https", Host: host, Path: "/" + path + page}).String()
}
