// The reader of an upstream's answer, fed whole and in pieces:
//
//   - the split changes neither status, headers and body, nor where the answer
//     ends, nor whether it is broken;
//   - an answer that has two ways to tell where it ends is broken, and one of
//     known length has that length.

#include <string>
#include <string_view>

#include "dataplane/http/http_text.h"
#include "dataplane/http/response_reader.h"
#include "tests/fuzz/fuzz_support.h"

namespace gatehouse::http {
namespace {

using fuzz::Require;
using Step = ResponseReader::Step;

struct Answer {
  Step step = Step::kMore;
  Step at_close = Step::kMore;
  int heads = 0;
  int status = 0;
  Headers headers;
  std::string body;
  bool keep_alive = false;
  size_t end = 0;  // how many bytes were read
};

// True while it wants more.
bool Feed(ResponseReader& reader, std::string_view piece, size_t offset,
          Answer& answer) {
  std::string_view left = piece;
  do {
    answer.step = reader.Next(left);
    if (answer.step == Step::kHead) {
      ++answer.heads;
      answer.status = reader.status();
      answer.headers = reader.headers();
    }
    if (answer.step == Step::kBody) answer.body.append(reader.body());
  } while (answer.step == Step::kHead || answer.step == Step::kBody);
  answer.at_close = reader.AtClose();
  answer.keep_alive = reader.keep_alive();
  answer.end = offset + piece.size() - left.size();
  Require(answer.step != Step::kMore || left.empty(),
          "kMore: the piece is used up");
  return answer.step == Step::kMore;
}

void Check(const Answer& answer, bool to_head) {
  Require(answer.heads <= 1, "the head is told once");
  if (answer.heads == 0) return;
  Require(answer.status >= 200 && answer.status <= 599, "a final status");
  for (const auto& [name, value] : answer.headers) {
    Require(IsToken(name) && IsFieldValue(value),
            "no header of an answer breaks out of its line");
  }
  const int lengths = CountHeader(answer.headers, "Content-Length");
  const int codings = CountHeader(answer.headers, "Transfer-Encoding");
  Require(lengths + codings <= 1,
          "one way at most to tell where an answer ends");
  if (lengths == 0 || answer.step != Step::kDone) return;
  const bool bodiless = to_head || answer.status == 204 || answer.status == 304;
  const auto length =
      ParseDecimal(*FindHeader(answer.headers, "Content-Length"));
  Require(length.has_value() || bodiless, "a length is a number");
  Require(answer.body.size() == (bodiless ? 0 : *length),
          "a complete body is as long as it says");
}

void CheckAlike(const Answer& whole, const Answer& pieces) {
  Require(whole.step == pieces.step,
          "a split does not change whether an answer is complete or broken");
  if (whole.step == Step::kBroken) {
    // What came before the fault may have been told, piece by piece.
    Require(pieces.body.starts_with(whole.body), "the content does not change");
    return;
  }
  Require(whole.status == pieces.status && whole.headers == pieces.headers,
          "a split does not change the head");
  Require(whole.body == pieces.body, "a split does not change the body");
  Require(whole.at_close == pieces.at_close &&
              whole.keep_alive == pieces.keep_alive && whole.end == pieces.end,
          "a split does not change where the answer ends");
}

}  // namespace
}  // namespace gatehouse::http

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace gatehouse;  // NOLINT: the function's name is libFuzzer's
  const std::string_view input = fuzz::View(data, size);
  fuzz::Dice dice(input);
  for (const bool to_head : {false, true}) {
    http::Answer whole;
    http::ResponseReader at_once(to_head);
    http::Feed(at_once, input, 0, whole);

    http::Answer pieces;
    http::ResponseReader split(to_head);
    std::string_view left = input;
    bool goes_on = http::Feed(split, {}, 0, pieces);
    while (goes_on && !left.empty()) {
      const size_t offset = size - left.size();
      const std::string piece(fuzz::TakePiece(left, dice));
      goes_on = http::Feed(split, piece, offset, pieces);
    }
    http::CheckAlike(whole, pieces);
    http::Check(whole, to_head);
  }
  return 0;
}
