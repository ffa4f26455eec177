#!/bin/sh
# Runs the checks of the lesson cards on what has changed since $BASE: an annotation at each line that breaks one, and a
# table in the run's summary. Fails where a check is broken. Where handrail is not on the PATH, $RELEASES has it.
set -u
if ! command -v handrail >/dev/null; then
	curl -fsSL "$RELEASES/latest/download/install.sh" | sh >/dev/null || exit 2
	PATH=$HOME/.local/bin:$PATH
fi
handrail check --diff "${BASE:-HEAD}" --format github
status=$?
if [ $status -le 1 ]; then
	handrail check --diff "${BASE:-HEAD}" --json | jq -r '
		def cell: gsub("(?<c>[|<>`\\[\\]])"; "\\\(.c)") | gsub("\n"; " ");
		if length == 0 then "No lesson is broken."
		else "| | where | lesson | card |", "|---|---|---|---|",
			(.[] | "| \(.outcome) | \(.path | cell):\(.line // 1) | \(if .outcome == "broken" then .item else .title end | cell) | \(.card | cell) |")
		end' >>"${GITHUB_STEP_SUMMARY:-/dev/stdout}"
fi
exit $status
