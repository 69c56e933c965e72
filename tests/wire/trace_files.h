#ifndef GATEHOUSE_TESTS_WIRE_TRACE_FILES_H_
#define GATEHOUSE_TESTS_WIRE_TRACE_FILES_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "shared/json/json.h"

namespace gatehouse::wire {

// Names of all traces of tests/data/wire, sorted, without `.jsonl`. Empty if
// there is no such folder; GATEHOUSE_SOURCE, which ctest sets, says where the
// sources are, else they are looked for in the working directory.
std::vector<std::string> TraceNames();

// The lines of a file of tests/data/wire, each a JSON value. NOT_FOUND, or
// INVALID_ARGUMENT with the number of the line.
absl::StatusOr<std::vector<json::Document>> ReadLines(const std::string& file);

// The raw JSON of a member, or empty.
std::string RawMember(const json::Value& object, std::string_view name);
// A string member, decoded; empty if it is none.
std::string TextMember(const json::Value& object, std::string_view name);
// An integer member, or 0.
int64_t NumberMember(const json::Value& object, std::string_view name);

}  // namespace gatehouse::wire

#endif  // GATEHOUSE_TESTS_WIRE_TRACE_FILES_H_
