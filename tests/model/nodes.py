"""JSON that the generator makes: dicts, lists, strings, numbers, None; and what
Python's own types cannot say."""

import json
from json.encoder import encode_basestring as _as_it_is
from json.encoder import encode_basestring_ascii as _as_ascii


class Lexeme(str):
    """A number as it is to be written, such as 4096.0 or 1e400."""


class Twin(str):
    """A member's name that may stand beside the same one in a dict."""

    __hash__ = object.__hash__

    def __eq__(self, other):
        return self is other

    def __ne__(self, other):
        return self is not other


def copy(node):
    if isinstance(node, dict):
        return {name: copy(value) for name, value in node.items()}
    if isinstance(node, list):
        return [copy(value) for value in node]
    return node


def quote(text, rng):
    """The literal of a string; now and then a letter is escaped that need not
    be."""
    dice = rng.random()
    literal = _as_ascii(text) if dice < 0.1 else _as_it_is(text)
    if dice > 0.98 and literal[1].isalpha():
        literal = f'"\\u{ord(literal[1]):04X}' + literal[2:]
    return literal


def serialise(node, rng):
    """The text of a node (str), with a space here and there."""
    parts = []
    _write(node, rng, parts.append, " " if rng.random() < 0.1 else "")
    return "".join(parts)


def _write(node, rng, out, space):
    if isinstance(node, dict):
        out("{")
        for i, (name, value) in enumerate(node.items()):
            out("," + space if i else space)
            out(quote(name, rng) + space + ":")
            _write(value, rng, out, space)
        out("}")
    elif isinstance(node, list):
        out("[")
        for i, value in enumerate(node):
            if i:
                out("," + space)
            _write(value, rng, out, space)
        out("]")
    elif isinstance(node, Lexeme):
        out(node)
    elif isinstance(node, str):
        out(quote(node, rng))
    else:
        out(json.dumps(node))


def walk(node, path=()):
    """(path, container, key) of every member and element below `node`."""
    if isinstance(node, dict):
        items = list(node.items())
    elif isinstance(node, list):
        items = list(enumerate(node))
    else:
        return
    for key, value in items:
        yield path + (key,), node, key
        yield from walk(value, path + (key,))


def objects(node, path=()):
    """(path, dict) of every object, the root included."""
    if isinstance(node, dict):
        yield path, node
    for below, container, key in walk(node, path):
        if isinstance(container[key], dict):
            yield below, container[key]
