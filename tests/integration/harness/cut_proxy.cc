#include "tests/integration/harness/cut_proxy.h"

#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <utility>

namespace gatehouse::testing {

// Loop thread only.
struct CutProxy::State : std::enable_shared_from_this<CutProxy::State> {
  EventLoop* loop = nullptr;
  std::string target;
  int listen_fd = -1;
  bool cut = false;
  std::set<std::shared_ptr<Connection>> open;

  void Accept() {
    for (;;) {
      const int fd =
          accept4(listen_fd, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
      if (fd < 0) return;
      const absl::StatusOr<int> onward =
          cut ? absl::StatusOr<int>(absl::UnavailableError("cut"))
              : ConnectTo(target);
      if (!onward.ok()) {
        close(fd);
        continue;
      }
      Join(fd, *onward);
    }
  }

  // Each side's bytes go to the other; one side's end is both sides' end.
  void Join(int near_fd, int far_fd) {
    struct Pair {
      std::weak_ptr<Connection> near, far;
    };
    auto pair = std::make_shared<Pair>();
    const auto self = shared_from_this();
    const auto forward = [](const std::weak_ptr<Connection>& to,
                            std::string_view data) {
      if (const auto connection = to.lock()) connection->Write(data);
    };
    const auto end = [self, pair] {
      for (const auto& weak : {pair->near, pair->far}) {
        const auto connection = weak.lock();
        if (connection == nullptr) continue;
        self->open.erase(connection);
        connection->Close();
      }
    };
    const auto near = Connection::Adopt(
        loop, near_fd, [=](std::string_view data) { forward(pair->far, data); },
        end);
    const auto far = Connection::Adopt(
        loop, far_fd, [=](std::string_view data) { forward(pair->near, data); },
        end);
    pair->near = near;
    pair->far = far;
    open.insert(near);
    open.insert(far);
  }

  void CloseAll() {
    const auto connections = std::exchange(open, {});
    for (const auto& connection : connections) connection->Close();
  }
};

CutProxy::CutProxy(EventLoop* loop, const std::string& listen_address,
                   const std::string& target_address)
    : loop_(loop), state_(std::make_shared<State>()) {
  state_->loop = loop;
  state_->target = target_address;
  loop_->Run([&] {
    const absl::StatusOr<int> fd = ListenOn(listen_address);
    if (!fd.ok()) return;  // the address stays empty; the test cannot start
    state_->listen_fd = *fd;
    address_ = listen_address.rfind("unix:", 0) == 0 ? listen_address
                                                     : LocalAddress(*fd);
    loop_->Watch(*fd, EPOLLIN, [state = state_](uint32_t events) {
      if (events != EventLoop::kLoopEnds) state->Accept();
    });
  });
}

CutProxy::~CutProxy() {
  loop_->Run([this] {
    if (state_->listen_fd >= 0) {
      loop_->Unwatch(state_->listen_fd);
      close(state_->listen_fd);
    }
    state_->CloseAll();
  });
}

void CutProxy::Cut() {
  loop_->Run([this] {
    state_->cut = true;
    state_->CloseAll();
  });
}

void CutProxy::Restore() {
  loop_->Run([this] { state_->cut = false; });
}

}  // namespace gatehouse::testing
