# Shell functions that put up what tools/bench measures: the fixed upstream,
# and the ways to it. Sourced after tools/lib.sh and tools/lib_run.sh; all
# that is started here is ended by end_programs.
#
# `stage` is a directory of the run's own; `bin` has the programs.

declare -A address_of=() # by variant: 127.0.0.1:PORT
declare -A path_of=()    # by variant
declare -A pids_of=()    # by variant: its processes, with commas between
upstream_pid=
data= # the control plane's directory
control_pid=
worker_pid=

# wait_lines COUNT PATTERN SECONDS NAME LOG: until the program last started wrote
# that many lines with PATTERN to its stderr.
wait_lines() {
  local count=$1 pattern=$2 seconds=$3 name=$4 log=$5 pid=${program_pids[-1]} seen
  seen=$(grep -c -m "$count" -e "$pattern" < <(
    exec timeout "$seconds" tail -n +1 -s 0.05 -f --pid="$pid" "$log.err")) || true
  [[ $seen == "$count" ]] && return 0
  tail -n 20 "$log.err" >&2
  die "$name did not become ready within $seconds s"
}

# free_port: one that nothing listens on, for a program that takes no port 0.
free_port() {
  local port
  while true; do
    port=$((20000 + RANDOM % 10000))
    port_taken "$port" || break
  done
  echo "$port"
}

start_upstream() {
  start_program "the fixed upstream" "$stage/upstream" "$bin/bench-upstream"
  upstream_pid=${program_pids[-1]}
  wait_ready "the fixed upstream" "$stage/upstream" 20
  address_of[direct]=$(ready_member listen)
  path_of[direct]=/mcp
  pids_of[direct]=$upstream_pid
}

start_nginx() {
  local port pid
  port=$(free_port)
  sed -e "s|@USER@|$(id -un)|; s|@DIR@|$stage|; s|@PORT@|$port|" \
    -e "s|@UPSTREAM@|${address_of[direct]}|" \
    "$root/tests/bench/nginx.conf.in" >"$stage/nginx.conf"
  : >"$stage/nginx.err" # it must be there before it is looked at
  start_program nginx "$stage/nginx" "$nginx" -c "$stage/nginx.conf" -p "$stage"
  pid=${program_pids[-1]}
  address_of[nginx]=127.0.0.1:$port
  path_of[nginx]=/mcp
  wait_lines 2 "start worker process [0-9]" 20 nginx "$stage/nginx"
  pids_of[nginx]=$pid,$(tr -s ' ' ',' <"/proc/$pid/task/$pid/children")
  pids_of[nginx]=${pids_of[nginx]%,}
}

start_stock() {
  start_program "the stock proxy" "$stage/proxy" \
    "$bin/bench-proxy" --upstream "${address_of[direct]}"
  pids_of[stock]=${program_pids[-1]}
  wait_ready "the stock proxy" "$stage/proxy" 20
  address_of[stock]=$(ready_member listen)
  path_of[stock]=/mcp
}

# policy_text PREFIX: the virtual server `bench`.
policy_text() {
  cat <<END
kind: VirtualServer
name: bench
upstreams:
  - name: fixed
    http: { url: "http://${address_of[direct]}/mcp" }
catalogue: { prefix: $1 }
clientFeatures: { sampling: true, elicitation: true }
trust:
  sampling: { route: client }
  elicitation: { route: client }
limits:
  openInputRequestsPerUpstream: 100000
  openInputRequestsPerVirtualServer: 100000
END
}

# start_gatehouse NAME FLAG...: a control plane with nothing in it yet, and a
# worker with default flags but for those given. end_gatehouse ends the two.
start_gatehouse() {
  local name=$1
  shift
  data=$stage/data-$name
  policy_text none >"$stage/none.yaml"
  start_program "the control plane" "$stage/control-$name" \
    "$bin/gatehouse-control" --data-dir "$data" --listen 127.0.0.1:0 \
    --policy "$stage/none.yaml"
  control_pid=${program_pids[-1]}
  wait_ready "the control plane" "$stage/control-$name" 30
  start_worker "$name" "$@"
}

end_gatehouse() {
  end_newest
  end_newest
}

start_worker() {
  local name=$1
  shift
  start_program "the worker" "$stage/worker-$name" "$bin/gatehouse-worker" \
    --control "unix:$data/control.sock" \
    --token-file "$data/tokens/worker.token" \
    --listen 127.0.0.1:0 --name "$name" "$@"
  worker_pid=${program_pids[-1]}
  wait_ready "the worker" "$stage/worker-$name" 30
  address_of[gatehouse]=$(ready_member listen)
  path_of[gatehouse]=/mcp/bench
  pids_of[gatehouse]=$control_pid,$worker_pid
}

# end_newest: SIGTERM to the program last started, and waits for it.
end_newest() {
  local pid=${program_pids[-1]}
  kill -TERM "$pid" 2>/dev/null || true
  timeout 30 tail -s 0.05 -f --pid="$pid" /dev/null || kill -KILL "$pid"
  wait "$pid" 2>/dev/null || true
  unset 'program_pids[-1]' 'program_names[-1]'
}
