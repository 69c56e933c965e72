#include "tools/gatehousectl/jsonc.h"

#include <algorithm>

namespace gatehouse::ctl {
namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// Where the string that begins at `start` ends: behind its closing quote.
size_t EndOfString(std::string_view text, size_t start) {
  size_t i = start + 1;
  while (i < text.size() && text[i] != '"') i += text[i] == '\\' ? 2 : 1;
  return std::min(i + 1, text.size());
}

// Where the comment that begins at `start` ends; `start` if there is none.
size_t EndOfComment(std::string_view text, size_t start) {
  const std::string_view two = text.substr(start, 2);
  if (two == "//") return std::min(text.find('\n', start), text.size());
  if (two != "/*") return start;
  const size_t end = text.find("*/", start + 2);
  return end == std::string_view::npos ? text.size() : end + 2;
}

void Blank(size_t from, size_t to, std::string* text) {
  for (size_t i = from; i < to; ++i) {
    if (!IsSpace((*text)[i])) (*text)[i] = ' ';
  }
}

void BlankComments(PlainJson* result) {
  std::string& text = result->json;
  int line = 1;
  size_t counted = 0;
  for (size_t i = 0; i < text.size();) {
    if (text[i] == '"') {
      i = EndOfString(text, i);
      continue;
    }
    const size_t end = EndOfComment(text, i);
    if (end == i) {
      ++i;
      continue;
    }
    const auto begin = text.begin();
    line += static_cast<int>(
        std::count(begin + static_cast<std::ptrdiff_t>(counted),
                   begin + static_cast<std::ptrdiff_t>(i), '\n'));
    counted = i;
    result->comment_lines.push_back(line);
    Blank(i, end, &text);
    i = end;
  }
}

void BlankTrailingCommas(std::string* text) {
  for (size_t i = 0; i < text->size(); ++i) {
    if ((*text)[i] == '"') {
      i = EndOfString(*text, i) - 1;
      continue;
    }
    if ((*text)[i] != ',') continue;
    size_t next = i + 1;
    while (next < text->size() && IsSpace((*text)[next])) ++next;
    const bool closes =
        next < text->size() && ((*text)[next] == '}' || (*text)[next] == ']');
    if (closes) (*text)[i] = ' ';
  }
}

}  // namespace

PlainJson WithoutComments(std::string_view text) {
  PlainJson result;
  result.json = std::string(text);
  if (text.starts_with(kByteOrderMark)) {
    std::fill_n(result.json.begin(), kByteOrderMark.size(), ' ');
  }
  BlankComments(&result);
  BlankTrailingCommas(&result.json);
  return result;
}

}  // namespace gatehouse::ctl
