#include "tests/bench/idle_stream.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "shared/base/status.h"

namespace gatehouse::bench {
namespace {

constexpr size_t kReadBytes = 512;
constexpr size_t kShown = 200;  // bytes of a wrong answer in the error
constexpr std::string_view kEventEnd = "\n\n";
constexpr std::string_view kListChanged = "notifications/tools/list_changed";

}  // namespace

void IdleStream::Fail(std::string_view what) {
  if (!status_.ok()) return;
  status_ = MakeStatus(absl::StatusCode::kInternal, what);
}

void IdleStream::Open(Kind kind, const Peer& peer, Poller& poller,
                      uint64_t tag) {
  kind_ = kind;
  const absl::StatusOr<int> fd = ConnectTo(peer.address);
  if (!fd.ok()) return Fail(ToStd(fd.status().message()));
  link_ = std::make_unique<Link>(*fd, kReadBytes);
  if (const absl::Status added = poller.Add(*fd, tag); !added.ok()) {
    return Fail(ToStd(added.message()));
  }
  if (!link_->Send(OpenStream(peer))) Fail("the connection was closed");
}

void IdleStream::OnEvent(uint32_t events) {
  if (link_ == nullptr || !status_.ok()) return;
  if ((events & EPOLLOUT) != 0 && !link_->Flush()) {
    return Fail("the connection was refused or closed");
  }
  if ((events & ~static_cast<uint32_t>(EPOLLOUT)) == 0) return;
  const bool alive = link_->Receive();
  if (link_->reader().held() > 0) Read();
  if (!alive) Fail("it was closed");
}

void IdleStream::Read() {
  HttpReader& answer = link_->reader();
  const HttpReader::State state = answer.Read();
  if (state == HttpReader::State::kBroken) return Fail("this is no HTTP");
  if (!answer.has_head()) return;
  if (kind_ == Kind::kConnection) {
    if (state != HttpReader::State::kDone) return;
    if (answer.status() != 404) {
      return Fail(absl::StrCat("expected status 404, got ", answer.status()));
    }
    answer.Drop();
    open_ = true;
    return;
  }
  if (answer.status() != 200 ||
      !absl::StartsWith(ToAbsl(answer.Header("Content-Type")),
                        "text/event-stream")) {
    return Fail(absl::StrCat("expected a stream, got status ", answer.status(),
                             ": ", ToAbsl(answer.body().substr(0, kShown))));
  }
  if (state == HttpReader::State::kDone) return Fail("it was ended");
  open_ = true;
  ReadEvents();
}

void IdleStream::ReadEvents() {
  while (true) {
    const std::string_view rest = link_->reader().body().substr(read_);
    const size_t end = rest.find(kEventEnd);
    if (end == std::string_view::npos) return;
    read_ += end + kEventEnd.size();
    const std::string_view event = rest.substr(0, end);
    if (event.substr(0, 1) == ":") {
      ++pings_;
    } else if (event.find(kListChanged) != std::string_view::npos) {
      ++list_changes_;
    }
  }
}

}  // namespace gatehouse::bench
