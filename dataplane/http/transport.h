#ifndef GATEHOUSE_DATAPLANE_HTTP_TRANSPORT_H_
#define GATEHOUSE_DATAPLANE_HTTP_TRANSPORT_H_

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace gatehouse::http {

// How one step on a transport went.
enum class Io {
  kDone,
  kWantsRead,   // nothing now; try again when the descriptor is readable
  kWantsWrite,  // nothing now; try again when it is writable
  kEnded,       // the peer ended its side in good order; it may still read
  kBroken,      // reset, cut off without its end, or refused; nothing works
};

struct IoResult {
  Io state = Io::kBroken;
  size_t bytes = 0;  // with kDone, at least 1
};

// A connected byte stream on a non-blocking descriptor: TCP, or TLS on it. The
// end of the peer's side, its loss and "not now" are told apart here and only
// here. No method blocks.
//
// Thread-compatible: a connection uses it on its reactor's thread.
// Ownership: owns its descriptor and closes it; unwatch it first.
class Transport {
 public:
  virtual ~Transport() = default;

  virtual int fd() const = 0;

  // What must come before the first byte; kDone at once if nothing must. Call
  // it again while it wants something. Never kEnded.
  virtual Io Handshake() = 0;
  // Reads up to `size` bytes, at least 1, into `buffer`. Fewer than `size`
  // mean that there were no more for now, or that the next call tells why.
  virtual IoResult Read(char* buffer, size_t size) = 0;
  // Writes a prefix of `bytes`, which are not empty. After kWants... the next
  // call must be given the same bytes again. Never kEnded.
  virtual IoResult Write(std::string_view bytes) = 0;
  // Ends our side in good order; the peer's goes on. kDone, or kWantsWrite
  // (call it again), or kBroken.
  virtual Io ShutdownWrite() = 0;
  // True if a Read may give bytes that are not in the descriptor any more, so
  // that no event will tell of them.
  virtual bool HasBuffered() const = 0;
  // The destructor shall reset the connection instead of ending it.
  virtual void ResetOnClose() = 0;
  // After kBroken: why, for an operator's log; empty if there is nothing to
  // say but that it broke.
  virtual std::string Trouble() const = 0;
};

// Bare TCP. Takes ownership of `fd`, connected and non-blocking.
std::unique_ptr<Transport> MakePlainTransport(int fd);

// True if an idle connection may be used: neither ended nor spoiled by a stray
// byte, which is then lost.
bool IsQuiet(Transport& transport);

// Makes the close of `fd` a reset.
void SetResetOnClose(int fd);

}  // namespace gatehouse::http

#endif  // GATEHOUSE_DATAPLANE_HTTP_TRANSPORT_H_
