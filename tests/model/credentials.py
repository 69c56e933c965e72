"""Whether a field's name, title or format asks for a credential. Naive: fold
each character, split into words, look them up."""

import functools
import pathlib
import re
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
STEMS = listed("kCredentialStems")
WHOLES = listed("kCredentialWholes")

# Letters of other scripts that look like Latin ones, and Latin ones whose
# stroke is no accent.
_LOOKALIKES = dict(zip("аеорсхуіѕјАВЕКМНОРСТХІЅЈ" "οαρΑΒΕΖΗΙΚΜΝΟΡΤΥΧ" "łŁ",
                       "aeopcxyisjABEKMHOPCTXISJ" "oapABEZHIKMNOPTYX" "lL"))


def plain(text):
    """The text in plain Latin letters, as far as it looks like them."""
    letters = []
    for character in unicodedata.normalize("NFKD", text):
        if unicodedata.category(character) in ("Mn", "Me", "Cf"):
            continue
        letters.append(_LOOKALIKES.get(character, character))
    return "".join(letters)


_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+|[^\W\d_A-Za-z]+")


@functools.lru_cache(maxsize=4096)
def words(text):
    return [word.lower() for word in _WORD.findall(plain(text))]


def contains_words(found, word):
    """Whether `found` has the words that `word` falls into: 2fa is 2 and fa."""
    parts = words(word)
    return any(found[i:i + len(parts)] == parts for i in range(len(found)))


def asks_for_credential(text):
    found = words(text)
    together = "".join(found)
    # p4ssw0rd: digits in the place of letters.
    spelt = together.translate(str.maketrans("013457", "oieast"))
    stems = ["".join(words(stem)) for stem in STEMS]
    return (any(contains_words(found, word) for word in WORDS)
            or any(stem in together or stem in spelt for stem in stems)
            or together in WHOLES)
