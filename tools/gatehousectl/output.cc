#include "tools/gatehousectl/output.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <utility>

namespace gatehouse::ctl {
namespace {

struct Range {
  uint32_t first;
  uint32_t last;
};

// What a terminal may act on, or a reader cannot see.
constexpr Range kHidden[] = {
    {0x00, 0x1f},     {0x7f, 0x9f},     {0xad, 0xad},     {0x61c, 0x61c},
    {0x180e, 0x180e}, {0x200b, 0x200f}, {0x2028, 0x202e}, {0x2060, 0x206f},
    {0xfe00, 0xfe0f}, {0xfeff, 0xfeff}, {0xfff9, 0xfffb}, {0xe0000, 0xe0fff},
};

bool IsHidden(uint32_t code_point) {
  return std::any_of(
      std::begin(kHidden), std::end(kHidden), [code_point](const Range& range) {
        return code_point >= range.first && code_point <= range.last;
      });
}

struct CodePoint {
  uint32_t value = 0;
  size_t size = 0;  // bytes; 0: no UTF-8 here
};

CodePoint Decode(std::string_view text) {
  const auto byte = [text](size_t i) { return static_cast<uint8_t>(text[i]); };
  const uint8_t first = byte(0);
  if (first < 0x80) return {first, 1};
  const size_t size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < size) return {};
  uint32_t value = first & (0x7fU >> size);
  for (size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return {};
    value = value << 6 | (byte(i) & 0x3fU);
  }
  constexpr uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = value >= 0xd800 && value <= 0xdfff;
  if (value < kLeast[size] || surrogate || value > 0x10ffff) return {};
  return {value, size};
}

void AppendUnit(uint32_t unit, std::string* to) {
  char buffer[8];
  snprintf(buffer, sizeof(buffer), "\\u%04x", unit);
  to->append(buffer);
}

// As JSON writes it: above 0xffff two surrogates.
void AppendEscape(uint32_t code_point, std::string* to) {
  if (code_point <= 0xffff) return AppendUnit(code_point, to);
  const uint32_t rest = code_point - 0x10000;
  AppendUnit(0xd800 + (rest >> 10), to);
  AppendUnit(0xdc00 + (rest & 0x3ff), to);
}

// `keep` names hidden characters that pass.
std::string Escaped(std::string_view text, std::string_view keep) {
  std::string result;
  while (!text.empty()) {
    const CodePoint code_point = Decode(text);
    if (code_point.size == 0) {
      char buffer[8];
      snprintf(buffer, sizeof(buffer), "\\x%02x",
               static_cast<unsigned>(static_cast<uint8_t>(text[0])));
      result.append(buffer);
      text.remove_prefix(1);
      continue;
    }
    if (IsHidden(code_point.value) &&
        keep.find(text[0]) == std::string_view::npos) {
      AppendEscape(code_point.value, &result);
    } else {
      result.append(text.substr(0, code_point.size));
    }
    text.remove_prefix(code_point.size);
  }
  return result;
}

// Characters as a terminal counts them, near enough: code points.
size_t Width(std::string_view text) {
  return static_cast<size_t>(std::count_if(
      text.begin(), text.end(),
      [](char c) { return (static_cast<uint8_t>(c) & 0xc0) != 0x80; }));
}

}  // namespace

std::string Visible(std::string_view text) { return Escaped(text, ""); }

// The line feeds between members are the printer's own.
std::string VisibleJson(std::string_view json) { return Escaped(json, "\n"); }

Table::Table(std::vector<std::string> head) {
  rows_.push_back(std::move(head));
}

void Table::Add(std::vector<std::string> cells) {
  for (std::string& cell : cells) cell = cell.empty() ? "-" : Visible(cell);
  rows_.push_back(std::move(cells));
}

std::string Table::ToString() const {
  std::vector<size_t> widths(rows_.front().size(), 0);
  for (const auto& row : rows_) {
    for (size_t i = 0; i < widths.size(); ++i) {
      widths[i] = std::max(widths[i], Width(row[i]));
    }
  }
  std::string result;
  for (const auto& row : rows_) {
    for (size_t i = 0; i < widths.size(); ++i) {
      result.append(row[i]);
      // No spaces at a line's end.
      if (i + 1 < widths.size()) {
        result.append(widths[i] - Width(row[i]) + 2, ' ');
      }
    }
    result.push_back('\n');
  }
  return result;
}

}  // namespace gatehouse::ctl
