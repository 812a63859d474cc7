#!/usr/bin/env python3
"""Prints requests for `isugate judge --step`, one a line: comparisons in a world of 4 % noise, each grown run by run.

usage: requests.py [COMPARISONS] [SEED]"""
import json, math, random, sys

n = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
r = random.Random(int(sys.argv[2]) if len(sys.argv) > 2 else 1)


def run(commit, level):
    return {'commit': commit, 'score': round(100000 * math.exp(level + r.gauss(0, .04))), 'pass': True, 'codes': {}}


for _ in range(n):
    history = [run('h%d' % k, .22 * (k - 4)) for k in range(5) for _ in range(3)]
    today, effect = [], r.choice([0, .05, .1])
    for k in range(8):
        print(json.dumps({'history': history, 'baseline': 'h4', 'candidate': 'c', 'today': today, 'preset': 'practice',
                          'intent': 'gain', 'budget_runs': 12}))
        today = today + [run('h4', 0) if k % 2 else run('c', effect)]
