"""A judged client as a program, like serve.ts for those in JavaScript."""

import json
import sys


def _read():
    line = sys.stdin.readline()
    return json.loads(line) if line else None


def _say(message):
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def _send_browser(address):
    _say({"open": address})
    return _read()["answer"]


def serve(paces):
    while (order := _read()) is not None:
        pace = paces.get(order["pace"])
        if pace is None:
            _say({"lacks": order["pace"]})
            continue
        try:
            _say({"user": str(pace(_send_browser))})
        except Exception as error:  # whatever a client refuses with
            _say({"refusal": f"{type(error).__name__}: {error}"[:300]})
