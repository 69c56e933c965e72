#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tests/integration/harness/scripted_upstream.h"

namespace gatehouse::testing {
namespace {

// What came back for one thing asked: `{"result":…}` or `{"error":…}`.
std::string ReplyObject(const Message& reply) {
  return reply.Has("/error")
             ? absl::StrCat("{\"error\":", reply.RawAt("/error"), "}")
             : absl::StrCat("{\"result\":", reply.RawAt("/result"), "}");
}

int TimesOf(const ToolCall& call) {
  return std::max(1, std::atoi(call.Argument("times").c_str()));
}

// The replies of one call, and how many are still to come.
struct Replies {
  std::string text;
  int open = 0;

  void Add(const Message& reply) {
    absl::StrAppend(&text, text.empty() ? "" : ",", ReplyObject(reply));
    --open;
  }
  std::string Result() const {
    return absl::StrCat("{\"content\":[],\"structuredContent\":{\"replies\":[",
                        text, "]}}");
  }
};

void AskNext(const std::shared_ptr<ToolCall>& call,
             const std::shared_ptr<Replies>& replies) {
  call->Ask(call->Argument("method"), call->RawArgument("params"),
            [call, replies](const Message& reply) {
              replies->Add(reply);
              if (replies->open > 0) {
                AskNext(call, replies);
              } else {
                call->Finish(replies->Result());
              }
            });
}

void AskOneAfterAnother(const std::shared_ptr<ToolCall>& call) {
  auto replies = std::make_shared<Replies>();
  replies->open = TimesOf(*call);
  AskNext(call, replies);
}

void AskAllAtOnce(const std::shared_ptr<ToolCall>& call) {
  auto replies = std::make_shared<Replies>();
  replies->open = TimesOf(*call);
  for (int i = TimesOf(*call); i > 0; --i) {
    call->Ask(call->Argument("method"), call->RawArgument("params"),
              [call, replies](const Message& reply) {
                replies->Add(reply);
                if (replies->open == 0) call->Finish(replies->Result());
              });
  }
}

void AskOnGet(const std::shared_ptr<ToolCall>& call) {
  auto replies = std::make_shared<Replies>();
  replies->open = 1;
  call->AskOnGetStream(call->Argument("method"), call->RawArgument("params"),
                       [call, replies](const Message& reply) {
                         replies->Add(reply);
                         call->Finish(replies->Result());
                       });
}

void ReportProgress(const std::shared_ptr<ToolCall>& call) {
  const int steps = std::max(1, std::atoi(call->Argument("steps").c_str()));
  for (int i = 1; i <= steps; ++i) {
    call->Progress(i, steps, absl::StrCat("step ", i));
  }
  call->FinishWithText("done");
}

}  // namespace

void AddStandardTools(ScriptedUpstream& upstream) {
  upstream.AddTool("echo", [](const std::shared_ptr<ToolCall>& call) {
    call->FinishWithText(call->request().RawAt("/params/arguments"));
  });
  upstream.AddTool("sum", [](const std::shared_ptr<ToolCall>& call) {
    call->FinishWithText(absl::StrCat(std::atoll(call->Argument("a").c_str()) +
                                      std::atoll(call->Argument("b").c_str())));
  });
  upstream.AddTool("ask", AskOneAfterAnother);
  upstream.AddTool("ask_all", AskAllAtOnce);
  upstream.AddTool("ask_on_get", AskOnGet);
  upstream.AddTool("progress", ReportProgress);
  upstream.AddTool("hang", [](const std::shared_ptr<ToolCall>&) {});
}

}  // namespace gatehouse::testing
