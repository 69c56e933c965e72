"""What the rules are written with.

A rule is a function of a case that yields what it objects to, in order: a path,
or a path with the details that the verdict carries. The first objection of the
first rule that has one decides.
"""

from dataclasses import dataclass

# Name of a reason and the code that a legacy upstream gets for it.
INVALID_REQUEST = ("invalid_request", -32602)
INVALID_RESPONSE = ("invalid_response", -32603)
FEATURE_OFF = ("not_permitted", -32601)
PART_OFF = ("not_permitted", -32602)
FEATURE_LACKING = ("capability_not_declared", -32601)
PART_LACKING = ("capability_not_declared", -32602)
NO_OPERATION = ("no_operation", -32602)
UNATTRIBUTABLE = ("unattributable", -32602)
OPERATION_ENDED = ("operation_ended", -32603)
TOO_LARGE = ("too_large", -32602)
RESPONSE_TOO_LARGE = ("too_large", -32603)
NOT_REPRESENTABLE = ("not_representable", -32602)
OVER_BUDGET = ("budget_exhausted", -31001)

_LONGEST_PATH = 256  # bytes


@dataclass(frozen=True)
class Rule:
    name: str
    reason: tuple
    objections: object  # a function: case -> iterator of paths


@dataclass(frozen=True)
class Verdict:
    """outcome: admitted or refused of a request; answered, declined,
    dismissed, failed or invalid of a response."""

    outcome: str
    rule: str = ""
    reason: str = ""
    code: int = 0
    path: str = ""


class RuleList:
    """Rules in the order they are asked. Used as a decorator."""

    def __init__(self, default_reason):
        self.rules = []
        self._default_reason = default_reason

    def __call__(self, name, reason=None):
        def add(function):
            self.rules.append(
                Rule(name, reason or self._default_reason, function))
            return function
        return add

    def names(self):
        return [rule.name for rule in self.rules]

    def broken(self, case):
        """(name, path) of every rule that objects, in order."""
        for rule in self.rules:
            for path in rule.objections(case):
                yield rule.name, cut_to_ancestor(path)
                break

    def first_broken(self, case, outcome):
        """The verdict of the first rule that objects, or None."""
        for rule in self.rules:
            for path in rule.objections(case):
                return Verdict(outcome, rule.name, *rule.reason,
                               cut_to_ancestor(path))
        return None


def cut_to_ancestor(path):
    """The path, or its nearest ancestor that is at most 256 bytes long."""
    while len(path.encode("utf-8")) > _LONGEST_PATH:
        path = path[:path.rindex("/")]
    return path
