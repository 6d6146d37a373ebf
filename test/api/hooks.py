"""Read by schemathesis: most bodies are such that the platform accepts them, callers take turns, and answers are counted."""

import atexit
import json
import os
import time
from collections import Counter
from itertools import cycle

import schemathesis
from hypothesis import strategies as st
from requests.adapters import HTTPAdapter

TEXT = st.text(max_size=200)
NAME = st.sampled_from(["limits", "first", "second", "third"])


def filled(value):
    """A strategy that gives the value, with what is chosen in place of "$TEXT" and "$NAME"."""
    if value == "$TEXT":
        return TEXT
    if value == "$NAME":
        return NAME
    if isinstance(value, list):
        return st.tuples(*map(filled, value)).map(list)
    if isinstance(value, dict):
        return st.fixed_dictionaries({name: filled(member) for name, member in value.items()})
    return st.just(value)


with open(os.environ["ORB_API_BODIES"], encoding="utf-8") as file:
    VALID = {
        operation: st.sampled_from(bodies).flatmap(filled) for operation, bodies in json.load(file).items()
    }
with open(os.environ["ORB_API_KEYS"], encoding="utf-8") as file:
    KEYS = cycle(json.load(file))
ANSWERS = Counter()
REPEATS = 10
send_once = HTTPAdapter.send


def send(self, request, *args, **kwargs):
    """Repeats what was shed, as the problem asks its callers to. A request that is shed each time fails the run."""
    response = send_once(self, request, *args, **kwargs)
    for _ in range(REPEATS):
        if response.status_code != 503 or "Retry-After" not in response.headers:
            break
        ANSWERS["shed, and sent again", response.status_code] += 1
        response.close()
        time.sleep(float(response.headers["Retry-After"]))
        response = send_once(self, request, *args, **kwargs)
    return response


HTTPAdapter.send = send


@schemathesis.hook
def before_generate_body(context, strategy):
    valid = VALID.get(context.operation.label)
    return strategy if valid is None else st.one_of(valid, valid, strategy)


@schemathesis.auth(refresh_interval=None)
class Callers:
    def get(self, case, context):
        return next(KEYS)

    def set(self, case, data, context):
        case.headers["Authorization"] = f"Bearer {data}"


@schemathesis.hook
def after_call(context, case, response):
    ANSWERS[case.operation.label, response.status_code] += 1


@atexit.register
def write_answers():
    rows = [[operation, status, count] for (operation, status), count in sorted(ANSWERS.items())]
    with open(os.environ["ORB_API_ANSWERS"], "w", encoding="utf-8") as file:
        json.dump(rows, file)
