#include "shared/mcp/revision.h"

namespace gatehouse::mcp {
namespace {

constexpr Revision kRevisions[] = {Revision::k2025_03_26, Revision::k2025_06_18,
                                   Revision::k2025_11_25,
                                   Revision::k2026_07_28};

}  // namespace

std::optional<Revision> ParseRevision(std::string_view text) {
  for (const Revision revision : kRevisions) {
    if (text == ToString(revision)) return revision;
  }
  return std::nullopt;
}

std::optional<Revision> ParseLegacyRevision(std::string_view text) {
  const std::optional<Revision> revision = ParseRevision(text);
  if (revision == Revision::k2026_07_28) return std::nullopt;
  return revision;
}

std::string_view ToString(Revision revision) {
  switch (revision) {
    case Revision::k2025_03_26:
      return "2025-03-26";
    case Revision::k2025_06_18:
      return "2025-06-18";
    case Revision::k2025_11_25:
      return "2025-11-25";
    case Revision::k2026_07_28:
      return "2026-07-28";
  }
  return "";  // no value of the enum comes here
}

}  // namespace gatehouse::mcp
