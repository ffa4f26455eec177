package lessons

import "testing"

func TestMatchPaths(t *testing.T) {
	for _, tt := range []struct {
		name  string
		globs []string
		files []string
		want  string
	}{
		{"a glob", []string{"src/**/*.go"}, []string{"src/a/b.go"}, "src/**/*.go"},
		{"the second of both", []string{"db/**", "*.md"}, []string{"x.go", "README.md"}, "*.md"},
		{"the longest", []string{"src/**", "src/a/b.go"}, []string{"src/a/b.go"}, "src/a/b.go"},
		{"none", []string{"db/**"}, []string{"src/a.go"}, ""},
		{"no globs", nil, []string{"src/a.go"}, ""},
		{"excluded", []string{"src/**", "!src/gen/**"}, []string{"src/gen/a.go"}, ""},
		{"excluded first", []string{"!src/gen/**", "src/**"}, []string{"src/gen/a.go"}, ""},
		{"one of two files is excluded", []string{"src/**", "!**/*_test.go"}, []string{"src/a_test.go", "src/a.go"}, "src/**"},
		{"only an exclusion", []string{"!src/gen/**"}, []string{"src/a.go"}, ""},
		{"an exclusion of nothing there", []string{"src/**", "!docs/**"}, []string{"src/a.go"}, "src/**"},
		{"a folder", []string{"test/"}, []string{"test/unit/a.js"}, "test/"},
		{"an excluded folder", []string{"**", "!test/"}, []string{"test/unit/a.js"}, ""},
		{"a folder anywhere", []string{"**/gen/"}, []string{"api/gen/a.ts"}, "**/gen/"},
		{"a folder without its slash", []string{"src/api"}, []string{"src/api/v1/a.ts"}, "src/api"},
		{"no folder of that name", []string{"src/api"}, []string{"src/apis/a.ts"}, ""},
		{"from the root", []string{"/src/**"}, []string{"src/a.ts"}, "/src/**"},
		{"from here", []string{"./src/*.ts"}, []string{"src/a.ts"}, "./src/*.ts"},
		{"a hidden folder", []string{".github/**"}, []string{"github/a.yml"}, ""},
		{"no glob at all", []string{"src/[", "!"}, []string{"src/["}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got, ok := MatchPaths(tt.globs, tt.files); got != tt.want || ok != (tt.want != "") {
				t.Errorf("%q, %t, want %q", got, ok, tt.want)
			}
		})
	}
}
