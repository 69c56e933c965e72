#include "dataplane/http/transport.h"

#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>

namespace gatehouse::http {
namespace {

class PlainTransport : public Transport {
 public:
  explicit PlainTransport(int fd) : fd_(fd) {}
  ~PlainTransport() override { close(fd_); }
  PlainTransport(const PlainTransport&) = delete;
  PlainTransport& operator=(const PlainTransport&) = delete;

  int fd() const override { return fd_; }
  Io Handshake() override { return Io::kDone; }
  IoResult Read(char* buffer, size_t size) override;
  IoResult Write(std::string_view bytes) override;
  Io ShutdownWrite() override {
    return shutdown(fd_, SHUT_WR) == 0 ? Io::kDone : Io::kBroken;
  }
  bool HasBuffered() const override { return false; }
  void ResetOnClose() override { SetResetOnClose(fd_); }
  std::string Trouble() const override { return {}; }

 private:
  const int fd_;
};

IoResult PlainTransport::Read(char* buffer, size_t size) {
  ssize_t n = 0;
  do {
    n = recv(fd_, buffer, size, MSG_DONTWAIT);
  } while (n < 0 && errno == EINTR);
  if (n > 0) return {Io::kDone, static_cast<size_t>(n)};
  if (n == 0) return {Io::kEnded};
  return {errno == EAGAIN ? Io::kWantsRead : Io::kBroken};
}

IoResult PlainTransport::Write(std::string_view bytes) {
  ssize_t n = 0;
  do {
    n = send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  } while (n < 0 && errno == EINTR);
  if (n > 0) return {Io::kDone, static_cast<size_t>(n)};
  return {n == 0 || errno == EAGAIN ? Io::kWantsWrite : Io::kBroken};
}

}  // namespace

std::unique_ptr<Transport> MakePlainTransport(int fd) {
  return std::make_unique<PlainTransport>(fd);
}

bool IsQuiet(Transport& transport) {
  char byte = 0;
  return transport.Read(&byte, 1).state == Io::kWantsRead;
}

void SetResetOnClose(int fd) {
  const linger at_once = {1, 0};
  setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
}

}  // namespace gatehouse::http
