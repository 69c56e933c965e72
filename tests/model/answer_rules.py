"""The rules of responses, judged against the request they answer."""

import blocks as content_blocks
import fields
from blocks import content_elements, has_type, is_filled_text, is_present
from blocks import is_text
from case import NOV_2025
from common_rules import reader_rule
from formats import is_file_uri
from rule import (INVALID_RESPONSE, NOT_REPRESENTABLE, RESPONSE_TOO_LARGE,
                  RuleList)
from strict_json import MISSING, Number, Object, step

reading = RuleList(INVALID_RESPONSE)
error = RuleList(INVALID_RESPONSE)
result = RuleList(INVALID_RESPONSE)
sampling = RuleList(INVALID_RESPONSE)
sampling_representable = RuleList(NOT_REPRESENTABLE)
action = RuleList(INVALID_RESPONSE)
form = RuleList(INVALID_RESPONSE)
roots = RuleList(INVALID_RESPONSE)


@reading("answer-is-one")
def answer_is_one(case):
    if case.oversized is None and (
            (case.result is None) == (case.error is None)):
        yield ""


@reading("answer-within-size", RESPONSE_TOO_LARGE)
def answer_within_size(case):
    if case.oversized is not None:
        yield ""
    elif len(case.raw) > case.limits["inputResponseBytes"]:
        yield ""


reading("answer-well-formed")(reader_rule("malformed"))
reading("answer-unicode")(reader_rule("unicode"))
reading("answer-unique-names")(reader_rule("duplicate"))
reading("answer-depth")(reader_rule("depth"))
reading("answer-count")(reader_rule("count"))


@error("error-is-object")
def error_is_object(case):
    if not isinstance(case.answer, Object):
        yield ""


def error_member(case, name):
    return case.answer.get(name) if isinstance(
        case.answer, Object) else MISSING


@error("error-code")
def error_code(case):
    code = error_member(case, "code")
    if isinstance(case.answer, Object) and not (
            isinstance(code, Number) and code.is_integer_lexeme()):
        yield "/code"


@error("error-message")
def error_message(case):
    if isinstance(case.answer, Object) and not is_text(
            error_member(case, "message")):
        yield "/message"


@result("answer-is-object")
def answer_is_object(case):
    if not isinstance(case.answer, Object):
        yield ""


def answer_meta(case):
    meta = case.answer.get("_meta")
    if is_present(meta) and not isinstance(meta, Object):
        yield "/_meta"


sampling("answer-meta")(answer_meta)
roots("answer-meta")(answer_meta)


@action("answer-meta")
def accepted_meta(case):
    # In URL mode only the action is delivered, and nothing else looked at.
    if case.request.get("mode") != "url":
        if case.answer.get("action") == "accept":
            yield from answer_meta(case)


@sampling("answer-role")
def answer_role(case):
    if case.answer.get("role") not in ("user", "assistant"):
        yield "/role"


@sampling("answer-content")
def answer_content(case):
    if not isinstance(case.answer.get("content"), (Object, list)):
        yield "/content"


@sampling("answer-content-single")
def answer_content_single(case):
    if case.client < NOV_2025 and isinstance(case.answer.get("content"), list):
        yield "/content"


@sampling("answer-content-not-empty")
def answer_content_not_empty(case):
    if case.answer.get("content") == []:
        yield "/content"


def elements(case):
    return content_elements(case.answer.get("content"), "/content")


@sampling("answer-block-is-object")
def answer_block_is_object(case):
    yield from content_blocks.block_is_object(elements(case))


@sampling("answer-block-type")
def answer_block_type(case):
    types = ["text", "image", "audio"]
    if case.client >= NOV_2025:
        types += ["tool_use", "tool_result"]
    inner = ("text", "image", "audio", "resource_link", "resource")
    yield from content_blocks.block_type(elements(case), types, inner)


def shape_rule(name, function):
    sampling(name)(lambda case: function(elements(case)))


shape_rule("answer-block-annotations", content_blocks.block_annotations)
shape_rule("answer-text", content_blocks.text_is_text)
shape_rule("answer-binary-data", content_blocks.binary_data)
shape_rule("answer-binary-mime-type", content_blocks.binary_mime_type)
shape_rule("answer-tool-use-shape", content_blocks.tool_use_shape)


@sampling("answer-holds-no-tool-result")
def answer_holds_no_tool_result(case):
    # Before, it is a type that the revision does not know.
    if case.client >= NOV_2025:
        for path, block in elements(case):
            if has_type(block, "tool_result"):
                yield path


@sampling("answer-model")
def answer_model(case):
    if not is_filled_text(case.answer.get("model")):
        yield "/model"


@sampling("answer-stop-reason")
def answer_stop_reason(case):
    reason = case.answer.get("stopReason")
    if is_present(reason) and not is_text(reason):
        yield "/stopReason"


def tool_uses(case):
    return [(path, block) for path, block in elements(case)
            if has_type(block, "tool_use")]


@sampling("answer-tool-use-by-assistant")
def answer_tool_use_by_assistant(case):
    if tool_uses(case) and case.answer.get("role") != "assistant":
        yield "/role"


@sampling("answer-tool-use-ids-unique")
def answer_tool_use_ids_unique(case):
    yield from content_blocks.ids_unique(elements(case))


def carried_tools(case):
    return case.request.has("tools") or case.request.has("toolChoice")


@sampling("answer-tools-were-carried")
def answer_tools_were_carried(case):
    if carried_tools(case):
        return
    for path, _ in tool_uses(case):
        yield path
    if case.answer.get("stopReason") == "toolUse":
        yield "/stopReason"


@sampling("answer-tools-were-offered")
def answer_tools_were_offered(case):
    if not carried_tools(case):
        return
    tools = case.request.get("tools")
    offered = [tool.get("name") for tool in tools] if isinstance(
        tools, list) else []
    for path, block in tool_uses(case):
        if is_text(block.get("name")) and block.get("name") not in offered:
            yield path + "/name"


def choice_mode(case):
    choice = case.request.get("toolChoice")
    return choice.get("mode") if isinstance(choice, Object) else MISSING


@sampling("answer-choice-none")
def answer_choice_none(case):
    if choice_mode(case) == "none":
        for path, _ in tool_uses(case):
            yield path


@sampling("answer-choice-required")
def answer_choice_required(case):
    if choice_mode(case) == "required" and not tool_uses(case):
        if case.answer.get("stopReason") != "maxTokens":
            yield "/content"


@sampling_representable("answer-representable")
def answer_representable(case):
    content = case.answer.get("content")
    if case.upstream < NOV_2025 and isinstance(content, list):
        if len(content) != 1:
            yield "/content"


@action("answer-action")
def answer_action(case):
    if case.answer.get("action") not in ("accept", "decline", "cancel"):
        yield "/action"


@form("answer-content-is-object")
def answer_content_is_object(case):
    content = case.answer.get("content")
    if is_present(content) and not isinstance(content, Object):
        yield "/content"


def asked_fields(case):
    return case.request.get("requestedSchema").get("properties")


def values(case):
    """(path, name, value) of what was filled in."""
    content = case.answer.get("content")
    if isinstance(content, Object):
        for name, value in content.members:
            yield "/content" + step(name), name, value


@form("answer-fields-required")
def answer_fields_required(case):
    content = case.answer.get("content")
    required = case.request.get("requestedSchema").get("required")
    if required is MISSING or not isinstance(
            content, (Object, type(MISSING))):
        return
    given = {name for _, name, _ in values(case)}
    for name in asked_fields(case).names():
        if name in required and name not in given:
            if content is MISSING:
                yield "/content"
            yield "/content" + step(name)


@form("answer-fields-known")
def answer_fields_known(case):
    for path, name, _ in values(case):
        if not asked_fields(case).has(name):
            yield path


def value_rule(name, check):
    @form(name)
    def objections(case):
        for path, field_name, value in values(case):
            field = asked_fields(case).get(field_name)
            if isinstance(field, Object):
                for rest in check(field, value):
                    yield path + rest


value_rule("answer-value-type", fields.wrong_type)
value_rule("answer-value-size", fields.wrong_size)
value_rule("answer-value-format", fields.wrong_format)
value_rule("answer-value-option", fields.wrong_option)
value_rule("answer-value-bounds", fields.out_of_bounds)
value_rule("answer-selection-size", fields.wrong_selection_size)
value_rule("answer-selection-options", fields.wrong_selection_options)
value_rule("answer-selection-unique", fields.selected_twice)


@roots("answer-roots")
def answer_roots(case):
    if not isinstance(case.answer.get("roots"), list):
        yield "/roots"


def all_roots(case):
    value = case.answer.get("roots")
    if isinstance(value, list):
        for i, root in enumerate(value):
            yield "/roots" + step(i), root


def roots_of(case):
    for path, root in all_roots(case):
        if isinstance(root, Object):
            yield path, root


@roots("answer-root-is-object")
def answer_root_is_object(case):
    for path, root in all_roots(case):
        if not isinstance(root, Object):
            yield path


@roots("answer-root-uri")
def answer_root_uri(case):
    for path, root in roots_of(case):
        if not is_text(root.get("uri")):
            yield path + "/uri"


@roots("answer-root-file-uri")
def answer_root_file_uri(case):
    for path, root in roots_of(case):
        if is_text(root.get("uri")) and not is_file_uri(root.get("uri")):
            yield path + "/uri"


@roots("answer-root-name")
def answer_root_name(case):
    for path, root in roots_of(case):
        name = root.get("name")
        if is_present(name) and not is_text(name):
            yield path + "/name"


@roots("answer-root-meta")
def answer_root_meta(case):
    for path, root in roots_of(case):
        meta = root.get("_meta")
        if is_present(meta) and not isinstance(meta, Object):
            yield path + "/_meta"
