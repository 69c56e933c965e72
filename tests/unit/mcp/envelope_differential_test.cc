// Invariant 4, judge, never repair: the envelope's reader, which builds no
// tree, and the strict reader take each other's word. Over texts that were
// mutated at random (seeded, so a failure repeats) the first accepts nothing
// that the second refuses, but for duplicates deeper than it looks, and calls
// nothing malformed that the second reads.

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "shared/base/digest.h"
#include "shared/base/random.h"
#include "shared/json/json.h"
#include "shared/mcp/envelope.h"

namespace gatehouse::mcp {
namespace {

const std::vector<std::string>& Seeds() {
  static const auto* seeds = new std::vector<std::string>{
      R"({"jsonrpc":"2.0","id":-1,"method":"tools/call","params":{"a":[1.5e+3,)"
      R"("\u00e9\ud83d\ude00\n",true,false,null,{}]}})",
      R"({"jsonrpc":"2.0","id":"a","result":{"x":{"y":[[],{"z":0}]},"w":-0.1}})",
      R"({"jsonrpc":"2.0","id":7,"error":{"code":-1,"message":"no"}})",
      "{\"a\":\"\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\",\"b\":[1,2]}",
      R"([{"jsonrpc":"2.0","method":"a"},"x",[0]])"};
  return *seeds;
}

// Pieces that a mutation puts in: what readers disagree about.
constexpr std::string_view kPieces[] = {"\"",
                                        "\\",
                                        "{",
                                        "}",
                                        "[",
                                        "]",
                                        ",",
                                        ":",
                                        "0",
                                        "1",
                                        "-",
                                        ".",
                                        "e",
                                        "E",
                                        "+",
                                        " ",
                                        "\n",
                                        "\v",
                                        "\x7F",
                                        "\x80",
                                        "\xC0",
                                        "\xED\xA0\x80",
                                        "u",
                                        "\\ud800",
                                        "\\udc00",
                                        "\\u0061",
                                        "true",
                                        "null",
                                        "\xEF\xBB\xBF",
                                        "id",
                                        "\"a\":1,",
                                        "/"};

std::string Mutate(std::string text, Random& random) {
  const std::string dice = random.Bytes(13);
  const auto roll = [&](size_t die) {
    return static_cast<size_t>(static_cast<unsigned char>(dice[die]));
  };
  const size_t mutations = 1 + roll(0) % 3;
  for (size_t i = 0; i < mutations; ++i) {
    const size_t at =
        (roll(1 + 4 * i) * 256 + roll(2 + 4 * i)) % (text.size() + 1);
    const std::string_view piece =
        kPieces[roll(3 + 4 * i) % std::size(kPieces)];
    switch (roll(4 + 4 * i) % 3) {
      case 0:
        text.insert(at, piece);
        break;
      case 1:
        text.replace(at, 1, piece);
        break;
      default:
        text.erase(at, 1);
        break;
    }
  }
  return text;
}

bool IsDuplicate(const absl::Status& status) {
  return status.message().find("stands twice") != absl::string_view::npos;
}

TEST(EnvelopeDifferentialTest, AgreesWithTheStrictReader) {
  SeededRandom random(20251125);
  int accepted = 0;
  int refused = 0;
  for (int i = 0; i < 20'000; ++i) {
    const std::string text =
        Mutate(Seeds()[static_cast<size_t>(i) % Seeds().size()], random);
    const absl::Status envelope = ParseEnvelope(text).status();
    const absl::Status strict = json::Document::Parse(text).status();
    const bool is_json = envelope.ok() || CodeOf(envelope) == kInvalidRequest;
    if (strict.ok()) {
      ++accepted;
      EXPECT_TRUE(is_json) << HexEncode(text) << " " << envelope;
    } else {
      ++refused;
      EXPECT_TRUE(!is_json || IsDuplicate(strict))
          << HexEncode(text) << " " << strict;
    }
  }
  // The mutations reach both sides, so that the comparison says something.
  EXPECT_GT(accepted, 1000);
  EXPECT_GT(refused, 1000);
}

}  // namespace
}  // namespace gatehouse::mcp
