"""Valid requests and answers of each kind, to be mutated. Made anew each time,
by the dice."""

from edges import FIELD_TEXTS, FILE_URIS, FORMATTED, NUMBERS
from nodes import Lexeme

TEXT = {"type": "text", "text": "What is in the file?"}
IMAGE = {"type": "image", "data": "iVBORw0KGgo=", "mimeType": "image/png"}
AUDIO = {"type": "audio", "data": "UklGRg==", "mimeType": "audio/wav"}
LINK = {"type": "resource_link", "uri": "file:///a", "name": "a"}
RESOURCE = {"type": "resource", "resource": {"uri": "file:///a", "text": "t"}}
BLOB = {"type": "resource",
        "resource": {"uri": "file:///a", "blob": "AAAA", "mimeType": "a/b"}}


def fresh(block):
    return {name: dict(value) if isinstance(value, dict) else value
            for name, value in block.items()}


def simple_block(rng):
    return fresh(rng.choice([TEXT, TEXT, IMAGE, AUDIO]))


def tool_use(id, name="read_file"):
    return {"type": "tool_use", "id": id, "name": name, "input": {}}


def tool_result(rng, id):
    result = {"type": "tool_result", "toolUseId": id, "content": [
        fresh(rng.choice([TEXT, IMAGE, AUDIO, LINK, RESOURCE, BLOB]))
        for _ in range(rng.randrange(3))]}
    if rng.random() < 0.3:
        result["structuredContent"] = rng.choice(
            [{}, {"a": Lexeme("1")}, {}, {"b": None}, [], "x"])
    if rng.random() < 0.3:
        result["isError"] = rng.random() < 0.5
    return result


def message(role, content):
    return {"role": role, "content": content}


def tool_turns(rng):
    ids = rng.sample(["call_1", "call_2", "call_3"], rng.randrange(1, 4))
    uses = [tool_use(id, rng.choice(["read_file", "list"])) for id in ids]
    results = [tool_result(rng, id) for id in rng.sample(ids, len(ids))]
    if rng.random() < 0.3:
        uses.insert(rng.randrange(len(uses) + 1), fresh(TEXT))
    if len(uses) == 1 and rng.random() < 0.5:
        return [message("assistant", uses[0]), message("user", results[0])]
    return [message("assistant", uses), message("user", results)]


def messages(rng, single):
    """`single`: only what fits every revision."""
    turns = []
    for i in range(rng.randrange(1, 4)):
        block = simple_block(rng)
        many = not single and rng.random() < 0.4
        content = [block] + [simple_block(rng) for _ in range(
            rng.randrange(2))] if many else block
        turns.append(message("user" if i % 2 == 0 else "assistant", content))
    if not single and rng.random() < 0.5:
        turns[rng.randrange(len(turns) + 1):0] = tool_turns(rng)
    return turns


def tool(name):
    return {"name": name, "description": "d", "inputSchema": {
        "type": "object"}}


def sampling_params(rng, single):
    params = {"messages": messages(rng, single),
              "maxTokens": Lexeme(rng.choice(["1", "100", "4096"]))}
    extras = {
        "systemPrompt": "Be brief.", "temperature": Lexeme("2.7"),
        "includeContext": "none", "stopSequences": ["\n"], "metadata": {},
        "modelPreferences": {"hints": [{"name": "large"}],
                             "costPriority": Lexeme("0.3"),
                             "speedPriority": Lexeme("1")},
        "_meta": {"progressToken": Lexeme("7")}}
    for name, value in extras.items():
        if rng.random() < 0.2:
            params[name] = dict(value) if isinstance(value, dict) else value
    if not single and rng.random() < 0.4:
        params["tools"] = [tool("read_file"), tool("list")]
        if rng.random() < 0.7:
            params["toolChoice"] = rng.choice(
                [{}, {"mode": "auto"}, {"mode": "none"}, {"mode": "required"}])
    return params


def string_field(rng):
    field = {"type": "string"}
    if rng.random() < 0.4:
        field["format"] = rng.choice(list(FORMATTED))
    if rng.random() < 0.4:
        field["minLength"] = Lexeme(rng.choice("0 1 2 3".split()))
        field["maxLength"] = Lexeme(rng.choice("3 5 20 300".split()))
    return field


def number_field(rng):
    field = {"type": rng.choice(["number", "integer"])}
    for names, values in ((("minimum", "exclusiveMinimum"), "-1e400 0 1 1.5 2"),
                          (("maximum", "exclusiveMaximum"), "2 2.5 3 10 1e400")):
        if rng.random() < 0.5:
            field[rng.choice(names)] = Lexeme(rng.choice(values.split()))
    return field


def titled(values):
    return [{"const": value, "title": value.upper()} for value in values]


def choice_field(rng, single):
    values = rng.sample(["a", "b", "c", "2024-02-29"], rng.randrange(1, 4))
    if single or rng.random() < 0.5:
        field = {"type": "string", "enum": values}
        if rng.random() < 0.3:
            field["enumNames"] = [value.upper() for value in values]
        if rng.random() < 0.1:
            field["minLength"] = Lexeme(rng.choice("0 1 2".split()))
        return field
    options = titled(values)
    field = {"type": "string", "oneOf": options}
    if rng.random() < 0.4:
        rng.choice(options)["description"] = "d"
    elif rng.random() < 0.1:
        field["enumNames"] = values
    return field


def selection_field(rng):
    values = rng.sample(["a", "b", "c", "d"], rng.randrange(1, 5))
    items = {"type": "string", "enum": values} if rng.random() < 0.5 else {
        "anyOf": titled(values)}
    field = {"type": "array", "items": items}
    if rng.random() < 0.4:
        field["minItems"] = Lexeme(rng.choice("0 1 2".split()))
        field["maxItems"] = Lexeme(rng.choice("2 3".split()))
    if rng.random() < 0.4:
        field["uniqueItems"] = True
    return field


def any_field(rng, single):
    makers = [string_field, string_field, number_field, number_field,
              lambda dice: {"type": "boolean"},
              lambda dice: choice_field(dice, single)]
    if not single:
        makers += [selection_field, selection_field]
    field = rng.choice(makers)(rng)
    if rng.random() < 0.2:
        field["title"] = rng.choice(["Name", "How many", "Which one"])
    if rng.random() < 0.1:
        field["description"] = "Your password is never asked for."
    if rng.random() < 0.1:
        field["default"] = field_value(rng, field)
    return field


def form_params(rng, single):
    names = rng.sample(["name", "city", "count", "when", "mail", "agree", "a/b",
                        "size", "colour"], rng.randrange(0, 6))
    if rng.random() < 0.15:
        names.append(rng.choice(FIELD_TEXTS))
    properties = {name: any_field(rng, single) for name in names}
    schema = {"type": "object", "properties": properties}
    if rng.random() < 0.6:
        schema["required"] = rng.sample(
            list(properties), rng.randrange(len(properties) + 1))
    params = {"message": "Which one?", "requestedSchema": schema}
    if rng.random() < 0.3:
        params["mode"] = "form"
    return params


_SCHEMES = ["https"] * 12 + ["http"] * 3 + ["HTTPS", "ftp", "javascript",
                                            "file", "https+x", "1https", ""]
_USERS = [""] * 14 + ["user@", "user:pw@", "@", "a@b@", "user%40@"]
_HOSTS = ["login.example.com", "example.com", "EXAMPLE.com", "example.com.",
          "evil.example.com", "notexample.com", "localhost", "app.localhost",
          "LOCALHOST", "127.0.0.1", "127.255.0.9", "127.1", "0127.0.0.1",
          "128.0.0.1", "256.0.0.1", "1.2.3.4", "1.2.3", "[::1]", "[::2]",
          "[::ffff:127.0.0.1]", "[::1", "::1", "[fe80::1%25e]", "", ".", "a..b",
          "-a.com", "a-.com", "a_b.com", "xn--80ak6aa92e.com", "exämple.com",
          "a" * 63 + ".com", "a" * 64 + ".com", "1.com", "a.1", "a.0x1f",
          "a.0x", "0x7f000001", "2130706433", "%65xample.com", "a b.com",
          ("a" * 61 + ".") * 4 + "abcde", ("a" * 61 + ".") * 4 + "abcdef",
          "example.com..", "localhost.", "[0:0:0:0:0:0:0:1]", "foo.localhost."]
_PORTS = [""] * 10 + [":443", ":", ":0", ":1", ":65535", ":65536", ":+1",
                      ":80a", ":0443", ":443:1"]
_TAILS = ["", "/", "/connect?e=1", "?a", "#f", "/%41", "/%4", "/%zz", "/a b",
          "/<", "/\"", "/\\", "/{x}", "/|", "/^", "/`", "/ü", "/\x01", "/\x7f",
          "/[x]", "/a//b", "/@", "?u=a@b", "\\@x"]


def any_url(rng):
    if rng.random() < 0.5:
        return "https://login.example.com/connect?e=1"
    colon = "://" if rng.random() < 0.95 else rng.choice([":", ":/", "//", ""])
    host = rng.choice(_HOSTS)
    tail = rng.choice(_TAILS) if rng.random() < 0.4 else "/"
    return (rng.choice(_SCHEMES) + colon + rng.choice(_USERS) + host
            + rng.choice(_PORTS) + tail)


def url_params(rng):
    return {"mode": "url", "message": "Connect your account.",
            "elicitationId": "el-1", "url": any_url(rng)}


def field_value(rng, field):
    """A value for the field: often one that fits, else one at an edge."""
    kind = field.get("type")
    if kind == "boolean":
        return rng.random() < 0.5
    if kind in ("number", "integer"):
        bounds = [field[name] for name in (
            "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")
            if isinstance(field.get(name), Lexeme)]
        return rng.choice(bounds + [Lexeme("2"), Lexeme("2")] + NUMBERS)
    if kind == "array":
        known = options_of(field.get("items"), "anyOf") + ["a"]
        return [rng.choice(known) for _ in range(rng.randrange(0, 4))]
    known = options_of(field, "oneOf")
    if known and rng.random() < 0.9:
        return rng.choice(known)
    if rng.random() < 0.9 and isinstance(field.get("format"), str):
        return rng.choice(FORMATTED.get(field["format"], ["x"]))
    return rng.choice(["", "x", "ab", "abc", "abcd", "abcdef", "ü" * 3, "😀" * 3,
                       "e\u0301x", "x" * 21, "z" * 301])


def options_of(holder, titled_name):
    if not isinstance(holder, dict):
        return []
    if isinstance(holder.get("enum"), list):
        return list(holder["enum"])
    options = holder.get(titled_name)
    return [option.get("const") for option in options if isinstance(
        option, dict)] if isinstance(options, list) else []


def form_answer(rng, schema):
    """What a client might answer to the form of an admitted request."""
    content = {}
    for name, field in schema["properties"].items():
        if name in schema.get("required", []) or rng.random() < 0.7:
            content[name] = field_value(rng, field)
    if rng.random() < 0.1 and content:
        content.pop(rng.choice(list(content)))
    answer = {"action": "accept", "content": content}
    if not content and rng.random() < 0.5:
        answer.pop("content")
    if rng.random() < 0.05:
        answer["action"] = rng.choice(["decline", "cancel"])
    return answer


def sampling_answer(rng, params):
    names = [tool["name"] for tool in params.get("tools", []) if isinstance(
        tool, dict)] + (["other"] if rng.random() < 0.2 else [])
    content = simple_block(rng)
    answer = {"role": "assistant", "content": content, "model": "m-1"}
    if rng.random() < 0.4:
        answer["stopReason"] = rng.choice(["endTurn", "maxTokens", "x"])
    uses = 0.7 if names else 0.05
    if rng.random() < uses:
        answer["content"] = [tool_use(id, rng.choice(names or ["read_file"]))
                             for id in rng.sample(["c1", "c2"], rng.choice(
                                 [1, 2]))]
        answer["stopReason"] = "toolUse"
    if rng.random() < 0.3:
        content = answer["content"]
        answer["content"] = content + [fresh(TEXT)] if isinstance(
            content, list) else [content]
    return answer


def roots_answer(rng):
    roots = [{"uri": rng.choice(FILE_URIS[:3] * 5 + FILE_URIS)}
             for _ in range(rng.randrange(0, 4))]
    for root in roots:
        if rng.random() < 0.3:
            root["name"] = "n"
    return {"roots": roots}


def error_answer(rng):
    return {"code": Lexeme(rng.choice(["-1", "-1", "-32603", "7"])),
            "message": "User rejected sampling request"}
