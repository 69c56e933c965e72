"""Values near the rules, by the kind of object and the name of the member.

Each list mixes what is legal with what is just not. ABSENT removes the member.
"""

from nodes import Lexeme

ABSENT = object()
OFF_TYPE = [None, True, Lexeme("0"), Lexeme("1.5"), "", "x", [], {}, [None],
            [{}], {"a": Lexeme("1")}]

NUMBERS = [Lexeme(text) for text in (
    "0 -0 1 -1 2 3 5 10 64 100 4096 4097 4096.0 4.096e3 0.5 1.0 1.5 -0.0 1e400 "
    "-1e400 1e-400 1e0 10e-1 2147483648 9007199254740993 9223372036854775807 "
    "9223372036854775808 -9223372036854775808 18446744073709551616 "
    "123456789012345678901234567890 0.1 0.10000000000000000001 1E2 "
    "0.30000000000000004 3.0").split()]

FIELD_TEXTS = [
    "name", "city", "monkey", "passenger", "tokenizer", "spin", "keyboard",
    "password", "pass word", "passWord", "PASSWORD", "pass", "bypass", "pwd",
    "userPwd2", "APIToken", "apiKey", "api key", "API-KEY", "x.api.key", "key",
    "my key", "keys", "card", "cardNumber", "card no", "post card", "ccnum",
    "cc", "acc", "pin", "PIN code", "opinion", "otp", "OTPCode", "2fa", "2 fa",
    "mfa", "cvv", "cvc2", "secret", "secretary", "accessToken", "access_token",
    "token", "tokens", "bearer", "jwt", "csc", "pat", "patch", "mnemonic",
    "seed phrase", "seed", "recovery code", "backupCode", "zip code", "senha",
    "contraseña", "mot de passe", "Passwort", "Kennwort", "hasło", "lösenord",
    "salasana", "parola", "wachtwoord", "pаssword", "раsswоrd", "pass\u200bword",
    "pássword", "ｐａｓｓｗｏｒｄ", "πassword", "пароль", "Пароль", "ПАРОЛЬ",
    "p4ssw0rd", "4p1key", "passw0rt", "2-FA", "fa2", "ﾊﾟｽﾜｰﾄﾞ", "密码", "密碼",
    "パスワード", "비밀번호", "暗証番号", "名前", "имя", "passcode", "passphrase",
    "credential", "credentials", "sshKey", "signing-key", "encryptionKey",
    "private key", "publicKey", "licenseKey", "idToken", "session token",
    "clientSecret", "client_id", "credit card", "debitCard", "security code",
    "one-time code", "oneTimePassword", "verification code", "authCode",
    "authentication code", "pan", "panel", "spans", "passwords", "passwd",
    "totp", "a/b", "c~d", "", "x" * 300, "pIn", "P.I.N.", "p i n", "t0ken", "p1n",
    "P47", "4pin", "mysecret", "apitoken", "API\u2011key", "«token»", "to\u2028ken",
    "\u202edrowssap", "credentia1", "aplkey", "passvvord", "onetirnecode",
    "passworcl", "p@$$w0rd", "k3y", "pa55", "τoken", "PӀN", "tokєn", "ПИН",
    "пин-код", "токен", "amount in PLN", "author code", "social media", "2FA2",
]

MIME_TYPES = ["image/png", "audio/wav", "image/svg+xml", "text/plain; charset=x",
              "image", "image/", "/png", "image/png ", "image/pn g", "im@ge/png",
              "image/p" + "n" * 247 + "g", "image/p" + "n" * 248 + "gg",
              "image/é", "-image/png", "image/.png", "a/b;", "a/b/c", "A/B",
              "image/png;\x01"]
BASE64 = ["", "AAAA", "AAA=", "AA==", "A===", "AAA", "AAAAA", "AAA-", "AA=A",
          "AB==", "AAAA\n", "AAA_", "====", "QUJD" * 12, "AAAA="]
NAMES = ["read_file", "list", "", "n" * 256, "n" * 257, "é" * 128,
         "é" * 128 + "x"]
IDS = ["call_1", "call_2", "call_3", "", "CALL_1", "call_1 "]

EMAILS = ["ada@example.com", "a@b", "a@b.c.", "a@@b.c", "@b.c", "a@", "a.b@c.d",
          ".a@b.c", "a.@b.c", "a..b@c.d", "a b@c.d", "ü@exämple.com", "a@-b.c",
          "a@b-.c", "a@b..c", "l" * 64 + "@x.y", "l" * 65 + "@x.y",
          "a@" + "h" * 63 + ".c", "a@" + "h" * 64 + ".c", "a@b_c.d", "a\x7f@b.c",
          "a@[127.0.0.1]", "\"a b\"@c.d", "a@" + ("h" * 61 + ".") * 4 + "ccc",
          "a@" + ("h" * 61 + ".") * 4 + "cccc", "ab@c.d\n"]
URIS = ["https://example.com/", "urn:x", "mailto:a@b.c", "x:", ":x", "1x:y",
        "x y:z", "x:y z", "x:%41", "x:%4", "x:%4g", "x:<y>", "x:ü", "a+b.c-d:e",
        "x:\\", "x:\"", "x:{", "relative/path", "x:y\x7f", "x:y#z?w"]
DATES = ["2024-02-29", "2023-02-29", "1900-02-29", "2000-02-29", "0000-02-29",
         "0000-01-01", "2024-13-01", "2024-00-10", "2024-01-32", "2024-01-00",
         "2024-04-31", "2024-1-01", "24-01-01", "2024-01-01 ", "2024/01/01",
         "+2024-01-01", "９９９９-01-01", "2024-12-31"]
TIMES = ["2024-02-29T00:00:00Z", "2024-02-29t23:59:60z", "2024-02-29 12:00:00Z",
         "2024-02-29T24:00:00Z", "2024-02-29T23:60:00Z", "2024-02-29T23:59:61Z",
         "2024-02-29T23:59:59", "2024-02-29T23:59:59.5+23:59",
         "2024-02-29T23:59:59.+01:00", "2024-02-29T23:59:59+24:00",
         "2024-02-29T23:59:59-00:60", "2024-02-29T23:59:59+0100",
         "2024-02-30T00:00:00Z", "2024-02-29T00:00Z", "2024-02-29_00:00:00Z",
         "2024-02-29T00:00:00.123456789012Z", "2024-02-29T00:00:00 Z", "T"]
FORMATTED = {"email": EMAILS, "uri": URIS, "date": DATES, "date-time": TIMES}

FILE_URIS = ["file:///", "file:///srv/files", "file:///a%20b", "file://",
             "file:///..", "file:///a/../b", "file:///a/..b", "file:///a/%2e%2e",
             "file:///a%2Fb", "file:///a%5cb", "file:///a\\..\\b", "file:////a",
             "file://host/a", "FILE:///a", "file:/a", "file:///a?b", "file:///a#b",
             "file:///%252e", "file:///%252F", "file:///%25", "file:///%2",
             "file:///%zz", "file:///%00", "file:///%7f", "file:///%c3%a4", "file:///%c0%ae%c0%ae/b",
             "file:///ä", "file:///a b", "file:///C:/x", "file:///a/.",
             "file:///a/...", "http:///a", "file:///a\x01", "", "file:///%ff",
             "file:///a\\b", "file:///%2E", "file:///a%3fb"]

META = [{}, {"a": Lexeme("1")}, None, "x", [], {"progressToken": "t"}]

_BLOCK = {
    "type": ["text", "image", "audio", "tool_use", "tool_result",
             "resource_link", "resource", "Text", "video", None, ABSENT],
    "text": ["", "hello", "ü", ABSENT, None, Lexeme("1"), []],
    "data": BASE64 + [ABSENT, None],
    "mimeType": MIME_TYPES + [ABSENT, None],
    "annotations": META, "_meta": META,
    "id": IDS + [ABSENT, None, Lexeme("1")],
    "name": NAMES + [ABSENT, None],
    "input": [{}, {"a": {}}, ABSENT, None, [], "{}"],
    "toolUseId": IDS + [ABSENT, None, Lexeme("1")],
    "content": [[], [{"type": "text", "text": "t"}], ABSENT, None, {}, "x",
                [None], ["x"], [{"type": "tool_use"}], [{}], [{"type": "text"}],
                [{"type": "image", "data": "AA", "mimeType": "a/b"}],
                [{"type": "text", "text": "t", "_meta": []}]],
    "isError": [True, False, None, "true", Lexeme("1")],
    "structuredContent": [{}, [], None, "x", Lexeme("1"), {"a": []}],
    "uri": ["file:///a", "", ABSENT, None, "not a uri"],
    "resource": [{"uri": "u", "text": ""}, {"uri": "u", "blob": "AAAA"},
                 {"uri": "u"}, {"uri": "u", "blob": "AAA"}, {"text": "t"},
                 {"uri": "", "text": "t"}, {"uri": "u", "text": None},
                 {"uri": "u", "text": "t", "blob": Lexeme("1")},
                 {"uri": "u", "text": "t", "mimeType": []}, ABSENT, None, []],
}

EDGES = {
    "sampling": {
        "messages": [ABSENT, None, [], {}, "x", [None], [{}], ["x"]],
        "maxTokens": NUMBERS + [ABSENT, None, "5", []],
        "includeContext": ["none", "thisServer", "allServers", None, "None", ""],
        "tools": [[], None, {}, [{"name": "list", "inputSchema": {}}], ["x"],
                  ABSENT],
        "toolChoice": [{}, {"mode": "auto"}, {"mode": "required"},
                       {"mode": "none"}, {"mode": "any"}, {"mode": None}, None,
                       "auto", [], ABSENT],
        "modelPreferences": [{}, None, [], "x", {"hints": []}],
        "systemPrompt": ["", "Be brief.", None, [], Lexeme("1")],
        "metadata": [{}, {"a": None}, None, [], "x"],
        "temperature": NUMBERS + [None, "1", [], True],
        "stopSequences": [[], ["a", ""], None, "a", [None], ["a", Lexeme("1")]],
        "_meta": META, "task": [{"ttl": Lexeme("5")}, None, "x"],
    },
    "elicitation": {
        "mode": ["form", "url", "Form", None, "", Lexeme("1"), ABSENT],
        "message": ["", "Which?", ABSENT, None, [], Lexeme("1")],
        "requestedSchema": [ABSENT, None, {}, [], "x", {"type": "object"}],
        "elicitationId": ["e-1", "", "i" * 256, "i" * 257, "é" * 128,
                          "é" * 129, ABSENT, None, Lexeme("1")],
        "url": [ABSENT, None, "", [], "https://example.com/" + "p" * 8172,
                "https://example.com/" + "p" * 8173],
        "_meta": META,
    },
    "roots": {"_meta": META, "other": OFF_TYPE},
    "meta": {"progressToken": ["t", "", Lexeme("7"), Lexeme("7.0"), None, [],
                               Lexeme("1e3"), True, Lexeme("-0")]},
    "message": {"role": ["user", "assistant", "system", "User", None, ABSENT],
                "content": [ABSENT, None, [], {}, "x", [[]], [None]],
                "_meta": META},
    "block": _BLOCK,
    "inner_block": _BLOCK,
    "tool": {"name": NAMES + [ABSENT, None], "description": ["", None, []],
             "inputSchema": [{}, {"type": "object"}, ABSENT, None, []],
             "outputSchema": [{}, None, [], True]},
    "preferences": {
        "costPriority": NUMBERS + [None, "0.5"],
        "speedPriority": NUMBERS + [None, "0.5"],
        "intelligencePriority": NUMBERS + [None, "0.5"],
        "hints": [[], None, {}, [None], [{}], [{"name": "a"}], [{"name": None}]],
    },
    "schema": {
        "type": ["object", "Object", "array", None, ["object"], ABSENT],
        "properties": [ABSENT, None, [], {}, "x"],
        "required": [[], None, {}, "name", [None], ["nobody"], ABSENT],
        "additionalProperties": [False, True, {}, None],
        "title": ["t", None], "description": ["d"], "$schema": ["x", None],
        "$ref": ["#"], "allOf": [[]], "oneOf": [[]], "anyOf": [[]],
        "enum": [[]], "not": [{}], "patternProperties": [{}],
        "minProperties": [Lexeme("1")], "const": [{}], "if": [{}],
        "unevaluatedProperties": [False], "propertyNames": [{}],
        "contains": [{}], "$dynamicRef": ["#"], "dependencies": [{}],
        "dependentRequired": [{}], "maxProperties": [Lexeme("3")],
        "then": [{}], "$recursiveRef": ["#"], "examples": [[]],
    },
    "field": {
        "type": ["string", "number", "integer", "boolean", "array", "object",
                 "null", "String", ["string"], None, ABSENT],
        "title": FIELD_TEXTS + [None, []], "description": ["password", None, {}],
        "format": ["email", "uri", "date", "date-time", "password", "uuid",
                   "time", "Email", "token", "cvv", "", None, Lexeme("1")],
        "minLength": NUMBERS + [None, "1"], "maxLength": NUMBERS + [None, "1"],
        "minItems": NUMBERS + [None, "1"], "maxItems": NUMBERS + [None, "1"],
        "minimum": NUMBERS + [None, "1"], "maximum": NUMBERS + [None, "1"],
        "exclusiveMinimum": NUMBERS + [None, True],
        "exclusiveMaximum": NUMBERS + [None, True],
        "uniqueItems": [True, None, "true", Lexeme("1"), []],
        "enum": [["a", "b"], ["a"], [], ["a", "a"], ["a", None],
                 [Lexeme("1")], None, "a", ABSENT],
        "enumNames": [["A", "B"], ["A"], [], ["A", None], None, "A", ABSENT],
        "oneOf": [[{"const": "a", "title": "A"}], [], None, {}, [None],
                  [{"const": "a"}], [{"title": "A"}], [{"const": Lexeme("1"),
                                                        "title": "A"}],
                  [{"const": "a", "title": "A"}, {"const": "a", "title": "B"}],
                  [{"const": "a", "title": "A", "description": "d"}], ABSENT],
        "items": [{"type": "string", "enum": ["a"]}, {}, None, [], ABSENT,
                  {"anyOf": [{"const": "a", "title": "A"}]}, {"enum": ["a"]},
                  {"type": "string"}, {"type": "string", "anyOf": []},
                  {"type": "number", "enum": ["a"]}],
        "default": [None, True, "", "a", "b", [], ["a"], ["a", "a"], {},
                    "ada@example.com", "2024-02-29"] + NUMBERS,
        "pattern": ["^a$", None], "examples": [[]], "$comment": ["x"],
        "multipleOf": [Lexeme("2")], "const": ["a"], "$ref": ["#"],
        "anyOf": [[]], "allOf": [[]], "not": [{}], "properties": [{}],
        "prefixItems": [[]], "additionalItems": [False], "contains": [{}],
        "if": [{}], "then": [{}], "else": [{}], "dependentSchemas": [{}],
        "unevaluatedItems": [False], "readOnly": [True],
    },
    "items": {
        "type": ["string", "number", "String", ["string"], None, ABSENT],
        "enum": [["a", "b"], [], ["a", "a"], ["a", None], None, ABSENT],
        "anyOf": [[{"const": "a", "title": "A"}], [], None, [None],
                  [{"const": "a"}], [{"const": "a", "title": "A"},
                                     {"const": "a", "title": "B"}], ABSENT],
        "oneOf": [[]], "const": ["a"], "$ref": ["#"], "items": [{}],
        "properties": [{}], "pattern": ["a"], "title": [None],
        "enumNames": [["A"], None], "minLength": [Lexeme("-1")],
        "format": ["password"],
    },
    "option": {"const": ["a", "b", "", None, ABSENT, Lexeme("1")],
               "title": ["A", "", None, ABSENT], "description": ["d", None]},
    "sampling_answer": {
        "role": ["user", "assistant", "system", None, ABSENT],
        "content": [ABSENT, None, [], {}, "x", [None], [[]],
                    [{"type": "text", "text": "a"}, {"type": "text",
                                                     "text": "b"}]],
        "model": ["m", "", ABSENT, None, []],
        "stopReason": ["endTurn", "maxTokens", "toolUse", "other", "", None,
                       Lexeme("1")],
        "_meta": META,
    },
    "elicitation_answer": {
        "action": ["accept", "decline", "cancel", "Accept", "", None, ABSENT],
        "content": [ABSENT, None, {}, [], "x", {"nobody": Lexeme("1")}],
        "_meta": META,
    },
    "roots_answer": {"roots": [ABSENT, None, [], {}, "x", [None], [[]], [{}]],
                     "_meta": META},
    "root": {"uri": FILE_URIS + [ABSENT, None, []],
             "name": ["n", "", None, []], "_meta": META},
    "error": {
        "code": [Lexeme(text) for text in (
            "-1 -1.0 -1e0 1 -32603 -32602 -32700 0 -0 9223372036854775808 "
            "1e400").split()] + [ABSENT, None, "-1"],
        "message": ["no", "", ABSENT, None, Lexeme("1")],
        "data": OFF_TYPE,
    },
}


# What a field of each type is most often asked about.
_EVERY_FIELD = ["type", "title", "description", "default"]
FIELD_NAMES = {
    "string": _EVERY_FIELD + ["format", "minLength", "maxLength", "enum",
                              "enumNames", "oneOf", "anyOf", "pattern"],
    "number": _EVERY_FIELD + ["minimum", "maximum", "exclusiveMinimum",
                              "exclusiveMaximum", "multipleOf"],
    "boolean": _EVERY_FIELD + ["enum", "oneOf"],
    "array": _EVERY_FIELD + ["items", "minItems", "maxItems", "uniqueItems",
                             "enum", "prefixItems"],
}
FIELD_NAMES["integer"] = FIELD_NAMES["number"]
