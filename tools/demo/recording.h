#ifndef GATEHOUSE_TOOLS_DEMO_RECORDING_H_
#define GATEHOUSE_TOOLS_DEMO_RECORDING_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tools/demo/io.h"

namespace gatehouse::demo {

// A JSON-RPC message that passed a tap.
struct RecordedMessage {
  // When the tap had read it whole, by the wall clock, in microseconds since
  // 1970. It is recorded before its last byte is passed on.
  int64_t time_us = 0;
  bool to_server = false;  // else to the client; as MCP calls the two peers
  std::string channel;     // one process, or one HTTP connection
  std::string http;        // request line, or status line; empty on stdio
  std::string message;     // the bytes, unchanged
};

// Appends messages to a file, one JSON object a line, each written by one call
// so that several taps may share it. Thread-compatible.
class RecordingWriter {
 public:
  // Makes the file (0600) if there is none.
  static absl::StatusOr<RecordingWriter> Open(const std::string& path);
  // Stamps it with the wall clock's time and writes it before it returns.
  absl::Status Append(RecordedMessage message);

 private:
  explicit RecordingWriter(Fd fd) : fd_(std::move(fd)) {}
  Fd fd_;
};

// All of them, in the order of the file. NOT_FOUND if there is no such file,
// DATA_LOSS if a line is not what RecordingWriter writes.
absl::StatusOr<std::vector<RecordedMessage>> ReadRecording(
    const std::string& path);

}  // namespace gatehouse::demo

#endif  // GATEHOUSE_TOOLS_DEMO_RECORDING_H_
