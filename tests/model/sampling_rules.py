"""The rules of sampling/createMessage requests."""

import blocks as content_blocks
from blocks import (content_elements, has_type, is_filled_text, is_present,
                    is_text)
from case import NOV_2025
from numbers_exact import ONE, ZERO, exact
from rule import (INVALID_REQUEST, NOT_REPRESENTABLE, OVER_BUDGET,
                  PART_LACKING, PART_OFF, RuleList)
from strict_json import MISSING, Number, Object, step

sampling = RuleList(INVALID_REQUEST)
representable = RuleList(NOT_REPRESENTABLE)


def tool_members(case):
    for name in ("tools", "toolChoice"):
        if case.params.has(name):
            yield step(name)


@sampling("tools-permitted", PART_OFF)
def tools_permitted(case):
    if not case.policy["allowTools"]:
        yield from tool_members(case)


@sampling("tools-declared", PART_LACKING)
def tools_declared(case):
    if "sampling.tools" not in case.declared:
        yield from tool_members(case)


@sampling("tools-in-revision")
def tools_in_revision(case):
    if case.upstream < NOV_2025:
        yield from tool_members(case)


@sampling("context-not-included", PART_OFF)
def context_not_included(case):
    if case.params.get("includeContext") not in (MISSING, "none"):
        yield "/includeContext"


@sampling("messages-present")
def messages_present(case):
    messages = case.params.get("messages")
    if not isinstance(messages, list) or not messages:
        yield "/messages"


def all_messages(case):
    messages = case.params.get("messages")
    if isinstance(messages, list):
        for i, message in enumerate(messages):
            yield "/messages" + step(i), message


def messages_of(case):
    for path, message in all_messages(case):
        if isinstance(message, Object):
            yield path, message


@sampling("message-is-object")
def message_is_object(case):
    for path, message in all_messages(case):
        if not isinstance(message, Object):
            yield path


@sampling("message-role")
def message_role(case):
    for path, message in messages_of(case):
        if message.get("role") not in ("user", "assistant"):
            yield path + "/role"


@sampling("message-meta")
def message_meta(case):
    for path, message in messages_of(case):
        meta = message.get("_meta")
        if is_present(meta) and not isinstance(meta, Object):
            yield path + "/_meta"


@sampling("message-content")
def message_content(case):
    for path, message in messages_of(case):
        if not isinstance(message.get("content"), (Object, list)):
            yield path + "/content"


@sampling("content-single")
def content_single(case):
    if case.upstream >= NOV_2025:
        return
    for path, message in messages_of(case):
        if isinstance(message.get("content"), list):
            yield path + "/content"


@sampling("content-not-empty")
def content_not_empty(case):
    for path, message in messages_of(case):
        if message.get("content") == []:
            yield path + "/content"


def elements(message, path):
    return content_elements(message.get("content"), path + "/content")


def all_elements(case):
    for path, message in messages_of(case):
        yield from elements(message, path)


@sampling("block-is-object")
def block_is_object(case):
    yield from content_blocks.block_is_object(all_elements(case))


INNER_TYPES = ("text", "image", "audio", "resource_link", "resource")


@sampling("block-type")
def block_type(case):
    types = ["text", "image", "audio"]
    if case.upstream >= NOV_2025:
        types += ["tool_use", "tool_result"]
    yield from content_blocks.block_type(
        all_elements(case), types, INNER_TYPES)


def shape_rule(name, function):
    sampling(name)(lambda case: function(all_elements(case)))


shape_rule("block-annotations", content_blocks.block_annotations)
shape_rule("text-is-text", content_blocks.text_is_text)
shape_rule("binary-data", content_blocks.binary_data)
shape_rule("binary-mime-type", content_blocks.binary_mime_type)
shape_rule("resource-link-shape", content_blocks.resource_link_shape)
shape_rule("resource-shape", content_blocks.resource_shape)
shape_rule("tool-use-shape", content_blocks.tool_use_shape)
shape_rule("tool-result-shape", content_blocks.tool_result_shape)


def structured_contents(case):
    for path, block in all_elements(case):
        if has_type(block, "tool_result"):
            if is_present(block.get("structuredContent")):
                yield (path + "/structuredContent",
                       block.get("structuredContent"))


@sampling("structured-content-shape")
def structured_content_shape(case):
    if case.upstream <= NOV_2025:
        for path, value in structured_contents(case):
            if not isinstance(value, Object):
                yield path


def has_block(message, *types):
    return any(has_type(block, *types) for _, block in elements(message, ""))


@sampling("tool-use-by-assistant")
def tool_use_by_assistant(case):
    for path, message in messages_of(case):
        if has_block(message, "tool_use") and (
                message.get("role") != "assistant"):
            yield path + "/role"


@sampling("tool-use-ids-unique")
def tool_use_ids_unique(case):
    for path, message in messages_of(case):
        yield from content_blocks.ids_unique(elements(message, path))


@sampling("tool-result-by-user")
def tool_result_by_user(case):
    for path, message in messages_of(case):
        if has_block(message, "tool_result") and message.get("role") != "user":
            yield path + "/role"


@sampling("tool-results-alone")
def tool_results_alone(case):
    for path, message in messages_of(case):
        if not has_block(message, "tool_result"):
            continue
        for block_path, block in elements(message, path):
            if isinstance(block, Object) and is_filled_text(
                    block.get("type")):
                if block.get("type") != "tool_result":
                    yield block_path


def named_ids(message, block_type, member):
    """[(path of the block within the message, id)]"""
    if not isinstance(message, Object):
        return []
    return [(path, block.get(member)) for path, block in elements(message, "")
            if has_type(block, block_type) and is_text(block.get(member))]


@sampling("tool-results-answer")
def tool_results_answer(case):
    before = None
    for path, message in messages_of(case):
        open_ids = {id for _, id in named_ids(before, "tool_use", "id")}
        for block_path, id in named_ids(message, "tool_result", "toolUseId"):
            if id not in open_ids:
                yield path + block_path + "/toolUseId"
            open_ids.discard(id)
        before = message


@sampling("tool-uses-answered")
def tool_uses_answered(case):
    everything = list(messages_of(case))
    for i, (path, message) in enumerate(everything):
        asked = {id for _, id in named_ids(message, "tool_use", "id")}
        last = i + 1 == len(everything)
        next_path, following = (path, None) if last else everything[i + 1]
        answered = {
            id for _, id in named_ids(following, "tool_result", "toolUseId")}
        if asked - answered:
            yield next_path


@sampling("max-tokens-present")
def max_tokens_present(case):
    if not case.params.has("maxTokens"):
        yield "/maxTokens"


def whole_max_tokens(case):
    """maxTokens if it is an integer lexeme, else None."""
    value = case.params.get("maxTokens")
    if isinstance(value, Number) and value.is_integer_lexeme():
        return exact(value)
    return None


@sampling("max-tokens-whole")
def max_tokens_whole(case):
    if case.params.has("maxTokens") and whole_max_tokens(case) is None:
        yield "/maxTokens"


@sampling("max-tokens-positive")
def max_tokens_positive(case):
    value = whole_max_tokens(case)
    if value is not None and value < ONE:
        yield "/maxTokens"


@sampling("max-tokens-within-limit", OVER_BUDGET)
def max_tokens_within_limit(case):
    value = whole_max_tokens(case)
    if value is not None and value > case.limits["samplingTokensPerRequest"]:
        yield "/maxTokens"


@sampling("tools-are-array")
def tools_are_array(case):
    tools = case.params.get("tools")
    if is_present(tools) and not isinstance(tools, list):
        yield "/tools"


def all_tools(case):
    tools = case.params.get("tools")
    if isinstance(tools, list):
        for i, tool in enumerate(tools):
            yield "/tools" + step(i), tool


def tools_of(case):
    for path, tool in all_tools(case):
        if isinstance(tool, Object):
            yield path, tool


@sampling("tool-is-object")
def tool_is_object(case):
    for path, tool in all_tools(case):
        if not isinstance(tool, Object):
            yield path


@sampling("tool-name")
def tool_name(case):
    for path, tool in tools_of(case):
        name = tool.get("name")
        if not is_filled_text(name) or len(name.encode("utf-8")) > 256:
            yield path + "/name"


@sampling("tool-description")
def tool_description(case):
    for path, tool in tools_of(case):
        description = tool.get("description")
        if is_present(description) and not is_text(description):
            yield path + "/description"


@sampling("tool-schemas")
def tool_schemas(case):
    for path, tool in tools_of(case):
        if not isinstance(tool.get("inputSchema"), Object):
            yield path + "/inputSchema"
        output = tool.get("outputSchema")
        if is_present(output) and not isinstance(output, Object):
            yield path + "/outputSchema"


@sampling("tool-choice")
def tool_choice(case):
    choice = case.params.get("toolChoice")
    if not is_present(choice):
        return
    if not isinstance(choice, Object):
        yield "/toolChoice"
    elif choice.get("mode") not in (MISSING, "auto", "required", "none"):
        yield "/toolChoice/mode"


@sampling("preferences-are-object")
def preferences_are_object(case):
    preferences = case.params.get("modelPreferences")
    if is_present(preferences) and not isinstance(preferences, Object):
        yield "/modelPreferences"


def preference(case, name):
    preferences = case.params.get("modelPreferences")
    if not isinstance(preferences, Object):
        return MISSING
    return preferences.get(name)


@sampling("priorities")
def priorities(case):
    for name in ("costPriority", "speedPriority", "intelligencePriority"):
        value = preference(case, name)
        if not is_present(value):
            continue
        if not isinstance(value, Number) or not ZERO <= exact(value) <= ONE:
            yield "/modelPreferences/" + name


@sampling("hints")
def hints(case):
    value = preference(case, "hints")
    if not is_present(value):
        return
    path = "/modelPreferences/hints"
    if not isinstance(value, list):
        yield path
        return
    for i, hint in enumerate(value):
        if not isinstance(hint, Object):
            yield path + step(i)
        elif is_present(hint.get("name")) and not is_text(hint.get("name")):
            yield path + step(i) + "/name"


def of_kind(name, kind):
    """A member that may be absent, or else is of that kind."""
    def objections(case):
        value = case.params.get(name)
        if is_present(value) and not isinstance(value, kind):
            yield step(name)
    return objections


sampling("system-prompt")(of_kind("systemPrompt", str))
sampling("metadata-is-object")(of_kind("metadata", Object))
sampling("temperature")(of_kind("temperature", Number))


@sampling("stop-sequences")
def stop_sequences(case):
    value = case.params.get("stopSequences")
    if not is_present(value):
        return
    if not isinstance(value, list):
        yield "/stopSequences"
        return
    for i, sequence in enumerate(value):
        if not is_text(sequence):
            yield "/stopSequences" + step(i)


@representable("content-representable")
def content_representable(case):
    if case.client >= NOV_2025:
        return
    for path, message in messages_of(case):
        content = message.get("content")
        if isinstance(content, list) and len(content) != 1:
            yield path + "/content"
        for block_path, block in elements(message, path):
            if has_type(block, "tool_use", "tool_result"):
                yield block_path


@representable("structured-content-representable")
def structured_content_representable(case):
    if case.client == NOV_2025:
        for path, value in structured_contents(case):
            if not isinstance(value, Object):
                yield path
