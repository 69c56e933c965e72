#!/bin/sh
# That tools/check/leaks notices what must not be told. The leaks are put
# together here, so that this file has none.
set -eu
. "$(dirname "$0")/table.sh"

# npm is asked for its registry: here by a stand-in, which is also faster.
bin=$(mktemp -d)
trap 'rm -rf "$tree" "$bin"' EXIT
printf '#!/bin/sh\necho https://npm.registry.invalid/path/\n' >"$bin/npm"
chmod +x "$bin/npm"
PATH=$bin:$PATH

row() {  # NAME WANT TEXT
  new_tree
  printf 'first\n%s\n' "$3" | put docs/a.md
  expect "$1" "$2"
}

slash=/
path="docs/a.md:2: a path of a developer's machine"
row "a checkout's path" "$path" "see ${slash}work/main/a.cc"
row "a checkout's path in quotes" "$path" "\"${slash}work/main\""
row "the work folder itself" "$path" "cd ${slash}work"
row "root's home" "$path" "in ${slash}root/.cache"
row "a Mac user's home" "$path" "in ${slash}Users/ada/src"
row "a build folder" "$path" "-B ${slash}tmp/build-mine"
row "another word" ok "${slash}worker and ${slash}workers/1 and a${slash}work/x"
row "a root that a client names" ok "file://${slash}work/project"
row "a drive that a client names" ok "file://C:Users/ada"
row "an ordinary path" ok "${slash}srv/files, ${slash}etc/gatehouse"

new_tree
GOPROXY="https://user:word@go.registry.invalid:8443/x,direct"
export GOPROXY
echo 'fetched from go.registry.invalid' | put docs/a.md
expect "a private registry's host" \
    "docs/a.md:1: the host of a private package registry"
echo 'fetched from npm.registry.invalid' | put docs/a.md
expect "the host that npm uses" \
    "docs/a.md:1: the host of a private package registry"
dot=. # no host of a registry stands in the project, not even here
echo "fetched from proxy${dot}golang${dot}org, deb${dot}debian${dot}org" | put docs/a.md
expect "public registries" ok

new_tree
printf '{"resolved": "https://%s/a.tgz"}\n' npm.example.invalid |
  put tests/interop/package-lock.json
expect "a lock file with a private registry" \
    "tests/interop/package-lock.json:1: a lock file"
printf '{"resolved": "https://registry%snpmjs%sorg/a.tgz"}\n' "$dot" "$dot" |
  put tests/interop/package-lock.json
expect "a lock file with the public registry" ok

finish
