#!/bin/sh
# Measures the gate: its error rates, its rivals', and its speed. The tables of docs/verdict.md come from here.
#
# usage: benches/gate/measure.sh [ISUGATE] [TRIALS]
set -eu
bin=${1:-target/release/isugate}
n=${2:-2000}
here=$(dirname "$0")

# `simulate` says by its exit status whether every limit was kept; go on either way and show everything.
status=0
run() { echo "## $*"; "$@" || status=1; echo; }

run "$bin" simulate --n "$n" --seed 1
run "$bin" simulate --n "$n" --seed 1 --budget 4 --no-limits
run "$bin" simulate --n "$n" --seed 1 --budget 24 --no-limits
run "$bin" simulate --n "$n" --seed 1 --intent no-regression --no-limits
run "$bin" simulate --n "$n" --seed 1 --rivals --no-limits

requests=$(mktemp)
trap 'rm -f "$requests"' EXIT
python3 "$here/requests.py" 1000 > "$requests"
echo "## speed: $(wc -l < "$requests") decisions, one core"
start=$(date +%s.%N)
"$bin" judge --step --json < "$requests" > /dev/null
end=$(date +%s.%N)
echo "$start $end $(wc -l < "$requests")" | awk '{ printf "%.0f decisions a second\n", $3 / ($2 - $1) }'
exit "$status"
