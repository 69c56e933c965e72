"""Cases near the rules, made by dice: case N of a seed is always the same."""

import base64
import random

import bases
import model
import mutations
from case import ELICITATION, REVISIONS, ROOTS, SAMPLING
from nodes import serialise

PERMISSIVE = {"sampling": True, "elicitation": True, "roots": True,
              "allowTools": True, "url": True, "urlHosts": [],
              "allowFields": [], "limits": {
                  "inputRequestBytes": 65536, "inputResponseBytes": 1 << 20,
                  "samplingTokensPerRequest": 4096, "formProperties": 32}}
DECLARED = ["sampling", "sampling.tools", "elicitation.form",
            "elicitation.url", "roots"]
METHODS = [SAMPLING] * 4 + [ELICITATION] * 5 + [ROOTS]
ROOT_KIND = {SAMPLING: "sampling", ELICITATION: "elicitation", ROOTS: "roots"}
URL_HOSTS = [["login.example.com"], ["*.example.com"], ["example.com"],
             ["localhost", "*.example.com"], ["127.0.0.1"]]
# Every so many cases one has a text that is very long or deep, of each sort in
# turn: they take long to read, and few are enough.
_BULKY_EVERY = 700


def encode(text):
    return base64.b64encode(text).decode("ascii")


def text_of(node, rng):
    return serialise(node, rng).encode("utf-8")


def policy_of(rng):
    policy = dict(PERMISSIVE, limits=dict(PERMISSIVE["limits"]))
    if rng.random() < 0.15:
        policy["urlHosts"] = rng.choice(URL_HOSTS)
    if rng.random() < 0.25:
        policy["allowFields"] = [
            [rng.choice(["files", "files", "other"]), name]
            for name in ("password", "apiKey", "pin", "x.api.key")]
    if rng.random() < 0.1:
        policy[rng.choice(["sampling", "elicitation", "roots", "allowTools",
                           "url"])] = False
    if rng.random() < 0.1:
        name, value = rng.choice([
            ("inputRequestBytes", rng.randrange(64, 400)),
            ("inputResponseBytes", rng.randrange(32, 300)),
            ("samplingTokensPerRequest", rng.choice([1, 99, 100, 4095])),
            ("formProperties", rng.randrange(1, 5))])
        policy["limits"][name] = value
    return policy


def revisions_of(method, rng):
    """(the upstream's, the client's)"""
    if rng.random() < 0.4:
        return rng.choice([("2025-11-25", "2025-11-25"),
                           ("2026-07-28", "2026-07-28"),
                           ("2026-07-28", "2025-11-25")])
    # There is no elicitation in the first.
    known = REVISIONS[1:] if method == ELICITATION and rng.random() < 0.97 else (
        REVISIONS)
    return rng.choice(known), rng.choice(REVISIONS)


def params_of(method, upstream, client, rng):
    """Valid params, mostly of what both revisions know."""
    old = ("2025-03-26", "2025-06-18")
    chance = 0.7 if upstream in old else 0.2 if client in old else 0
    single = rng.random() < chance
    if method == SAMPLING:
        return bases.sampling_params(rng, single)
    if method == ROOTS:
        return {} if rng.random() < 0.5 else {"_meta": {}}
    if not single and rng.random() < 0.35:
        return bases.url_params(rng)
    return bases.form_params(rng, single)


def mutated_text(node, kind, rng):
    for _ in range(rng.choice([0, 1, 1, 1, 1, 1, 1, 2, 2, 3])):
        mutations.mutate(node, kind, rng)
    text = text_of(node, rng)
    dice = rng.random()
    if dice < 0.05:
        return mutations.break_text(text, rng)
    if dice < 0.06:
        return rng.choice([b"[]", b"null", b'"x"', b"7", b"[{}]"])
    return text


def bulky_text(text, rng, bulk, depth, count):
    if bulk == "nested":
        return mutations.nest(text, rng, depth)
    return mutations.crowd(text, rng, count)


def make_request(rng, bulk=None):
    method = rng.choice(METHODS)
    upstream, client = revisions_of(method, rng)
    params = params_of(method, upstream, client, rng)
    if bulk:
        text = bulky_text(text_of(params, rng), rng, bulk, 32, 20000)
    else:
        text = mutated_text(params, ROOT_KIND[method], rng)
    if not bulk and method == ROOTS and rng.random() < 0.3:
        text = b""
    line = {"judge": "request", "method": method, "params": encode(text),
            "upstreamRevision": upstream, "clientRevision": client,
            "declared": declared_of(rng), "parent": parent_of(method, rng),
            "upstream": "files", "notified": rng.random() < 0.03,
            "policy": policy_of(rng)}
    if rng.random() < 0.005:
        line.update(oversized=rng.choice([65537, 1 << 40]), params="")
    if rng.random() < 0.005:
        line["method"] = rng.choice(["ping", "sampling/createmessage", "",
                                     "tools/call", "elicitation/create "])
    return line


def declared_of(rng):
    if rng.random() < 0.9:
        return DECLARED
    return [name for name in DECLARED if rng.random() < 0.6]


def parent_of(method, rng):
    if rng.random() < 0.97:
        return "session" if method == ROOTS and rng.random() < 0.5 else (
            "operation")
    return rng.choice(["session", "ambiguous", "none", "closed"])


def admitted_request(rng):
    """A request that the model admits, its line and its params (a tree)."""
    while True:
        method = rng.choice(METHODS)
        upstream, client = revisions_of(method, rng)
        params = params_of(method, upstream, client, rng)
        for _ in range(rng.choice([0, 0, 0, 1])):
            mutations.mutate(params, ROOT_KIND[method], rng)
        line = {"judge": "request", "method": method,
                "params": encode(text_of(params, rng)),
                "upstreamRevision": upstream, "clientRevision": client,
                "declared": DECLARED, "parent": "operation",
                "upstream": "files", "notified": False, "policy": PERMISSIVE}
        if model.judge(line).outcome == "admitted":
            return line, params


def answer_of(method, params, rng):
    if method == SAMPLING:
        return bases.sampling_answer(rng, params), "sampling_answer"
    if method == ROOTS:
        return bases.roots_answer(rng), "roots_answer"
    if params.get("mode") == "url":
        return {"action": rng.choice(["accept", "decline", "cancel"])}, (
            "elicitation_answer")
    return bases.form_answer(rng, params["requestedSchema"]), (
        "elicitation_answer")


def make_response(rng, bulk=None):
    request, params = admitted_request(rng)
    method = request["method"]
    answer, kind = answer_of(method, params, rng)
    member = "result"
    if rng.random() < 0.1:
        answer, kind, member = bases.error_answer(rng), "error", "error"
    if bulk:
        text = bulky_text(text_of(answer, rng), rng, bulk, 64, 200000)
    else:
        text = mutated_text(answer, kind, rng)
    line = {"judge": "response", "method": method,
            "requestParams": request["params"],
            "upstreamRevision": request["upstreamRevision"],
            "clientRevision": request["clientRevision"],
            "policy": policy_of(rng), member: encode(text)}
    if rng.random() < 0.005:
        line.pop(member)
        line["oversized"] = (1 << 20) + 1
    elif rng.random() < 0.005:
        line.update(rng.choice([{}, {"result": encode(b"{}"),
                                     "error": encode(b"{}")}]))
        if "error" not in line or "result" not in line:
            line.pop(member)
    return line


def case(seed, index):
    """The line (a dict) of one case."""
    rng = random.Random(f"{seed}:{index}")
    if index % _BULKY_EVERY == 0:
        sort = index // _BULKY_EVERY % 4
        make = make_request if sort < 2 else make_response
        return make(rng, "nested" if sort % 2 == 0 else "crowded")
    return make_request(rng) if rng.random() < 0.6 else make_response(rng)
