#include "tests/bench/session_maker.h"

#include "absl/strings/str_cat.h"
#include "shared/base/status.h"

namespace gatehouse::bench {
namespace {

constexpr size_t kShown = 200;  // bytes of a wrong answer in the error

}  // namespace

void SessionMaker::Fail(std::string_view what) {
  if (!status_.ok()) return;
  status_ = MakeStatus(absl::StatusCode::kInternal,
                       absl::StrCat("session ", at_ + 1, ": ", ToAbsl(what)));
}

void SessionMaker::Start(Poller& poller, uint64_t tag) {
  if (done()) return;
  const absl::StatusOr<int> fd = ConnectTo(peers_[at_].address);
  if (!fd.ok()) return Fail(ToStd(fd.status().message()));
  link_ = std::make_unique<Link>(*fd);
  if (const absl::Status added = poller.Add(*fd, tag); !added.ok()) {
    return Fail(ToStd(added.message()));
  }
  SendNext();
}

void SessionMaker::SendNext() {
  const Peer& peer = peers_[at_];
  if (!link_->Send(Post(
          peer, initializing_ ? InitializeMessage() : InitializedMessage()))) {
    Fail("the connection was closed");
  }
}

void SessionMaker::OnEvent(uint32_t events) {
  if (done() || !status_.ok() || link_ == nullptr) return;
  if ((events & EPOLLOUT) != 0 && !link_->Flush()) {
    return Fail("the connection was refused or closed");
  }
  if ((events & ~static_cast<uint32_t>(EPOLLOUT)) == 0) return;
  const bool open = link_->Receive();
  while (status_.ok() && !done() && link_->reader().held() > 0) {
    const HttpReader::State state = link_->reader().Read();
    if (state == HttpReader::State::kBroken) return Fail("this is no HTTP");
    if (state == HttpReader::State::kMore) break;
    OnAnswer();
    link_->reader().Drop();
    if (status_.ok() && !done()) SendNext();
  }
  if (!open && !done()) Fail("the connection was closed");
}

void SessionMaker::OnAnswer() {
  const HttpReader& answer = link_->reader();
  const std::string_view session = answer.Header("Mcp-Session-Id");
  if (answer.status() != (initializing_ ? 200 : 202) ||
      (initializing_ && session.empty())) {
    return Fail(absl::StrCat("the handshake got status ", answer.status(), ": ",
                             ToAbsl(answer.body().substr(0, kShown))));
  }
  if (initializing_) {
    peers_[at_].session = std::string(session);
  } else {
    at_ += step_;
  }
  initializing_ = !initializing_;
}

}  // namespace gatehouse::bench
