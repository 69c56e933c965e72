#include "tests/integration/harness/control_api.h"

#include <chrono>
#include <utility>

#include "absl/strings/str_cat.h"

namespace gatehouse::testing {
namespace {

std::shared_ptr<grpc::Channel> NewChannel(const std::string& address) {
  grpc::ChannelArguments arguments;
  // A channel of its own: a restarted control plane must not be met through a
  // connection that another test's channel keeps backing off.
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 200);
  return grpc::CreateCustomChannel(address, grpc::InsecureChannelCredentials(),
                                   arguments);
}

// Reads every page of a List method.
template <typename Item, typename Request, typename Call, typename Take>
absl::StatusOr<std::vector<Item>> ReadPages(Request request, Call call,
                                            Take take) {
  std::vector<Item> items;
  request.set_page_size(1000);
  do {
    std::string next;
    const grpc::Status status = call(request, &items, &next, take);
    if (!status.ok()) return ToAbslStatus(status);
    request.set_page_token(next);
  } while (!request.page_token().empty());
  return items;
}

}  // namespace

absl::Status ToAbslStatus(const grpc::Status& status) {
  if (status.ok()) return absl::OkStatus();
  return absl::Status(static_cast<absl::StatusCode>(status.error_code()),
                      status.error_message());
}

ControlApi::ControlApi(const std::string& address, std::string token)
    : channel_(NewChannel(address)), token_(std::move(token)) {}

std::unique_ptr<grpc::ClientContext> ControlApi::Context() const {
  auto context = std::make_unique<grpc::ClientContext>();
  context->set_deadline(std::chrono::system_clock::now() +
                        std::chrono::seconds(60));
  context->set_wait_for_ready(true);
  if (!token_.empty()) {
    context->AddMetadata("authorization", absl::StrCat("Bearer ", token_));
  }
  return context;
}

absl::StatusOr<std::vector<v1::AuditRecord>> ControlApi::Records() {
  const auto stub = v1::AuditService::NewStub(channel_);
  return ReadPages<v1::AuditRecord>(
      v1::ListRecordsRequest(),
      [&](const auto& request, auto* items, std::string* next, auto take) {
        v1::ListRecordsResponse page;
        const grpc::Status status =
            stub->ListRecords(Context().get(), request, &page);
        take(page, items);
        *next = page.next_page_token();
        return status;
      },
      [](const auto& page, auto* items) {
        items->insert(items->end(), page.records().begin(),
                      page.records().end());
      });
}

absl::StatusOr<std::vector<v1::Session>> ControlApi::Sessions() {
  const auto stub = v1::SessionService::NewStub(channel_);
  return ReadPages<v1::Session>(
      v1::ListSessionsRequest(),
      [&](const auto& request, auto* items, std::string* next, auto take) {
        v1::ListSessionsResponse page;
        const grpc::Status status =
            stub->ListSessions(Context().get(), request, &page);
        take(page, items);
        *next = page.next_page_token();
        return status;
      },
      [](const auto& page, auto* items) {
        items->insert(items->end(), page.sessions().begin(),
                      page.sessions().end());
      });
}

absl::StatusOr<std::vector<v1::Worker>> ControlApi::Workers() {
  const auto stub = v1::FleetService::NewStub(channel_);
  v1::ListWorkersRequest request;
  request.set_page_size(1000);
  v1::ListWorkersResponse page;
  const grpc::Status status =
      stub->ListWorkers(Context().get(), request, &page);
  if (!status.ok()) return ToAbslStatus(status);
  return std::vector<v1::Worker>(page.workers().begin(), page.workers().end());
}

absl::StatusOr<std::vector<v1::VirtualServer>> ControlApi::VirtualServers() {
  const auto stub = v1::PolicyService::NewStub(channel_);
  v1::ListVirtualServersRequest request;
  request.set_page_size(1000);
  v1::ListVirtualServersResponse page;
  const grpc::Status status =
      stub->ListVirtualServers(Context().get(), request, &page);
  if (!status.ok()) return ToAbslStatus(status);
  return std::vector<v1::VirtualServer>(page.virtual_servers().begin(),
                                        page.virtual_servers().end());
}

absl::StatusOr<v1::ApplyVirtualServerResponse> ControlApi::Apply(
    const std::string& document, bool validate_only) {
  const auto stub = v1::PolicyService::NewStub(channel_);
  v1::ApplyVirtualServerRequest request;
  request.set_document(document);
  request.set_validate_only(validate_only);
  v1::ApplyVirtualServerResponse response;
  const grpc::Status status =
      stub->ApplyVirtualServer(Context().get(), request, &response);
  if (!status.ok()) return ToAbslStatus(status);
  return response;
}

}  // namespace gatehouse::testing
