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
    case = read_case(line)
    refused = "refused" if line["judge"] == "request" else "invalid"
    return first_broken(lists_for(case), case, refused) or end_of(case)


def every_broken_rule(line):
    """(name, path) of each, in order: what a trace is to say. None where the
    text cannot be read, or is no object, and so little can be asked."""
    case = read_case(line)
    if first_broken(readable_lists(case), case, "") is not None:
        return None
    return [broken for rules in lists_for(case)
            for broken in rules.broken(case)]


def read_case(line):
    kind = RequestCase if line["judge"] == "request" else ResponseCase
    return kind(line)


def first_broken(lists, case, outcome):
    for rules in lists:
        verdict = rules.first_broken(case, outcome)
        if verdict is not None:
            return verdict
    return None


def readable_lists(case):
    """After one of these is broken nothing further is asked."""
    if isinstance(case, RequestCase):
        return [common_rules.reading]
    if case.error is None:
        return [answer_rules.reading, answer_rules.result]
    return [answer_rules.reading]


def lists_for(case):
    """The rules that the case is asked, in order."""
    readable = readable_lists(case)
    if first_broken(readable, case, "") is not None:
        return readable
    if isinstance(case, RequestCase):
        return readable + request_lists(case)
    return readable + response_lists(case)


def request_lists(case):
    lists = [common_rules.common]
    if case.method == SAMPLING:
        lists += [sampling_rules.sampling, sampling_rules.representable]
    if case.method == ELICITATION:
        lists.append(form_rules.elicitation)
        if form_rules.is_url_mode(case):
            lists.append(url_rules.url)
        else:
            lists += [form_rules.form, form_rules.representable]
    return lists


def response_lists(case):
    if case.error is not None:
        return [answer_rules.error]
    if case.method == SAMPLING:
        return [answer_rules.sampling, answer_rules.sampling_representable]
    if case.method == ROOTS:
        return [answer_rules.roots]
    if case.request.get("mode") == "url":
        return [answer_rules.action]
    if case.answer.get("action") != "accept":
        return [answer_rules.action]
    return [answer_rules.action, answer_rules.form]


def end_of(case):
    """The verdict on a case that no rule objects to."""
    if isinstance(case, RequestCase):
        return Verdict("admitted")
    if case.error is not None:
        declined = case.method == SAMPLING and (
            case.answer.get("code").lexeme == "-1")
        return Verdict("declined" if declined else "failed")
    if case.method == ELICITATION:
        ends = {"decline": "declined", "cancel": "dismissed"}
        return Verdict(ends.get(case.answer.get("action"), "answered"))
    return Verdict("answered")


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
