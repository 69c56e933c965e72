#include "tests/unit/broker/broker_fixture.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "controlplane/store/memory/memory_store.h"
#include "shared/base/digest.h"

namespace gatehouse::broker {
namespace {

constexpr std::string_view kPolicy = R"(
kind: VirtualServer
name: dev
upstreams:
  - name: demo
    http: { url: "http://127.0.0.1:9/mcp" }
clientFeatures: { sampling: true, elicitation: true }
trust:
  sampling: { route: client }
  elicitation: { route: client }
)";

}  // namespace

BrokerFixture::BrokerFixture() {
  keys_.audit_hmac = random_.Bytes(32);
  keys_.opaque_id = random_.Bytes(32);
  keys_.boot_id = NewId(random_);
  store_ = MakeMemoryStore(clock_);
  broker_ = std::make_unique<Broker>(*store_, random_, keys_);
  broker_->SetMailHint([this](const sessions::MailedWorkers& mailed) {
    hinted_.insert(mailed.begin(), mailed.end());
  });
  ApplyPolicy(kPolicy);
  epoch1_ = Attach("w1");
  epoch2_ = Attach("w2");
  session_ = OpenSession();
}

BrokerFixture::~BrokerFixture() { store_.reset(); }

std::string BrokerFixture::NextRequestId() {
  return absl::StrCat("request-", ++requests_);
}

void BrokerFixture::ApplyPolicy(std::string_view document) {
  const policy::ParseResult parsed = policy::ParseVirtualServer(document);
  ASSERT_TRUE(parsed.violations.empty()) << parsed.violations.front().message;
  const auto applied = Wait<Broker::Applied>([&](auto done) {
    broker_->ApplyPolicy(parsed.virtual_server, "", false, "test",
                         std::move(done));
  });
  ASSERT_TRUE(applied.ok()) << applied.status();
}

int64_t BrokerFixture::Attach(const std::string& worker_id, int64_t epoch,
                              const std::string& cluster) {
  sessions::Hello hello;
  hello.worker_id = worker_id;
  hello.epoch = epoch;
  hello.cluster = cluster;
  const auto row = Wait<WorkerRow>(
      [&](auto done) { broker_->Attach(hello, std::move(done)); });
  EXPECT_TRUE(row.ok()) << row.status();
  return row.ok() ? row->epoch : 0;
}

std::string BrokerFixture::OpenSession(const std::string& subject) {
  SessionRow row;
  row.secret_sha256 = Sha256(NextRequestId());
  row.virtual_server = "dev";
  row.principal = Principal{"gatehouse", subject};
  row.revision = "2025-11-25";
  row.client_capabilities =
      R"({"sampling":{},"elicitation":{"form":{},"url":{}},"roots":{}})";
  row.client_info = "{}";
  const auto opened = Wait<SessionRow>([&](auto done) {
    broker_->OpenSession(NextRequestId(), "content", Caller{"w1", epoch1_}, row,
                         std::move(done));
  });
  EXPECT_TRUE(opened.ok()) << opened.status();
  return opened.ok() ? opened->id : "";
}

AdmitCommand BrokerFixture::Sampling(int64_t max_tokens) {
  AdmitCommand command;
  command.request_id = NextRequestId();
  command.content_sha256 = Sha256(command.request_id);
  command.caller = Caller{"w1", epoch1_};
  command.operation_id = "operation-1";
  command.session_id = session_;
  command.virtual_server = "dev";
  command.upstream = "demo";
  command.upstream_revision = "2025-11-25";
  command.tool = "summarize";
  command.attribution = Attribution::kOwnStream;
  RaisedRequest request;
  request.key = "1";
  request.method = "sampling/createMessage";
  request.params = absl::StrCat(
      R"({"messages":[{"role":"user","content":{"type":"text","text":"x"}}],)",
      R"("maxTokens":)", max_tokens, "}");
  command.requests.push_back(std::move(request));
  return command;
}

absl::StatusOr<AdmitOutcome> BrokerFixture::Admit(AdmitCommand command) {
  return Wait<AdmitOutcome>(
      [&](auto done) { broker_->Admit(std::move(command), std::move(done)); });
}

SubmitCommand BrokerFixture::Answer(const std::string& opaque_id,
                                    std::string_view result) {
  SubmitCommand command;
  command.request_id = NextRequestId();
  command.content_sha256 = Sha256(command.request_id);
  command.caller = Caller{"w1", epoch1_};
  command.opaque_id = opaque_id;
  command.session_id = session_;
  command.result = std::string(result);
  return command;
}

absl::StatusOr<SubmitOutcome> BrokerFixture::Submit(SubmitCommand command) {
  return Wait<SubmitOutcome>(
      [&](auto done) { broker_->Submit(std::move(command), std::move(done)); });
}

absl::StatusOr<CancelOutcome> BrokerFixture::Cancel(CancelCommand command) {
  return Wait<CancelOutcome>(
      [&](auto done) { broker_->Cancel(std::move(command), std::move(done)); });
}

absl::StatusOr<int> BrokerFixture::CloseOperation(
    const std::string& operation_id) {
  CloseOperationCommand command;
  command.request_id = NextRequestId();
  command.caller = Caller{"w1", epoch1_};
  command.operation_id = operation_id;
  command.session_id = session_;
  command.end = "completed";
  return Wait<int>([&](auto done) {
    broker_->CloseOperation(std::move(command), std::move(done));
  });
}

absl::StatusOr<std::optional<UpstreamReplyRow>> BrokerFixture::Claim(
    const std::string& id, const std::string& worker) {
  return Wait<std::optional<UpstreamReplyRow>>([&](auto done) {
    broker_->Claim(Caller{worker, worker == "w1" ? epoch1_ : epoch2_}, id,
                   std::move(done));
  });
}

absl::StatusOr<bool> BrokerFixture::Acknowledge(const std::string& id) {
  return Wait<bool>([&](auto done) {
    broker_->Acknowledge(Caller{"w1", epoch1_}, id, std::move(done));
  });
}

absl::StatusOr<int> BrokerFixture::CloseSession(const std::string& session_id) {
  return Wait<int>([&](auto done) {
    broker_->CloseSession(session_id, "client", std::move(done));
  });
}

SweepOutcome BrokerFixture::Sweep() {
  const auto outcome =
      Wait<SweepOutcome>([&](auto done) { broker_->Sweep(std::move(done)); });
  EXPECT_TRUE(outcome.ok()) << outcome.status();
  return outcome.value_or(SweepOutcome{});
}

void BrokerFixture::AdvanceRenewed(absl::Duration by) {
  clock_.Advance(by);
  for (const Caller& worker : {Caller{"w1", epoch1_}, Caller{"w2", epoch2_}}) {
    const auto renewed = Wait<bool>(
        [&](auto done) { broker_->Renew(worker, 0, {}, std::move(done)); });
    EXPECT_TRUE(renewed.ok()) << renewed.status();
  }
}

InputRequestRow BrokerFixture::RowOf(const std::string& id) {
  InputRequestRow row;
  const absl::Status status = RunAndWait(*store_, [&](Transaction& tx) {
    const auto found = tx.GetInputRequest(id);
    if (found.ok()) row = *found;
    return found.status();
  });
  EXPECT_TRUE(status.ok()) << status;
  return row;
}

OperationRow BrokerFixture::OperationOf(const std::string& id) {
  OperationRow row;
  const absl::Status status = RunAndWait(*store_, [&](Transaction& tx) {
    const auto found = tx.GetOperation(id);
    if (found.ok()) row = *found;
    return found.status();
  });
  EXPECT_TRUE(status.ok()) << status;
  return row;
}

std::vector<MailRow> BrokerFixture::MailOf(const std::string& worker_id) {
  std::vector<MailRow> mail;
  const absl::Status status = RunAndWait(*store_, [&](Transaction& tx) {
    const auto found = tx.ListMail(worker_id, 0, 1000);
    if (found.ok()) mail = *found;
    return found.status();
  });
  EXPECT_TRUE(status.ok()) << status;
  return mail;
}

std::vector<audit::Record> BrokerFixture::Log() {
  std::vector<audit::Record> records;
  const absl::Status status = RunAndWait(*store_, [&](Transaction& tx) {
    records.clear();
    const auto leaves = tx.ListAuditLeaves(0, -1, 100'000);
    if (!leaves.ok()) return leaves.status();
    for (const AuditLeafRow& leaf : *leaves) {
      auto record = audit::Decode(leaf.body);
      if (!record.ok()) return record.status();
      records.push_back(*std::move(record));
    }
    return absl::OkStatus();
  });
  EXPECT_TRUE(status.ok()) << status;
  return records;
}

int BrokerFixture::CountInLog(audit::RecordType type) {
  int count = 0;
  for (const audit::Record& record : Log()) count += record.type == type;
  return count;
}

RelayWord BrokerFixture::Relayed(const absl::StatusOr<AdmitOutcome>& outcome) {
  EXPECT_TRUE(outcome.ok()) << outcome.status();
  if (!outcome.ok() || outcome->words.size() != 1) return {};
  const auto* relay = std::get_if<RelayWord>(&outcome->words[0].word);
  EXPECT_NE(relay, nullptr)
      << "refused: "
      << std::get<UpstreamReplyRow>(outcome->words[0].word).message;
  return relay == nullptr ? RelayWord{} : *relay;
}

UpstreamReplyRow BrokerFixture::Refused(
    const absl::StatusOr<AdmitOutcome>& outcome) {
  EXPECT_TRUE(outcome.ok()) << outcome.status();
  if (!outcome.ok() || outcome->words.size() != 1) return {};
  const auto* refusal = std::get_if<UpstreamReplyRow>(&outcome->words[0].word);
  EXPECT_NE(refusal, nullptr) << "it was relayed";
  return refusal == nullptr ? UpstreamReplyRow{} : *refusal;
}

}  // namespace gatehouse::broker
