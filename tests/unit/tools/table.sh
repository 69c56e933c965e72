# What the checkers' self-tests share; to be sourced. A test makes small trees
# under $tree, runs the checker on each, and ends with `finish`.

check=$1
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
rows=0
failures=0

# expect NAME WANT: runs the checker on $tree. WANT is `ok`, or a text that one
# line of its output must hold.
expect() {
  rows=$((rows + 1))
  status=0
  output=$(sh "$check" "$tree" 2>&1) || status=$?
  if [ "$2" = ok ]; then
    if [ "$status" -eq 0 ] && [ -z "$output" ]; then return; fi
  elif [ "$status" -eq 1 ] && printf '%s\n' "$output" | grep -qF -- "$2"; then
    return
  fi
  failures=$((failures + 1))
  printf 'FAILED: %s\n  wanted: %s\n  got (%s): %s\n' \
      "$1" "$2" "$status" "$output"
}

# put PATH: writes stdin there.
put() {
  mkdir -p "$tree/$(dirname "$1")"
  cat >"$tree/$1"
}

new_tree() { rm -rf "$tree" && mkdir "$tree"; }

finish() {
  printf '%s rows, %s failed\n' "$rows" "$failures"
  [ "$rows" -gt 0 ] && [ "$failures" -eq 0 ]
}
