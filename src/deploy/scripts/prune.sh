# Removes old releases. Arguments: where isugate keeps its files, how many to keep, then names that must stay.
set -eu
state=$1 keep=$2
shift 2
cd -- "$state/releases" 2>/dev/null || exit 0
# shellcheck disable=SC2012 # names are hashes
ls -1dt -- */ 2>/dev/null | tr -d / | while IFS= read -r name; do
  case " original $* " in *" $name "*) continue ;; esac
  keep=$((keep - 1))
  [ "$keep" -ge 0 ] && continue
  # The Go module cache and the like are read-only.
  chmod -R u+w -- "$name" 2>/dev/null || true
  rm -rf -- "$name" "$name.laid" "$name.built" "$name.index"
done
