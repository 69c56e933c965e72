// A log that an early build wrote, kept under tests/data/audit: every later
// build decodes and verifies it as it stands. Never regenerate the file; a
// build that cannot read it is wrong (DESIGN §13).

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "controlplane/audit/merkle.h"
#include "controlplane/audit/record.h"
#include "controlplane/audit/verify.h"
#include "shared/base/digest.h"

namespace gatehouse::audit {
namespace {

struct SampleLog {
  std::vector<AuditLeafRow> leaves;
  AuditHeadRow head;
  std::string root;
};

// Lines: `leaf EPOCH SEQ HASH BODY`, `head EPOCH SIZE RANGE`, `root ROOT`, all
// but the numbers in hex; `#` begins a comment.
std::optional<SampleLog> ReadSample() {
  const char* source = getenv("GATEHOUSE_SOURCE");
  if (source == nullptr) return std::nullopt;
  std::ifstream file(std::string(source) + "/tests/data/audit/sample_log.txt");
  SampleLog sample;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string kind, hash, body;
    int64_t epoch = 0, number = 0;
    words >> kind;
    if (kind == "leaf" && words >> epoch >> number >> hash >> body) {
      sample.leaves.push_back({epoch, number, HexDecode(hash).value_or(""),
                               HexDecode(body).value_or("")});
    } else if (kind == "head" && words >> epoch >> number >> body) {
      sample.head = {epoch, number, HexDecode(body).value_or("")};
    } else if (kind == "root" && words >> body) {
      sample.root = HexDecode(body).value_or("");
    }
  }
  return sample;
}

TEST(SampleLogTest, StillDecodesAndVerifies) {
  const auto sample = ReadSample();
  ASSERT_TRUE(sample.has_value()) << "GATEHOUSE_SOURCE is not set";
  ASSERT_EQ(sample->leaves.size(), 41u);

  LogVerifier verifier(1);
  std::vector<std::string> hashes;
  for (const AuditLeafRow& leaf : sample->leaves) {
    const auto record = verifier.Add(leaf);
    ASSERT_TRUE(record.ok()) << record.status();
    hashes.push_back(leaf.leaf_hash);
  }
  EXPECT_TRUE(verifier.CheckHead(sample->head).ok());
  EXPECT_EQ(RootOfLeaves(hashes), sample->root);
  EXPECT_EQ(*RootOfRange(sample->head.compact_range, sample->head.size),
            sample->root);
}

TEST(SampleLogTest, StillSaysWhatItSaid) {
  const auto sample = ReadSample();
  ASSERT_TRUE(sample.has_value()) << "GATEHOUSE_SOURCE is not set";
  ASSERT_EQ(sample->leaves.size(), 41u);

  // The first 29 leaves have one type each, in the order of the enum.
  for (size_t i = 0; i < 29; ++i) {
    const auto record = Decode(sample->leaves[i].body);
    ASSERT_TRUE(record.ok()) << record.status();
    EXPECT_EQ(record->type, static_cast<RecordType>(i));
  }
  // The next 11 have one field each beyond the least; the last has all.
  const auto full = Decode(sample->leaves[40].body);
  ASSERT_TRUE(full.ok()) << full.status();
  EXPECT_EQ(full->time, absl::FromUnixSeconds(1'800'000'040));
  EXPECT_EQ(full->type, RecordType::kAnswered);
  EXPECT_EQ(full->boot_id, "boot");
  EXPECT_EQ(full->session_id, "session");
  EXPECT_EQ(full->operation_id, "operation");
  EXPECT_EQ(full->input_request_id, "request");
  EXPECT_EQ(full->kind, "sampling");
  EXPECT_EQ(full->era, "legacy");
  EXPECT_EQ(full->virtual_server, "dev");
  EXPECT_EQ(full->upstream, "weather");
  EXPECT_EQ(full->tool, "pr\xc3\xa9vision");
  EXPECT_EQ(full->principal_hmac, std::string(32, '\x01'));
  EXPECT_EQ(full->from_state, InputRequestState::kRelayed);
  EXPECT_EQ(full->to_state, InputRequestState::kAnswered);
  EXPECT_EQ(full->state_version, 2);
  EXPECT_EQ(full->outcome, "deliver");
  EXPECT_EQ(full->reason, "declined");
  EXPECT_EQ(full->cause, "upstream");
  EXPECT_EQ(full->policy_version, 300);
  EXPECT_EQ(full->policy_etag_sha256, std::string(32, '\x02'));
  EXPECT_EQ(full->budget, (Budget{1, -4096, 4096, 3, 0, 8192}));
  EXPECT_EQ(full->bytes_in, 70'000);
  EXPECT_EQ(full->bytes_out, 5'000'000'000);
  EXPECT_EQ(full->max_tokens, 4096);
  EXPECT_EQ(full->payload_hmac, std::string(32, '\x03'));
  EXPECT_EQ(full->delivered_hmac, std::string(32, '\x04'));
  EXPECT_EQ(full->request_id_sha256, std::string(32, '\x05'));
  EXPECT_EQ(full->worker_id, "worker");
  EXPECT_EQ(full->worker_epoch, 9);
  EXPECT_EQ(full->error_code, -32603);
  EXPECT_EQ(full->prior_seq, 39);
  EXPECT_EQ(full->count, 35);
  EXPECT_EQ(full->actor, "alice");
}

}  // namespace
}  // namespace gatehouse::audit
