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
    line = line sprintf(" " format " |",
                        median(part, way[i], load, measure) / scale)
  }
  print line
}

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
              ratio(added["stock"], added["nginx"])), got <= 2)
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
  facts_table()
  if (seen["calls"]) { calls_table(); headroom_table() }
  if (seen["bodies"]) bodies_table()
  aims_table()
}
