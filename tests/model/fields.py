"""A form's fields: what kind they are and which values fit them. Used for the
defaults of a form and for the answers to it."""

from blocks import is_present, is_text
from formats import FORMATS
from numbers_exact import exact
from strict_json import Number, Object

TYPES = ("string", "number", "integer", "boolean", "array")
BOUNDS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")


def options(field):
    """The strings of a choice or selection; None if the field is neither. A
    choice whose list is none has no options."""
    if field.get("type") == "array":
        items = field.get("items")
        if not isinstance(items, Object):
            return []
        plain, titled = items.get("enum"), items.get("anyOf")
    elif field.get("type") == "string" and (
            field.has("enum") or field.has("oneOf")):
        plain, titled = field.get("enum"), field.get("oneOf")
    else:
        return None
    if is_present(plain):
        return [option for option in as_list(plain) if is_text(option)]
    return [option.get("const") for option in as_list(titled)
            if isinstance(option, Object) and is_text(option.get("const"))]


def as_list(value):
    return value if isinstance(value, list) else []


def size_limit(field, name):
    """minLength and the like, where it is what it should be; else None."""
    value = field.get(name)
    within = isinstance(value, Number) and value.is_integer_lexeme() and (
        -2**63 <= exact(value) <= 2**63 - 1)
    return exact(value) if within else None


def is_size(value):
    return isinstance(value, Number) and value.is_integer_lexeme() and (
        0 <= exact(value) <= 2**63 - 1)


def size_is_wrong(field, size, least, most):
    low, high = size_limit(field, least), size_limit(field, most)
    return (low is not None and size < low) or (
        high is not None and size > high)


def wrong_type(field, value):
    """Yields "" or the step of the element that is not of the field's type."""
    kind = field.get("type")
    if kind == "string" and not is_text(value):
        yield ""
    elif kind == "number" and not isinstance(value, Number):
        yield ""
    elif kind == "integer" and not (
            isinstance(value, Number) and value.is_integer_lexeme()):
        yield ""
    elif kind == "boolean" and not isinstance(value, bool):
        yield ""
    elif kind == "array":
        if not isinstance(value, list):
            yield ""
            return
        for i, element in enumerate(value):
            if not is_text(element):
                yield f"/{i}"


def wrong_size(field, value):
    if field.get("type") == "string" and is_text(value):
        if size_is_wrong(field, len(value), "minLength", "maxLength"):
            yield ""


def wrong_format(field, value):
    if field.get("type") == "string" and is_text(value):
        check = FORMATS.get(field.get("format")) if is_text(
            field.get("format")) else None
        if check is not None and not check(value):
            yield ""


def wrong_option(field, value):
    if field.get("type") == "string" and is_text(value):
        known = options(field)
        if known is not None and value not in known:
            yield ""


def out_of_bounds(field, value):
    if field.get("type") not in ("number", "integer"):
        return
    if not isinstance(value, Number):
        return
    for name in BOUNDS:
        bound = field.get(name)
        if not isinstance(bound, Number):
            continue
        number, limit = exact(value), exact(bound)
        within = {"minimum": number >= limit, "maximum": number <= limit,
                  "exclusiveMinimum": number > limit,
                  "exclusiveMaximum": number < limit}
        if not within[name]:
            yield ""


def wrong_selection_size(field, value):
    if field.get("type") == "array" and isinstance(value, list):
        if size_is_wrong(field, len(value), "minItems", "maxItems"):
            yield ""


def wrong_selection_options(field, value):
    if field.get("type") == "array" and isinstance(value, list):
        known = options(field)
        for i, element in enumerate(value):
            if is_text(element) and known is not None and element not in known:
                yield f"/{i}"


def selected_twice(field, value):
    if field.get("type") == "array" and isinstance(value, list):
        if field.get("uniqueItems") is True:
            for i, element in enumerate(value):
                if is_text(element) and element in value[:i]:
                    yield f"/{i}"


VALUE_RULES = [wrong_type, wrong_size, wrong_format, wrong_option,
               out_of_bounds, wrong_selection_size, wrong_selection_options,
               selected_twice]


def misfits(field, value):
    """The rules above in their order: "", or the step of an element."""
    for rule in VALUE_RULES:
        yield from rule(field, value)


def has_enum_names(field):
    return is_present(field.get("enumNames"))
