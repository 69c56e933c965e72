#include <string_view>

#include "controlplane/trust/judge.h"

namespace gatehouse::trust {

std::string_view ToString(RequestKind kind) {
  switch (kind) {
    case RequestKind::kSampling:
      return "sampling";
    case RequestKind::kElicitation:
      return "elicitation";
    case RequestKind::kRoots:
      return "roots";
  }
  return "";
}

}  // namespace gatehouse::trust
