#include "controlplane/audit/record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "shared/base/digest.h"

namespace gatehouse::audit {
namespace {

using testing::HasSubstr;

Record Smallest() {
  Record record;
  record.epoch = 1;
  record.seq = 0;
  record.time = absl::FromUnixMicros(1'800'000'000'000'001);
  record.nonce = std::string(16, '\x5a');
  record.type = RecordType::kBoot;
  return record;
}

Record Fullest() {
  Record record = Smallest();
  record.type = RecordType::kAnswered;
  record.boot_id = "boot";
  record.session_id = "session";
  record.operation_id = "operation";
  record.input_request_id = "request";
  record.kind = "sampling";
  record.era = "legacy";
  record.virtual_server = "dev";
  record.upstream = "weather";
  record.tool = "forecast";
  record.principal_hmac = std::string(32, '\x01');
  record.from_state = InputRequestState::kRelayed;
  record.to_state = InputRequestState::kAnswered;
  record.state_version = 2;
  record.outcome = "deliver";
  record.reason = "ok";
  record.cause = "client";
  record.policy_version = 7;
  record.policy_etag_sha256 = std::string(32, '\x02');
  record.rule = "max-tokens-present";
  record.budget = Budget{1, -100, 100, 3, 0, 400};
  record.bytes_in = 300;
  record.bytes_out = 299;
  record.max_tokens = 100;
  record.payload_hmac = std::string(32, '\x03');
  record.delivered_hmac = std::string(32, '\x04');
  record.request_id_sha256 = std::string(32, '\x05');
  record.worker_id = "worker";
  record.worker_epoch = 9;
  record.error_code = -32603;
  record.prior_seq = 41;
  record.count = 35;
  record.actor = "alice";
  return record;
}

TEST(RecordTest, TheSmallestRecordHasTheseBytes) {
  // By hand, from docs/audit.md.
  EXPECT_EQ(HexEncode(Encode(Smallest())),
            "a6"            // a map of 6
            "0101"          // 1: schema 1
            "0201"          // 2: epoch 1
            "0300"          // 3: seq 0
            "0464626f6f74"  // 4: "boot"
            "051b00066517289880"
            "01"                                        // 5: microseconds
            "1819505a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a");  // 25: nonce
}

TEST(RecordTest, EveryFieldComesBack) {
  const std::string body = Encode(Fullest());
  const absl::StatusOr<Record> record = Decode(body);
  ASSERT_TRUE(record.ok()) << record.status();
  EXPECT_EQ(*record, Fullest());
  EXPECT_NE(*record, Smallest());
}

TEST(RecordTest, AbsentFieldsComeBackAbsent) {
  const absl::StatusOr<Record> record = Decode(Encode(Smallest()));
  ASSERT_TRUE(record.ok()) << record.status();
  EXPECT_EQ(*record, Smallest());
}

TEST(RecordTest, EveryTypeAndStateHasANameOfItsOwn) {
  Record record = Smallest();
  for (int i = 0; i <= static_cast<int>(RecordType::kRefusalsSuppressed); ++i) {
    record.type = static_cast<RecordType>(i);
    ASSERT_FALSE(RecordTypeName(record.type).empty()) << i;
    EXPECT_EQ(RecordTypeFromName(RecordTypeName(record.type)), record.type);
  }
  for (int i = 1; i <= 15; ++i) {
    const auto state = static_cast<InputRequestState>(i);
    ASSERT_FALSE(StateName(state).empty()) << i;
    EXPECT_EQ(StateFromName(StateName(state)), state);
  }
  EXPECT_EQ(RecordTypeFromName("Asked"), std::nullopt);
  EXPECT_EQ(StateFromName("relayed"), std::nullopt);
}

// Defends invariant 6 of DESIGN §1: a stored record cannot be altered and still
// pass for one. Each bit of each byte is flipped; what decodes at all must
// encode to the altered bytes, so its hash is another.
TEST(RecordTest, NoFlippedBitPassesForTheSameRecord) {
  const std::string body = Encode(Fullest());
  for (size_t i = 0; i < body.size() * 8; ++i) {
    std::string altered = body;
    altered[i / 8] = static_cast<char>(altered[i / 8] ^ (1 << (i % 8)));
    const absl::StatusOr<Record> record = Decode(altered);
    if (!record.ok()) continue;
    EXPECT_NE(*record, Fullest()) << "bit " << i;
    EXPECT_EQ(Encode(*record), altered) << "bit " << i;
  }
}

TEST(RecordTest, NoTruncationDecodes) {
  const std::string body = Encode(Fullest());
  for (size_t length = 0; length < body.size(); ++length) {
    EXPECT_FALSE(Decode(std::string_view(body).substr(0, length)).ok())
        << length;
  }
}

struct MalformedCase {
  const char* name;
  const char* hex;
  const char* error;
};

class MalformedTest : public testing::TestWithParam<MalformedCase> {};

TEST_P(MalformedTest, IsRefused) {
  const auto body = HexDecode(GetParam().hex);
  ASSERT_TRUE(body.has_value());
  const absl::StatusOr<Record> record = Decode(*body);
  EXPECT_EQ(record.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(record.status().message()),
              HasSubstr(GetParam().error));
}

#define NONCE "1819505a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a"

INSTANTIATE_TEST_SUITE_P(
    Bytes, MalformedTest,
    testing::ValuesIn<MalformedCase>({
        {"NothingIsNoRecord", "", "truncated"},
        {"AnArrayIsNoRecord", "80", "expected a map"},
        {"AnIndefiniteMapIsRefused", "bfff", "indefinite"},
        {"AFloatIsRefused", "a101f93c00", "wrong type"},
        {"ATextKeyIsRefused", "a1613101", "expected a key"},
        {"BytesAfterTheEndAreRefused",
         "a6010102010300"
         "0464626f6f74"
         "0501" NONCE "00",
         "after the end"},
        {"ARepeatedKeyIsRefused",
         "a7010101010201"
         "0300"
         "0464626f6f74"
         "0501" NONCE,
         "key again"},
        {"KeysInAnotherOrderAreRefused",
         "a6020101010300"
         "0464626f6f74"
         "0501" NONCE,
         "not the bytes"},
        {"ALongerIntegerIsRefused",
         "a601180102010300"
         "0464626f6f74"
         "0501" NONCE,
         "not the bytes"},
        {"AnUnknownFieldIsRefused",
         "a7010102010300"
         "0464626f6f74"
         "0501" NONCE "186300",
         "not the bytes"},
        {"AMissingFieldIsRefused",
         "a501010201"
         "0464626f6f74"
         "0501" NONCE,
         "not the bytes"},
        {"AnotherSchemaIsRefused",
         "a6010202010300"
         "0464626f6f74"
         "0501" NONCE,
         "schema version"},
        {"AnUnknownTypeIsRefused",
         "a6010102010300"
         "0464626f6f75"
         "0501" NONCE,
         "type"},
        {"AMissingNonceIsRefused",
         "a5010102010300"
         "0464626f6f74"
         "0501",
         "nonce"},
        {"AHalfBudgetIsRefused",
         "a7010102010300"
         "0464626f6f74"
         "0501"
         "11a10101" NONCE,
         "not the bytes"},
        {"AnEmptyTextIsRefused",
         "a7010102010300"
         "0464626f6f74"
         "0501"
         "0760" NONCE,
         "not the bytes"},
        {"TextThatIsNotUtf8IsRefused",
         "a7010102010300"
         "0464626f6f74"
         "0501"
         "0761ff" NONCE,
         "not UTF-8"},
        {"AnOversizedLengthIsRefusedUnread", "a1047bffffffffffffffff",
         "truncated"},
        {"AnOversizedMapIsRefusedUnread", "bbffffffffffffffff", "truncated"},
        {"AnIntegerPastInt64IsRefused", "a1011bffffffffffffffff",
         "out of range"},
    }),
    [](const auto& c) { return std::string(c.param.name); });

TEST(RecordTest, WhatCannotBeWrittenIsNamed) {
  Record record = Smallest();
  EXPECT_TRUE(Validate(record).ok());

  record.tool = std::string(1025, 'x');
  EXPECT_THAT(std::string(Validate(record).message()), HasSubstr("tool"));
  record.tool = "\xc0\x80";  // an overlong form
  EXPECT_THAT(std::string(Validate(record).message()), HasSubstr("UTF-8"));
  record.tool = "\xed\xa0\x80";  // a surrogate
  EXPECT_THAT(std::string(Validate(record).message()), HasSubstr("UTF-8"));
  record.tool = "pr\xc3\xa9vision";
  EXPECT_TRUE(Validate(record).ok());

  record.payload_hmac = "short";
  EXPECT_THAT(std::string(Validate(record).message()),
              HasSubstr("payload hmac"));
  record.payload_hmac.clear();
  record.bytes_in = -1;
  EXPECT_FALSE(Validate(record).ok());
  record.bytes_in = 0;
  record.nonce.clear();
  EXPECT_THAT(std::string(Validate(record).message()), HasSubstr("nonce"));
}

TEST(RecordTest, HmacsOfTheSameBytesDifferByWhatTheyAre) {
  EXPECT_NE(Hmac("key", HmacTag::kRequest, "x"),
            Hmac("key", HmacTag::kResponse, "x"));
  EXPECT_NE(Hmac("key", HmacTag::kRequest, "x"),
            Hmac("other", HmacTag::kRequest, "x"));
  EXPECT_NE(PrincipalHmac("key", {"a", "bc"}),
            PrincipalHmac("key", {"ab", "c"}));
  EXPECT_EQ(PrincipalHmac("key", {"a", "b"}).size(), 32u);
}

TEST(RecordTest, ABudgetTellsWhatMovedAndWhatStands) {
  OperationRow before;
  before.slots_used = 1;
  before.tokens_reserved = 100;
  OperationRow after = before;
  after.slots_used = 2;
  after.tokens_reserved = 0;
  after.tokens_charged = 100;
  EXPECT_EQ(BudgetOf(before, after), (Budget{1, -100, 100, 2, 0, 100}));
}

}  // namespace
}  // namespace gatehouse::audit
