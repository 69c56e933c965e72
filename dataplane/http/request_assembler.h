#ifndef GATEHOUSE_DATAPLANE_HTTP_REQUEST_ASSEMBLER_H_
#define GATEHOUSE_DATAPLANE_HTTP_REQUEST_ASSEMBLER_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "dataplane/http/chunked.h"
#include "dataplane/http/guard.h"

namespace gatehouse::http {

// Puts one whole request together out of the pieces in which it arrives: the
// header block through the guard, then the body, without its chunks. Holds at
// most the limits' bytes. Thread-compatible; pure.
class RequestAssembler {
 public:
  enum class Step {
    kMore,      // `bytes` is used up
    kContinue,  // the peer waits for `100 Continue`; go on
    kWhole,     // what is left in `bytes` is the next request's
    kRefused,   // see refusal(); nothing after it can be understood
  };

  explicit RequestAssembler(const GuardLimits& limits) : limits_(limits) {}

  // Call until it gives kMore, kWhole or kRefused.
  Step Next(std::string_view& bytes);
  // True between the first byte of a request and its end.
  bool begun() const { return begun_; }
  // How much of a request's body is here.
  size_t body_bytes() const { return whole_.body.size(); }
  // Lets go of what came of a request that nobody will take.
  void Drop() { whole_ = {}; }

  // After kRefused.
  const Refusal& refusal() const { return refusal_; }
  // After kWhole, once: the parts of the request. Then it is ready for another.
  struct Whole {
    std::string head_bytes;  // as they came, with the empty line
    RequestHead head;
    std::string body;
  };
  Whole Take();

 private:
  enum class Part { kHead, kLength, kChunked };

  void SkipEmptyLine(std::string_view& bytes);
  Step ReadHead(std::string_view& bytes);
  Step ReadLength(std::string_view& bytes);
  Step ReadChunked(std::string_view& bytes);
  Step Refuse(Refusal refusal);

  const GuardLimits limits_;
  Part part_ = Part::kHead;
  bool begun_ = false;
  size_t skipped_ = 0;  // of an empty line before the request
  Whole whole_;
  ChunkedReader chunked_;
  Refusal refusal_;
};

}  // namespace gatehouse::http

#endif  // GATEHOUSE_DATAPLANE_HTTP_REQUEST_ASSEMBLER_H_
