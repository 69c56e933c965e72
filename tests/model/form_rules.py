"""The rules of elicitation/create requests: those of both modes, and forms.
The rules of URL mode are in url_rules.py."""

import credentials
from blocks import is_present, is_text
from case import NOV_2025
from fields import BOUNDS, TYPES, has_enum_names, is_size, misfits
from formats import FORMATS
from numbers_exact import exact, whole_number_between
from rule import (INVALID_REQUEST, NOT_REPRESENTABLE, PART_LACKING, PART_OFF,
                  RuleList)
from strict_json import MISSING, Number, Object, step

elicitation = RuleList(INVALID_REQUEST)
form = RuleList(INVALID_REQUEST)
representable = RuleList(NOT_REPRESENTABLE)

# What changes which answers are valid and is not evaluated.
UNEVALUATED = (
    "$ref $dynamicRef $recursiveRef allOf not if then else const "
    "dependentSchemas dependentRequired dependencies patternProperties "
    "propertyNames unevaluatedProperties unevaluatedItems minProperties "
    "maxProperties contains").split()


@elicitation("mode-known")
def mode_known(case):
    if case.params.get("mode") not in (MISSING, "form", "url"):
        yield "/mode"


def is_url_mode(case):
    return case.params.get("mode") == "url"


@elicitation("notified-is-url-mode")
def notified_is_url_mode(case):
    if case.notified and not is_url_mode(case):
        yield "/mode"


@elicitation("message-is-text")
def message_is_text(case):
    if not is_text(case.params.get("message")):
        yield "/message"


@form("form-declared", PART_LACKING)
def form_declared(case):
    if "elicitation.form" not in case.declared and (
            "elicitation.url" in case.declared):
        yield ""


SCHEMA = "/requestedSchema"


def schema_of(case):
    """The schema, or an empty one where it is none."""
    schema = case.params.get("requestedSchema")
    return schema if isinstance(schema, Object) else Object()


def properties_of(case):
    """The properties, or no object where there are none."""
    return schema_of(case).get("properties")


def all_fields(case):
    """(path, name, schema) of each property, in the order written."""
    properties = properties_of(case)
    if isinstance(properties, Object):
        for name, value in properties.members:
            yield SCHEMA + "/properties" + step(name), name, value


def fields_of(case, *types):
    """(path, schema) of those that are objects, of one of the types if any."""
    for path, _, field in all_fields(case):
        if isinstance(field, Object):
            if not types or field.get("type") in types:
                yield path, field


def can_carry_a_secret(field):
    return isinstance(field, Object) and not (
        field.has("enum") or field.has("oneOf")
        or field.get("type") in ("boolean", "array"))


@form("no-credential-fields", PART_OFF)
def no_credential_fields(case):
    for path, name, field in all_fields(case):
        if not can_carry_a_secret(field):
            continue
        if [case.upstream_name, name] in case.policy["allowFields"]:
            continue
        texts = [name, field.get("title"), field.get("format")]
        if any(is_text(text) and credentials.asks_for_credential(text)
               for text in texts):
            yield path


@form("form-stands-alone")
def form_stands_alone(case):
    if is_present(case.params.get("url")):
        yield "/url"


@form("schema-is-object")
def schema_is_object(case):
    if not isinstance(case.params.get("requestedSchema"), Object):
        yield SCHEMA


def has_schema(case):
    return isinstance(case.params.get("requestedSchema"), Object)


@form("schema-type")
def schema_type(case):
    if has_schema(case) and schema_of(case).get("type") != "object":
        yield SCHEMA + "/type"


@form("schema-properties")
def schema_properties(case):
    if has_schema(case) and not isinstance(properties_of(case), Object):
        yield SCHEMA + "/properties"


@form("schema-is-flat")
def schema_is_flat(case):
    for keyword in UNEVALUATED + ["oneOf", "anyOf", "enum"]:
        if schema_of(case).has(keyword):
            yield SCHEMA + step(keyword)


@form("schema-is-closed")
def schema_is_closed(case):
    value = schema_of(case).get("additionalProperties")
    if is_present(value) and value is not False:
        yield SCHEMA + "/additionalProperties"


@form("form-within-size")
def form_within_size(case):
    if len(list(all_fields(case))) > case.limits["formProperties"]:
        yield SCHEMA + "/properties"


@form("field-is-object")
def field_is_object(case):
    for path, _, field in all_fields(case):
        if not isinstance(field, Object):
            yield path


_UNEVALUATED_OF_TYPE = {
    "number": ["enum", "oneOf", "anyOf", "multipleOf"],
    "integer": ["enum", "oneOf", "anyOf", "multipleOf"],
    "boolean": ["enum", "oneOf", "anyOf"],
    "string": ["anyOf"],
    "array": ["enum", "oneOf", "anyOf", "prefixItems", "additionalItems"],
}


@form("field-evaluated")
def field_evaluated(case):
    for path, field in fields_of(case):
        own = field.get("type")
        keywords = UNEVALUATED + ["properties"]
        if is_text(own):
            keywords = keywords + _UNEVALUATED_OF_TYPE.get(own, [])
        for keyword in keywords:
            if field.has(keyword):
                yield path + step(keyword)
        if own == "string" and field.has("enum") and field.has("oneOf"):
            yield path + "/oneOf"
        items = field.get("items")
        if own == "array" and isinstance(items, Object):
            for keyword in UNEVALUATED + ["oneOf", "items", "properties"]:
                if items.has(keyword):
                    yield path + "/items" + step(keyword)
            if items.has("anyOf") and items.has("enum"):
                yield path + "/items/enum"


@form("field-annotations")
def field_annotations(case):
    for path, field in fields_of(case):
        for name in ("title", "description"):
            value = field.get(name)
            if is_present(value) and not is_text(value):
                yield path + step(name)


@form("field-type")
def field_type(case):
    for path, field in fields_of(case):
        if field.get("type") not in TYPES:
            yield path + "/type"


@form("array-in-revision")
def array_in_revision(case):
    if case.upstream < NOV_2025:
        for path, _ in fields_of(case, "array"):
            yield path + "/type"


@form("one-of-in-revision")
def one_of_in_revision(case):
    if case.upstream < NOV_2025:
        for path, field in fields_of(case, "string"):
            if field.has("oneOf"):
                yield path + "/oneOf"


@form("string-format")
def string_format(case):
    for path, field in fields_of(case, "string"):
        value = field.get("format")
        if is_present(value) and not (is_text(value) and value in FORMATS):
            yield path + "/format"


def sized_fields(case):
    for path, field in fields_of(case, "string", "array"):
        if field.get("type") == "string":
            yield path, field, "minLength", "maxLength"
        else:
            yield path, field, "minItems", "maxItems"


@form("sizes-are-whole")
def sizes_are_whole(case):
    for path, field, least, most in sized_fields(case):
        for name in (least, most):
            if field.has(name) and not is_size(field.get(name)):
                yield path + step(name)


@form("sizes-in-order")
def sizes_in_order(case):
    for path, field, least, most in sized_fields(case):
        low, high = field.get(least), field.get(most)
        if is_size(low) and is_size(high) and exact(low) > exact(high):
            yield path + step(least)


@form("unique-items")
def unique_items(case):
    for path, field in fields_of(case, "array"):
        value = field.get("uniqueItems")
        if is_present(value) and not isinstance(value, bool):
            yield path + "/uniqueItems"


@form("bounds-are-numbers")
def bounds_are_numbers(case):
    for path, field in fields_of(case, "number", "integer"):
        for name in BOUNDS:
            if field.has(name) and not isinstance(field.get(name), Number):
                yield path + step(name)


def leaves_room(field):
    """Whether some number of the field's type lies between its bounds."""
    def bounds(inclusive, exclusive):
        for name, is_open in ((inclusive, False), (exclusive, True)):
            if isinstance(field.get(name), Number):
                yield exact(field.get(name)), is_open
    for low, low_open in bounds("minimum", "exclusiveMinimum"):
        for high, high_open in bounds("maximum", "exclusiveMaximum"):
            if low > high or (low == high and (low_open or high_open)):
                return False
    lows = list(bounds("minimum", "exclusiveMinimum"))
    highs = list(bounds("maximum", "exclusiveMaximum"))
    if field.get("type") == "integer" and lows and highs:
        # The tightest of each side: of two alike the open one.
        low, high = max(lows), min(highs, key=lambda b: (b[0], not b[1]))
        return whole_number_between(*low, *high)
    return True


@form("bounds-leave-room")
def bounds_leave_room(case):
    for path, field in fields_of(case, "number", "integer"):
        if not leaves_room(field):
            yield path


def plain_options(case):
    """(path, value) of each enum of a choice or selection."""
    for path, field in fields_of(case, "string", "array"):
        holder = field
        if field.get("type") == "array":
            holder, path = field.get("items"), path + "/items"
        if isinstance(holder, Object) and holder.has("enum"):
            yield path + "/enum", holder.get("enum")


@form("options-are-strings")
def options_are_strings(case):
    for path, value in plain_options(case):
        if not isinstance(value, list) or not value:
            yield path
            continue
        for i, option in enumerate(value):
            if not is_text(option):
                yield path + step(i)


@form("options-are-unique")
def options_are_unique(case):
    for path, value in plain_options(case):
        for i, option in enumerate(value if isinstance(value, list) else []):
            if is_text(option) and option in value[:i]:
                yield path + step(i)


@form("enum-names")
def enum_names(case):
    for path, field in fields_of(case, "string"):
        if not (field.has("enum") and field.has("enumNames")):
            continue
        names, plain = field.get("enumNames"), field.get("enum")
        here = path + "/enumNames"
        if not isinstance(names, list):
            yield here
            continue
        if len(names) != (len(plain) if isinstance(plain, list) else 0):
            yield here
        for i, name in enumerate(names):
            if not is_text(name):
                yield here + step(i)


def titled_options(case):
    """(path, value) of each oneOf of a choice, anyOf of a selection."""
    for path, field in fields_of(case, "string", "array"):
        if field.get("type") == "string" and field.has("oneOf") and (
                not field.has("enum")):
            yield path + "/oneOf", field.get("oneOf")
        items = field.get("items")
        if field.get("type") == "array" and isinstance(items, Object):
            if items.has("anyOf") and not items.has("enum"):
                yield path + "/items/anyOf", items.get("anyOf")


@form("titled-options")
def titled_options_shape(case):
    for path, value in titled_options(case):
        if not isinstance(value, list) or not value:
            yield path
            continue
        for i, option in enumerate(value):
            if not isinstance(option, Object):
                yield path + step(i)
                continue
            for name in ("const", "title"):
                if not is_text(option.get(name)):
                    yield path + step(i) + step(name)


@form("titled-options-are-unique")
def titled_options_are_unique(case):
    for path, value in titled_options(case):
        seen = set()
        for i, option in enumerate(value if isinstance(value, list) else []):
            if isinstance(option, Object) and is_text(option.get("const")):
                if option.get("const") in seen:
                    yield path + step(i) + "/const"
                seen.add(option.get("const"))


@form("items-are-choices")
def items_are_choices(case):
    for path, field in fields_of(case, "array"):
        items = field.get("items")
        if not isinstance(items, Object):
            yield path + "/items"
            continue
        own = items.get("type")
        if is_present(own) and own != "string":
            yield path + "/items/type"
        if not items.has("anyOf"):
            if not is_present(own):
                yield path + "/items/type"
            if not items.has("enum"):
                yield path + "/items"


@form("default-fits")
def default_fits(case):
    for path, field in fields_of(case, *TYPES):
        if not field.has("default"):
            continue
        if case.upstream < NOV_2025 and field.get("type") != "boolean":
            continue
        for rest in misfits(field, field.get("default")):
            yield path + "/default" + rest


def required_names(case):
    required = schema_of(case).get("required")
    if isinstance(required, list):
        for i, name in enumerate(required):
            yield SCHEMA + "/required" + step(i), name


@form("required-is-array")
def required_is_array(case):
    required = schema_of(case).get("required")
    if is_present(required) and not isinstance(required, list):
        yield SCHEMA + "/required"
    for path, name in required_names(case):
        if not is_text(name):
            yield path


@form("required-names-exist")
def required_names_exist(case):
    properties = properties_of(case)
    if isinstance(properties, Object):
        for path, name in required_names(case):
            if is_text(name) and not properties.has(name):
                yield path


@form("required-is-unique")
def required_is_unique(case):
    seen = set()
    for path, name in required_names(case):
        if is_text(name):
            if name in seen:
                yield path
            seen.add(name)


@representable("select-representable")
def select_representable(case):
    if case.client < NOV_2025:
        for path, _ in fields_of(case, "array"):
            yield path


@representable("titles-representable")
def titles_representable(case):
    if case.client >= NOV_2025:
        return
    for path, field in fields_of(case, "string"):
        if not field.has("oneOf") or field.has("enum"):
            continue
        titled = field.get("oneOf")
        more = isinstance(titled, list) and any(
            isinstance(option, Object)
            and set(option.names()) - {"const", "title"} for option in titled)
        if more or has_enum_names(field):
            yield path
