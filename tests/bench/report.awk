# Makes the tables of tools/bench: reads facts.tsv, then raw.tsv, and writes
# Markdown. A figure is the median over the repetitions; a ratio is the ratio
# of two such medians. What was not measured leaves its table out.
#
# raw.tsv: part, variant, load, repetition, measure, value.

BEGIN { FS = "\t" }

FNR == NR {
  fact[$1] = $2
  next
}

{
  key = $1 SUBSEP $2 SUBSEP $3 SUBSEP $5
  value[key, ++count[key]] = $6 + 0
  seen[$1] = 1
}

# has PART VARIANT LOAD MEASURE
function has(part, variant, load, measure) {
  return count[part, variant, load, measure] > 0
}

function median(part, variant, load, measure,   key, n, i, j, list, moved) {
  key = part SUBSEP variant SUBSEP load SUBSEP measure
  n = count[key]
  if (n == 0) return 0
  for (i = 1; i <= n; ++i) {
    moved = value[key, i]
    for (j = i - 1; j >= 1 && list[j] > moved; --j) list[j + 1] = list[j]
    list[j + 1] = moved
  }
  if (n % 2 == 1) return list[(n + 1) / 2]
  return (list[n / 2] + list[n / 2 + 1]) / 2
}

function ratio(over, under) { return under == 0 ? 0 : over / under }

# row NAME FORMAT SCALE PART LOAD MEASURE: one line with the four ways.
function row(name, format, scale, part, load, measure,   line, i) {
  line = "| " name " |"
  for (i = 1; i <= 4; ++i) {
    line = line (has(part, way[i], load, measure) ? \
                 sprintf(" " format " |",
                         median(part, way[i], load, measure) / scale) : " |")
  }
  print line
}

# aim WHAT WANTED GOT MET: a line of the table of aims. A figure that is missing
# meets nothing.
function aim(what, wanted, got, met) {
  aims[++aim_count] = "| " what " | " wanted " | " got " | " \
      (met ? "yes" : "**no**") " |"
}

function ways(first) {
  print "| " first " | direct | nginx | stock proxy | Gatehouse |"
  print "| --- | ---: | ---: | ---: | ---: |"
}

function calls_table(   i, line, base) {
  print "### Calls\n"
  print "A call of about 750 bytes, answered with about 500; one session for"
  print "each connection.\n"
  ways("")
  row("p50 at 1 connection, µs", "%.0f", 1, "calls", 1, "p50_us")
  row("p99 at 1 connection, µs", "%.0f", 1, "calls", 1, "p99_us")
  base = median("calls", "direct", 1, "p50_us")
  line = "| added p50 at 1 connection, µs | |"
  for (i = 2; i <= 4; ++i) {
    added[way[i]] = median("calls", way[i], 1, "p50_us") - base
    line = line sprintf(" %.0f |", added[way[i]])
  }
  print line
  row("calls/s at 1", "%.0f", 1, "calls", 1, "calls_per_s")
  row("calls/s at 16", "%.0f", 1, "calls", 16, "calls_per_s")
  row("calls/s at 64", "%.0f", 1, "calls", 64, "calls_per_s")
  row("p99 at 64, µs", "%.0f", 1, "calls", 64, "p99_us")
  row("its CPU µs per call at 1", "%.1f", 1, "calls", 1, "cpu_us_per_call")
  row("its CPU µs per call at 16", "%.1f", 1, "calls", 16, "cpu_us_per_call")
  row("its CPU µs per call at 64", "%.1f", 1, "calls", 64, "cpu_us_per_call")
  for (i = 16; i <= 64; i += 48) {
    got = ratio(median("calls", "gatehouse", i, "calls_per_s"),
                median("calls", "nginx", i, "calls_per_s"))
    aim("calls/s at " i " ÷ nginx", "≥ 0.60",
        sprintf("%.2f (stock proxy %.2f)", got,
                ratio(median("calls", "stock", i, "calls_per_s"),
                      median("calls", "nginx", i, "calls_per_s"))),
        got >= 0.60)
  }
  got = ratio(added["gatehouse"], added["nginx"])
  aim("added p50 at 1 connection ÷ what nginx adds", "≤ 2",
      sprintf("%.2f (stock proxy %.2f)", got,
              ratio(added["stock"], added["nginx"])), got > 0 && got <= 2)
}

function headroom_table(   i) {
  print "\n### Headroom\n"
  print "Whether load or upstream stood in the way, in hundredths of one core at"
  print "64 connections; the upstream's own CPU in the column `direct` is in the"
  print "table above. What is left of the machine is what was under test.\n"
  ways("at 64")
  row("load, % of a core", "%.0f", 1, "calls", 64, "load_cpu_percent")
  row("load, CPU µs per call", "%.1f", 1, "calls", 64, "load_cpu_us_per_call")
  row("upstream, % of a core", "%.0f", 1, "calls", 64, "upstream_cpu_percent")
  row("upstream, CPU µs per call", "%.1f", 1, "calls", 64,
      "upstream_cpu_us_per_call")
  row("other programs, % of a core", "%.0f", 1, "calls", 64,
      "others_cpu_percent")
  if (has("headroom", "wrk", 16, "calls_per_s")) {
    printf "\nDirect at 16 connections, our load gets %.0f calls/s; wrk, which\n",
        median("calls", "direct", 16, "calls_per_s")
    printf "checks no answer, gets %.0f.\n",
        median("headroom", "wrk", 16, "calls_per_s")
  }
}

function bodies_table(   i, tool, got) {
  print "\n### 1 MiB results\n"
  print "MB/s at 4 connections, every byte compared.\n"
  ways("")
  for (i = 1; i <= 3; ++i) {
    tool = kind[i]
    row(tool, "%.0f", 1e6, "bodies", tool, "bytes_per_s")
  }
  for (i = 1; i <= 3; ++i) {
    row(kind[i] ", its CPU ms per call", "%.2f", 1000, "bodies", kind[i],
        "cpu_us_per_call")
  }
  for (i = 1; i <= 3; ++i) {
    got = ratio(median("bodies", "gatehouse", kind[i], "bytes_per_s"),
                median("bodies", "nginx", kind[i], "bytes_per_s"))
    aim("1 MiB, " kind[i] ", bytes/s ÷ nginx", "≥ 0.7",
        sprintf("%.2f (stock proxy %.2f)", got,
                ratio(median("bodies", "stock", kind[i], "bytes_per_s"),
                      median("bodies", "nginx", kind[i], "bytes_per_s"))),
        got >= 0.7)
  }
}

function trust_table(   i, one, many, round) {
  print "\n### Trust\n"
  print "A call in which the upstream asks for a sampling and the client answers"
  print "it by a POST of its own; then the control plane alone, asked for verdicts"
  print "by the worker's own client, each request in an operation of its own.\n"
  print "| | direct | Gatehouse | added |"
  print "| --- | ---: | ---: | ---: |"
  round = median("trust", "direct", 1, "p50_us")
  printf "| sampling round, p50 at 1, µs | %.0f | %.0f | %.0f |\n", round,
      median("trust", "gatehouse", 1, "p50_us"),
      median("trust", "gatehouse", 1, "p50_us") - round
  printf "| sampling round, p99 at 1, µs | %.0f | %.0f | |\n",
      median("trust", "direct", 1, "p99_us"),
      median("trust", "gatehouse", 1, "p99_us")
  for (i = 1; i <= 64; i += 63) {
    printf "| sampling rounds/s at %d | %.0f | %.0f | |\n", i,
        median("trust", "direct", i, "calls_per_s"),
        median("trust", "gatehouse", i, "calls_per_s")
  }
  print "\n| the control plane | 1 at once | 64 at once |"
  print "| --- | ---: | ---: |"
  control_row("decisions/s", "decisions_per_s")
  control_row("p50, µs", "p50_us")
  control_row("p99, µs", "p99_us")
  control_row("its CPU µs per decision", "cpu_us_per_decision")
  one = median("decisions", "control", 1, "decisions_per_s")
  many = median("decisions", "control", 64, "decisions_per_s")
  aim("decisions/s, 64 at once ÷ one at a time", "≥ 5",
      sprintf("%.1f", ratio(many, one)), ratio(many, one) >= 5)
}

function control_row(name, measure) {
  printf "| %s | %.0f | %.0f |\n", name,
      median("decisions", "control", 1, measure),
      median("decisions", "control", 64, measure)
}

function idle(what, measure) {
  return median("idle", "gatehouse", what, measure)
}

function idle_row(name, format, measure,   i, line) {
  line = "| " name " |"
  for (i = 1; i <= 3; ++i) {
    line = line (has("idle", "gatehouse", crowd[i], measure) ? \
                 sprintf(" " format " |", idle(crowd[i], measure)) : " |")
  }
  print line
}

function idle_table(   got) {
  print "\n### Nothing to do\n"
  print "The streams are GET streams, 100 sessions for each of 100 principals,"
  print "each on a connection of its own. The last lines: from the start of"
  print "`gatehousectl policy apply` until the first, the middle and the last of"
  print "them had its `notifications/tools/list_changed`.\n"
  print "| | 1,000 connections | 10,000 streams, no pings | 10,000 streams, a ping every 15 s |"
  print "| --- | ---: | ---: | ---: |"
  idle_row("worker, KiB each", "%.2f", "kib_each")
  idle_row("worker, KiB each with its session", "%.2f", "kib_each_with_session")
  idle_row("worker, MiB in all", "%.1f", "worker_mib")
  idle_row("worker, CPU % of a core", "%.2f", "worker_cpu_percent")
  idle_row("control plane, CPU % of a core", "%.2f", "control_cpu_percent")
  idle_row("left alone for, s", "%.0f", "held_s")
  idle_row("pings each in that time", "%.2f", "pings_each")
  idle_row("sessions opened/s", "%.0f", "sessions_per_s")
  idle_row("list_changed at the first, ms", "%.0f", "changed_first_ms")
  idle_row("list_changed at the middle, ms", "%.0f", "changed_p50_ms")
  idle_row("list_changed at the last, ms", "%.0f", "changed_last_ms")
  got = idle("streams-off", "kib_each_with_session")
  aim("10,000 streams with their sessions, KiB each", "≤ 8",
      sprintf("%.2f (without %.2f)", got, idle("streams-off", "kib_each")),
      got > 0 && got <= 8)
  got = idle("streams-off", "worker_cpu_percent")
  aim("10,000 streams without pings, worker's CPU", "< 1 %",
      sprintf("%.2f %%", got),
      has("idle", "gatehouse", "streams-off", "worker_cpu_percent") && got < 1)
  got = idle("connections", "worker_cpu_percent")
  aim("1,000 idle connections, worker's CPU", "0 % (< 0.5)", sprintf("%.2f %%", got),
      has("idle", "gatehouse", "connections", "worker_cpu_percent") && got < 0.5)
}

function facts_table(   i, n, names) {
  n = split("command date gatehouse processor memory kernel compiler nginx samples",
            names, " ")
  print "| the run | |"
  print "| --- | --- |"
  for (i = 1; i <= n; ++i) print "| " names[i] " | " fact[names[i]] " |"
  print ""
}

function aims_table(   i) {
  print "\n### Aims\n"
  print "| what | aim | measured | met |"
  print "| --- | --- | --- | --- |"
  for (i = 1; i <= aim_count; ++i) print aims[i]
}

END {
  split("direct nginx stock gatehouse", way, " ")
  split("text base64 members", kind, " ")
  split("connections streams-off streams-15s", crowd, " ")
  facts_table()
  if (seen["calls"]) { calls_table(); headroom_table() }
  if (seen["bodies"]) bodies_table()
  if (seen["trust"] || seen["decisions"]) trust_table()
  if (seen["idle"]) idle_table()
  aims_table()
}
