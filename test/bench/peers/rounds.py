"""What the programs of all peers have in common: they read a job, and run it once for each line of the standard input."""

import json
import sys
import time


def serve(load, run, fills_of):
    """The word `run` runs the job and prints its CPU time; the word `fills` prints the fills of the last run."""
    with open(sys.argv[1]) as file:
        job = json.load(file)
    market = load(job["market"])
    if "--once" in sys.argv:
        print(len(fills_of(run(job, market))))
        return
    last = None
    for line in sys.stdin:
        word = line.strip()
        if word == "run":
            before = time.process_time()
            last = run(job, market)
            print(json.dumps({"cpuMs": 1000 * (time.process_time() - before)}), flush=True)
        elif word == "fills":
            print(json.dumps(fills_of(last)), flush=True)


def text_of(side, price, amount):
    """A fill as all contenders write it."""
    return f"{side} {float(amount):.6f} at {float(price):.2f}"
