#!/bin/sh
# That tests/bench/report.awk tells what was measured: medians, ratios of them,
# and for each aim whether it is met. Rows: what is said | the line.
#
#   bench_report_test.sh REPORT.AWK
set -eu

report=$1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
failed=0

# figures PART VARIANT LOAD MEASURE VALUE...: one repetition for each value.
figures() {
  part=$1 variant=$2 load=$3 measure=$4 repetition=0
  shift 4
  for value in "$@"; do
    repetition=$((repetition + 1))
    printf '%s\t%s\t%s\t%s\t%s\t%s\n' "$part" "$variant" "$load" "$repetition" \
      "$measure" "$value" >>"$dir/raw.tsv"
  done
}

printf 'command\ttools/bench\n' >"$dir/facts.tsv"
# An outlier and another order than by size: only the middle one counts.
figures calls direct 1 p50_us 30 32 31 900 30
figures calls nginx 1 p50_us 81
figures calls stock 1 p50_us 181
figures calls gatehouse 1 p50_us 131 132
figures calls nginx 16 calls_per_s 100000 20000 20000
figures calls gatehouse 16 calls_per_s 12000 11000 99000
figures calls nginx 64 calls_per_s 20000
figures calls gatehouse 64 calls_per_s 11900
figures bodies nginx text bytes_per_s 1000000000
figures bodies gatehouse text bytes_per_s 700000000
figures bodies gatehouse members bytes_per_s 1
figures decisions control 1 decisions_per_s 1000
figures decisions control 64 decisions_per_s 4990
figures idle gatehouse streams-off kib_each_with_session 8.01
figures idle gatehouse streams-off worker_cpu_percent 0.99
LC_ALL=C awk -f "$report" "$dir/facts.tsv" "$dir/raw.tsv" >"$dir/report.md"

while IFS=';' read -r what line; do
  [ -n "$what" ] || continue
  grep -qxF "$line" "$dir/report.md" && continue
  echo "$what: no such line in the report: $line"
  failed=1
done <<'ROWS'
the command stands in it;| command | tools/bench |
an odd count's median is the middle, an even one's the mean of two;| p50 at 1 connection, µs | 31 | 81 | 181 | 132 |
what a way adds is told over the direct one;| added p50 at 1 connection, µs | | 50 | 150 | 100 |
the aim is met exactly at its bound;| calls/s at 16 ÷ nginx | ≥ 0.60 | 0.60 (stock proxy 0.00) | yes |
below its bound it is not, however it is rounded;| calls/s at 64 ÷ nginx | ≥ 0.60 | 0.59 (stock proxy 0.00) | **no** |
just over what is allowed is missed;| added p50 at 1 connection ÷ what nginx adds | ≤ 2 | 2.01 (stock proxy 3.00) | **no** |
bodies at their bound are fast enough;| 1 MiB, text, bytes/s ÷ nginx | ≥ 0.7 | 0.70 (stock proxy 0.00) | yes |
a figure without the one to compare with meets nothing;| 1 MiB, members, bytes/s ÷ nginx | ≥ 0.7 | 0.00 (stock proxy 0.00) | **no** |
decisions just below five times are missed;| decisions/s, 64 at once ÷ one at a time | ≥ 5 | 5.0 | **no** |
a stream that is too large is told;| 10,000 streams with their sessions, KiB each | ≤ 8 | 8.01 (without 0.00) | **no** |
what was not measured is no rest;| 1,000 idle connections, worker's CPU | 0 % (< 0.5) | 0.00 % | **no** |
a worker that rests is told;| 10,000 streams without pings, worker's CPU | < 1 % | 0.99 % | yes |
ROWS

if [ "$failed" -ne 0 ]; then cat "$dir/report.md"; fi
exit "$failed"
