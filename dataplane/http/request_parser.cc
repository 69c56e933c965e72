#include "dataplane/http/request_parser.h"

#include <httplib.h>

#include <algorithm>
#include <cstring>
#include <string>

namespace gatehouse::http {
namespace {

// One header block to read; what is written goes nowhere.
class HeadStream : public httplib::Stream {
 public:
  explicit HeadStream(std::string_view bytes) : bytes_(bytes) {}

  bool is_readable() const override { return true; }
  bool is_writable() const override { return true; }
  ssize_t read(char* out, size_t size) override {
    const size_t n = std::min(size, bytes_.size());
    memcpy(out, bytes_.data(), n);
    bytes_.remove_prefix(n);
    return static_cast<ssize_t>(n);
  }
  ssize_t write(const char*, size_t size) override {
    return static_cast<ssize_t>(size);
  }
  void get_remote_ip_and_port(std::string&, int&) const override {}
  void get_local_ip_and_port(std::string&, int&) const override {}
  socket_t socket() const override { return INVALID_SOCKET; }

 private:
  std::string_view bytes_;
};

// What the request on this thread leads to. httplib's handler has no argument
// of ours, and process_request does not leave its thread.
struct Pending {
  const std::function<void()>* on_request = nullptr;
  bool called = false;
};
thread_local Pending* pending = nullptr;

}  // namespace

class RequestParser::HttplibServer : public httplib::Server {
 public:
  HttplibServer() {
    set_pre_routing_handler([](const httplib::Request&, httplib::Response&) {
      if (pending != nullptr && !pending->called) {
        pending->called = true;
        (*pending->on_request)();
      }
      return HandlerResponse::Handled;
    });
    // Else httplib would put an exception's text into a header. (Since 0.11 the
    // handler gets a std::exception_ptr; what was before is not served.)
    set_exception_handler([](const httplib::Request&, httplib::Response& res,
                             std::exception_ptr) { res.status = 500; });
  }

  void Process(std::string_view head_bytes) {
    HeadStream stream(head_bytes);
    ProcessBy(*this, stream);
  }

 private:
  // The one call whose arguments depend on httplib's version. Which of the two
  // forms this header declares is asked of the compiler, since the versions'
  // own macros differ too (0.11 has no CPPHTTPLIB_VERSION_NUM). A template, so
  // that the other form need not compile.
  //
  // Built and tested with 0.11.4. The form of 0.18 (addresses after the stream)
  // is written from its header and was NOT tested; nor was it checked that
  // 0.18's Stream asks for no more functions than HeadStream has.
  template <typename Self>
  static void ProcessBy(Self& self, HeadStream& stream) {
    const std::function<void(httplib::Request&)> no_setup =
        [](httplib::Request&) {};
    bool closed = false;
    if constexpr (requires {
                    self.process_request(stream, true, closed, no_setup);
                  }) {
      self.process_request(stream, /*close_connection=*/true, closed, no_setup);
    } else {
      const std::string no_address;
      self.process_request(stream, /*remote_addr=*/no_address,
                           /*remote_port=*/0, /*local_addr=*/no_address,
                           /*local_port=*/0, /*close_connection=*/true, closed,
                           no_setup);
    }
  }
};

RequestParser::RequestParser() : server_(std::make_unique<HttplibServer>()) {}
RequestParser::~RequestParser() = default;

bool RequestParser::Parse(std::string_view head_bytes,
                          const std::function<void()>& on_request) {
  Pending mine{&on_request, false};
  pending = &mine;
  try {
    server_->Process(head_bytes);
  } catch (...) {
    mine.called = false;
  }
  pending = nullptr;
  return mine.called;
}

}  // namespace gatehouse::http
