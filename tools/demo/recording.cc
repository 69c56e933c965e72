#include "tools/demo/recording.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <sstream>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "shared/base/clock.h"
#include "shared/base/digest.h"
#include "shared/base/status.h"
#include "shared/json/json.h"

namespace gatehouse::demo {
namespace {

// Larger than any message that a tap takes, escaped.
constexpr json::Limits kLineLimits = {.max_bytes = 128 << 20};

// Whether `text` can stand in a JSON string and come back the same.
bool FitsJsonString(std::string_view text) {
  const auto read = json::Document::Parse(json::Quote(text), kLineLimits);
  if (!read.ok()) return false;
  const auto back = read->root().String();
  return back.ok() && *back == text;
}

absl::StatusOr<std::string> MessageOf(const json::Value& line) {
  if (const auto hex = line.Find("hex")) {
    GATEHOUSE_ASSIGN_OR_RETURN(const std::string_view digits, hex->String());
    if (auto bytes = HexDecode(digits)) return *bytes;
    return hex->Error("expected hexadecimal digits");
  }
  GATEHOUSE_ASSIGN_OR_RETURN(const json::Value message, line.Field("message"));
  GATEHOUSE_ASSIGN_OR_RETURN(const std::string_view text, message.String());
  return std::string(text);
}

absl::StatusOr<RecordedMessage> ParseLine(std::string line) {
  GATEHOUSE_ASSIGN_OR_RETURN(
      const json::Document document,
      json::Document::Parse(std::move(line), kLineLimits));
  const json::Value root = document.root();
  RecordedMessage result;
  GATEHOUSE_ASSIGN_OR_RETURN(const json::Value time, root.Field("time_us"));
  GATEHOUSE_ASSIGN_OR_RETURN(result.time_us, time.Integer());
  GATEHOUSE_ASSIGN_OR_RETURN(const json::Value to, root.Field("to"));
  GATEHOUSE_ASSIGN_OR_RETURN(const std::string_view peer, to.String());
  result.to_server = peer == "server";
  GATEHOUSE_ASSIGN_OR_RETURN(const json::Value channel, root.Field("channel"));
  GATEHOUSE_ASSIGN_OR_RETURN(const std::string_view name, channel.String());
  result.channel = std::string(name);
  GATEHOUSE_ASSIGN_OR_RETURN(const json::Value http, root.Field("http"));
  GATEHOUSE_ASSIGN_OR_RETURN(const std::string_view start, http.String());
  result.http = std::string(start);
  GATEHOUSE_ASSIGN_OR_RETURN(result.message, MessageOf(root));
  return result;
}

}  // namespace

absl::StatusOr<RecordingWriter> RecordingWriter::Open(const std::string& path) {
  Fd fd(open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600));
  if (!fd.valid()) {
    return absl::ErrnoToStatus(
        errno, absl::StrCat(path, ": cannot write the recording there"));
  }
  return RecordingWriter(std::move(fd));
}

absl::Status RecordingWriter::Append(RecordedMessage message) {
  json::Writer line;
  line.StartObject();
  line.Name("time_us").Integer(absl::ToUnixMicros(SystemClock().Wall()));
  line.Name("to").String(message.to_server ? "server" : "client");
  line.Name("channel").String(message.channel);
  line.Name("http").String(message.http);
  if (FitsJsonString(message.message)) {
    line.Name("message").String(message.message);
  } else {
    line.Name("hex").String(HexEncode(message.message));
  }
  line.EndObject();
  return WriteAll(fd_.get(), line.Take() + "\n", absl::Seconds(5));
}

absl::StatusOr<std::vector<RecordedMessage>> ReadRecording(
    const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    return absl::NotFoundError(absl::StrCat(path, ": no such recording"));
  }
  std::vector<RecordedMessage> result;
  std::string line;
  while (std::getline(file, line)) {
    absl::StatusOr<RecordedMessage> message = ParseLine(std::move(line));
    if (!message.ok()) {
      return absl::DataLossError(absl::StrCat(path, ": line ",
                                              result.size() + 1, ": ",
                                              message.status().message()));
    }
    result.push_back(*std::move(message));
  }
  return result;
}

}  // namespace gatehouse::demo
