#include "tools/gatehousectl/mcp/stdio_server.h"

#include <poll.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <memory>
#include <utility>

#include "dataplane/http/client.h"
#include "dataplane/http/reactor.h"
#include "shared/base/status.h"
#include "tools/gatehousectl/mcp/line_reader.h"
#include "tools/gatehousectl/mcp/line_writer.h"
#include "tools/gatehousectl/mcp/stdio_bridge.h"
#include "tools/gatehousectl/mcp/wake.h"

namespace gatehouse::ctl {
namespace {

constexpr size_t kMaxLineBytes = 4 << 20;
constexpr size_t kReadBytes = 64 << 10;
// Beyond it the host has to wait with more.
constexpr size_t kMaxPassedBytes = 16 << 20;
constexpr absl::Duration kFlushPatience = absl::Seconds(5);
// For the session's end, which has a deadline of its own, and the drain's.
constexpr int kEndPatienceMs = 15'000;

class StdioServer {
 public:
  StdioServer(WorkerLink::Options options, const std::string& server,
              std::function<void(std::string_view)> to_person)
      : client_(http::Client::Create(reactor_)),
        link_(*client_, std::move(options)),
        out_(STDOUT_FILENO,
             [this, to_person](std::string why) {
               to_person(why);
               host_gone_.Ring();
             }),
        bridge_(reactor_, link_, server,
                {[this](std::string line) { out_.Write(std::move(line)); },
                 to_person, [this] { ended_.Ring(); }}),
        lines_(
            kMaxLineBytes, [this](std::string line) { Pass(std::move(line)); },
            [this] { reactor_.Post([this] { bridge_.OnLineTooLong(); }); }) {}

  absl::Status Run() {
    GATEHOUSE_RETURN_IF_ERROR(reactor_.Start());
    if (ReadUntilEnd()) {
      reactor_.Post([this] { bridge_.OnInputEnd(); });
      AwaitEnd();
    } else {
      reactor_.Post([this] { bridge_.Stop(); });
      AwaitEnd();
    }
    out_.Flush(kFlushPatience);
    // Before what its callbacks use.
    client_.reset();
    reactor_.Stop();
    return absl::OkStatus();
  }

 private:
  // To the bridge, which may be slower than the host.
  void Pass(std::string line) {
    const size_t bytes = line.size();
    passed_bytes_ += bytes;
    reactor_.Post([this, bytes, line = std::move(line)]() mutable {
      bridge_.OnLine(std::move(line));
      const size_t before = passed_bytes_.fetch_sub(bytes);
      if (before >= kMaxPassedBytes) caught_up_.Ring();
    });
  }

  // True if the host closed stdin; false if something else is the end.
  bool ReadUntilEnd() {
    std::string buffer(kReadBytes, '\0');
    for (;;) {
      // poll leaves a negative descriptor out.
      const bool behind = passed_bytes_ >= kMaxPassedBytes;
      pollfd ready[] = {{behind ? -1 : STDIN_FILENO, POLLIN, 0},
                        {signals_.fd(), POLLIN, 0},
                        {host_gone_.fd(), POLLIN, 0},
                        {caught_up_.fd(), POLLIN, 0}};
      if (poll(ready, 4, -1) < 0) {
        if (errno == EINTR) continue;
        return false;
      }
      if (ready[1].revents != 0 || ready[2].revents != 0) return false;
      caught_up_.Clear();
      if (ready[0].revents == 0) continue;
      const ssize_t n = read(STDIN_FILENO, buffer.data(), buffer.size());
      if (n < 0 && (errno == EINTR || errno == EAGAIN)) continue;
      if (n <= 0) break;
      lines_.Feed(std::string_view(buffer).substr(0, static_cast<size_t>(n)));
    }
    lines_.End();
    return true;
  }

  // A signal, or a host that is gone, cuts the drain short.
  void AwaitEnd() {
    pollfd ready[] = {{ended_.fd(), POLLIN, 0},
                      {signals_.fd(), POLLIN, 0},
                      {host_gone_.fd(), POLLIN, 0}};
    poll(ready, 3, kEndPatienceMs);
    if (ready[0].revents != 0) return;
    reactor_.Post([this] { bridge_.Stop(); });
    poll(ready, 1, kEndPatienceMs);
  }

  const EndSignals signals_;  // first: before any thread starts
  const Wake host_gone_;
  const Wake ended_;
  const Wake caught_up_;
  // Of lines that the bridge has not seen yet.
  std::atomic<size_t> passed_bytes_ = 0;
  http::Reactor reactor_;
  std::unique_ptr<http::Client> client_;
  WorkerLink link_;
  LineWriter out_;
  StdioBridge bridge_;
  LineReader lines_;
};

}  // namespace

absl::Status ServeStdio(
    const WorkerTarget& target,
    const std::function<void(std::string_view text)>& to_person) {
  GATEHOUSE_ASSIGN_OR_RETURN(WorkerLink::Options options, Resolve(target));
  StdioServer server(std::move(options), target.ToString(), to_person);
  return server.Run();
}

}  // namespace gatehouse::ctl
