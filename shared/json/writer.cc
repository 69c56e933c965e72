#include <algorithm>

#include "shared/base/check.h"
#include "shared/json/json.h"
#include "shared/json/text.h"

// Misuse of a writer must not end in a text that is no JSON, in no build.
#define RAPIDJSON_ASSERT(x) GATEHOUSE_CHECK(x)
#include "rapidjson/writer.h"

namespace gatehouse::json {
namespace {

// RapidJSON's output stream over a std::string, so that Take() moves it.
struct StringSink {
  using Ch = char;
  void Put(char c) { text.push_back(c); }
  void Flush() {}
  std::string text;
};

// ASCII, and nothing in it to escape: as nearly all names and ids are.
bool IsPlain(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    return c >= 0x20 && c < 0x7F && c != '"' && c != '\\';
  });
}

}  // namespace

struct Writer::State {
  StringSink sink;
  rapidjson::Writer<StringSink> writer{sink};
};

Writer::Writer() : state_(std::make_unique<State>()) {}
Writer::~Writer() = default;

Writer& Writer::StartObject() {
  state_->writer.StartObject();
  return *this;
}

Writer& Writer::EndObject() {
  state_->writer.EndObject();
  return *this;
}

Writer& Writer::StartArray() {
  state_->writer.StartArray();
  return *this;
}

Writer& Writer::EndArray() {
  state_->writer.EndArray();
  return *this;
}

Writer& Writer::Name(std::string_view name) { return String(name); }

Writer& Writer::String(std::string_view text) {
  // As in Raw: RapidJSON writes a string byte by byte.
  state_->writer.RawValue("", 0, rapidjson::kStringType);
  if (IsPlain(text)) {
    state_->sink.text.append(1, '"').append(text).push_back('"');
  } else {
    AppendQuoted(IsUtf8(text) ? text : WithValidUtf8(text), state_->sink.text);
  }
  return *this;
}

Writer& Writer::Integer(int64_t number) {
  state_->writer.Int64(number);
  return *this;
}

Writer& Writer::Double(double number) {
  GATEHOUSE_CHECK(state_->writer.Double(number));  // finite
  return *this;
}

Writer& Writer::Bool(bool value) {
  state_->writer.Bool(value);
  return *this;
}

Writer& Writer::Null() {
  state_->writer.Null();
  return *this;
}

Writer& Writer::Raw(std::string_view json) {
  GATEHOUSE_CHECK(!json.empty());
  // RapidJSON copies raw text byte by byte; given none, it writes just what
  // belongs before it.
  state_->writer.RawValue("", 0, rapidjson::kObjectType);
  state_->sink.text.append(json);
  return *this;
}

std::string Writer::Take() {
  GATEHOUSE_CHECK(state_->writer.IsComplete());
  std::string text = std::move(state_->sink.text);
  state_->sink.text.clear();
  state_->writer.Reset(state_->sink);
  return text;
}

std::string Quote(std::string_view text) {
  std::string quoted;
  quoted.reserve(text.size() + 2);
  AppendQuoted(IsUtf8(text) ? text : WithValidUtf8(text), quoted);
  return quoted;
}

}  // namespace gatehouse::json
