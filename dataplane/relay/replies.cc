#include "dataplane/relay/replies.h"

namespace gatehouse::relay {

UpstreamReply ReplyOf(const Failure& failure) {
  UpstreamReply reply;
  reply.is_error = true;
  reply.code = CodeOf(failure, Receiver::kUpstream);
  reply.message = failure.message;
  reply.data = DataOf(failure, Receiver::kUpstream);
  return reply;
}

UpstreamReply NoVerdictReply() {
  Failure failure;
  failure.reason = Reason::kTrustUnavailable;
  failure.message =
      "the gateway could not decide on this request in time; nothing was "
      "shown to anybody; try again later";
  return ReplyOf(failure);
}

UpstreamReply NoWordReply() {
  Failure failure;
  failure.reason = Reason::kExpired;
  failure.message =
      "the request expired: nobody answered it before its deadline";
  return ReplyOf(failure);
}

}  // namespace gatehouse::relay
