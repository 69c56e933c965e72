#include "dataplane/http/tls_transport.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/x509.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace gatehouse::http {
namespace {

constexpr size_t kMaxBytesPerCall = 256 << 10;

// A socket as OpenSSL reads and writes it. Not OpenSSL's own socket BIO, which
// writes without MSG_NOSIGNAL and reads without a bound.
struct Wire {
  int fd = -1;
  bool ended = false;   // the peer's TCP side
  int error = 0;        // errno of what broke
  size_t readable = 0;  // what this call may still take
};

int ReadWire(BIO* bio, char* buffer, int size) {
  auto* wire = static_cast<Wire*>(BIO_get_data(bio));
  BIO_clear_retry_flags(bio);
  const size_t most = std::min(static_cast<size_t>(size), wire->readable);
  if (most == 0) {
    BIO_set_retry_read(bio);  // the descriptor stays readable
    return -1;
  }
  ssize_t n = 0;
  do {
    n = recv(wire->fd, buffer, most, MSG_DONTWAIT);
  } while (n < 0 && errno == EINTR);
  if (n > 0) {
    wire->readable -= static_cast<size_t>(n);
    return static_cast<int>(n);
  }
  if (n == 0) {
    wire->ended = true;
    return 0;
  }
  if (errno == EAGAIN) {
    BIO_set_retry_read(bio);
  } else {
    wire->error = errno;
  }
  return -1;
}

int WriteWire(BIO* bio, const char* bytes, int size) {
  auto* wire = static_cast<Wire*>(BIO_get_data(bio));
  BIO_clear_retry_flags(bio);
  ssize_t n = 0;
  do {
    n = send(wire->fd, bytes, static_cast<size_t>(size),
             MSG_NOSIGNAL | MSG_DONTWAIT);
  } while (n < 0 && errno == EINTR);
  if (n >= 0) return static_cast<int>(n);
  if (errno == EAGAIN) {
    BIO_set_retry_write(bio);
  } else {
    wire->error = errno;
  }
  return -1;
}

long ControlWire(BIO* bio, int command, long, void*) {
  switch (command) {
    case BIO_CTRL_FLUSH:
      return 1;
    case BIO_CTRL_EOF:
      return static_cast<Wire*>(BIO_get_data(bio))->ended ? 1 : 0;
    default:
      return 0;
  }
}

// Made once, never freed: it lives as long as the process.
const BIO_METHOD* WireMethod() {
  static const BIO_METHOD* const method = [] {
    BIO_METHOD* made =
        BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "gatehouse");
    BIO_meth_set_read(made, ReadWire);
    BIO_meth_set_write(made, WriteWire);
    BIO_meth_set_ctrl(made, ControlWire);
    return made;
  }();
  return method;
}

class TlsTransport : public Transport {
 public:
  TlsTransport(int fd, Openssl<SSL> ssl) : ssl_(std::move(ssl)) {
    wire_.fd = fd;
    BIO* const bio = BIO_new(WireMethod());
    if (bio == nullptr) {
      broken_ = true;
      return;
    }
    BIO_set_data(bio, &wire_);
    BIO_set_init(bio, 1);
    SSL_set_bio(ssl_.get(), bio, bio);  // which owns it
  }
  ~TlsTransport() override {
    ssl_.reset();  // before what its BIO refers to
    close(wire_.fd);
  }
  TlsTransport(const TlsTransport&) = delete;
  TlsTransport& operator=(const TlsTransport&) = delete;

  int fd() const override { return wire_.fd; }
  Io Handshake() override;
  IoResult Read(char* buffer, size_t size) override;
  IoResult Write(std::string_view bytes) override;
  Io ShutdownWrite() override;
  bool HasBuffered() const override {
    return untold_ || (!drained_ && SSL_has_pending(ssl_.get()) == 1);
  }
  void ResetOnClose() override { SetResetOnClose(wire_.fd); }
  std::string Trouble() const override { return trouble_; }

 private:
  // What a call that gave `rc` met; remembers the end and the break.
  Io Outcome(int rc);
  void Break();

  Openssl<SSL> ssl_;
  Wire wire_;
  bool ended_ = false;
  bool broken_ = false;
  bool untold_ = false;  // ended or broke behind bytes that Read has given
  bool drained_ = true;  // OpenSSL holds no whole record
  bool shut_down_ = false;
  std::string trouble_;
};

Io TlsTransport::Handshake() {
  if (broken_) return Io::kBroken;
  wire_.readable = kMaxBytesPerCall;
  ERR_clear_error();
  const int rc = SSL_do_handshake(ssl_.get());
  if (rc == 1) {
    // The last flight may have brought the first bytes along.
    drained_ = false;
    return Io::kDone;
  }
  const Io outcome = Outcome(rc);
  if (outcome != Io::kEnded) return outcome;
  Break();
  return Io::kBroken;
}

IoResult TlsTransport::Read(char* buffer, size_t size) {
  untold_ = false;
  if (broken_) return {Io::kBroken};
  if (ended_) return {Io::kEnded};
  wire_.readable = kMaxBytesPerCall;
  drained_ = false;
  size_t got = 0;
  Io outcome = Io::kDone;
  while (got < size && outcome == Io::kDone) {
    size_t n = 0;
    ERR_clear_error();
    const int rc = SSL_read_ex(ssl_.get(), buffer + got, size - got, &n);
    got += n;
    if (rc != 1) outcome = Outcome(rc);
  }
  drained_ = outcome == Io::kWantsRead || outcome == Io::kWantsWrite;
  if (got == 0) return {outcome};
  untold_ = ended_ || broken_;
  return {Io::kDone, got};
}

IoResult TlsTransport::Write(std::string_view bytes) {
  if (broken_) return {Io::kBroken};
  wire_.readable = kMaxBytesPerCall;
  size_t n = 0;
  ERR_clear_error();
  const int rc = SSL_write_ex(ssl_.get(), bytes.data(), bytes.size(), &n);
  if (rc == 1) return {Io::kDone, n};
  const Io outcome = Outcome(rc);
  // The peer's end is no hindrance to our side, so OpenSSL does not say it.
  if (outcome == Io::kEnded) Break();
  return {outcome == Io::kEnded ? Io::kBroken : outcome};
}

Io TlsTransport::ShutdownWrite() {
  if (broken_) return Io::kBroken;
  wire_.readable = kMaxBytesPerCall;
  if (!shut_down_) {
    ERR_clear_error();
    const int rc = SSL_shutdown(ssl_.get());  // 0: sent, the peer's is to come
    if (rc < 0)
      return Outcome(rc) == Io::kWantsWrite ? Io::kWantsWrite : Io::kBroken;
    shut_down_ = true;
  }
  return shutdown(wire_.fd, SHUT_WR) == 0 ? Io::kDone : Io::kBroken;
}

Io TlsTransport::Outcome(int rc) {
  switch (SSL_get_error(ssl_.get(), rc)) {
    case SSL_ERROR_WANT_READ:
      return Io::kWantsRead;
    case SSL_ERROR_WANT_WRITE:
      return Io::kWantsWrite;
    case SSL_ERROR_ZERO_RETURN:
      ended_ = true;
      return Io::kEnded;
    default:
      Break();
      return Io::kBroken;
  }
}

void TlsTransport::Break() {
  broken_ = true;
  if (const long verdict = SSL_get_verify_result(ssl_.get());
      verdict != X509_V_OK) {
    trouble_ = std::string("the peer's certificate: ") +
               X509_verify_cert_error_string(verdict);
    ERR_clear_error();
  } else if (wire_.error != 0) {
    trouble_ = strerror(wire_.error);
  } else if (wire_.ended) {
    trouble_ = "closed without an end of TLS";
    ERR_clear_error();
  } else {
    trouble_ = TakeOpensslError();
  }
}

}  // namespace

Openssl<SSL_CTX> NewTlsContext(const SSL_METHOD* method) {
  ERR_clear_error();
  Openssl<SSL_CTX> context(SSL_CTX_new(method));
  if (context == nullptr) return nullptr;
  SSL_CTX* const made = context.get();
  SSL_CTX_set_min_proto_version(made, TLS1_2_VERSION);
  SSL_CTX_set_options(
      made, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_NO_TICKET);
  SSL_CTX_set_num_tickets(made, 0);
  SSL_CTX_set_session_cache_mode(made, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_mode(made, SSL_MODE_ENABLE_PARTIAL_WRITE |
                             SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                             SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_read_ahead(made, 1);  // one system call for many records
  return context;
}

std::string TakeOpensslError() {
  const unsigned long error = ERR_peek_last_error();
  ERR_clear_error();
  if (error == 0) return "TLS failed";
  const char* const reason = ERR_reason_error_string(error);
  return reason == nullptr ? "TLS failed" : reason;
}

std::unique_ptr<Transport> MakeTlsTransport(int fd, Openssl<SSL> ssl) {
  return std::make_unique<TlsTransport>(fd, std::move(ssl));
}

}  // namespace gatehouse::http
