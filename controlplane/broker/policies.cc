// Policies as rows: applied, replaced, deleted, and told to every worker by its
// mailbox (DESIGN §10).

#include <utility>

#include "controlplane/broker/broker.h"
#include "controlplane/broker/decision.h"
#include "controlplane/broker/run.h"
#include "controlplane/broker/upstreams.h"
#include "shared/base/digest.h"
#include "shared/base/status.h"

namespace gatehouse::broker {
namespace {

constexpr int kSessionsPage = 64;

absl::Status CheckEtag(const std::string& wanted, const PolicyRow* current) {
  if (wanted.empty()) return absl::OkStatus();
  if (current != nullptr && current->etag == wanted) return absl::OkStatus();
  return MakeStatus(
      absl::StatusCode::kAborted,
      current == nullptr
          ? std::string("etag_mismatch: there is no such virtual server")
          : "etag_mismatch: version " + std::to_string(current->version) +
                " is current, with etag " + current->etag +
                "; read it, merge, and apply again");
}

audit::Record RecordOf(audit::RecordType type, const PolicyRow& row) {
  audit::Record record;
  record.type = type;
  record.virtual_server = row.virtual_server;
  record.policy_version = row.version;
  record.policy_etag_sha256 = row.document.empty() ? "" : Sha256(row.document);
  record.actor = row.author;
  return record;
}

// NOT_FOUND becomes nullopt; a deleted version counts as there being none.
absl::StatusOr<std::optional<PolicyRow>> Latest(Transaction& tx,
                                                std::string_view name) {
  absl::StatusOr<PolicyRow> row = tx.GetLatestPolicy(name);
  if (absl::IsNotFound(row.status())) return std::optional<PolicyRow>();
  GATEHOUSE_RETURN_IF_ERROR(row.status());
  return std::optional<PolicyRow>(*std::move(row));
}

}  // namespace

void Broker::ApplyPolicy(const policy::VirtualServer& virtual_server,
                         std::string etag, bool validate_only,
                         std::string author, Done<Applied> done) {
  PolicyRow row;
  row.virtual_server = virtual_server.name;
  row.document = policy::CanonicalDocument(virtual_server);
  row.etag = policy::EtagOf(row.document);
  row.author = std::move(author);
  Run<Applied>(
      [row = std::move(row), etag = std::move(etag), validate_only,
       virtual_server](Decision& decision, Applied& outcome) -> absl::Status {
        Transaction& tx = decision.tx;
        GATEHOUSE_ASSIGN_OR_RETURN(const std::optional<PolicyRow> latest,
                                   Latest(tx, row.virtual_server));
        const bool exists = latest.has_value() && !latest->document.empty();
        GATEHOUSE_RETURN_IF_ERROR(CheckEtag(etag, exists ? &*latest : nullptr));
        if (exists && latest->document == row.document) {
          outcome.row = *latest;
          return absl::OkStatus();
        }
        outcome.row = row;
        outcome.row.version = latest.has_value() ? latest->version + 1 : 1;
        outcome.row.apply_time = tx.Now();
        outcome.changed = true;
        if (validate_only) return absl::OkStatus();
        GATEHOUSE_RETURN_IF_ERROR(
            ForgetVerdicts(tx, row.virtual_server, &virtual_server));
        GATEHOUSE_RETURN_IF_ERROR(tx.InsertPolicy(outcome.row));
        GATEHOUSE_RETURN_IF_ERROR(
            decision
                .Note(RecordOf(audit::RecordType::kPolicyApplied, outcome.row))
                .status());
        MailRow mail;
        mail.kind = MailKind::kPolicyChanged;
        mail.subject = row.virtual_server;
        return sessions::PostMailToAll(tx, mail, decision.mailed);
      },
      std::move(done));
}

void Broker::DeletePolicy(std::string virtual_server, std::string etag,
                          std::string author, Done<bool> done) {
  Run<bool>(
      [name = std::move(virtual_server), etag = std::move(etag),
       author = std::move(author)](Decision& decision,
                                   bool& outcome) -> absl::Status {
        Transaction& tx = decision.tx;
        GATEHOUSE_ASSIGN_OR_RETURN(const std::optional<PolicyRow> latest,
                                   Latest(tx, name));
        if (!latest.has_value() || latest->document.empty()) {
          return MakeStatus(
              absl::StatusCode::kNotFound,
              "virtualServers/" + name + ": there is no such virtual server");
        }
        GATEHOUSE_RETURN_IF_ERROR(CheckEtag(etag, &*latest));
        GATEHOUSE_RETURN_IF_ERROR(ForgetVerdicts(tx, name, nullptr));
        PolicyRow row;
        row.virtual_server = name;
        row.version = latest->version + 1;
        row.author = author;
        row.apply_time = tx.Now();
        GATEHOUSE_RETURN_IF_ERROR(tx.InsertPolicy(row));
        GATEHOUSE_RETURN_IF_ERROR(
            decision.Note(RecordOf(audit::RecordType::kPolicyDeleted, row))
                .status());
        // Nobody may be asked under a policy that is gone: its sessions end in
        // the same commit.
        while (true) {
          GATEHOUSE_ASSIGN_OR_RETURN(
              const std::vector<SessionRow> page,
              tx.ListOpenSessions(name, "", kSessionsPage));
          for (const SessionRow& session : page) {
            GATEHOUSE_RETURN_IF_ERROR(
                decision.CloseSession(session, "virtual_server_deleted")
                    .status());
          }
          if (page.size() < kSessionsPage) break;
        }
        outcome = true;
        MailRow mail;
        mail.kind = MailKind::kVirtualServerDeleted;
        mail.subject = name;
        return sessions::PostMailToAll(tx, mail, decision.mailed);
      },
      std::move(done));
}

}  // namespace gatehouse::broker
