"""The formats of form fields, file URIs of roots."""

import re


def _size(text):
    return len(text.encode("utf-8"))


def percents_are_whole(text):
    return re.search(r"%(?![0-9A-Fa-f]{2})", text) is None


def only_uri_characters(text):
    """Printable ASCII without space and " < > \\ ^ ` { | }; whole %XX."""
    for character in text:
        if not 0x20 < ord(character) < 0x7F or character in '"<>\\^`{|}':
            return False
    return percents_are_whole(text)


def is_email(text):
    if _size(text) > 254 or text.count("@") != 1:
        return False
    if any(ord(c) <= 0x20 or ord(c) == 0x7F for c in text):
        return False
    local, host = text.split("@")
    if not 1 <= _size(local) <= 64:
        return False
    if local.startswith(".") or local.endswith(".") or ".." in local:
        return False
    return all(is_mail_label(label) for label in host.split("."))


def is_mail_label(label):
    if not 1 <= _size(label) <= 63:
        return False
    if label.startswith("-") or label.endswith("-"):
        return False
    return all(re.match(r"[A-Za-z0-9-]", c) or ord(c) >= 0x80 for c in label)


def is_uri(text):
    return re.fullmatch(r"[A-Za-z][A-Za-z0-9+.-]*:.+", text,
                        re.DOTALL) is not None and only_uri_characters(text)


def is_date(text):
    if not re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", text):
        return False
    year, month, day = (int(part) for part in text.split("-"))
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    days = [31, 29 if leap else 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    return 1 <= month <= 12 and 1 <= day <= days[month - 1]


_TIME = re.compile(r"([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.[0-9]+)?"
                   r"(?:[Zz]|[+-]([0-9]{2}):([0-9]{2}))")


def is_date_time(text):
    if not is_date(text[:10]) or text[10:11] not in ("T", "t", " "):
        return False
    match = _TIME.fullmatch(text[11:])
    if match is None:
        return False
    hour, minute, second, off_hour, off_minute = (
        int(part or 0) for part in match.groups())
    return (hour <= 23 and minute <= 59 and second <= 60
            and off_hour <= 23 and off_minute <= 59)


FORMATS = {"email": is_email, "uri": is_uri, "date": is_date,
           "date-time": is_date_time}


def is_file_uri(text):
    if not text.startswith("file:///") or text.startswith("file:////"):
        return False
    path = text[len("file://"):]
    if "?" in path or "#" in path or not percents_are_whole(path):
        return False
    encoded = re.findall(r"%([0-9A-Fa-f]{2})", path)
    if any(pair.lower() in ("2f", "5c") for pair in encoded):
        return False
    once = re.sub(rb"%([0-9A-Fa-f]{2})",
                  lambda match: bytes([int(match.group(1), 16)]),
                  path.encode("utf-8"))
    try:
        once.decode("utf-8")
    except UnicodeDecodeError:
        return False
    if re.search(rb"%(?:2e|2f|5c)", once, re.IGNORECASE):
        return False
    if any(byte < 0x20 or byte == 0x7F for byte in once):
        return False
    return b".." not in re.split(rb"[/\\]", once)
