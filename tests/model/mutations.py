"""Small changes to a request or an answer: to its tree, or to its text."""

import json

from edges import ABSENT, EDGES, FIELD_NAMES, IDS, NUMBERS, OFF_TYPE
from nodes import Lexeme, Twin, copy, objects, walk


def kind_of(path, root_kind):
    """Which row of EDGES fits the object at that path."""
    if not path:
        return root_kind
    steps = ["#" if isinstance(step, int) else step for step in path]
    if steps == ["_meta"]:
        return "meta"
    if steps == ["messages", "#"]:
        return "message"
    if steps[:2] == ["messages", "#"] and steps[2:3] == ["content"]:
        inner = steps[3:].count("content") > 0
        return ("inner_block" if inner else "block") if (
            steps[-1] in ("#", "content")) else None
    if root_kind == "sampling_answer" and steps[0] == "content":
        return "block" if len(steps) <= 2 else None
    if steps == ["tools", "#"]:
        return "tool"
    if steps == ["modelPreferences"]:
        return "preferences"
    if steps == ["roots", "#"]:
        return "root"
    return kind_within_schema(steps)


def kind_within_schema(steps):
    if steps == ["requestedSchema"]:
        return "schema"
    if steps[:2] != ["requestedSchema", "properties"]:
        return None
    below = steps[3:]
    if len(steps) == 3:
        return "field"
    if below == ["items"]:
        return "items"
    if below in (["oneOf", "#"], ["items", "anyOf", "#"]):
        return "option"
    return None


def set_edge(root, root_kind, rng):
    """A member of some object becomes a value near a rule about it."""
    places = [(obj, kind_of(path, root_kind))
              for path, obj in objects(root)]
    places = [(obj, kind) for obj, kind in places if kind is not None]
    if not places:
        return
    kinds = sorted({kind for _, kind in places})
    kind = rng.choice(kinds)
    obj = rng.choice([obj for obj, own in places if own == kind])
    name = rng.choice(names_to_change(obj, kind, rng))
    value = rng.choice(EDGES[kind][name])
    if value is ABSENT:
        obj.pop(name, None)
    else:
        obj[name] = copy(value)


def names_to_change(obj, kind, rng):
    """Mostly those that the object has, or that its type is asked about."""
    dice = rng.random()
    own_type = obj.get("type")
    if kind == "field" and isinstance(own_type, str) and dice < 0.75:
        return FIELD_NAMES.get(own_type, list(EDGES[kind]))
    own = [name for name in EDGES[kind] if name in obj]
    return own if own and dice < 0.5 else list(EDGES[kind])


def pick(root, rng):
    places = list(walk(root))
    return rng.choice(places) if places else None


def drop(root, rng):
    place = pick(root, rng)
    if place:
        del place[1][place[2]]


def rename(root, rng):
    place = pick(root, rng)
    if place and isinstance(place[1], dict):
        _, container, name = place
        new = rng.choice([name + "x", name.upper(), name + " ", name[:-1],
                          "é" + name, name + "/", name + "~"])
        items = [(new if own == name else own, value)
                 for own, value in container.items()]
        container.clear()
        container.update(items)


def retype(root, rng):
    place = pick(root, rng)
    if place:
        place[1][place[2]] = copy(rng.choice(OFF_TYPE))


def renumber(root, rng):
    numbers = [(container, key) for _, container, key in walk(root)
               if isinstance(container[key], Lexeme)]
    if numbers:
        container, key = rng.choice(numbers)
        container[key] = rng.choice(NUMBERS)


def twin(root, rng):
    """A member stands twice."""
    place = pick(root, rng)
    if place and isinstance(place[1], dict):
        place[1][Twin(place[2])] = copy(rng.choice([place[1][place[2]], None]))


def rearrange(root, rng):
    """An array loses, doubles or exchanges elements."""
    arrays = [container[key] for _, container, key in walk(root)
              if isinstance(container[key], list) and container[key]]
    if not arrays:
        return
    array = rng.choice(arrays)
    i = rng.randrange(len(array))
    choice = rng.randrange(4)
    if choice == 0:
        del array[i]
    elif choice == 1:
        array.insert(i, copy(array[i]))
    elif choice == 2:
        j = rng.randrange(len(array))
        array[i], array[j] = array[j], array[i]
    else:
        array.clear()


def wrap(root, rng):
    """A value goes into an array, or comes out of one."""
    place = pick(root, rng)
    if not place:
        return
    _, container, key = place
    value = container[key]
    single = isinstance(value, list) and len(value) == 1
    container[key] = value[0] if single else [value]


def long_name(root, rng):
    """Members whose pointers pass the longest path."""
    dicts = [obj for _, obj in objects(root)]
    obj = rng.choice(dicts)
    obj[rng.choice(["n", "é"]) * rng.randrange(100, 260)] = copy(
        rng.choice(OFF_TYPE))


def tool_messages(root):
    """(messages, index, [blocks that use tools or tell results])"""
    turns = root.get("messages") if isinstance(root, dict) else None
    for i, turn in enumerate(turns if isinstance(turns, list) else []):
        content = turn.get("content") if isinstance(turn, dict) else None
        blocks = content if isinstance(content, list) else [content]
        found = [block for block in blocks if isinstance(block, dict)
                 and block.get("type") in ("tool_use", "tool_result")]
        if found:
            yield turns, i, found


def disturb_tools(root, rng):
    """Tool uses and their results no longer fit, or only just."""
    places = list(tool_messages(root))
    if not places:
        return set_edge(root, "sampling", rng)
    turns, i, blocks = rng.choice(places)
    block = rng.choice(blocks)
    content = turns[i]["content"]
    choice = rng.randrange(7)
    if choice == 0:
        turns[i]["role"] = "user" if turns[i]["role"] == "assistant" else (
            "assistant")
    elif choice == 1 and isinstance(content, list):
        content.append({"type": "text", "text": "t"})
    elif choice == 2 and isinstance(content, list):
        content.append(copy(block))
    elif choice == 3:
        block["id" if block["type"] == "tool_use" else "toolUseId"] = (
            rng.choice(IDS))
    elif choice == 4:
        del turns[i]
    elif choice == 5:
        turns.insert(i, {"role": "user", "content": {"type": "text",
                                                     "text": "t"}})
    elif block["type"] == "tool_result":
        block["structuredContent"] = copy(rng.choice(OFF_TYPE))


def double_name(root, rng):
    """A required name, or a value selected, stands twice."""
    arrays = [container[key] for path, container, key in walk(root)
              if key in ("required", "content", "enum")
              or "content" in path[:1]]
    arrays = [array for array in arrays if isinstance(array, list) and array]
    if arrays:
        array = rng.choice(arrays)
        array.append(copy(rng.choice(array)))


def cross_limits(root, rng):
    """The least and the most of something change places."""
    pairs = [("minLength", "maxLength"), ("minItems", "maxItems"),
             ("minimum", "maximum"),
             ("exclusiveMinimum", "exclusiveMaximum")]
    places = [(obj, low, high) for _, obj in objects(root)
              for low, high in pairs if low in obj and high in obj]
    if places:
        obj, low, high = rng.choice(places)
        obj[low], obj[high] = obj[high], obj[low]


TREE = [drop, rename, retype, retype, renumber, twin, rearrange, rearrange,
        wrap, long_name]


def mutate(root, root_kind, rng):
    dice = rng.random()
    if root_kind == "sampling" and dice < 0.2:
        disturb_tools(root, rng)
    elif dice < 0.75:
        set_edge(root, root_kind, rng)
    elif dice < 0.8:
        double_name(root, rng)
    elif dice < 0.83:
        cross_limits(root, rng)
    else:
        rng.choice(TREE)(root, rng)


def insert(text, rng, bytes_):
    at = rng.randrange(len(text) + 1)
    return text[:at] + bytes_ + text[at:]


def in_a_string(text, rng, bytes_):
    quotes = [i for i, byte in enumerate(text) if byte == 0x22]
    if not quotes:
        return insert(text, rng, bytes_)
    at = rng.choice(quotes) + 1
    return text[:at] + bytes_ + text[at:]


UNICODE = [b"\xff", b"\xc0\x80", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\x80",
           b"\xe2\x82", b"\\ud800", b"\\udc00", b"\\ud800\\ud800",
           b"\\ud83d\\ude00", b"\\u0000", b"\x00", "😀".encode(), b"\\ud800x",
           "\u2028".encode(), b"\\ud800\\n"]
JUNK = [b",", b":", b"}", b"{", b"[", b"]", b'"', b"\\", b"'", b"//", b"\x01",
        b"\n", b"\t", b" ", b"0", b"-", b"NaN", b"Infinity", b"tru", b".5",
        b"1.", b"+1", b"01", b"1e", b"\\x", b"\\u12", b"\x0b"]


def break_text(text, rng):
    """One change of the bytes."""
    choice = rng.randrange(9)
    if choice == 0:
        return text[:rng.randrange(len(text) + 1)]
    if choice == 1:
        return b"\xef\xbb\xbf" + text
    if choice == 2:
        return text + rng.choice([b" ", b"\n", b"x", b"{}", b",", b"\x00"])
    if choice == 3:
        return insert(text, rng, rng.choice(JUNK))
    if choice == 4:
        return rng.choice([b"", b" ", b"[]", b"null", b'"x"', b"1", b"[{}]"])
    if choice == 5:
        return insert(text, rng, rng.choice(UNICODE))
    return in_a_string(text, rng, rng.choice(UNICODE))


def nest(text, rng, depth):
    """The text of an object with a member nested so that the whole is `depth`
    containers deep, give or take one; mostly one more."""
    depth += rng.choice([-1, 0, 1, 1, 1, 1, 1]) - 1
    opens = b"".join(rng.choice([b"[", b'{"d":']) for _ in range(depth))
    closes = bytes(0x5D if byte == 0x5B else 0x7D
                   for byte in reversed(opens) if byte in b"[{")
    inner = b"1" if not opens.endswith(b"[") or rng.random() < 0.5 else b""
    return with_member(text, b'"n":' + opens + inner + closes)


def crowd(text, rng, count):
    """The same with so many values more that the whole has just over `count`,
    or now and then as many."""
    over = rng.choice([0, 1, 1, 1, 1, 1, 1, 1])
    own = values_in(text) + 1  # and the array that is added
    return with_member(
        text, b'"n":[' + b",".join([b"0"] * (count + over - own)) + b"]")


def values_in(text):
    """How many values the text of an object that was just written has."""
    tree = json.loads(text)
    return 1 + sum(1 for _ in walk(tree))


def with_member(text, member):
    body = text[:text.rindex(b"}")].rstrip()
    comma = b"" if body.endswith(b"{") else b","
    return body + comma + member + b"}"
