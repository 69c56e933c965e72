#ifndef GATEHOUSE_TESTS_INTEGRATION_URL_STAGE_H_
#define GATEHOUSE_TESTS_INTEGRATION_URL_STAGE_H_

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tests/integration/harness/fixture.h"

namespace gatehouse::testing {

inline constexpr char kElicit[] = "elicitation/create";
inline constexpr char kComplete[] = "notifications/elicitation/complete";
inline constexpr char kAllFeatures[] =
    R"({"sampling":{},"elicitation":{"form":{},"url":{}},"roots":{}})";

// A Gatehouse whose policy permits URL mode to `login.example.com`.
class UrlTest : public GatehouseTest {
 protected:
  static std::string UrlPolicy(const std::string& url,
                               const std::string& elicitation =
                                   "url: true, urlHosts: [login.example.com]") {
    return PolicyText(
        "dev", {{"up", url}},
        "clientFeatures: { sampling: true, elicitation: true, roots: true }\n"
        "trust: { elicitation: { " +
            elicitation + " } }\nreplyDeadline: 5s\n");
  }
  void StartUrl() {
    Start(Gatehouse::Options{.policy = UrlPolicy(upstream_.url())});
  }

  // A client that may be sent to URLs, with its GET stream open.
  struct Visitor {
    std::unique_ptr<ScriptedClient> client;
    std::shared_ptr<Exchange> stream;
  };
  Visitor NewVisitor(const std::string& capabilities = kAllFeatures,
                     const std::string& revision = "2025-11-25") {
    Visitor visitor;
    ScriptedClient::Options options;
    options.capabilities = capabilities;
    options.revision = revision;
    visitor.client = Connect(std::move(options));
    visitor.stream = visitor.client->OpenStream();
    EXPECT_EQ(visitor.stream->Status().value_or(0), 200);
    return visitor;
  }

  static std::string VisitParams(
      const std::string& id,
      const std::string& url = "https://login.example.com/x?e=1&k=v") {
    return absl::StrCat(R"({"mode":"url","message":"log in","url":")", url,
                        R"(","elicitationId":")", id, R"("})");
  }
  static std::string Completed(const std::string& id) {
    return absl::StrCat(R"({"elicitationId":")", id, R"("})");
  }
};

}  // namespace gatehouse::testing

#endif  // GATEHOUSE_TESTS_INTEGRATION_URL_STAGE_H_
