#include "tests/integration/harness/fixture.h"

#include "absl/strings/str_cat.h"
#include "shared/json/json.h"

namespace gatehouse::testing {

GatehouseTest::GatehouseTest() : upstream_(&loop_, {}) {
  AddStandardTools(upstream_);
}

void GatehouseTest::Start(const std::string& more) {
  Start(Gatehouse::Options{.policy = FullPolicy("dev", upstream_.url(), more)});
}

void GatehouseTest::Start(Gatehouse::Options options) {
  absl::StatusOr<std::unique_ptr<Gatehouse>> started =
      Gatehouse::Start(std::move(options));
  ASSERT_TRUE(started.ok()) << started.status();
  gatehouse_ = *std::move(started);
}

std::unique_ptr<ScriptedClient> GatehouseTest::NewClient(
    ScriptedClient::Options options, size_t worker) {
  options.address = gatehouse_->worker_address(worker);
  return std::make_unique<ScriptedClient>(&loop_, std::move(options));
}

std::unique_ptr<ScriptedClient> GatehouseTest::Connect(
    ScriptedClient::Options options, size_t worker) {
  std::unique_ptr<ScriptedClient> client =
      NewClient(std::move(options), worker);
  const absl::StatusOr<Message> result = client->Initialize();
  EXPECT_TRUE(result.ok()) << result.status();
  return client;
}

std::vector<v1::AuditRecord> GatehouseTest::Records(const std::string& type,
                                                    size_t count) {
  ControlApi auditor = gatehouse_->Api("auditor");
  std::vector<v1::AuditRecord> found;
  Eventually(kPatience, [&] {
    found.clear();
    absl::StatusOr<std::vector<v1::AuditRecord>> records = auditor.Records();
    EXPECT_TRUE(records.ok()) << records.status();
    if (!records.ok()) return true;
    for (v1::AuditRecord& record : *records) {
      if (record.type() == type) found.push_back(std::move(record));
    }
    return found.size() >= count;
  });
  return found;
}

size_t GatehouseTest::CountRecords(const std::string& type) {
  return Records(type).size();
}

std::string AskArguments(const std::string& method, const std::string& params,
                         int times) {
  return absl::StrCat("{\"method\":\"", method, "\",\"params\":", params,
                      ",\"times\":", times, "}");
}

std::string SamplingParams(int max_tokens, const std::string& text) {
  return absl::StrCat(
      R"({"messages":[{"role":"user","content":{"type":"text","text":)",
      json::Quote(text), R"(}}],"maxTokens":)", max_tokens, "}");
}

std::string FormParams() {
  return R"({"message":"Who are you?","requestedSchema":{"type":"object",)"
         R"("properties":{"name":{"type":"string","minLength":1},)"
         R"("age":{"type":"integer","minimum":0}},"required":["name"]}})";
}

}  // namespace gatehouse::testing
