#!/bin/sh
# Installs Handrail for this user, without root, into ~/.local/bin:
#
#   curl -fsSL https://github.com/handrail-dev/handrail/releases/latest/download/install.sh | sh
#   sh install.sh --version v1.2.3   not the newest release, but that one
#   sh install.sh --uninstall        takes out everything of Handrail but the cards
#
# It needs tar, and curl or wget. Nothing is put in place before its checksum was found to be right.
# A script that was cut off in its download does nothing: the last line starts it.
set -eu

# The folder of releases, as GitHub has it: latest/download/FILE and download/VERSION/FILE.
releases=${HANDRAIL_RELEASES:-https://github.com/handrail-dev/handrail/releases}

bin=$HOME/.local/bin
programs="handrail-hook handrail"
tmp=  # where the download waits, in the same file system
made= # the folder, if this run made it

main() {
	version=
	act=install
	while [ $# -gt 0 ]; do
		case $1 in
		--version)
			if [ $# -lt 2 ]; then
				fail "Say which version, for example --version v1.2.3." "버전을 적어 주세요. 예: --version v1.2.3"
			fi
			version=v${2#v}
			shift
			;;
		--uninstall) act=uninstall ;;
		*) fail "There is no option $1; there are --version VERSION and --uninstall." \
			"$1 옵션은 없습니다. --version 버전과 --uninstall이 있습니다." ;;
		esac
		shift
	done
	case $version in
	*[!A-Za-z0-9.+-]*) fail "$version is no version." "$version은 버전이 아닙니다." ;;
	esac
	trap clean EXIT
	trap 'exit 1' HUP INT TERM
	$act
}

install() {
	platform
	archive=handrail_${os}_$arch.tar.gz
	from=$releases/latest/download
	if [ -n "$version" ]; then
		from=$releases/download/$version
	fi
	for program in $programs; do
		if [ -d "$bin/$program" ]; then
			fail "$bin/$program is a folder." "$bin/$program은 폴더입니다."
		fi
	done
	if [ ! -d "$bin" ]; then
		mkdir -p "$bin"
		made=$bin
	fi
	tmp=$(mktemp -d "$bin/.handrail.XXXXXX")
	get "$from/checksums.txt" "$tmp/checksums.txt"
	get "$from/$archive" "$tmp/$archive"
	want=
	while read -r sum name; do
		if [ "${name#\*}" = "$archive" ]; then
			want=$sum
		fi
	done <"$tmp/checksums.txt"
	checksum "$tmp/$archive"
	if [ -z "$want" ] || [ "$want" != "$got" ]; then
		fail "$archive has another checksum than the release says: the download may be cut off. Nothing was changed." \
			"$archive의 체크섬이 릴리스와 다릅니다. 다운로드가 끊겼을 수 있습니다. 바뀐 것은 없습니다."
	fi
	# shellcheck disable=SC2086 # two names
	if ! tar -xzf "$tmp/$archive" -C "$tmp" $programs 2>/dev/null || ! new=$("$tmp/handrail" --version 2>/dev/null); then
		fail "The program of $archive does not run here. Nothing was changed." \
			"$archive의 프로그램이 여기서 실행되지 않습니다. 바뀐 것은 없습니다."
	fi
	old=$("$bin/handrail" --version 2>/dev/null) || old=
	for program in $programs; do
		chmod 755 "$tmp/$program"
		mv -f "$tmp/$program" "$bin/$program"
	done
	say "Installed $new from $from, checksum verified:" "$new 설치함 ($from, 체크섬 확인):"
	for program in $programs; do
		echo "  $bin/$program"
	done
	if [ -n "$old" ] && [ "$old" != "$new" ]; then
		say "It was $old before." "이전 버전: $old"
	fi
	on_path
	say "next: handrail setup" "다음: handrail setup"
}

clean() {
	if [ -n "$tmp" ]; then
		rm -rf "$tmp"
	fi
	if [ -n "$made" ]; then
		rmdir "$bin" "$HOME/.local" 2>/dev/null || : # nothing came into it
	fi
}

# platform finds the names that archives have for this machine.
platform() {
	os=$(uname -s)
	arch=$(uname -m)
	case $os in
	Linux) os=linux ;;
	Darwin)
		os=darwin
		if [ "$(sysctl -n sysctl.proc_translated 2>/dev/null || :)" = 1 ]; then
			arch=arm64 # an Intel shell on Apple silicon
		fi
		;;
	MINGW* | MSYS* | CYGWIN*) fail "Under Windows run install.ps1 of the release in PowerShell." \
		"윈도우에서는 PowerShell에서 릴리스의 install.ps1을 실행하세요." ;;
	esac
	case $arch in
	x86_64) arch=amd64 ;;
	aarch64) arch=arm64 ;;
	esac
	case $os/$arch in
	linux/amd64 | linux/arm64 | darwin/amd64 | darwin/arm64) ;;
	*) fail "There is no build for $os on $arch: build it from its source with \"make install\"." \
		"$os $arch용 빌드는 없습니다. 소스에서 \"make install\"로 만드세요." ;;
	esac
}

# get URL FILE downloads a file.
get() {
	if command -v curl >/dev/null 2>&1; then
		curl -fsL -o "$2" "$1" && return
	elif command -v wget >/dev/null 2>&1; then
		wget -q -O "$2" "$1" && return
	else
		fail "curl or wget is needed." "curl이나 wget이 필요합니다."
	fi
	fail "$1 cannot be downloaded. Nothing was changed." "$1 파일을 내려받을 수 없습니다. 바뀐 것은 없습니다."
}

# checksum FILE finds its SHA-256.
checksum() {
	if command -v sha256sum >/dev/null 2>&1; then
		got=$(sha256sum <"$1")
	elif command -v shasum >/dev/null 2>&1; then
		got=$(shasum -a 256 <"$1")
	elif command -v openssl >/dev/null 2>&1; then
		got=$(openssl dgst -sha256 -r <"$1")
	else
		fail "sha256sum, shasum or openssl is needed." "sha256sum, shasum, openssl 중 하나가 필요합니다."
	fi
	got=${got%% *}
}

# on_path says whether a shell finds what was installed.
on_path() {
	case :$PATH: in
	*:"$bin":*)
		first=$(command -v handrail)
		if [ "$first" = "$bin/handrail" ]; then
			say "$bin is on your PATH." "$bin은 PATH에 있습니다."
		else
			say "$bin is on your PATH, but $first comes first." "$bin은 PATH에 있지만 $first이(가) 먼저입니다."
		fi
		return
		;;
	esac
	file=.profile
	case ${SHELL:-} in
	*/zsh) file=.zprofile ;;
	esac
	say "$bin is not on your PATH. Add this line to ~/$file:" "$bin은 PATH에 없습니다. ~/$file에 이 줄을 넣으세요:"
	echo "  export PATH=\"\$HOME/.local/bin:\$PATH\""
}

uninstall() {
	if [ ! -e "$bin/handrail" ] && [ ! -e "$bin/handrail-hook" ]; then
		fail "There is no Handrail in $bin." "$bin에는 Handrail이 없습니다."
	fi
	if [ -e "$bin/handrail" ] && ! "$bin/handrail" uninstall --yes; then
		fail "\"handrail uninstall\" failed, so the program stays: it is needed to try again." \
			"\"handrail uninstall\"이 실패했습니다. 다시 하려면 프로그램이 필요하므로 남겨 둡니다."
	fi
	for program in $programs; do
		if [ -e "$bin/$program" ]; then
			rm -f "$bin/$program"
			say "removed: $bin/$program" "지움: $bin/$program"
		fi
	done
	rmdir "$bin" "$HOME/.local" 2>/dev/null || : # if nothing else is there
}

# say ENGLISH KOREAN
say() {
	case ${LC_ALL:-${LC_MESSAGES:-${LANG:-}}} in
	ko*) printf '%s\n' "$2" ;;
	*) printf '%s\n' "$1" ;;
	esac
}

fail() {
	say "install.sh: $1" "install.sh: $2" >&2
	exit 1
}

{ main "$@"; }
