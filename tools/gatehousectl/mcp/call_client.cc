#include "tools/gatehousectl/mcp/call_client.h"

#include <poll.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "shared/base/status.h"
#include "shared/json/json.h"
#include "shared/mcp/revision.h"

namespace gatehouse::ctl {
namespace {

constexpr absl::Duration kTakePatience = absl::Seconds(30);
constexpr absl::Duration kEndPatience = absl::Seconds(2);
// More than the link's own deadlines together, which end a wait with a reason.
constexpr absl::Duration kSlack = absl::Minutes(2);
constexpr size_t kMaxMessageBytes = 16 << 20;

absl::StatusOr<mcp::Envelope> Parse(std::string_view message) {
  mcp::EnvelopeLimits limits;
  limits.max_bytes = kMaxMessageBytes;
  limits.max_depth = 512;
  limits.skip_results = true;
  return mcp::ParseEnvelope(message, limits);
}

std::string InitializeParams(const Answers& answers) {
  json::Writer out;
  out.StartObject().Name("protocolVersion");
  out.String(mcp::ToString(mcp::kLatestLegacy));
  out.Name("capabilities").Raw(answers.Capabilities());
  out.Name("clientInfo").StartObject().Name("name").String("gatehousectl");
  out.Name("version").String(GATEHOUSE_VERSION).EndObject();
  return out.EndObject().Take();
}

ExchangeEnd Silence() {
  ExchangeEnd end;
  end.status = absl::DeadlineExceededError("silence");
  return end;
}

std::string RevisionOf(std::string_view result) {
  const auto document = json::Document::Parse(std::string(result));
  if (!document.ok()) return "";
  const auto revision = document->root().Find("protocolVersion");
  return revision && revision->IsString() ? std::string(*revision->String())
                                          : "";
}

}  // namespace

CallClient::CallClient(WorkerLink::Options options, std::string server,
                       Inbox* inbox)
    : server_(std::move(server)),
      inbox_(*inbox),
      client_(http::Client::Create(reactor_)),
      link_(std::make_unique<WorkerLink>(*client_, std::move(options))) {}

CallClient::~CallClient() {
  client_.reset();  // before the reactor, whose thread its callbacks run on
  reactor_.Stop();
}

void CallClient::Post(std::string message, absl::Duration patience,
                      Inbox* inbox) {
  reactor_.Post(
      [this, message = std::move(message), patience, inbox]() mutable {
        call_ = link_->Post(std::move(message), patience,
                            {[inbox](std::string text) {
                               inbox->Put({std::move(text), std::nullopt});
                             },
                             [inbox](const ExchangeEnd& end) {
                               inbox->Put({"", end});
                             }});
      });
}

// Its end is of no interest: what matters comes on the call's own exchange.
void CallClient::Tell(std::string message) {
  reactor_.Post([this, message = std::move(message)]() mutable {
    link_->Post(std::move(message), kTakePatience,
                {[](const std::string&) {}, [](const ExchangeEnd&) {}});
  });
}

CallReply CallClient::Open(Answers& answers) {
  CallReply reply = Request("initialize", InitializeParams(answers),
                            kTakePatience, {&answers, nullptr});
  if (reply.kind != CallReply::Kind::kResult) return reply;
  open_ = true;
  reactor_.Post([this, revision = RevisionOf(reply.json)] {
    link_->set_revision(revision);
  });
  // Taken before anything else is sent.
  Post(mcp::NotificationMessage("notifications/initialized", ""), kTakePatience,
       &inbox_);
  Arrival arrival;
  while (!arrival.end.has_value()) {
    const Inbox::Outcome outcome =
        inbox_.Take(kTakePatience + kSlack, &arrival);
    if (outcome == Inbox::Outcome::kInterrupted) {
      return {CallReply::Kind::kInterrupted, "", {}};
    }
    if (outcome == Inbox::Outcome::kTimedOut) arrival.end = Silence();
  }
  if (arrival.end->http_status / 100 == 2) return reply;
  return {CallReply::Kind::kTrouble, "",
          TroubleOf(*arrival.end, server_, /*in_session=*/true)};
}

CallReply CallClient::Request(std::string_view method, std::string_view params,
                              absl::Duration patience,
                              const Listeners& listeners) {
  const std::string id = absl::StrCat(next_id_++);
  Post(mcp::RequestMessage(id, method, params), patience, &inbox_);
  std::optional<CallReply> reply;
  for (;;) {
    Arrival arrival;
    switch (inbox_.Take(patience + kSlack, &arrival)) {
      case Inbox::Outcome::kInterrupted:
        return Interrupted(id);
      case Inbox::Outcome::kTimedOut:
        return {CallReply::Kind::kTrouble, "",
                TroubleOf(Silence(), server_, open_)};
      case Inbox::Outcome::kArrival:
        break;
    }
    if (arrival.end.has_value()) {
      // The next request must not find what belongs to this one.
      if (reply.has_value()) return *std::move(reply);
      return {CallReply::Kind::kTrouble, "",
              TroubleOf(*arrival.end, server_, open_)};
    }
    if (!reply.has_value()) reply = Take(arrival.message, id, listeners);
  }
}

std::optional<CallReply> CallClient::Take(const std::string& message,
                                          std::string_view id,
                                          const Listeners& listeners) {
  const absl::StatusOr<mcp::Envelope> envelope = Parse(message);
  if (!envelope.ok()) return std::nullopt;
  switch (envelope->kind) {
    case mcp::MessageKind::kResult:
      if (envelope->id != id) return std::nullopt;
      return CallReply{CallReply::Kind::kResult, std::string(envelope->result)};
    case mcp::MessageKind::kError:
      if (envelope->id != id) return std::nullopt;
      return CallReply{CallReply::Kind::kError, std::string(envelope->error)};
    case mcp::MessageKind::kNotification:
      if (listeners.on_notification) listeners.on_notification(*envelope);
      return std::nullopt;
    case mcp::MessageKind::kRequest: {
      const std::string asked(envelope->id);
      auto answer = listeners.answers->Answer(
          *envelope, [this, &asked] { return inbox_.Withdrawn(asked); });
      if (answer.has_value()) Tell(*std::move(answer));
      return std::nullopt;
    }
  }
  return std::nullopt;
}

CallReply CallClient::Interrupted(std::string_view id) {
  if (open_) {
    Tell(mcp::NotificationMessage(
        "notifications/cancelled",
        absl::StrCat("{\"requestId\":", ToAbsl(id),
                     ",\"reason\":\"interrupted by the user\"}")));
  }
  return {CallReply::Kind::kInterrupted, "", {}};
}

void CallClient::Close() {
  if (!std::exchange(open_, false)) return;
  // The inbox no longer waits once a signal came, so this has its own bell.
  const auto ended = std::make_shared<Wake>();
  reactor_.Post([this, ended] {
    link_->Delete(kEndPatience,
                  {[](const std::string&) {},
                   [ended](const ExchangeEnd&) { ended->Ring(); }});
  });
  pollfd ready = {ended->fd(), POLLIN, 0};
  poll(&ready, 1,
       static_cast<int>(absl::ToInt64Milliseconds(2 * kEndPatience)));
}

}  // namespace gatehouse::ctl
