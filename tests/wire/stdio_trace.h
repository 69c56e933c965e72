#ifndef GATEHOUSE_TESTS_WIRE_STDIO_TRACE_H_
#define GATEHOUSE_TESTS_WIRE_STDIO_TRACE_H_

#include <string>
#include <vector>

#include "shared/json/json.h"
#include "tests/wire/trace.h"

namespace gatehouse::wire {

// The exchange of a pipe's trace that holds what belongs to no request: a GET,
// which the client opens when it has initialized.
inline constexpr int kListener = 1000;

// A recording of pipes as the Trace it would have been over HTTP. What the
// server says belongs to the request whose id it answers or whose progress
// token it names; what it asks, to the only call that has no answer yet; the
// rest to kListener.
Trace FromPipes(const std::string& name,
                const std::vector<json::Document>& lines);

}  // namespace gatehouse::wire

#endif  // GATEHOUSE_TESTS_WIRE_STDIO_TRACE_H_
