#include "controlplane/main/policy_files.h"

#include <algorithm>
#include <filesystem>
#include <future>
#include <map>
#include <system_error>
#include <utility>
#include <vector>

#include "controlplane/main/data_dir.h"
#include "controlplane/policy/virtual_server.h"
#include "shared/base/digest.h"
#include "shared/base/status.h"

namespace gatehouse {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxDocumentBytes = 1 << 20;
constexpr size_t kMaxDocuments = 1000;

absl::StatusOr<std::vector<std::string>> FilesOf(const std::string& path) {
  std::error_code error;
  if (!fs::is_directory(path, error)) return std::vector<std::string>{path};
  std::vector<std::string> files;
  for (fs::directory_iterator it(path, error), end; !error && it != end;
       it.increment(error)) {
    const std::string extension = it->path().extension().string();
    if (extension == ".yaml" || extension == ".yml" || extension == ".json") {
      files.push_back(it->path().string());
    }
    if (files.size() > kMaxDocuments) break;
  }
  if (error) {
    return MakeStatus(absl::StatusCode::kInvalidArgument,
                      path + ": " + error.message());
  }
  if (files.empty() || files.size() > kMaxDocuments) {
    return MakeStatus(absl::StatusCode::kInvalidArgument,
                      path + ": expected 1 to 1000 files *.yaml or *.json");
  }
  std::sort(files.begin(), files.end());
  return files;
}

// Every document, or every fault of every document.
absl::StatusOr<std::vector<policy::VirtualServer>> ReadAll(
    const std::vector<std::string>& files) {
  std::vector<policy::VirtualServer> servers;
  std::map<std::string, std::string> file_of;
  std::string faults;
  for (const std::string& file : files) {
    absl::StatusOr<std::string> text = ReadSmallFile(file, kMaxDocumentBytes);
    if (!text.ok()) {
      faults += "\n  " + std::string(ToStd(text.status().message()));
      continue;
    }
    policy::ParseResult parsed = policy::ParseVirtualServer(*text);
    for (const policy::Violation& violation : parsed.violations) {
      faults += "\n  " + file + ": " + violation.path +
                (violation.path.empty() ? "" : ": ") + violation.message;
    }
    if (!parsed.violations.empty()) continue;
    const auto [it, fresh] = file_of.emplace(parsed.virtual_server.name, file);
    if (!fresh) {
      faults += "\n  " + file + ": name: " + it->second +
                " has a virtual server of that name too";
    }
    servers.push_back(std::move(parsed.virtual_server));
  }
  if (faults.empty()) return servers;
  return MakeStatus(absl::StatusCode::kInvalidArgument,
                    "the policy was not applied:" + faults);
}

absl::Status ApplyOne(const policy::VirtualServer& server, Store& store,
                      broker::Broker& broker) {
  const std::string key = "policy_from_file/" + server.name;
  const std::string digest =
      HexEncode(Sha256(policy::CanonicalDocument(server)));
  bool same = false;
  GATEHOUSE_RETURN_IF_ERROR(RunAndWait(store, [&](Transaction& tx) {
    const absl::StatusOr<std::string> last = tx.GetMeta(key);
    same = last.ok() && *last == digest;
    return absl::IsNotFound(last.status()) ? absl::OkStatus() : last.status();
  }));
  if (same) return absl::OkStatus();
  std::promise<absl::Status> promise;
  broker.ApplyPolicy(
      server, /*etag=*/"", /*validate_only=*/false, /*author=*/"file",
      [&promise](const absl::StatusOr<broker::Broker::Applied>& applied) {
        promise.set_value(applied.status());
      });
  GATEHOUSE_RETURN_IF_ERROR(
      Annotate(promise.get_future().get(), "virtualServers/" + server.name));
  return RunAndWait(store,
                    [&](Transaction& tx) { return tx.PutMeta(key, digest); });
}

}  // namespace

absl::Status ApplyPolicyFiles(const std::string& path, Store& store,
                              broker::Broker& broker) {
  GATEHOUSE_ASSIGN_OR_RETURN(const std::vector<std::string> files,
                             FilesOf(path));
  GATEHOUSE_ASSIGN_OR_RETURN(const std::vector<policy::VirtualServer> servers,
                             ReadAll(files));
  for (const policy::VirtualServer& server : servers) {
    GATEHOUSE_RETURN_IF_ERROR(ApplyOne(server, store, broker));
  }
  return absl::OkStatus();
}

}  // namespace gatehouse
