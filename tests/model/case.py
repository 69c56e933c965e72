"""A case: what is judged, with the policy and the facts. On the wire it is one
JSON object a line; README.md lists its members."""

import base64
import functools

import strict_json

REVISIONS = ["2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"]
NOV_2025 = REVISIONS.index("2025-11-25")
JUN_2025 = REVISIONS.index("2025-06-18")
MAR_2025 = REVISIONS.index("2025-03-26")

SAMPLING = "sampling/createMessage"
ELICITATION = "elicitation/create"
ROOTS = "roots/list"


def _bytes(text):
    return None if text is None else base64.b64decode(text)


def _read(text, max_depth, max_values):
    """(the tree, None) or (None, how it was refused)"""
    try:
        return strict_json.read(text, max_depth, max_values), None
    except strict_json.Refused as refused:
        return None, refused


class Case:
    """What the rules look at. The text is read when the first rule asks."""

    def __init__(self, line):
        self.method = line["method"]
        self.upstream = REVISIONS.index(line["upstreamRevision"])
        self.client = REVISIONS.index(line["clientRevision"])
        self.policy = line["policy"]
        self.limits = self.policy["limits"]
        self.oversized = line.get("oversized")

    @property
    def tree(self):
        return self.reading[0]

    @property
    def fault(self):
        return self.reading[1]


class RequestCase(Case):
    def __init__(self, line):
        super().__init__(line)
        self.raw = _bytes(line["params"])
        self.declared = set(line["declared"])
        self.parent = line["parent"]
        self.upstream_name = line["upstream"]
        self.notified = line["notified"]

    @property
    def params(self):
        return self.tree

    @functools.cached_property
    def reading(self):
        raw = b"{}" if self.method == ROOTS and not self.raw else self.raw
        return _read(raw, max_depth=32, max_values=20000)


class ResponseCase(Case):
    def __init__(self, line):
        super().__init__(line)
        self.result = _bytes(line.get("result"))
        self.error = _bytes(line.get("error"))
        self.request = strict_json.read(
            _bytes(line["requestParams"]) or b"{}", 32, 20000)

    @property
    def raw(self):
        return self.result if self.error is None else self.error

    @property
    def answer(self):
        return self.tree

    @functools.cached_property
    def reading(self):
        return _read(self.raw, max_depth=64, max_values=200000)
