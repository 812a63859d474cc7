# $1: the runner's directory. Changes nothing.
dir=${1/#\~/$HOME}
echo "machine $(uname -m)"
version=none
if [ -x "$dir/bin/Runner.Listener" ]; then version=$("$dir/bin/Runner.Listener" --version 2>/dev/null || echo none); fi
echo "version $version"
if [ -e "$dir/.runner" ]; then echo "registered yes"; else echo "registered no"; fi
if [ "$(id -u)" = 0 ]; then echo "root yes"; else echo "root no"; fi
if sudo -n true 2>/dev/null; then echo "sudo yes"; else echo "sudo no"; fi
for program in curl tar sha256sum; do command -v "$program" >/dev/null || echo "missing $program"; done
