"""A strict reader of JSON texts that keeps what the rules look at.

Written for clarity: one pass over the bytes, one function a kind of value.
Numbers stay lexemes; members stay in the order written. Refused is raised at
the first fault met in the text; a name that stands twice is looked for after
everything else was read, as the rules' order wants.
"""

import re
from dataclasses import dataclass, field


class Refused(Exception):
    """The text is none that is judged. `fault` is one of malformed, unicode,
    duplicate, depth, count; `path` points at the second of two names."""

    def __init__(self, fault, path=""):
        super().__init__(fault)
        self.fault = fault
        self.path = path


@dataclass(frozen=True)
class Number:
    lexeme: str

    def is_integer_lexeme(self):
        return re.fullmatch(r"-?[0-9]+", self.lexeme) is not None


class Missing:
    """What get() answers where there is no such member."""


MISSING = Missing()


@dataclass
class Object:
    members: list = field(default_factory=list)  # of (name, value)

    def get(self, name):
        for own, value in self.members:
            if own == name:
                return value
        return MISSING

    def has(self, name):
        return self.get(name) is not MISSING

    def names(self):
        return [name for name, _ in self.members]


def step(name):
    """One step of an RFC 6901 pointer."""
    return "/" + str(name).replace("~", "~0").replace("/", "~1")


_NUMBER = re.compile(rb"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_SPACE = re.compile(rb"[ \t\n\r]*")
_SIMPLE = re.compile(rb'"([^"\\\x00-\x1f\x80-\xff]*)"')
_PLAIN = re.compile(rb'[^"\\\x00-\x1f\x80-\xff]+')
_ESCAPES = {
    0x22: '"', 0x5C: "\\", 0x2F: "/", 0x62: "\b", 0x66: "\f", 0x6E: "\n",
    0x72: "\r", 0x74: "\t",
}
_WORDS = {0x74: (b"true", True), 0x66: (b"false", False),
          0x6E: (b"null", None)}


class _Reader:
    def __init__(self, text, max_depth, max_values):
        self.text = text + b"\0"  # so that there is a byte at the end
        self.size = len(text)
        self.at = 0
        self.max_depth = max_depth
        self.max_values = max_values
        self.values = 0
        self.steps = []  # names and indexes from the root to here
        self.duplicate = None  # path of the first name that stands twice

    def document(self):
        if self.text.startswith(b"\xef\xbb\xbf"):
            raise Refused("unicode")
        value = self.value(0)
        self.skip_space()
        if self.at != self.size:
            raise self.wrong_byte()
        if self.duplicate is not None:
            raise Refused("duplicate", self.duplicate)
        return value

    def skip_space(self):
        if self.peek() <= 0x20:
            self.at = _SPACE.match(self.text, self.at).end()

    def peek(self):
        return self.text[self.at]

    def wrong_byte(self):
        """The fault of a byte that may not stand here."""
        if self.at >= self.size:
            return Refused("malformed")
        if self.peek() == 0:
            return Refused("unicode")
        return Refused("malformed")

    def utf8_size(self):
        """How long the character here is; 0 if it is none."""
        for size in (2, 3, 4):
            try:
                self.text[self.at:self.at + size].decode("utf-8")
                return size
            except UnicodeDecodeError:
                continue
        return 0

    def value(self, depth):
        self.skip_space()
        first = self.text[self.at]
        if first == 0x7B:
            self.count()
            return self.object(self.deeper(depth))
        if first == 0x5B:
            self.count()
            return self.array(self.deeper(depth))
        if first == 0x22:
            self.count()
            return self.string()
        if first in _WORDS:
            word, meaning = _WORDS[first]
            for byte in word:
                if self.peek() != byte:
                    raise self.wrong_byte()
                self.at += 1
            self.count()
            return meaning
        number = _NUMBER.match(self.text, self.at)
        if number is None:
            raise self.wrong_byte()
        self.at = number.end()
        self.count()
        return Number(number.group().decode("ascii"))

    def count(self):
        self.values += 1
        if self.values > self.max_values:
            raise Refused("count")

    def deeper(self, depth):
        if depth + 1 > self.max_depth:
            raise Refused("depth")
        return depth + 1

    def object(self, depth):
        self.at += 1
        result = Object()
        names = set()
        self.skip_space()
        if self.peek() == 0x7D:
            self.at += 1
            return result
        while True:
            self.skip_space()
            if self.peek() != 0x22:
                raise self.wrong_byte()
            name = self.string()
            self.steps.append(name)
            if name in names and self.duplicate is None:
                self.duplicate = "".join(step(own) for own in self.steps)
            names.add(name)
            self.skip_space()
            self.expect(0x3A)
            result.members.append((name, self.value(depth)))
            self.steps.pop()
            self.skip_space()
            if self.peek() == 0x7D:
                self.at += 1
                return result
            self.expect(0x2C)

    def array(self, depth):
        self.at += 1
        result = []
        self.skip_space()
        if self.peek() == 0x5D:
            self.at += 1
            return result
        while True:
            self.steps.append(len(result))
            result.append(self.value(depth))
            self.steps.pop()
            self.skip_space()
            if self.peek() == 0x5D:
                self.at += 1
                return result
            self.expect(0x2C)

    def expect(self, byte):
        if self.peek() != byte:
            raise self.wrong_byte()
        self.at += 1

    def string(self):
        simple = _SIMPLE.match(self.text, self.at)
        if simple is not None:
            self.at = simple.end()
            return simple.group(1).decode("ascii")
        self.at += 1
        parts = []
        while True:
            plain = _PLAIN.match(self.text, self.at)
            if plain is not None:
                parts.append(plain.group().decode("ascii"))
                self.at = plain.end()
            byte = self.peek()
            if byte == 0x22:
                self.at += 1
                return "".join(parts)
            if byte == 0x5C:
                self.at += 1
                parts.append(self.escape())
            elif byte >= 0x80:
                size = self.utf8_size()
                if not size:
                    raise Refused("unicode")
                parts.append(
                    self.text[self.at:self.at + size].decode("utf-8"))
                self.at += size
            else:
                raise self.wrong_byte()

    def escape(self):
        byte = self.peek()
        if byte in _ESCAPES:
            self.at += 1
            return _ESCAPES[byte]
        if byte != 0x75:
            raise self.wrong_byte()
        self.at += 1
        unit = self.unit()
        if 0xDC00 <= unit <= 0xDFFF:
            raise Refused("unicode")
        if not 0xD800 <= unit <= 0xDBFF:
            return chr(unit)
        if self.text[self.at:self.at + 2] != b"\\u":
            raise Refused("unicode")
        self.at += 2
        low = self.unit()
        if not 0xDC00 <= low <= 0xDFFF:
            raise Refused("unicode")
        return chr(0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00))

    def unit(self):
        digits = re.compile(rb"[0-9a-fA-F]{4}").match(self.text, self.at)
        if digits is None:
            raise Refused("malformed")
        self.at += 4
        return int(digits.group(), 16)


def read(text, max_depth, max_values):
    """The tree of `text` (bytes); raises Refused. Depth 1 is the root."""
    return _Reader(text, max_depth, max_values).document()
