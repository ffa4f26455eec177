#!/bin/sh
# Starts Handrail's hook for an agent whose plugin this is. Where the program is missing it says once how to get it;
# it always ends with status 0.
PATH=$PATH:$HOME/.local/bin:$HOME/.local/share/handrail/bin:/opt/homebrew/bin:/usr/local/bin
if command -v handrail-hook >/dev/null; then
	exec handrail-hook "$@"
fi
case $1 in
SessionStart) field=systemMessage ;;
sessionStart) field=additionalContext ;; # Copilot's, which shows a person nothing of a hook's
*) exit 0 ;;
esac
told=${0%/*}/.told # goes with the plugin
if [ ! -e "$told" ]; then
	: 2>/dev/null >"$told"
	echo "{\"$field\":\"Handrail needs its program, which is not on this machine: https://github.com/handrail-dev/handrail#install\"}"
fi
exit 0
