#include "tools/gatehousectl/mcp/answers.h"

#include <cstdio>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "shared/base/status.h"
#include "shared/json/json.h"
#include "tools/gatehousectl/mcp/form.h"
#include "tools/gatehousectl/output.h"

namespace gatehouse::ctl {
namespace {

// The code of the specification's example for a user who rejects.
constexpr int32_t kUserRejected = -1;
constexpr std::string_view kWithdrawnText =
    "\n(withdrawn: nobody waits for this answer any more)\n";

// Asks for one field until what is typed fits. Empty: the property is left out.
enum class Filled { kYes, kEnd, kWithdrawn };
Filled FillField(Terminal& terminal, const FormField& field,
                 const std::function<bool()>& withdrawn, std::string* value) {
  terminal.Print(FieldText(field));
  for (;;) {
    std::string typed;
    switch (terminal.ReadLine("> ", withdrawn, &typed)) {
      case Terminal::Read::kWithdrawn:
        return Filled::kWithdrawn;
      case Terminal::Read::kEnd:
        return Filled::kEnd;
      case Terminal::Read::kLine:
        break;
    }
    auto read = ReadField(field, typed);
    if (read.ok()) {
      *value = *std::move(read);
      return Filled::kYes;
    }
    terminal.Print(absl::StrCat("  ", read.status().message(), "\n"));
  }
}

// The form's `content`, or how asking for it ended.
Filled FillForm(Terminal& terminal, const std::vector<FormField>& fields,
                const std::function<bool()>& withdrawn, std::string* content) {
  json::Writer out;
  out.StartObject();
  for (const FormField& field : fields) {
    std::string value;
    const Filled filled = FillField(terminal, field, withdrawn, &value);
    if (filled != Filled::kYes) {
      return filled;
    }
    if (!value.empty()) out.Name(field.name).Raw(value);
  }
  *content = out.EndObject().Take();
  return Filled::kYes;
}

// A completion of several lines, up to one with a dot alone.
Filled ReadCompletion(Terminal& terminal,
                      const std::function<bool()>& withdrawn,
                      std::string* text) {
  terminal.Print("Type the completion; a line with a dot alone ends it.\n");
  for (;;) {
    std::string line;
    switch (terminal.ReadLine("> ", withdrawn, &line)) {
      case Terminal::Read::kWithdrawn:
        return Filled::kWithdrawn;
      case Terminal::Read::kEnd:
        return Filled::kEnd;
      case Terminal::Read::kLine:
        break;
    }
    if (line == ".") return Filled::kYes;
    if (!text->empty()) text->push_back('\n');
    text->append(line);
  }
}

std::string CompletionResult(std::string_view text) {
  json::Writer out;
  out.StartObject().Name("role").String("assistant");
  out.Name("content").StartObject().Name("type").String("text");
  out.Name("text").String(text).EndObject();
  out.Name("model").String("a person at gatehousectl call");
  out.Name("stopReason").String("endTurn");
  return out.EndObject().Take();
}

std::string Rejected(std::string_view id) {
  return mcp::ErrorMessage(id, kUserRejected, "User rejected sampling request",
                           "");
}

std::string FormResult(std::string_view id, std::string_view action) {
  return mcp::ResultMessage(
      id, absl::StrCat("{\"action\":\"", ToAbsl(action), "\"}"));
}

}  // namespace

std::string Answers::Capabilities() const {
  json::Writer out;
  out.StartObject();
  if (terminal_ != nullptr) {
    out.Name("sampling").Raw("{}").Name("elicitation").Raw(R"({"form":{}})");
  }
  if (!roots_.empty()) out.Name("roots").Raw("{}");
  return out.EndObject().Take();
}

std::optional<std::string> Answers::Answer(const mcp::Envelope& request,
                                           const Ended& withdrawn) {
  if (request.method == "ping") return mcp::ResultMessage(request.id, "{}");
  if (request.method == "roots/list" && !roots_.empty()) {
    return AnswerRoots(request);
  }
  if (terminal_ != nullptr && request.method == "sampling/createMessage") {
    return AnswerSampling(request, withdrawn);
  }
  if (terminal_ != nullptr && request.method == "elicitation/create") {
    return AnswerForm(request, withdrawn);
  }
  return mcp::ErrorMessage(
      request.id, mcp::kMethodNotFound,
      absl::StrCat(request.method, ": not answered by this client"), "");
}

std::optional<char> Answers::Choose(std::string_view prompt,
                                    std::string_view choices, char at_end,
                                    const Ended& withdrawn) {
  for (;;) {
    std::string typed;
    switch (terminal_->ReadLine(prompt, withdrawn, &typed)) {
      case Terminal::Read::kWithdrawn:
        terminal_->Print(kWithdrawnText);
        return std::nullopt;
      case Terminal::Read::kEnd:
        return at_end;
      case Terminal::Read::kLine:
        break;
    }
    const char letter =
        typed.empty()
            ? '\0'
            : absl::ascii_tolower(static_cast<unsigned char>(typed.front()));
    if (letter != '\0' && choices.find(letter) != std::string_view::npos) {
      return letter;
    }
  }
}

std::optional<std::string> Answers::AnswerSampling(const mcp::Envelope& request,
                                                   const Ended& withdrawn) {
  terminal_->DropTyped();
  terminal_->Print(absl::StrCat("\n", SamplingText(request.params)));
  const auto choice = Choose("[a]nswer or [d]ecline? ", "ad", 'd', withdrawn);
  if (!choice.has_value()) return std::nullopt;
  if (*choice == 'd') return Rejected(request.id);
  std::string text;
  switch (ReadCompletion(*terminal_, withdrawn, &text)) {
    case Filled::kWithdrawn:
      terminal_->Print(kWithdrawnText);
      return std::nullopt;
    case Filled::kEnd:
      return Rejected(request.id);
    case Filled::kYes:
      break;
  }
  return mcp::ResultMessage(request.id, CompletionResult(text));
}

std::optional<std::string> Answers::AnswerForm(const mcp::Envelope& request,
                                               const Ended& withdrawn) {
  const auto params = json::Document::Parse(std::string(request.params));
  if (!params.ok()) {
    return mcp::ErrorMessage(request.id, mcp::kInvalidParams,
                             "params: cannot be read", "");
  }
  const auto mode = params->root().Find("mode");
  const auto schema = params->root().Field("requestedSchema");
  const auto fields = schema.ok() ? ReadForm(*schema) : schema.status();
  const bool is_form = !mode.has_value() || mode->raw() == "\"form\"";
  if (!is_form || !fields.ok()) {
    return mcp::ErrorMessage(request.id, mcp::kInvalidParams,
                             is_form ? ToStd(fields.status().message())
                                     : "only forms are answered by this client",
                             "");
  }
  terminal_->DropTyped();
  terminal_->Print(absl::StrCat("\n", FormHeadText(request.params)));
  auto choice =
      Choose("[f]ill it in, [d]ecline or [c]ancel? ", "fdc", 'c', withdrawn);
  std::string content;
  while (choice == 'f') {
    const Filled filled = FillForm(*terminal_, *fields, withdrawn, &content);
    if (filled == Filled::kWithdrawn) {
      terminal_->Print(kWithdrawnText);
      return std::nullopt;
    }
    if (filled == Filled::kEnd) return FormResult(request.id, "cancel");
    terminal_->Print(absl::StrCat("Your answer: ", Visible(content), "\n"));
    choice = Choose("[s]end it, [f]ill it in again, [d]ecline or [c]ancel? ",
                    "sfdc", 'c', withdrawn);
  }
  if (!choice.has_value()) return std::nullopt;
  if (*choice == 'd') return FormResult(request.id, "decline");
  if (*choice == 'c') return FormResult(request.id, "cancel");
  return mcp::ResultMessage(
      request.id,
      absl::StrCat("{\"action\":\"accept\",\"content\":", content, "}"));
}

std::string Answers::AnswerRoots(const mcp::Envelope& request) const {
  json::Writer out;
  out.StartObject().Name("roots").StartArray();
  for (const std::string& path : roots_) {
    const size_t slash = path.find_last_of('/');
    const std::string name = path.substr(slash + 1);
    out.StartObject().Name("uri").String(FileUri(path));
    if (!name.empty()) out.Name("name").String(name);
    out.EndObject();
  }
  out.EndArray().EndObject();
  return mcp::ResultMessage(request.id, out.Take());
}

std::string FileUri(std::string_view path) {
  std::string uri = "file://";
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    if (absl::ascii_isalnum(byte) ||
        std::string_view("/-._~").find(c) != std::string_view::npos) {
      uri.push_back(c);
      continue;
    }
    char encoded[4];
    snprintf(encoded, sizeof(encoded), "%%%02X", static_cast<unsigned>(byte));
    uri.append(encoded);
  }
  return uri;
}

}  // namespace gatehouse::ctl
