#ifndef GATEHOUSE_TESTS_INTEGRATION_HARNESS_MESSAGE_H_
#define GATEHOUSE_TESTS_INTEGRATION_HARNESS_MESSAGE_H_

#include <optional>
#include <string>
#include <string_view>

#include "absl/time/time.h"
#include "shared/json/json.h"

namespace gatehouse::testing {

// A JSON-RPC message as it came in, and when. Immutable; cheap to copy.
class Message {
 public:
  // What is no JSON gives a message whose every At() is empty.
  explicit Message(std::string raw);

  // What stands at an RFC 6901 pointer: a string decoded, anything else as its
  // raw bytes, empty if there is nothing.
  std::string At(std::string_view pointer) const;
  // Its raw bytes, strings with their quotes.
  std::string RawAt(std::string_view pointer) const;
  bool Has(std::string_view pointer) const;

  const std::string& raw() const { return raw_; }
  // The id's lexeme: `1` and `"1"` differ.
  std::string id() const { return RawAt("/id"); }
  std::string method() const { return At("/method"); }
  bool IsRequest() const { return Has("/method") && Has("/id"); }
  bool IsResponse() const { return !Has("/method") && Has("/id"); }
  absl::Time time() const { return time_; }

 private:
  std::optional<json::Value> Find(std::string_view pointer) const;

  std::string raw_;
  std::optional<json::Document> document_;
  absl::Time time_;
};

}  // namespace gatehouse::testing

#endif  // GATEHOUSE_TESTS_INTEGRATION_HARNESS_MESSAGE_H_
