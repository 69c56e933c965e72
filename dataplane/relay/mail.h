#ifndef GATEHOUSE_DATAPLANE_RELAY_MAIL_H_
#define GATEHOUSE_DATAPLANE_RELAY_MAIL_H_

#include <string>

namespace gatehouse::relay {

// An input request ended and its upstream is owed an answer. Ids are bare.
struct DeliveryReady {
  std::string input_request;
  std::string operation;
  // The gateway ended it while the client still had it open.
  bool withdraw = false;
};

// Told what the control plane puts into this worker's mailbox, in its order and
// each once. What concerns policies goes to Snapshots instead. Called on a
// thread of the control client: must be quick and must not block.
class MailObserver {
 public:
  virtual ~MailObserver() = default;
  virtual void OnDeliveryReady(const DeliveryReady& delivery) = 0;
  virtual void OnSessionEnded(const std::string& session) = 0;
};

}  // namespace gatehouse::relay

#endif  // GATEHOUSE_DATAPLANE_RELAY_MAIL_H_
