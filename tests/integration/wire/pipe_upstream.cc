#include "tests/integration/wire/pipe_upstream.h"

#include <gtest/gtest.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <utility>

#include "absl/strings/str_cat.h"

namespace gatehouse::testing {

RecordedPipeUpstream::RecordedPipeUpstream(EventLoop* loop, wire::Trace trace,
                                           wire::Trace tools,
                                           std::string bridge)
    : RecordedUpstream(std::move(trace), std::move(tools)),
      loop_(loop),
      bridge_(std::move(bridge)) {
  const absl::StatusOr<int> fd = ListenOn("127.0.0.1:0");
  EXPECT_TRUE(fd.ok()) << fd.status();
  if (!fd.ok()) return;
  listen_fd_ = *fd;
  const std::string address = LocalAddress(listen_fd_);
  port_ = address.substr(address.find(':') + 1);
  loop_->Run([this] {
    loop_->Watch(listen_fd_, EPOLLIN, [this](uint32_t events) {
      if (events != EventLoop::kLoopEnds) Accept();
    });
  });
}

RecordedPipeUpstream::~RecordedPipeUpstream() {
  loop_->Run([this] {
    loop_->Unwatch(listen_fd_);
    const std::set<std::shared_ptr<Process>> processes = processes_;
    for (const auto& process : processes) process->connection->Close();
  });
  close(listen_fd_);
}

std::string RecordedPipeUpstream::PolicyMember() const {
  // A worker that is root demands another user, one that is not has no choice.
  return absl::StrCat("stdio: { command: [\"", bridge_, "\", \"", port_, "\"]",
                      geteuid() == 0 ? ", runAs: nobody" : "", " }");
}

void RecordedPipeUpstream::CountProcesses() {
  signal_.Change([&] { running_ = processes_.size(); });
}

void RecordedPipeUpstream::Accept() {
  const int fd =
      accept4(listen_fd_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
  if (fd < 0) return;
  const auto process = std::make_shared<Process>();
  const std::weak_ptr<Process> weak = process;
  process->connection = Connection::Adopt(
      loop_, fd,
      [this, weak](std::string_view data) {
        if (const auto self = weak.lock()) Read(self, data);
      },
      [this, weak] {
        processes_.erase(weak.lock());
        CountProcesses();
      });
  processes_.insert(process);
  newest_ = process;
  CountProcesses();
}

void RecordedPipeUpstream::Read(const std::shared_ptr<Process>& process,
                                std::string_view data) {
  process->partial.append(data);
  size_t end;
  while ((end = process->partial.find('\n')) != std::string::npos) {
    const std::string line = process->partial.substr(0, end);
    process->partial.erase(0, end + 1);
    Serve(*process, line);
  }
}

void RecordedPipeUpstream::Serve(Process& process, const std::string& line) {
  Arrival arrival;
  arrival.http_method = "POST";  // as if it had come so
  arrival.message = Message(line);
  arrival = conversation_.Take(std::move(arrival));
  const std::string method = arrival.message.method();
  const wire::Exchange* const answer = conversation_.AnswerTo(arrival);
  if (answer == nullptr || (method != "initialize" && method != "tools/list")) {
    return;
  }
  for (const wire::Said& said : answer->said) {
    process.connection->Write(conversation_.Translate(said.text) + "\n");
  }
}

void RecordedPipeUpstream::Say(int exchange, size_t said) {
  const wire::Said& one =
      conversation_.trace().exchanges.at(exchange).said[said];
  loop_->Run([&] {
    const auto process = newest_.lock();
    if (process == nullptr) return;
    process->connection->Write(conversation_.Translate(one.text) + "\n");
  });
}

bool RecordedPipeUpstream::AwaitSessionEnd() {
  return signal_.WaitUntil(kPatience, [&] { return running_ == 0; });
}

}  // namespace gatehouse::testing
