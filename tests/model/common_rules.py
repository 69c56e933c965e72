"""The rules that every request is asked, before those of its kind."""

from case import ELICITATION, MAR_2025, ROOTS, SAMPLING
from rule import (FEATURE_LACKING, FEATURE_OFF, INVALID_REQUEST, NO_OPERATION,
                  OPERATION_ENDED, TOO_LARGE, UNATTRIBUTABLE, RuleList)
from strict_json import MISSING, Number, Object

# One of these broken, nothing further can be asked.
reading = RuleList(INVALID_REQUEST)
# Of every kind.
common = RuleList(INVALID_REQUEST)


@reading("method-known", FEATURE_OFF)
def method_known(case):
    if case.method not in (SAMPLING, ELICITATION, ROOTS):
        yield ""


@reading("method-in-revision", FEATURE_OFF)
def method_in_revision(case):
    if case.method == ELICITATION and case.upstream == MAR_2025:
        yield ""


@reading("request-within-size", TOO_LARGE)
def request_within_size(case):
    if case.oversized is not None:
        yield ""
    elif len(case.raw) > case.limits["inputRequestBytes"]:
        yield ""


def reader_rule(fault):
    def objections(case):
        if case.fault is not None and case.fault.fault == fault:
            yield case.fault.path
    return objections


reading("params-well-formed")(reader_rule("malformed"))
reading("params-unicode")(reader_rule("unicode"))
reading("params-unique-names")(reader_rule("duplicate"))
reading("params-depth")(reader_rule("depth"))
reading("params-count")(reader_rule("count"))


@reading("params-are-object")
def params_are_object(case):
    if not isinstance(case.params, Object):
        yield ""


@common("belongs-to-a-call", NO_OPERATION)
def belongs_to_a_call(case):
    if case.parent == "none":
        yield ""
    if case.parent == "session" and case.method != ROOTS:
        yield ""


@common("call-is-unambiguous", UNATTRIBUTABLE)
def call_is_unambiguous(case):
    if case.parent == "ambiguous":
        yield ""


@common("call-is-open", OPERATION_ENDED)
def call_is_open(case):
    if case.parent == "closed":
        yield ""


_FEATURES = {SAMPLING: "sampling", ELICITATION: "elicitation", ROOTS: "roots"}


@common("feature-permitted", FEATURE_OFF)
def feature_permitted(case):
    if not case.policy[_FEATURES[case.method]]:
        yield ""


@common("capability-declared", FEATURE_LACKING)
def capability_declared(case):
    enough = {SAMPLING: {"sampling"}, ROOTS: {"roots"},
              ELICITATION: {"elicitation.form", "elicitation.url"}}
    if not case.declared & enough[case.method]:
        yield ""


@common("meta-is-object")
def meta_is_object(case):
    meta = case.params.get("_meta")
    if meta is not MISSING and not isinstance(meta, Object):
        yield "/_meta"


@common("progress-token-shape")
def progress_token_shape(case):
    meta = case.params.get("_meta")
    if not isinstance(meta, Object):
        return
    token = meta.get("progressToken")
    if token is MISSING or isinstance(token, str):
        return
    if not (isinstance(token, Number) and token.is_integer_lexeme()):
        yield "/_meta/progressToken"
