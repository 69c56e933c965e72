"""Content blocks: where they stand, and what each type must look like. Shared
by messages of a request and the content of an answer."""

import re

from strict_json import MISSING, Object, step


def is_text(value):
    return isinstance(value, str)


def is_filled_text(value):
    return isinstance(value, str) and value != ""


def is_present(value):
    return value is not MISSING


def content_elements(content, path):
    """(path, value) of what a message's content consists of."""
    if isinstance(content, list):
        for i, value in enumerate(content):
            yield path + step(i), value
    elif isinstance(content, Object):
        yield path, content


def has_type(block, *types):
    return isinstance(block, Object) and is_text(block.get("type")) and (
        block.get("type") in types)


def inner_elements(block, path):
    """(path, value) of what a tool_result holds."""
    if has_type(block, "tool_result") and isinstance(
            block.get("content"), list):
        for i, value in enumerate(block.get("content")):
            yield path + "/content" + step(i), value


def with_inner(elements):
    """(path, value, is_inner): each element, then what stands in it."""
    for path, value in elements:
        yield path, value, False
        for inner_path, inner in inner_elements(value, path):
            yield inner_path, inner, True


def blocks(elements):
    """The same, of those that are objects."""
    for path, value, inner in with_inner(elements):
        if isinstance(value, Object):
            yield path, value, inner


def block_is_object(elements):
    for path, value, _ in with_inner(elements):
        if not isinstance(value, Object):
            yield path


def block_type(elements, types, inner_types):
    for path, block, inner in blocks(elements):
        if not has_type(block, *(inner_types if inner else types)):
            yield path + "/type"


def block_annotations(elements):
    for path, block, _ in blocks(elements):
        for name in ("annotations", "_meta"):
            value = block.get(name)
            if is_present(value) and not isinstance(value, Object):
                yield path + step(name)


def text_is_text(elements):
    for path, block, _ in blocks(elements):
        if has_type(block, "text") and not is_text(block.get("text")):
            yield path + "/text"


_BASE64 = re.compile(r"(?:[A-Za-z0-9+/]{4})*"
                     r"(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?")


def is_base64(value):
    return is_text(value) and _BASE64.fullmatch(value) is not None


def binary_data(elements):
    for path, block, _ in blocks(elements):
        if has_type(block, "image", "audio") and not is_base64(
                block.get("data")):
            yield path + "/data"


_NAME = r"[A-Za-z0-9][A-Za-z0-9!#$&\-^_.+]*"
_MIME_TYPE = re.compile(_NAME + "/" + _NAME + r"(?: *;[\x20-\x7e]*)?")


def is_mime_type(value):
    return is_text(value) and len(value) <= 256 and (
        _MIME_TYPE.fullmatch(value) is not None)


def binary_mime_type(elements):
    for path, block, _ in blocks(elements):
        if has_type(block, "image", "audio") and not is_mime_type(
                block.get("mimeType")):
            yield path + "/mimeType"


def resource_link_shape(elements):
    for path, block, _ in blocks(elements):
        if has_type(block, "resource_link"):
            if not is_filled_text(block.get("uri")):
                yield path + "/uri"
            if not is_text(block.get("name")):
                yield path + "/name"


def resource_shape(elements):
    for path, block, _ in blocks(elements):
        if not has_type(block, "resource"):
            continue
        resource = block.get("resource")
        here = path + "/resource"
        if not isinstance(resource, Object):
            yield here
            continue
        if not is_filled_text(resource.get("uri")):
            yield here + "/uri"
        mime_type = resource.get("mimeType")
        if is_present(mime_type) and not is_text(mime_type):
            yield here + "/mimeType"
        text = resource.get("text")
        if is_present(text) and not is_text(text):
            yield here + "/text"
        if not is_present(text) and not is_base64(resource.get("blob")):
            yield here + "/blob"


def tool_use_shape(elements):
    for path, block, _ in blocks(elements):
        if not has_type(block, "tool_use"):
            continue
        if not is_filled_text(block.get("id")):
            yield path + "/id"
        if not is_filled_text(block.get("name")):
            yield path + "/name"
        if not isinstance(block.get("input"), Object):
            yield path + "/input"


def tool_result_shape(elements):
    for path, block, _ in blocks(elements):
        if not has_type(block, "tool_result"):
            continue
        if not is_filled_text(block.get("toolUseId")):
            yield path + "/toolUseId"
        if not isinstance(block.get("content"), list):
            yield path + "/content"
        is_error = block.get("isError")
        if is_present(is_error) and not isinstance(is_error, bool):
            yield path + "/isError"


def ids_unique(elements):
    """The paths of tool_use ids that stood before."""
    seen = set()
    for path, value in elements:
        if has_type(value, "tool_use") and is_text(value.get("id")):
            if value.get("id") in seen:
                yield path + "/id"
            seen.add(value.get("id"))
