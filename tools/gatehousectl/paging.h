#ifndef GATEHOUSE_TOOLS_GATEHOUSECTL_PAGING_H_
#define GATEHOUSE_TOOLS_GATEHOUSECTL_PAGING_H_

#include <grpcpp/client_context.h>
#include <grpcpp/support/status.h>

#include <string>

#include "tools/gatehousectl/connection.h"

namespace gatehouse::ctl {

inline constexpr int kPageSize = 1000;

// Reads every page of a List method. `call` is the stub's method, bound:
// (context, request, response) -> grpc::Status; `take` gets each page. Every
// page has a deadline of its own. A server that gives the same page token twice
// would never end, so that is DATA_LOSS.
template <typename Response, typename Request, typename Call, typename Take>
grpc::Status ForEachPage(const Connection& connection, Request request,
                         const Call& call, const Take& take) {
  request.set_page_size(kPageSize);
  for (;;) {
    grpc::ClientContext context;
    connection.Prepare(&context);
    Response page;
    const grpc::Status status = call(&context, request, &page);
    if (!status.ok()) return status;
    const std::string next = page.next_page_token();
    take(std::move(page));
    if (next.empty()) return grpc::Status::OK;
    if (next == request.page_token()) {
      return grpc::Status(grpc::StatusCode::DATA_LOSS,
                          "the control plane gave the same page twice");
    }
    request.set_page_token(next);
  }
}

}  // namespace gatehouse::ctl

#endif  // GATEHOUSE_TOOLS_GATEHOUSECTL_PAGING_H_
