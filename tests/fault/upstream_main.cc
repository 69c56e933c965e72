// An upstream that can be killed: gatehouse_test_http_upstream ADDRESS RECORD.
//
// Its one tool, `round`, asks for a sampling and then a form, each under a
// nonce of its own, and says in its result whether both came back right. Every
// reply that reaches it is a line in the file RECORD, written before anything
// else happens, so that the line outlives a kill:
//   MICROSECONDS KIND   with KIND one of
//     verdict    an answer that passed a verdict: a result
//     error      any other answer
//     altered    a result that is not, byte for byte, what the client said
//     unasked    a reply to nothing that is open

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <iostream>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "shared/base/random.h"
#include "tests/integration/harness/event_loop.h"
#include "tests/integration/harness/fixture.h"
#include "tests/integration/harness/scripted_upstream.h"

namespace gatehouse::testing {
namespace {

class Recorder {
 public:
  explicit Recorder(const char* path)
      : fd_(open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644)) {}
  void Note(const std::string& kind) {
    const std::string line =
        absl::StrCat(absl::ToUnixMicros(absl::Now()), " ", kind, "\n");
    [[maybe_unused]] const ssize_t n = write(fd_, line.data(), line.size());
  }

 private:
  const int fd_;
};

// What the fault tests' client answers to a nonce.
std::string Echo(const std::string& nonce) {
  return absl::StrCat("re: ", nonce);
}

std::string FormParamsWith(const std::string& nonce) {
  return absl::StrCat(R"({"message":")", nonce,
                      R"(","requestedSchema":{"type":"object","properties":)"
                      R"({"echo":{"type":"string"}},"required":["echo"]}})");
}

// What the client's member (`"result":…`) leaves of a whole reply: its value.
std::string ValueOf(const std::string& member) {
  return member.substr(member.find(':') + 1);
}

// Judges one reply, byte for byte, and records it; true if the round may go on.
bool Take(Recorder& recorder, const Message& reply,
          const std::string& expected_member) {
  if (!reply.Has("/result")) {
    recorder.Note("error");
    return false;
  }
  const bool right = reply.RawAt("/result") == ValueOf(expected_member);
  recorder.Note(right ? "verdict" : "altered");
  return right;
}

void AskForm(Recorder& recorder, const std::shared_ptr<ToolCall>& call) {
  SystemRandom random;
  const std::string nonce = NewId(random);
  call->Ask("elicitation/create", FormParamsWith(nonce),
            [&recorder, call, nonce](const Message& reply) {
              const bool right = Take(
                  recorder, reply,
                  FormReply("accept",
                            absl::StrCat("{\"echo\":\"", Echo(nonce), "\"}")));
              call->FinishWithText(right ? "both right" : "form failed");
            });
}

void Round(Recorder& recorder, const std::shared_ptr<ToolCall>& call) {
  SystemRandom random;
  const std::string nonce = NewId(random);
  call->Ask("sampling/createMessage", SamplingParams(100, nonce),
            [&recorder, call, nonce](const Message& reply) {
              if (Take(recorder, reply, SamplingReply(Echo(nonce)))) {
                AskForm(recorder, call);
              } else {
                call->FinishWithText("sampling failed");
              }
            });
}

int Serve(const char* address, const char* record) {
  // Blocked before the loop's thread starts, so that it is waited for here.
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  Recorder recorder(record);
  EventLoop loop;
  ScriptedUpstream upstream(&loop, {.address = address});
  if (upstream.address().empty()) {
    std::cerr << address << ": cannot listen\n";
    return 1;
  }
  upstream.OnUnasked([&](const Message&) { recorder.Note("unasked"); });
  AddStandardTools(upstream);
  upstream.AddTool("round", [&](const std::shared_ptr<ToolCall>& call) {
    Round(recorder, call);
  });
  std::cout << "{\"event\":\"ready\",\"listen\":\"" << upstream.address()
            << "\"}\n"
            << std::flush;
  int caught = 0;
  sigwait(&signals, &caught);
  return 0;
}

}  // namespace
}  // namespace gatehouse::testing

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: gatehouse_test_http_upstream ADDRESS RECORD\n";
    return 2;
  }
  return gatehouse::testing::Serve(argv[1], argv[2]);
}
