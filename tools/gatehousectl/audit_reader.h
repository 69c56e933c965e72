#ifndef GATEHOUSE_TOOLS_GATEHOUSECTL_AUDIT_READER_H_
#define GATEHOUSE_TOOLS_GATEHOUSECTL_AUDIT_READER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace gatehouse::ctl {

// A record of the log as ListRecords gives it, without generated types.
struct AuditEntry {
  int64_t epoch = 0;
  int64_t seq = 0;
  int64_t time_us = 0;  // the store's clock, since 1970
  std::string type;
  std::string operation;
  std::string input_request;
  std::string kind;
  std::string upstream;
  std::string tool;
  std::string from_state;
  std::string to_state;
  std::string reason;
  int64_t error_code = 0;
  std::string budget;
  std::string body;       // what was hashed
  std::string leaf_hash;  // SHA-256(0x00 || body), as the server says
};

// The whole log, in its order. Blocking; each page within 10 s. The codes are
// gRPC's; INVALID_ARGUMENT if the token file cannot be read.
absl::StatusOr<std::vector<AuditEntry>> ReadAuditLog(
    const std::string& control, const std::string& token_file);

}  // namespace gatehouse::ctl

#endif  // GATEHOUSE_TOOLS_GATEHOUSECTL_AUDIT_READER_H_
