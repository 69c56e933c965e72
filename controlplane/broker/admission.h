#ifndef GATEHOUSE_CONTROLPLANE_BROKER_ADMISSION_H_
#define GATEHOUSE_CONTROLPLANE_BROKER_ADMISSION_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "controlplane/broker/broker.h"
#include "controlplane/broker/decision.h"
#include "shared/mcp/features.h"
#include "shared/mcp/revision.h"

namespace gatehouse::broker {

// One AdmitInputRequests while it is decided. Lives on the stack of its Work,
// on the store's thread; borrows the decision and the command.
//
// All roads meet in Judge (invariant 3): a request of a call (admit.cc), the
// elicitations of an error that ended one, and `roots/list` outside of any
// (admit_roads.cc).
class Admission {
 public:
  Admission(Decision& decision, const AdmitCommand& command)
      : decision_(decision), tx_(decision.tx), command_(command) {}

  absl::Status Run(AdmitOutcome& outcome);

 private:
  absl::Status ReadFacts();
  absl::Status FindOperation();
  absl::StatusOr<OperationRow> InsertOperation(std::string_view tool);
  absl::StatusOr<AdmitWord> AdmitOne(const RaisedRequest& request);
  trust::RequestVerdict Judge(const RaisedRequest& request,
                              std::string_view input_request_id) const;
  // How many may be open; then the operation's budget, which TakeBudget takes.
  absl::StatusOr<std::optional<Failure>> TooManyAreOpen();
  std::optional<Failure> TakeBudget(int64_t tokens);
  InputRequestRow NewRow(const RaisedRequest& request, std::string id) const;
  audit::Record RecordOf(const RaisedRequest& request,
                         const InputRequestRow& row,
                         audit::RecordType type) const;
  absl::StatusOr<AdmitWord> Relay(const RaisedRequest& request,
                                  InputRequestRow row,
                                  trust::AdmittedRequest admitted);
  // What is about to be shown: recorded with the budget that it took since
  // `before`, then stored with the operation and counted (invariant 6).
  absl::Status RecordShown(const OperationRow& before, audit::Record record,
                           std::string_view params, InputRequestRow& row);
  RelayWord RelayWordOf(const InputRequestRow& row,
                        trust::AdmittedRequest admitted) const;
  absl::StatusOr<AdmitWord> Refuse(const RaisedRequest& request,
                                   InputRequestRow row, const Failure& failure);

  // The elicitations of a `-32042` error: all of them, or none.
  absl::Status AdmitNotified(AdmitOutcome& outcome);
  absl::StatusOr<AdmitWord> Notify(const RaisedRequest& request,
                                   InputRequestRow row,
                                   trust::AdmittedRequest admitted);
  NotifyWord NotifyWordOf(const InputRequestRow& row,
                          trust::AdmittedRequest admitted) const;

  // `roots/list` outside of any call.
  bool AsksForRootsAlone() const;
  absl::StatusOr<AdmitWord> AdmitOutside(const RaisedRequest& request,
                                         InputRequestRow row,
                                         trust::AdmittedRequest admitted);
  // What the client last answered, if the judge still lets it pass.
  absl::StatusOr<std::optional<std::string>> KeptRoots();
  absl::StatusOr<AdmitWord> AnswerFromKept(const RaisedRequest& request,
                                           InputRequestRow row,
                                           std::string result);
  // Why the client may not be asked now, if so; else there is an operation.
  absl::StatusOr<std::optional<Failure>> OpenOutside();

  absl::Status Replay(AdmitOutcome& outcome);
  // The word on what was decided, as long as it can still be said.
  absl::StatusOr<std::optional<AdmitWord>> ReplayOne(
      const InputRequestRow& row);

  Decision& decision_;
  Transaction& tx_;
  const AdmitCommand& command_;
  std::string cluster_;  // of the worker that speaks
  SessionRow session_;
  std::shared_ptr<const CompiledPolicy> policy_;
  mcp::ClientFeatures declared_;
  mcp::Revision client_revision_ = mcp::kLatestLegacy;
  mcp::Revision upstream_revision_ = mcp::kLatestLegacy;
  trust::Parent parent_ = trust::Parent::kNone;
  std::optional<OperationRow> operation_;  // as it is in the store now
};

}  // namespace gatehouse::broker

#endif  // GATEHOUSE_CONTROLPLANE_BROKER_ADMISSION_H_
