#!/usr/bin/env python3
"""Prints generated cases as JSON lines: generate.py [--seed N] [--cases N]
[--first N]. What judge_cases reads."""

import argparse
import json

import generator


def main():
    parser = argparse.ArgumentParser(description="Prints generated cases.")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cases", type=int, default=100_000)
    parser.add_argument("--first", type=int, default=0,
                        help="the number of the first")
    options = parser.parse_args()
    for index in range(options.first, options.first + options.cases):
        print(json.dumps(generator.case(options.seed, index)))


if __name__ == "__main__":
    main()
