# Shell functions that start and end Gatehouse's programs. Sourced after lib.sh
# by tools/up and tools/quickstart.
#
# Everything started by start_program is ended by end_programs, in the opposite
# order; the script's own trap calls it. Nothing is ended by name.

program_pids=()
program_names=()

# start_program NAME LOG COMMAND...: runs it in the background, its stdout in
# LOG.out and its stderr in LOG.err.
start_program() {
  local name=$1 log=$2
  shift 2
  : >"$log.out"
  "$@" >"$log.out" 2>"$log.err" </dev/null &
  program_pids+=($!)
  program_names+=("$name")
}

# wait_ready NAME LOG SECONDS: until the program last started printed its ready
# line, which is then in $ready. Ends the script, with the program's own last
# words, if it ends first or is late.
ready=
wait_ready() {
  local name=$1 log=$2 seconds=$3 pid=${program_pids[-1]} line
  ready=
  # tail ends with the program (--pid), so the read below always ends too.
  exec 3< <(exec timeout "$seconds" tail -n +1 -s 0.05 -f --pid="$pid" "$log.out")
  local reader=$!
  while IFS= read -r line <&3; do
    if [[ $line == *'"event":"ready"'* ]]; then
      ready=$line
      break
    fi
  done
  exec 3<&-
  kill "$reader" 2>/dev/null || true
  [[ -n $ready ]] && return 0
  say "$name did not become ready within $seconds s; its last words:"
  tail -n 20 "$log.err" >&2
  if grep -qiE 'address already in use|EADDRINUSE|cannot listen' "$log.err"; then
    die "$name: that address is taken; choose another port, or end what has it"
  fi
  die "$name could not be started"
}

# ready_member MEMBER: a string member of the ready line.
ready_member() {
  sed -n 's/.*"'"$1"'" *: *"\([^"]*\)".*/\1/p' <<<"$ready"
}

# end_programs: SIGTERM, newest first, each given 20 s before SIGKILL (a
# worker drains for 10).
end_programs() {
  local i pid
  for ((i = ${#program_pids[@]} - 1; i >= 0; i--)); do
    pid=${program_pids[i]}
    kill -TERM "$pid" 2>/dev/null || continue
    if ! timeout 20 tail -s 0.05 -f --pid="$pid" /dev/null; then
      say "${program_names[i]} did not end within 20 s of SIGTERM; killing it"
      kill -KILL "$pid" 2>/dev/null || true
    fi
    wait "$pid" 2>/dev/null || true
  done
  program_pids=()
  program_names=()
}

# port_taken PORT: whether something listens there on loopback.
port_taken() {
  (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null
}

# programs: sets $control_program and $worker_program; the environment may name
# others (test builds).
programs() {
  control_program=${GATEHOUSE_CONTROL_PROGRAM:-${GATEHOUSE_BIN_DIR:-$root/build/ci/bin}/gatehouse-control}
  worker_program=${GATEHOUSE_WORKER_PROGRAM:-${GATEHOUSE_BIN_DIR:-$root/build/ci/bin}/gatehouse-worker}
}
