#include <algorithm>

#include "shared/json/json.h"
#include "shared/mcp/envelope.h"

namespace gatehouse::mcp {
namespace {

// Opens a message and writes `jsonrpc` and, unless it is empty, the id.
void Start(json::Writer& writer, std::string_view id) {
  writer.StartObject().Name("jsonrpc").String("2.0");
  if (!id.empty()) writer.Name("id").Raw(id);
}

void OptionalMember(json::Writer& writer, std::string_view name,
                    std::string_view raw) {
  if (!raw.empty()) writer.Name(name).Raw(raw);
}

// What follows `jsonrpc` and the id in a message that Start has begun.
std::string_view AfterId(std::string_view message) {
  constexpr std::string_view kHead = R"({"jsonrpc":"2.0")";
  constexpr std::string_view kId = R"(,"id":)";
  message.remove_prefix(
      std::min(message.find_first_not_of(' '), message.size()));
  if (!message.starts_with(kHead)) return {};
  message.remove_prefix(kHead.size());
  if (!message.starts_with(kId)) return message;
  message.remove_prefix(kId.size());
  // A lexeme ends at its comma; a string's may hold others, and escapes.
  const bool is_string = message.starts_with('"');
  size_t end = is_string ? 1 : 0;
  const char last = is_string ? '"' : ',';
  while (end < message.size() && message[end] != last) {
    end += message[end] == '\\' ? 2 : 1;
  }
  end = std::min(end + (is_string ? 1 : 0), message.size());
  return message.substr(end);
}

}  // namespace

std::string RequestMessage(std::string_view id, std::string_view method,
                           std::string_view params) {
  json::Writer writer;
  Start(writer, id);
  writer.Name("method").String(method);
  OptionalMember(writer, "params", params);
  return writer.EndObject().Take();
}

std::string NotificationMessage(std::string_view method,
                                std::string_view params) {
  return RequestMessage(/*id=*/"", method, params);
}

std::string ResultMessage(std::string_view id, std::string_view result) {
  json::Writer writer;
  Start(writer, id);
  writer.Name("result").Raw(result);
  return writer.EndObject().Take();
}

std::string IntoResultMessage(std::string_view id, std::string result) {
  constexpr std::string_view kPlaceholder = "{}";
  std::string head = ResultMessage(id, kPlaceholder);
  head.resize(head.size() - kPlaceholder.size() - 1);  // and the end's brace
  const size_t blanks = std::min(result.find_first_not_of(' '), result.size());
  if (blanks >= head.size()) {
    result.replace(blanks - head.size(), head.size(), head);
  } else {
    result.replace(0, blanks, head);
  }
  result.push_back('}');
  return result;
}

std::string ErrorMessage(std::string_view id, int32_t code,
                         std::string_view message, std::string_view data) {
  json::Writer error;
  error.StartObject().Name("code").Integer(code);
  error.Name("message").String(message);
  OptionalMember(error, "data", data);
  return RawErrorMessage(id, error.EndObject().Take());
}

std::string RawErrorMessage(std::string_view id, std::string_view error) {
  json::Writer writer;
  Start(writer, id);
  writer.Name("error").Raw(error);
  return writer.EndObject().Take();
}

bool IsResponse(std::string_view message) {
  const std::string_view rest = AfterId(message);
  return rest.starts_with(R"(,"result":)") || rest.starts_with(R"(,"error":)");
}

bool IsErrorResponse(std::string_view message) {
  return AfterId(message).starts_with(R"(,"error":)");
}

}  // namespace gatehouse::mcp
