"""The rules of elicitation/create requests in URL mode."""

import ipaddress
import re

from blocks import is_filled_text, is_present, is_text
from case import NOV_2025
from formats import only_uri_characters
from rule import INVALID_REQUEST, PART_LACKING, PART_OFF, RuleList

url = RuleList(INVALID_REQUEST)


@url("url-permitted", PART_OFF)
def url_permitted(case):
    if not case.policy["url"]:
        yield "/mode"


@url("url-declared", PART_LACKING)
def url_declared(case):
    if "elicitation.url" not in case.declared:
        yield "/mode"


@url("url-in-revision")
def url_in_revision(case):
    if case.upstream < NOV_2025:
        yield "/mode"


@url("url-stands-alone")
def url_stands_alone(case):
    if is_present(case.params.get("requestedSchema")):
        yield "/requestedSchema"


@url("elicitation-id")
def elicitation_id(case):
    if case.upstream != NOV_2025:
        return
    value = case.params.get("elicitationId")
    if not is_filled_text(value) or len(value.encode("utf-8")) > 256:
        yield "/elicitationId"


@url("url-is-text")
def url_is_text(case):
    value = case.params.get("url")
    if not is_text(value) or len(value.encode("utf-8")) > 8192:
        yield "/url"


class Parts:
    """scheme, userinfo (None: no "@"), host, of a URL that is valid."""

    def __init__(self, scheme, userinfo, host):
        self.scheme = scheme
        self.userinfo = userinfo
        self.host = host


def parts(text):
    """The parts of a valid absolute URL, else None."""
    if not only_uri_characters(text):
        return None
    match = re.fullmatch(r"([A-Za-z][A-Za-z0-9+.-]*)://([^/?#]*)(.*)", text)
    if match is None:
        return None
    scheme, authority = match.group(1).lower(), match.group(2)
    userinfo = None
    if "@" in authority:
        userinfo, authority = authority.rsplit("@", 1)
    match = re.fullmatch(r"(\[[^\]]*\]|[^:\[\]]*)(?::([0-9]+))?", authority)
    if match is None:
        return None
    host, port = match.groups()
    if port is not None and not 1 <= int(port) <= 65535:
        return None
    if not (is_ipv6(host) or is_ipv4(host) or is_dns_name(host)):
        return None
    return Parts(scheme, userinfo, host.lower())


def is_ipv6(host):
    # Neither a zone nor an IPv4 tail is taken.
    if not host.startswith("[") or "%" in host or "." in host:
        return False
    try:
        ipaddress.IPv6Address(host[1:-1])
        return True
    except ValueError:
        return False


def is_ipv4(host):
    return re.fullmatch(r"[0-9]+(\.[0-9]+){3}", host) is not None and all(
        int(part) <= 255 and str(int(part)) == part
        for part in host.split("."))


def is_dns_name(host):
    name = host[:-1] if host.endswith(".") else host
    if len(name) > 253:
        return False
    labels = name.split(".")
    for label in labels:
        if not re.fullmatch(r"[A-Za-z0-9-]{1,63}", label):
            return False
        if label.startswith("-") or label.endswith("-"):
            return False
    last = labels[-1].lower()
    return not last.isdigit() and not last.startswith("0x")


def url_parts(case):
    value = case.params.get("url")
    if not is_text(value) or len(value.encode("utf-8")) > 8192:
        return None
    return parts(value)


@url("url-is-valid")
def url_is_valid(case):
    value = case.params.get("url")
    if is_text(value) and len(value.encode("utf-8")) <= 8192:
        if parts(value) is None:
            yield "/url"


def is_loopback(host):
    if host == "[::1]":
        return True
    if is_ipv4(host):
        return host.startswith("127.")
    name = host.rstrip(".")
    return name == "localhost" or name.endswith(".localhost")


@url("url-is-https")
def url_is_https(case):
    found = url_parts(case)
    if found is None or found.scheme == "https":
        return
    if found.scheme != "http" or not is_loopback(found.host):
        yield "/url"


@url("url-without-userinfo")
def url_without_userinfo(case):
    found = url_parts(case)
    if found is not None and found.userinfo is not None:
        yield "/url"


def host_matches(host, pattern):
    name = host.rstrip(".")
    if pattern.startswith("*."):
        return name.endswith(pattern[1:].lower())
    return name == pattern.lower()


@url("url-host-permitted", PART_OFF)
def url_host_permitted(case):
    found = url_parts(case)
    patterns = case.policy["urlHosts"]
    if found is None or not patterns:
        return
    if not any(host_matches(found.host, pattern) for pattern in patterns):
        yield "/url"
