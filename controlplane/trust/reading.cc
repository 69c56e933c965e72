#include "controlplane/trust/reading.h"

#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "shared/base/check.h"
#include "shared/base/status.h"

namespace gatehouse::trust {
namespace {

json::Document EmptyObject() {
  absl::StatusOr<json::Document> document = json::Document::Parse("{}");
  GATEHOUSE_CHECK(document.ok());
  return *std::move(document);
}

std::string_view Complaint(json::Fault fault) {
  switch (fault) {
    case json::Fault::kEncoding:
      return "is not UTF-8 throughout, or has a lone surrogate or a NUL; send "
             "well-formed Unicode";
    case json::Fault::kDuplicate:
      return "stands twice in its object; two readers would disagree on it";
    case json::Fault::kDepth:
      return "is nested too deep; send it flatter";
    case json::Fault::kValues:
      return "has too many values; send less at a time";
    case json::Fault::kSyntax:
    case json::Fault::kSize:
      break;
  }
  return "cannot be read as JSON; send one well-formed JSON text";
}

}  // namespace

ReadText ReadStrictly(std::string_view text, const json::Limits& limits) {
  absl::StatusOr<json::Document> document =
      json::Document::Parse(std::string(text), limits);
  if (document.ok()) return {Reading{}, *std::move(document)};
  return {Reading{json::FaultOf(document.status()),
                  json::PointerOf(document.status())},
          EmptyObject()};
}

Ruling ReadWithout(const Reading& reading, json::Fault fault) {
  if (reading.fault != fault) return std::nullopt;
  Objection objection;
  objection.path = reading.path;
  objection.what = std::string(Complaint(fault));
  return objection;
}

Ruling WithinBytes(std::optional<int64_t> oversized, size_t bytes,
                   int64_t limit, Reason reason, std::string_view advice) {
  const auto size = oversized.value_or(static_cast<int64_t>(bytes));
  if (!oversized.has_value() && size <= limit) return std::nullopt;
  Objection objection =
      ObjectTo(reason, absl::StrCat("is larger than the limit of ", limit,
                                    " bytes; ", ToAbsl(advice)));
  objection.details = {{"limit", absl::StrCat(limit)},
                       {"size", absl::StrCat(size)}};
  return objection;
}

}  // namespace gatehouse::trust
