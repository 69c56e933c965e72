"""Whether a field's name, title or format asks for a credential. Naive: fold
each character, split into words in several ways, look them up."""

import functools
import pathlib
import re
import string
import unicodedata

# The lists are data, and so the judge's own; what is done with them is not.
_LISTS = pathlib.Path(__file__).parents[2] / (
    "controlplane/trust/credential_words.h")


def listed(name):
    """The words of one list of the header."""
    source = _LISTS.read_text(encoding="utf-8")
    body = re.search(name + r" = \{(.*?)\};", source, re.DOTALL).group(1)
    return re.findall(r'string_view\("([^"]+)"\)', body)


WORDS = listed("kCredentialWords")
ENDS = tuple(listed("kCredentialEnds"))
STEMS = listed("kCredentialStems")
WHOLES = listed("kCredentialWholes")

# Letters of other scripts that look like Latin ones, and Latin ones whose
# stroke is no accent.
_LOOKALIKES = dict(zip("аеорсхуіѕјАВЕКМНОРСТХІЅЈӀткнвмєτ" "οαρεΑΒΕΖΗΙΚΜΝΟΡΤΥΧ" "łŁ",
                       "aeopcxyisjABEKMHOPCTXISJItkhbmet" "oapeABEZHIKMNOPTYX" "lL"))


def letters(text, of_latin_look):
    """The text without accents and invisible characters, signs as spaces."""
    out = []
    for character in text:
        for part in unicodedata.normalize("NFKD", character):
            category = unicodedata.category(part)
            if category[0] == "M" or category == "Cf":
                continue
            if of_latin_look:
                part = _LOOKALIKES.get(part, part)
            is_sign = ord(part) >= 0x80 and not (
                category[0] == "L" or category == "Nd")
            out.append(" " if is_sign else part)
    return "".join(out)


_WHOLE = re.compile(r"[^\W_]+")


def lower(text):
    """ASCII letters alone: the others are small already, or mean to be big."""
    return "".join(c.lower() if c < "\x80" else c for c in text)


# At a glance: what imitates a letter is read as it, alone and in pairs.
_GLANCE = str.maketrans("0 1 i | ! 3 4 @ 5 $ 7".replace(" ", ""), "olllleaasst")


def glance(text):
    out = ""
    for character in lower(text).translate(_GLANCE):
        if not character.isalnum():
            continue
        pair = {"rn": "m", "vv": "w", "cl": "d"}.get(out[-1:] + character)
        out = out[:-1] + pair if pair else out + character
    return out


_DIGITS = str.maketrans("013457", "oieast")


def is_one(word):
    read = word.translate(_DIGITS)
    return (word in WORDS or word.endswith(ENDS)
            or (len(read) > 3 or read in ("pin", "otp")) and read in WORDS)


def spelt(words):
    """What single letters in a row spell: P.I.N."""
    runs = "".join(w if len(w.encode()) == 1 else " " for w in words)
    return runs.split()


def camels(part):
    """apiKey, APIToken, cvv2; but 2fa is one word."""
    words = [""]
    for i, c in enumerate(part):
        before, after = part[i - 1:i], part[i + 1:i + 2]
        digit = c in string.digits and before not in string.digits
        capital = c in string.ascii_uppercase
        was_capital = before != "" and before in string.ascii_uppercase
        if i > 0 and (digit or capital and (
                not was_capital
                or after != "" and after in string.ascii_lowercase)):
            words.append("")
        words[-1] += c
    return words


def names_one_in(text):
    parts = _WHOLE.findall(text)
    whole = [lower(part) for part in parts]
    within = [lower(word) for part in parts for word in camels(part)]
    together = "".join(within)
    return (any(map(is_one, within)) or any(map(is_one, whole))
            or any(map(is_one, spelt(whole)))
            or ("2", "fa") in zip(within, within[1:])
            or together in WORDS or together in WHOLES
            or together.translate(_DIGITS) in WHOLES
            or any(stem in glance(text) for stem in STEM_GLANCES))


STEM_GLANCES = [glance(letters(stem, False).lower()) for stem in STEMS]


@functools.lru_cache(maxsize=4096)
def asks_for_credential(text):
    return ("\u202d" in text or "\u202e" in text
            or names_one_in(letters(text, True))
            or names_one_in("".join(c.lower() for c in letters(text, False))))
