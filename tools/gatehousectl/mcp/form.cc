#include "tools/gatehousectl/mcp/form.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/time/time.h"
#include "shared/base/status.h"
#include "tools/gatehousectl/output.h"

namespace gatehouse::ctl {
namespace {

using Kind = FormField::Kind;

std::string TextAt(const json::Value& object, std::string_view name) {
  const auto value = object.Find(name);
  if (!value.has_value() || !value->IsString()) return "";
  return std::string(*value->String());
}

std::optional<double> NumberAt(const json::Value& object,
                               std::string_view name) {
  const auto value = object.Find(name);
  if (!value.has_value() || !value->IsNumber()) return std::nullopt;
  return *value->Number();
}

// `enum` with `enumNames`, or a list of {const, title}.
std::vector<FormField::Choice> ReadChoices(const json::Value& from,
                                           std::string_view titled) {
  std::vector<FormField::Choice> choices;
  if (const auto plain = from.Find("enum")) {
    const auto names = from.Find("enumNames");
    const auto titles = names ? names->Elements() : std::vector<json::Value>();
    for (const json::Value& value : plain->Elements()) {
      if (!value.IsString()) continue;
      const size_t i = choices.size();
      const bool has_title = i < titles.size() && titles[i].IsString();
      choices.push_back({std::string(*value.String()),
                         has_title ? std::string(*titles[i].String()) : ""});
    }
  }
  if (const auto list = from.Find(titled)) {
    for (const json::Value& value : list->Elements()) {
      choices.push_back({TextAt(value, "const"), TextAt(value, "title")});
    }
  }
  return choices;
}

absl::Status ReadKind(const json::Value& property, FormField* field) {
  const std::string type = TextAt(property, "type");
  if (type == "string") {
    field->choices = ReadChoices(property, "oneOf");
    field->kind = field->choices.empty() ? Kind::kText : Kind::kOneOf;
    field->format = TextAt(property, "format");
    field->least = NumberAt(property, "minLength");
    field->most = NumberAt(property, "maxLength");
  } else if (type == "number" || type == "integer") {
    field->kind = type == "number" ? Kind::kNumber : Kind::kInteger;
    field->least = NumberAt(property, "minimum");
    field->most = NumberAt(property, "maximum");
  } else if (type == "boolean") {
    field->kind = Kind::kYesNo;
  } else if (type == "array" && property.Find("items").has_value()) {
    field->kind = Kind::kSomeOf;
    field->choices = ReadChoices(*property.Find("items"), "anyOf");
    field->least = NumberAt(property, "minItems");
    field->most = NumberAt(property, "maxItems");
    if (field->choices.empty()) {
      return property.Error("a list without choices cannot be asked for");
    }
  } else {
    return property.Error("a property of this type cannot be asked for here");
  }
  return absl::OkStatus();
}

std::string NumberText(double number) {
  if (std::floor(number) == number && std::abs(number) < 1e15) {
    return absl::StrCat(static_cast<int64_t>(number));
  }
  return absl::StrCat(number);
}

// `1 to 12`, `at least 1`, `at most 12`, or nothing.
std::string BoundsText(const FormField& field) {
  if (field.least && field.most) {
    return absl::StrCat(NumberText(*field.least), " to ",
                        NumberText(*field.most));
  }
  if (field.least) return absl::StrCat("at least ", NumberText(*field.least));
  if (field.most) return absl::StrCat("at most ", NumberText(*field.most));
  return "";
}

std::string FormatText(const FormField& field) {
  if (field.format == "date") return "a date, such as 2027-01-31";
  if (field.format == "date-time") {
    return "a date and time, such as 2027-01-31T19:30:00Z";
  }
  if (field.format == "email") return "an e-mail address";
  if (field.format == "uri") return "a URI, such as https://example.com";
  return "text";
}

// What fits, such as `a whole number, 1 to 12`.
std::string FitsText(const FormField& field) {
  const std::string bounds = BoundsText(field);
  const std::string with = bounds.empty() ? "" : absl::StrCat(", ", bounds);
  switch (field.kind) {
    case Kind::kText:
      return absl::StrCat(FormatText(field), with,
                          bounds.empty() ? "" : " characters");
    case Kind::kNumber:
      return absl::StrCat("a number", with);
    case Kind::kInteger:
      return absl::StrCat("a whole number", with);
    case Kind::kYesNo:
      return "yes or no";
    case Kind::kOneOf:
      return "one of these, by its number or as it stands";
    case Kind::kSomeOf:
      return absl::StrCat("some of these, by their numbers, with commas", with);
  }
  return "";
}

size_t CharactersIn(std::string_view text) {
  return static_cast<size_t>(std::count_if(
      text.begin(), text.end(),
      [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

absl::Status Misfit(const FormField& field) {
  return absl::InvalidArgumentError(
      absl::StrCat("does not fit: ", FitsText(field)));
}

bool InBounds(const FormField& field, double value) {
  return (!field.least || value >= *field.least) &&
         (!field.most || value <= *field.most);
}

bool HasFormat(const std::string& format, std::string_view text) {
  if (format == "date") {
    absl::CivilDay day;
    return text.size() == 10 && absl::ParseCivilTime(ToAbsl(text), &day);
  }
  if (format == "date-time") {
    absl::Time time;
    return absl::ParseTime(absl::RFC3339_full, ToAbsl(text), &time, nullptr);
  }
  const bool blank = text.find_first_of(" \t") != std::string_view::npos;
  if (format == "email") {
    const size_t at = text.find('@');
    return at != std::string_view::npos && at > 0 && at + 1 < text.size() &&
           !blank;
  }
  if (format == "uri") {
    const size_t colon = text.find(':');
    return colon != std::string_view::npos && colon > 0 && !blank;
  }
  return true;
}

absl::StatusOr<std::string> ReadText(const FormField& field,
                                     std::string_view typed) {
  if (!InBounds(field, static_cast<double>(CharactersIn(typed))) ||
      !HasFormat(field.format, typed)) {
    return Misfit(field);
  }
  return json::Quote(typed);
}

// A number as JSON writes one, so that it goes out as it was typed.
absl::StatusOr<std::string> ReadNumber(const FormField& field,
                                       std::string_view typed) {
  const auto document = json::Document::Parse(std::string(typed));
  if (!document.ok() || !document->root().IsNumber()) return Misfit(field);
  const json::Value value = document->root();
  if (field.kind == Kind::kInteger && !value.IsIntegerLexeme()) {
    return Misfit(field);
  }
  const auto number = value.Number();
  if (!number.ok() || !InBounds(field, *number)) return Misfit(field);
  return std::string(value.raw());
}

absl::StatusOr<std::string> ReadYesNo(const FormField& field,
                                      std::string_view typed) {
  const std::string word = absl::AsciiStrToLower(ToAbsl(typed));
  if (word == "y" || word == "yes" || word == "true") return "true";
  if (word == "n" || word == "no" || word == "false") return "false";
  return Misfit(field);
}

// By number from 1, by value, or by title.
const FormField::Choice* FindChoice(const FormField& field,
                                    std::string_view typed) {
  for (const FormField::Choice& choice : field.choices) {
    if (choice.value == typed) return &choice;
  }
  for (const FormField::Choice& choice : field.choices) {
    if (!choice.title.empty() && choice.title == typed) return &choice;
  }
  size_t number = 0;
  if (absl::SimpleAtoi(ToAbsl(typed), &number) && number >= 1 &&
      number <= field.choices.size()) {
    return &field.choices[number - 1];
  }
  return nullptr;
}

absl::StatusOr<std::string> ReadSomeOf(const FormField& field,
                                       std::string_view typed) {
  std::vector<std::string> values;
  for (absl::string_view part :
       absl::StrSplit(ToAbsl(typed), ',', absl::SkipWhitespace())) {
    const FormField::Choice* choice =
        FindChoice(field, ToStd(absl::StripAsciiWhitespace(part)));
    if (choice == nullptr) return Misfit(field);
    if (std::find(values.begin(), values.end(), choice->value) ==
        values.end()) {
      values.push_back(choice->value);
    }
  }
  if (!InBounds(field, static_cast<double>(values.size()))) {
    return Misfit(field);
  }
  json::Writer out;
  out.StartArray();
  for (const std::string& value : values) out.String(value);
  return out.EndArray().Take();
}

}  // namespace

absl::StatusOr<std::vector<FormField>> ReadForm(const json::Value& schema) {
  std::vector<FormField> fields;
  GATEHOUSE_ASSIGN_OR_RETURN(const json::Value properties,
                             schema.Field("properties"));
  const auto required = schema.Find("required");
  for (const json::Member& member : properties.Members()) {
    FormField field;
    field.name = std::string(member.name);
    field.title = TextAt(member.value, "title");
    field.description = TextAt(member.value, "description");
    GATEHOUSE_RETURN_IF_ERROR(ReadKind(member.value, &field));
    if (const auto value = member.value.Find("default")) {
      field.default_json = std::string(value->raw());
    }
    for (const json::Value& name :
         required ? required->Elements() : std::vector<json::Value>()) {
      field.required =
          field.required || (name.IsString() && *name.String() == member.name);
    }
    fields.push_back(std::move(field));
  }
  return fields;
}

std::string FieldText(const FormField& field) {
  std::string text = Visible(field.name);
  if (!field.title.empty() && field.title != field.name) {
    absl::StrAppend(&text, " (", Visible(field.title), ")");
  }
  absl::StrAppend(&text, field.required ? ", required" : ", optional", ": ",
                  FitsText(field), "\n");
  if (!field.description.empty()) {
    absl::StrAppend(&text, "  ", Visible(field.description), "\n");
  }
  for (size_t i = 0; i < field.choices.size(); ++i) {
    const FormField::Choice& choice = field.choices[i];
    absl::StrAppend(&text, "  ", i + 1, ") ", Visible(choice.value));
    if (!choice.title.empty()) {
      absl::StrAppend(&text, " (", Visible(choice.title), ")");
    }
    absl::StrAppend(&text, "\n");
  }
  if (!field.default_json.empty()) {
    absl::StrAppend(&text, "  Enter takes ", Visible(field.default_json),
                    field.required ? "" : "; - leaves it out", "\n");
  } else if (!field.required) {
    absl::StrAppend(&text, "  Enter leaves it out\n");
  }
  return text;
}

absl::StatusOr<std::string> ReadField(const FormField& field,
                                      std::string_view typed) {
  const std::string_view bare =
      ToStd(absl::StripAsciiWhitespace(ToAbsl(typed)));
  if (bare.empty()) {
    if (!field.default_json.empty()) return field.default_json;
    if (!field.required) return "";
    // The empty text is an answer where nothing forbids it.
    if (field.kind != Kind::kText || field.least.value_or(0) > 0) {
      return absl::InvalidArgumentError("is required");
    }
  }
  if (bare == "-" && !field.required) return "";
  switch (field.kind) {
    case Kind::kText:
      return ReadText(field, field.format.empty() ? typed : bare);
    case Kind::kNumber:
    case Kind::kInteger:
      return ReadNumber(field, bare);
    case Kind::kYesNo:
      return ReadYesNo(field, bare);
    case Kind::kOneOf: {
      const FormField::Choice* choice = FindChoice(field, bare);
      if (choice == nullptr) return Misfit(field);
      return json::Quote(choice->value);
    }
    case Kind::kSomeOf:
      return ReadSomeOf(field, bare);
  }
  return Misfit(field);
}

}  // namespace gatehouse::ctl
