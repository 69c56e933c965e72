#ifndef GATEHOUSE_TESTS_UNIT_STORE_TEST_ROWS_H_
#define GATEHOUSE_TESTS_UNIT_STORE_TEST_ROWS_H_

// Rows with something in every field, and their comparison.

#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "absl/time/time.h"
#include "controlplane/store/rows.h"

namespace gatehouse {

inline absl::Time At(int64_t seconds) {
  return absl::FromUnixSeconds(1'700'000'000 + seconds);
}

inline SessionRow TestSession(std::string id, int64_t used = 1) {
  SessionRow row;
  row.id = id;
  row.secret_sha256 = std::string("secret\0of ", 10) + id;
  row.virtual_server = "dev";
  row.principal = {"issuer", "subject"};
  row.revision = "2025-06-18";
  row.client_capabilities = "{\"sampling\":{}}";
  row.client_info = "{\"name\":\"t\xc3\xa9st\"}";
  row.create_time = At(0);
  row.last_used_time = At(used);
  row.worker_id = "w1";
  return row;
}

inline WorkerRow TestWorker(std::string id) {
  WorkerRow row;
  row.id = std::move(id);
  row.epoch = 3;
  row.cluster = "eu-1";
  row.address = "127.0.0.1:1";
  row.build = "0.1.0";
  row.lease_expire_time = At(10);
  row.lost = true;
  row.last_mail_number = 7;
  row.operations = 2;
  return row;
}

inline OperationRow TestOperation(std::string id) {
  OperationRow row;
  row.id = std::move(id);
  row.session_id = "s1";
  row.worker_id = "w1";
  row.worker_epoch = 3;
  row.virtual_server = "dev";
  row.upstream = "weather";
  row.tool = "forecast";
  row.slots_used = 1;
  row.tokens_reserved = 2;
  row.tokens_charged = 3;
  row.refusals = 4;
  row.create_time = At(0);
  return row;
}

inline InputRequestRow TestInputRequest(std::string id) {
  InputRequestRow row;
  row.id = id;
  row.opaque_id_sha256 = "opaque " + id;
  row.operation_id = "o1";
  row.session_id = "s1";
  row.worker_id = "w1";
  row.worker_epoch = 3;
  row.virtual_server = "dev";
  row.upstream = "weather";
  row.upstream_revision = "2025-06-18";
  row.tool = "forecast";
  row.method = "sampling/createMessage";
  row.key = "k";
  row.admit_request_id = "a1";
  row.deadline = At(30);
  row.tokens = 100;
  row.params = "{}";
  row.params_bytes = 2;
  row.policy_version = 5;
  row.create_time = At(0);
  row.last_audit_seq = 12;
  return row;
}

inline auto Fields(const SessionRow& r) {
  return std::tuple(r.id, r.secret_sha256, r.virtual_server, r.principal.issuer,
                    r.principal.subject, r.revision, r.client_capabilities,
                    r.client_info, r.create_time, r.last_used_time, r.open,
                    r.end_cause, r.worker_id, r.version);
}
inline auto Fields(const WorkerRow& r) {
  return std::tuple(r.id, r.epoch, r.cluster, r.address, r.build,
                    r.lease_expire_time, r.lost, r.last_mail_number,
                    r.operations, r.version);
}
inline auto Fields(const OperationRow& r) {
  return std::tuple(r.id, r.session_id, r.worker_id, r.worker_epoch,
                    r.virtual_server, r.upstream, r.tool, r.open, r.slots_used,
                    r.tokens_reserved, r.tokens_charged, r.refusals,
                    r.create_time, r.close_time, r.version);
}
inline auto Fields(const UpstreamReplyRow& r) {
  return std::tuple(r.is_error, r.result, r.code, r.message, r.data, r.reason);
}
inline auto Fields(const InputRequestRow& r) {
  const UpstreamReplyRow reply = r.reply.value_or(UpstreamReplyRow{});
  return std::tuple_cat(
      std::tuple(r.id, r.opaque_id_sha256, r.operation_id, r.session_id,
                 r.worker_id, r.worker_epoch, r.virtual_server, r.upstream,
                 r.upstream_revision, r.tool, r.method, r.key,
                 r.admit_request_id, static_cast<int>(r.state), r.cause,
                 r.reason, r.deadline, r.tokens),
      std::tuple(r.params, r.params_bytes, static_cast<int>(r.delivery),
                 r.reply.has_value(), r.submit_request_id, r.policy_version,
                 r.create_time, r.end_time, r.last_audit_seq, r.version),
      Fields(reply));
}
inline auto Fields(const MailRow& r) {
  return std::tuple(r.worker_id, r.number, static_cast<int>(r.kind), r.subject,
                    r.operation, r.withdraw, r.cause);
}
inline auto Fields(const IdempotencyRow& r) {
  return std::tuple(r.request_id, r.method, r.content_sha256, r.verdict,
                    r.create_time);
}
inline auto Fields(const PolicyRow& r) {
  return std::tuple(r.virtual_server, r.version, r.document, r.etag, r.author,
                    r.apply_time);
}

template <typename Row>
std::vector<std::string> Ids(const std::vector<Row>& rows) {
  std::vector<std::string> ids;
  for (const Row& row : rows) ids.push_back(row.id);
  return ids;
}

}  // namespace gatehouse

#endif  // GATEHOUSE_TESTS_UNIT_STORE_TEST_ROWS_H_
