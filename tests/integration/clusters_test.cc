// Two workers of two clusters before one virtual server (DESIGN §10): each has
// its own upstreams, and knows nothing of how the others are reached.

#include <grpcpp/grpcpp.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/integration/harness/fixture.h"

namespace gatehouse::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

// A worker of its own making, as far as its snapshots: what it was sent.
class BareWorker {
 public:
  BareWorker(const ControlApi& api, const std::string& name,
             const std::string& cluster)
      : context_(api.Context()),
        stub_(v1::FleetService::NewStub(api.channel())),
        stream_(stub_->Attach(context_.get())) {
    v1::AttachRequest hello;
    hello.mutable_hello()->set_worker("workers/" + name);
    hello.mutable_hello()->set_cluster(cluster);
    stream_->Write(hello);
  }
  ~BareWorker() { context_->TryCancel(); }

  // The next message; one without content if the stream ended or the context's
  // deadline passed.
  v1::AttachResponse Next() {
    v1::AttachResponse message;
    if (!stream_->Read(&message)) return {};
    return message;
  }
  grpc::Status End() { return stream_->Finish(); }

 private:
  const std::unique_ptr<grpc::ClientContext> context_;
  const std::unique_ptr<v1::FleetService::Stub> stub_;
  const std::unique_ptr<
      grpc::ClientReaderWriter<v1::AttachRequest, v1::AttachResponse>>
      stream_;
};

class ClustersTest : public GatehouseTest {
 protected:
  ClustersTest() : eu_(&loop_, {.name = "eu"}), us_(&loop_, {.name = "us"}) {
    AddStandardTools(eu_);
    AddStandardTools(us_);
  }

  std::string Policy(const std::string& comment = "") {
    const auto upstream = [](const char* name, const std::string& url,
                             const std::string& secret,
                             const std::string& cluster) {
      return absl::StrCat("  - name: ", name, "\n    http: { url: \"", url,
                          "\", headersFrom: { X-Key: \"env:", secret,
                          "\" } }\n    clusters: [", cluster, "]\n");
    };
    return absl::StrCat("kind: VirtualServer\nname: dev\nupstreams:\n",
                        upstream("eu", eu_.url(), "EU_KEY", "eu-1"),
                        upstream("us", us_.url(), "US_KEY", "us-2, us-3"),
                        "  - name: up\n    http: { url: \"", upstream_.url(),
                        "\" }\n", comment);
  }

  // Each worker has the secret of its own cluster, and no other.
  void SetUp() override {
    gatehouse_ = std::make_unique<Gatehouse>(Gatehouse::Options{
        .policy = Policy(), .workers = 2, .clusters = {"eu-1", "us-2"}});
    ASSERT_TRUE(gatehouse_->StartControl().ok());
    gatehouse_->SetWorkerEnv({{"EU_KEY", "key-of-eu"}});
    ASSERT_TRUE(gatehouse_->StartWorker(0).ok());
    gatehouse_->SetWorkerEnv({{"US_KEY", "key-of-us"}});
    ASSERT_TRUE(gatehouse_->StartWorker(1).ok());
  }

  // The upstreams whose `echo` the worker lists, in order.
  std::vector<std::string> Listed(ScriptedClient& client) {
    std::vector<std::string> upstreams;
    const absl::StatusOr<Message> answer = client.Request("tools/list", "{}");
    EXPECT_TRUE(answer.ok()) << answer.status();
    if (!answer.ok()) return upstreams;
    EXPECT_TRUE(answer->Has("/result/tools")) << answer->raw();
    for (int i = 0; answer->Has(absl::StrCat("/result/tools/", i)); ++i) {
      const std::string name =
          answer->At(absl::StrCat("/result/tools/", i, "/name"));
      const size_t end = name.find("__echo");
      if (end != std::string::npos) upstreams.push_back(name.substr(0, end));
    }
    return upstreams;
  }

  ScriptedUpstream eu_;
  ScriptedUpstream us_;
};

TEST_F(ClustersTest, EachListsItsOwnUpstreamsAndThoseOfAll) {
  const auto eu = Connect({}, 0);
  const auto us = Connect({}, 1);
  EXPECT_THAT(Listed(*eu), ElementsAre("eu", "up"));
  EXPECT_THAT(Listed(*us), ElementsAre("us", "up"));
  ASSERT_TRUE(eu->CallTool("eu__echo", "{}").ok());
  ASSERT_TRUE(us->CallTool("us__echo", "{}").ok());
  ASSERT_FALSE(eu_.received().empty());
  EXPECT_EQ(eu_.received().front().headers.at("x-key"), "key-of-eu");
  EXPECT_EQ(us_.received().front().headers.at("x-key"), "key-of-us");
}

// Sessions are of the virtual server, not of a cluster.
TEST_F(ClustersTest, OneSessionSeesWhatItsWorkerServes) {
  const auto client = Connect({}, 0);
  EXPECT_THAT(Listed(*client), ElementsAre("eu", "up"));
  client->MoveTo(gatehouse_->worker_address(1));
  EXPECT_THAT(Listed(*client), ElementsAre("us", "up"));
}

TEST_F(ClustersTest, AToolOfAnotherClusterSaysSoAndAnUnknownOneDoesNot) {
  const auto eu = Connect({}, 0);
  const absl::StatusOr<Message> there = eu->CallTool("us__echo", "{}");
  ASSERT_TRUE(there.ok()) << there.status();
  EXPECT_EQ(there->At("/error/code"), "-32603");
  EXPECT_EQ(there->At("/error/data/reason"), "upstream_not_here");
  EXPECT_THAT(there->raw(), Not(HasSubstr("127.0.0.1")));
  const absl::StatusOr<Message> nowhere = eu->CallTool("asia__echo", "{}");
  ASSERT_TRUE(nowhere.ok()) << nowhere.status();
  EXPECT_EQ(nowhere->At("/error/code"), "-32602");
  EXPECT_TRUE(us_.received().empty());
}

// On the wire between the planes: the welcome, and the mail after a change.
TEST_F(ClustersTest, NoSnapshotHasASecretReferenceOfAnotherCluster) {
  const ControlApi api = gatehouse_->Api("worker");
  BareWorker worker(api, "bare", "eu-1");
  const v1::AttachResponse welcome = worker.Next();
  ASSERT_EQ(welcome.welcome().snapshots_size(), 1);
  ASSERT_TRUE(
      gatehouse_->Api("operator").Apply(Policy("replyDeadline: 7s\n")).ok());
  const v1::AttachResponse mail = worker.Next();
  ASSERT_TRUE(mail.mail().has_policy());
  for (const v1::PolicySnapshot& snapshot :
       {welcome.welcome().snapshots(0), mail.mail().policy()}) {
    const std::string bytes = snapshot.SerializeAsString();
    EXPECT_THAT(bytes, HasSubstr("env:EU_KEY"));
    EXPECT_THAT(bytes, Not(HasSubstr("US_KEY")));
    EXPECT_THAT(bytes, Not(HasSubstr(us_.url())));
    EXPECT_THAT(snapshot.upstreams_elsewhere(), ElementsAre("us"));
  }
}

TEST_F(ClustersTest, ItsMetricsSayWhatIsServedWithout) {
  HttpRequest scrape;
  scrape.method = "GET";
  scrape.target = "/metrics";
  const absl::StatusOr<std::string> page =
      Exchange::Start(&loop_, gatehouse_->worker_admin(0), scrape, nullptr)
          ->Body();
  ASSERT_TRUE(page.ok()) << page.status();
  EXPECT_THAT(*page, HasSubstr("gatehouse_worker_upstreams_elsewhere"
                               "{virtual_server=\"dev\"} 1"));
}

TEST_F(ClustersTest, AWorkerWithoutAClusterIsInTheDefaultOne) {
  const ControlApi api = gatehouse_->Api("worker");
  BareWorker worker(api, "bare", "");
  const v1::AttachResponse welcome = worker.Next();
  ASSERT_EQ(welcome.welcome().snapshots_size(), 1);
  const v1::PolicySnapshot& snapshot = welcome.welcome().snapshots(0);
  ASSERT_EQ(snapshot.virtual_server().upstreams_size(), 1);
  EXPECT_EQ(snapshot.virtual_server().upstreams(0).name(), "up");
  EXPECT_THAT(snapshot.upstreams_elsewhere(), ElementsAre("eu", "us"));
}

TEST_F(ClustersTest, AWordThatIsNoClusterIsRefused) {
  const ControlApi api = gatehouse_->Api("worker");
  BareWorker worker(api, "bare", "EU/1");
  EXPECT_EQ(worker.Next().message_case(), v1::AttachResponse::MESSAGE_NOT_SET);
  EXPECT_EQ(worker.End().error_code(), grpc::StatusCode::INVALID_ARGUMENT);
}

// A change of the policy moves an upstream: its tools go there, at once.
TEST_F(ClustersTest, AnUpstreamThatMovesIsServedThere) {
  const auto client = Connect({}, 1);
  EXPECT_THAT(Listed(*client), ElementsAre("us", "up"));
  std::string moved = Policy();
  moved.replace(moved.find("[us-2, us-3]"), 12, "[eu-1]");
  ASSERT_TRUE(gatehouse_->Api("operator").Apply(moved).ok());
  EXPECT_TRUE(Eventually(kPatience, [&] {
    return Listed(*client) == std::vector<std::string>{"up"};
  }));
}

// Where all its upstreams are elsewhere, a virtual server is empty, not away.
TEST_F(ClustersTest, AVirtualServerOfOtherClustersListsNothing) {
  std::string policy = Policy();
  policy.erase(policy.find("  - name: up"));
  policy.replace(policy.find("[us-2, us-3]"), 12, "[eu-1]");
  ASSERT_TRUE(gatehouse_->Api("operator").Apply(policy).ok());
  const auto client = Connect({}, 1);
  EXPECT_TRUE(Eventually(kPatience, [&] { return Listed(*client).empty(); }));
}

}  // namespace
}  // namespace gatehouse::testing
