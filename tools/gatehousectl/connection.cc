#include "tools/gatehousectl/connection.h"

#include <grpcpp/create_channel.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/security/credentials.h>
#include <grpcpp/support/channel_arguments.h>

#include <chrono>
#include <cstdlib>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "shared/base/status.h"
#include "tools/gatehousectl/token_file.h"

namespace gatehouse::ctl {
namespace {

constexpr std::string_view kUnixPrefix = "unix:";
constexpr int kMaxMessageBytes = 64 << 20;

std::string Environment(const char* name) {
  const char* value = getenv(name);  // NOLINT(concurrency-mt-unsafe): at start
  return value == nullptr ? "" : value;
}

}  // namespace

std::string DefaultDataDir() {
  const std::string state = Environment("XDG_STATE_HOME");
  if (!state.empty()) return absl::StrCat(state, "/gatehouse");
  return absl::StrCat(Environment("HOME"), "/.local/state/gatehouse");
}

std::string DefaultControl() {
  return absl::StrCat("unix:", DefaultDataDir(), "/control.sock");
}

std::string DefaultTokenFile(std::string_view control, std::string_view role) {
  std::string directory = DefaultDataDir();
  const size_t slash = control.rfind('/');
  if (control.starts_with(kUnixPrefix) && slash != std::string_view::npos) {
    directory = control.substr(kUnixPrefix.size(), slash - kUnixPrefix.size());
  }
  return absl::StrCat(directory, "/tokens/", ToAbsl(role), ".token");
}

absl::StatusOr<Connection> Connection::Create(ConnectionOptions options) {
  GATEHOUSE_ASSIGN_OR_RETURN(
      std::string token,
      ReadTokenFile(
          options.token_file,
          "name the file with --token-file or GATEHOUSE_TOKEN_FILE (a control "
          "plane writes DATA_DIR/tokens/operator.token)"));
  return Connection(std::move(options), std::move(token));
}

Connection::Connection(ConnectionOptions options, std::string token)
    : options_(std::move(options)),
      authorization_(absl::StrCat("Bearer ", token)) {
  grpc::ChannelArguments arguments;
  // A proxy of the environment has no business between us and loopback.
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  arguments.SetMaxReceiveMessageSize(kMaxMessageBytes);
  channel_ = grpc::CreateCustomChannel(
      options_.control, grpc::InsecureChannelCredentials(), arguments);
}

void Connection::Prepare(grpc::ClientContext* context) const {
  context->set_deadline(std::chrono::system_clock::now() +
                        absl::ToChronoMilliseconds(options_.call_timeout));
  context->AddMetadata("authorization", authorization_);
}

// The messages of grpc.health.v1 are so small that their bytes are written
// here: the request (service "") is empty, and field 1 of the response is 1
// while it serves. No package of Debian has the proto.
grpc::Status Connection::CheckHealth(bool* serving) const {
  constexpr std::string_view kServing("\x08\x01", 2);
  grpc::GenericStub stub(channel_);
  grpc::ClientContext context;
  Prepare(&context);
  grpc::CompletionQueue queue;
  const grpc::Slice nothing;
  const grpc::ByteBuffer request(&nothing, 1);
  grpc::ByteBuffer response;
  grpc::Status status;
  auto call = stub.PrepareUnaryCall(&context, "/grpc.health.v1.Health/Check",
                                    request, &queue);
  call->StartCall();
  call->Finish(&response, &status, nullptr);
  void* tag = nullptr;
  bool ok = false;
  queue.Next(&tag, &ok);  // ends at the call's deadline
  queue.Shutdown();
  while (queue.Next(&tag, &ok)) {
  }
  std::string bytes;
  std::vector<grpc::Slice> slices;
  if (status.ok() && response.Dump(&slices).ok()) {
    for (const grpc::Slice& slice : slices) {
      bytes.append(reinterpret_cast<const char*>(slice.begin()), slice.size());
    }
  }
  *serving = bytes == kServing;
  return status;
}

}  // namespace gatehouse::ctl
