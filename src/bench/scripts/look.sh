# Where the benchmarker's program is, its SHA-256, and free TCP ports. Arguments: the command line, its directory, how many
# ports, the base of the range to take them from.
set -u
line=$1 dir=$2 count=$3 port=$4
cd -- "$dir" 2>/dev/null || true
read -r -a words <<<"$line"
program=
for word in "${words[@]+"${words[@]}"}"; do
  case $word in
    *=*) continue ;;
    # What these run is not told by the first word.
    cd | env | exec | sudo | timeout | nice | taskset | bash | sh | docker | '(' | '{' | *[\;\&\|\<\>\(\)\$\`\"\'\*\?]*) break ;;
    *) program=$word; break ;;
  esac
done
if [ -n "$program" ]; then
  if path=$(command -v -- "$program" 2>/dev/null) && [ -n "$path" ]; then
    [ -f "$path" ] && printf 'sha256 %s\n' "$(sha256sum -- "$path" | cut -d' ' -f1)"
  else
    # Without the right to execute it is there all the same.
    case $program in
      */*) [ -e "$program" ] && printf 'unexecutable %s\n' "$program" ;;
    esac
    printf 'missing %s\n' "$program"
  fi
fi
# Local ports in use, in hexadecimal, whatever their state.
used=" $(cat /proc/net/tcp /proc/net/tcp6 2>/dev/null | awk '{ n = split($2, a, ":"); print a[n] }' | tr '\n' ' ') "
for ((tries = 0; count > 0 && tries < 4000; tries++)); do
  hex=$(printf '%04X' "$port")
  case $used in *" $hex "*) ;; *) printf 'port %s\n' "$port"; count=$((count - 1)) ;; esac
  port=$((port + 1))
done
exit 0
