"""Check the JSON events of a demo: it ends approved, after one revision, on passed checks."""

import json
import sys


def main(path):
    with open(path, encoding="utf-8") as file:
        events = [json.loads(line) for line in file]
    end = events[-1]
    assert [e["seq"] for e in events] == list(range(1, len(events) + 1)), "the events are not numbered in order"
    assert end["type"] == "end" and sum(e["type"] == "end" for e in events) == 1, end
    assert end["outcome"] == "approved" and end["revisions"] == 1, end
    checks = [e for e in events if e["type"] == "check_ran"]
    tests = [e["passed"] for e in checks if e["check"] == "tests"]
    assert tests == [False, True], f"the tests must fail first and pass in the end: {tests}"
    print(f"{path}: approved after {end['revisions']} revision, {len(checks)} checks, {end['steps']} steps")


main(sys.argv[1])
