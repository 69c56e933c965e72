# Shell functions that the scripts of tools/ share. Sourced, never run, by
# scripts that set -euo pipefail.
#
# Sets `root`, the repository's own folder. Messages go to stderr, so that a
# script's stdout is its result.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

say() { printf '%s\n' "$*" >&2; }

# Ends the script: what is wrong, then what to do about it.
die() {
  say "${0##*/}: $*"
  exit 1
}

# jobs_for_build: as many as there are cores, at least one.
jobs_for_build() { nproc 2>/dev/null || echo 1; }

# build PRESET [TARGET...]: configures once, then builds the targets (or all).
# Quiet unless it fails or takes long: the log is build/PRESET/build.log.
build() {
  local preset=$1
  shift
  local dir=$root/build/$preset log=$root/build/$preset/build.log
  mkdir -p "$dir"
  if [[ ! -f $dir/build.ninja ]]; then
    say "configuring preset $preset in build/$preset"
    (cd "$root" && cmake --preset "$preset") >"$log" 2>&1 || {
      tail -n 40 "$log" >&2
      die "configuring failed; the whole log is build/$preset/build.log"
    }
  fi
  local args=(--build "$dir" -j "$(jobs_for_build)")
  if (($# > 0)); then args+=(--target "$@"); fi
  if [[ -t 2 ]]; then
    cmake "${args[@]}" 2>&1 | tee "$log" | show_last_line ||
      build_failed "$preset" "$log"
  else
    cmake "${args[@]}" >"$log" 2>&1 || build_failed "$preset" "$log"
  fi
}

build_failed() {
  grep -m 1 -A 30 -E 'FAILED:|error:|CMake Error' "$2" >&2 || tail -n 40 "$2" >&2
  die "building preset $1 failed; the whole log is build/$1/build.log"
}

# Shows a build's progress on one line of a terminal.
show_last_line() {
  local line
  while IFS= read -r line; do
    printf '\r\033[K%.78s' "$line" >&2
  done
  printf '\r\033[K' >&2
}

# now_ms: a clock for measuring, in milliseconds.
now_ms() { echo $(($(date +%s%N) / 1000000)); }

# took MS: "12.3 s".
took() { printf '%d.%d s' $(($1 / 1000)) $(($1 % 1000 / 100)); }
