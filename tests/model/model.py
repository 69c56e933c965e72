"""The reference model of the judge: the verdict on a case.

A second implementation of the rules, written from their catalogue and not from
the judge's code, in another language and for clarity alone.
"""

import answer_rules
import common_rules
import form_rules
import sampling_rules
import url_rules
from case import ELICITATION, ROOTS, SAMPLING, RequestCase, ResponseCase
from rule import Verdict


def judge(line):
    """The verdict on a case as it stands on the wire (a dict)."""
    if line["judge"] == "request":
        return judge_request(RequestCase(line))
    return judge_response(ResponseCase(line))


def first_broken(lists, case, outcome):
    for rules in lists:
        verdict = rules.first_broken(case, outcome)
        if verdict is not None:
            return verdict
    return None


def judge_request(case):
    broken = first_broken([common_rules.reading], case, "refused")
    if broken is not None:
        return broken
    lists = [common_rules.common]
    if case.method == SAMPLING:
        lists += [sampling_rules.sampling, sampling_rules.representable]
    if case.method == ELICITATION:
        lists.append(form_rules.elicitation)
        if form_rules.is_url_mode(case):
            lists.append(url_rules.url)
        else:
            lists += [form_rules.form, form_rules.representable]
    return first_broken(lists, case, "refused") or Verdict("admitted")


def judge_response(case):
    broken = first_broken([answer_rules.reading], case, "invalid")
    if broken is not None:
        return broken
    if case.error is not None:
        return judge_error(case)
    broken = first_broken([answer_rules.result], case, "invalid")
    if broken is not None:
        return broken
    if case.method == ELICITATION:
        return judge_elicitation_result(case)
    lists = [answer_rules.roots]
    if case.method == SAMPLING:
        lists = [answer_rules.sampling, answer_rules.sampling_representable]
    return first_broken(lists, case, "invalid") or Verdict("answered")


def judge_error(case):
    broken = first_broken([answer_rules.error], case, "invalid")
    if broken is not None:
        return broken
    declined = case.method == SAMPLING and (
        case.answer.get("code").lexeme == "-1")
    return Verdict("declined" if declined else "failed")


def judge_elicitation_result(case):
    if case.answer.get("action") == "accept" and (
            case.request.get("mode") == "url"):
        return Verdict("answered")
    broken = first_broken([answer_rules.action], case, "invalid")
    if broken is not None:
        return broken
    ends = {"decline": "declined", "cancel": "dismissed"}
    action = case.answer.get("action")
    if action in ends:
        return Verdict(ends[action])
    return first_broken([answer_rules.form], case, "invalid") or (
        Verdict("answered"))


def rule_names():
    """Every rule that can decide, in the order asked."""
    lists = [common_rules.reading, common_rules.common,
             sampling_rules.sampling, sampling_rules.representable,
             form_rules.elicitation, form_rules.form,
             form_rules.representable, url_rules.url, answer_rules.reading,
             answer_rules.error, answer_rules.result, answer_rules.sampling,
             answer_rules.sampling_representable, answer_rules.action,
             answer_rules.form, answer_rules.roots]
    names = []
    for rules in lists:
        names += [name for name in rules.names() if name not in names]
    return names


METHODS = (SAMPLING, ELICITATION, ROOTS)
