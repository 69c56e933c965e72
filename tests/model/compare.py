#!/usr/bin/env python3
"""Compares the judge with the reference model on generated cases.

  compare.py JUDGE_CASES [--seed N] [--cases N] [--jobs N] [--traces]
      [--quiet]

JUDGE_CASES is the program of judge_cases.cc. Prints how often each rule
decided. Exits 0 only if no verdict differs (outcome, rule, reason, code, path),
with --traces no trace does (every broken rule and its path), both know the same
rules in the same order and, of 100,000 cases or more, every rule decided at
least 20. On a disagreement it prints the smallest case of each kind.
"""

import argparse
import base64
import collections
import concurrent.futures
import itertools
import json
import os
import subprocess
import sys
import time

sys.dont_write_bytecode = True  # nothing is left in the tree

import generator
import model

CHUNK = 1000
CHUNK_SECONDS = 120  # of the judge, for one chunk
SHOWN = 12
FEWEST, FEWEST_IN = 20, 100_000


def judge_all(program, lines):
    text = "".join(json.dumps(line) + "\n" for line in lines)
    done = subprocess.run([program], input=text.encode("ascii"),
                          stdout=subprocess.PIPE, timeout=CHUNK_SECONDS,
                          check=True)
    return [json.loads(verdict) for verdict in done.stdout.splitlines()]


def verdict_of_model(line, traces):
    verdict = model.judge(line)
    own = {"outcome": verdict.outcome}
    if verdict.rule:
        own.update(rule=verdict.rule, reason=verdict.reason,
                   code=verdict.code, path=verdict.path)
    broken = model.every_broken_rule(line) if traces else None
    if broken is not None:
        own["broken"] = [list(rule) for rule in broken]
    return own


def compare_chunk(program, seed, traces, first, count):
    """(how often each rule decided, what differs)"""
    lines = [generator.case(seed, i) for i in range(first, first + count)]
    verdicts = judge_all(program, lines)
    if len(verdicts) != len(lines):
        raise RuntimeError(f"{len(verdicts)} verdicts on {len(lines)} cases")
    decided = collections.Counter()
    differing = []
    for i, (line, verdict) in enumerate(zip(lines, verdicts)):
        own = verdict_of_model(line, traces)
        decided[own.get("rule") or own["outcome"]] += 1
        if "broken" not in own:
            verdict.pop("broken", None)
        if own != verdict:
            differing.append((first + i, line, own, verdict))
    return decided, differing


def readable(line):
    """The line with its texts decoded, without what is as it mostly is."""
    usual = generator.PERMISSIVE
    shown = {name: value for name, value in line.items()
             if (name, value) not in (("notified", False),
                                      ("declared", generator.DECLARED))}
    shown["policy"] = {name: value for name, value in line["policy"].items()
                       if value != usual[name]}
    for name in ("params", "requestParams", "result", "error"):
        if name in shown:
            shown[name] = repr(base64.b64decode(shown[name]))[2:-1]
    return shown


def kind_of(difference):
    """What each says, by the first broken rule in which they differ."""
    _, _, own, judged = difference
    if own.get("rule") == judged.get("rule"):
        pairs = itertools.zip_longest(own.get("broken", []),
                                      judged.get("broken", []))
        for one, other in pairs:
            if one != other:
                return tuple("also " + rule[0] if rule else "no more"
                             for rule in (one, other))
    return tuple(v.get("rule") or v["outcome"] for v in (own, judged))


def show_differences(differing):
    kinds = collections.defaultdict(list)
    for difference in differing:
        kinds[kind_of(difference)].append(difference)
    print(f"\n{len(differing)} disagreements of {len(kinds)} kinds; "
          "the smallest case of each:")
    ordered = sorted(kinds.items(), key=lambda item: -len(item[1]))
    for (own, judged), cases in ordered[:SHOWN]:
        index, line, own_verdict, verdict = min(
            cases, key=lambda case: len(json.dumps(case[1])))
        print(f"\n{len(cases)} times the model says {own}, "
              f"the judge {judged}; case {index}:")
        print("  case ", json.dumps(readable(line), ensure_ascii=False))
        print("  model", json.dumps(own_verdict, ensure_ascii=False))
        print("  judge", json.dumps(verdict, ensure_ascii=False))


def rarely_reached(decided, cases):
    if cases < FEWEST_IN:
        return []
    return [f"{name}: {decided[name]}, where {FEWEST} are wanted"
            for name in model.rule_names() if decided[name] < FEWEST]


def differing_rules(program):
    """What only one of the two knows, or asks in another order."""
    done = subprocess.run([program, "--rules"], stdout=subprocess.PIPE,
                          timeout=CHUNK_SECONDS, check=True)
    judged = done.stdout.decode("ascii").split()
    own = model.rule_names()
    wrong = [f"only the model has {name}" for name in own
             if name not in judged]
    wrong += [f"only the judge has {name}" for name in judged
              if name not in own]
    if not wrong and own != judged:
        first = next(i for i, name in enumerate(own) if name != judged[i])
        wrong.append(f"in place {first} the model has {own[first]}, "
                     f"the judge {judged[first]}")
    return wrong


def print_distribution(decided):
    for name, count in sorted(decided.items(), key=lambda item: -item[1]):
        print(f"{count:8} {name}")


def parse_arguments():
    parser = argparse.ArgumentParser(
        description="Compares the judge with the reference model.")
    parser.add_argument("judge_cases", help="the program of judge_cases.cc")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cases", type=int, default=100_000)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--traces", action="store_true",
                        help="compare every broken rule, not the first alone")
    parser.add_argument("--quiet", action="store_true",
                        help="no distribution")
    return parser.parse_args()


def main():
    options = parse_arguments()
    start = time.monotonic()
    decided, differing = collections.Counter(), []
    with concurrent.futures.ProcessPoolExecutor(options.jobs) as pool:
        chunks = [
            pool.submit(compare_chunk, options.judge_cases, options.seed,
                        options.traces, first, min(CHUNK, options.cases - first))
            for first in range(0, options.cases, CHUNK)]
        for chunk in chunks:
            some_decided, some_differing = chunk.result()
            decided += some_decided
            differing += some_differing
    if not options.quiet:
        print_distribution(decided)
    wrong = differing_rules(options.judge_cases)
    wrong += ["decided too rarely: " + line
              for line in rarely_reached(decided, options.cases)]
    for line in wrong:
        print(line)
    if differing:
        show_differences(differing)
    print(f"\nseed {options.seed}: {options.cases} cases, "
          f"{len(model.rule_names())} rules, {len(differing)} disagreements, "
          f"{time.monotonic() - start:.0f} s")
    return 1 if wrong or differing else 0


if __name__ == "__main__":
    sys.exit(main())
