package server

import "testing"

func TestCommitPages(t *testing.T) {
	for remote, want := range map[string]string{
		"git@github.com:owner/repo.git":             "https://github.com/owner/repo/commit/",
		"https://user:secret@gitlab.com/a/b/c.git":  "https://gitlab.com/a/b/c/commit/",
		"ssh://git@git.example.org:2222/owner/repo": "https://git.example.org/owner/repo/commit/",
		"https://bitbucket.org/owner/repo.git":      "https://bitbucket.org/owner/repo/commits/",
		"/srv/git/repo.git":                         "",
		"../repo":                                   "",
		"file:///srv/repo.git":                      "",
		"C:/repos/one":                              "",
		"":                                          "",
		"https://github.com/":                       "",
	} {
		if got := commitPages(remote); got != want {
			t.Errorf("%s: %q, want %q", remote, got, want)
		}
	}
}
