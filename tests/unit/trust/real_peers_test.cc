// What real peers ask and answer: the specification's own examples, and
// questions and answers recorded between the official SDKs. Defends invariant 3
// of the design: one judge, whoever asks.

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "shared/json/json.h"
#include "tests/unit/trust/verdicts.h"

namespace gatehouse::trust {
namespace {

std::string ReadData(const std::string& name) {
  const char* source = std::getenv("GATEHOUSE_SOURCE");
  EXPECT_NE(source, nullptr) << "run by ctest, which sets GATEHOUSE_SOURCE";
  const std::string path =
      std::string(source == nullptr ? "." : source) + "/tests/unit/trust/data/";
  std::ifstream file(path + name);
  EXPECT_TRUE(file.good()) << path << name;
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string RawMember(const json::Value& object, std::string_view name) {
  const auto member = object.Find(name);
  return member.has_value() ? std::string(member->raw()) : std::string();
}

struct RequestExample {
  const char* file;
  std::string_view method;
  bool whole;  // a request with its params, not the params alone
  const char* want;
};

const RequestExample kRequestExamples[] = {
    {"CreateMessageRequest/sampling-request.json", kSampling, true, "admitted"},
    {"CreateMessageRequestParams/basic-request.json", kSampling, false,
     "admitted"},
    {"CreateMessageRequestParams/request-with-tools.json", kSampling, false,
     "admitted"},
    {"CreateMessageRequestParams/follow-up-with-tool-results.json", kSampling,
     false, "admitted"},
    {"ElicitRequest/elicitation-request.json", kElicitation, true, "admitted"},
    {"ElicitRequestFormParams/elicit-single-field.json", kElicitation, false,
     "admitted"},
    {"ElicitRequestFormParams/elicit-multiple-fields.json", kElicitation, false,
     "admitted"},
    {"ElicitRequestURLParams/elicit-sensitive-data.json", kElicitation, false,
     "not_permitted /mode"},
    {"ListRootsRequest/list-roots-request.json", kRoots, true, "admitted"},
};

TEST(OfficialExamplesTest, RequestsReachTheListedOutcome) {
  for (const RequestExample& example : kRequestExamples) {
    std::string params = ReadData(std::string("examples/") + example.file);
    if (example.whole) {
      const auto request = json::Document::Parse(params);
      ASSERT_TRUE(request.ok()) << example.file;
      params = RawMember(request->root(), "params");
    }
    EXPECT_EQ(Short(JudgeRequest(OpenPolicy(), Asked(example.method, params))),
              example.want)
        << example.file;
  }
}

TEST(OfficialExamplesTest, ResultsAnswerTheirRequests) {
  struct ResultExample {
    const char* request;
    const char* result;
    std::string_view method;
  };
  const ResultExample kExamples[] = {
      {"CreateMessageRequestParams/basic-request.json",
       "CreateMessageResult/text-response.json", kSampling},
      {"CreateMessageRequestParams/request-with-tools.json",
       "CreateMessageResult/tool-use-response.json", kSampling},
      {"CreateMessageRequestParams/follow-up-with-tool-results.json",
       "CreateMessageResult/final-response.json", kSampling},
      {"ElicitRequestFormParams/elicit-single-field.json",
       "ElicitResult/input-single-field.json", kElicitation},
      {"ElicitRequestFormParams/elicit-multiple-fields.json",
       "ElicitResult/input-multiple-fields.json", kElicitation},
      {"", "ListRootsResult/single-root-directory.json", kRoots},
      {"", "ListRootsResult/multiple-root-directories.json", kRoots},
  };
  for (const ResultExample& example : kExamples) {
    const std::string request =
        *example.request == '\0'
            ? std::string()
            : ReadData(std::string("examples/") + example.request);
    const std::string result =
        ReadData(std::string("examples/") + example.result);
    const ResponseVerdict verdict =
        JudgeResponse(OpenPolicy(), Answered(example.method, request, result));
    EXPECT_EQ(Short(verdict), "answered") << example.result;
    EXPECT_EQ(verdict.result.value_or(""), result) << example.result;
  }
}

// The outcomes that are not `admitted` and `answered`: name of the recorded
// question, what its request and its answer come to.
const std::map<std::string, std::string>& RequestOutcomes() {
  static const std::map<std::string, std::string> kOutcomes = {
      {"2025-11-25 elicit-bare-capability 2", "not_permitted /mode"},
      {"2025-11-25 elicit-not-declared 1", "capability_not_declared"},
      {"2025-11-25 elicit-url 1", "not_permitted /mode"},
      {"2025-11-25 elicit-url-decline 1", "not_permitted /mode"},
      {"2025-11-25 elicit-url-not-declared 1", "not_permitted /mode"},
      {"2025-11-25 sampling-not-declared 1", "capability_not_declared"},
      {"2025-11-25 sampling-tools-not-declared 1",
       "capability_not_declared /tools"},
  };
  return kOutcomes;
}
const std::map<std::string, std::string>& AnswerOutcomes() {
  static const std::map<std::string, std::string> kOutcomes = {
      {"2025-11-25 elicit-form-cancel 1", "dismissed"},
      {"2025-11-25 elicit-form-decline 1", "declined"},
      {"2025-11-25 elicit-form-error 1", "failed: client_error"},
      {"2025-11-25 elicit-form-malformed 1",
       "invalid: invalid_response /action"},
      {"2025-11-25 elicit-form-schema-mismatch 1",
       "invalid: invalid_response /content/name"},
      {"2025-11-25 roots-error 1", "failed: client_error"},
      {"2025-11-25 sampling-error 1", "declined: declined"},
      {"2025-11-25 sampling-malformed 1", "invalid: invalid_response /role"},
      // Its client fills `kit` into a URI and a date.
      {"2025-11-25 server-everything-v1 3",
       "invalid: invalid_response /content/homepage"},
  };
  return kOutcomes;
}

std::string Listed(const std::map<std::string, std::string>& outcomes,
                   const std::string& name, const char* otherwise) {
  const auto row = outcomes.find(name);
  return row == outcomes.end() ? otherwise : row->second;
}

// The recorded clients declared all, but for those whose case says otherwise.
mcp::ClientFeatures DeclaredIn(const std::string& name) {
  mcp::ClientFeatures declared = AllDeclared();
  const auto has = [&name](const char* part) {
    return name.find(part) != std::string::npos;
  };
  if (has("elicit-not-declared")) declared.elicitation_form = false;
  if (has("sampling-not-declared")) declared.sampling = false;
  if (has("sampling-tools-not-declared")) declared.sampling_tools = false;
  return declared;
}

class RecordedQuestion {
 public:
  explicit RecordedQuestion(json::Value row)
      : row_(std::move(row)),
        name(row_.Find("name")->String().value()),
        method(row_.Find("method")->String().value()),
        params(RawMember(row_, "params")),
        revision(*mcp::ParseRevision(row_.Find("revision")->String().value())) {
  }

  std::string JudgedRequest() const {
    RequestFacts facts = Asked(method, params, revision, revision);
    facts.declared = DeclaredIn(name);
    return Short(JudgeRequest(OpenPolicy(), facts));
  }
  bool WasAnswered() const {
    return row_.Find("result").has_value() || row_.Find("error").has_value();
  }
  std::string JudgedAnswer() const {
    ResponseFacts facts;
    facts.method = method;
    facts.request_params = params;
    facts.upstream_revision = facts.client_revision = revision;
    const std::string result = RawMember(row_, "result");
    const std::string error = RawMember(row_, "error");
    if (!result.empty()) facts.result = result;
    if (!error.empty()) facts.error = error;
    return Short(JudgeResponse(OpenPolicy(), facts));
  }

 private:
  json::Value row_;

 public:
  const std::string name, method, params;
  const mcp::Revision revision;
};

TEST(RecordedQuestionsTest, ReachTheListedOutcomes) {
  std::istringstream lines(ReadData("recorded_questions.jsonl"));
  int questions = 0;
  int answers = 0;
  for (std::string line; std::getline(lines, line);) {
    const auto document = json::Document::Parse(line);
    ASSERT_TRUE(document.ok()) << document.status();
    const RecordedQuestion question(document->root());
    ++questions;
    const std::string request = question.JudgedRequest();
    EXPECT_EQ(request, Listed(RequestOutcomes(), question.name, "admitted"))
        << question.name;
    if (request != "admitted" || !question.WasAnswered()) continue;
    ++answers;
    EXPECT_EQ(question.JudgedAnswer(),
              Listed(AnswerOutcomes(), question.name, "answered"))
        << question.name;
  }
  EXPECT_EQ(questions, 48);
  EXPECT_EQ(answers, 39);
}

// Every value of a tree, the root first.
std::vector<json::Value> AllValues(const json::Value& root) {
  std::vector<json::Value> values = {root};
  for (size_t i = 0; i < values.size(); ++i) {
    const json::Value value = values[i];
    for (const json::Value& item : value.Elements()) values.push_back(item);
    for (const json::Member& member : value.Members()) {
      values.push_back(member.value);
    }
  }
  return values;
}

// Whatever a peer writes in the place of any value, the judge answers, and what
// it would relay or deliver is JSON. (Under the sanitizers this finds a rule
// that trusts what another rule has not yet checked.)
TEST(RecordedQuestionsTest, JunkInAnyPlaceIsAnswered) {
  constexpr std::string_view kJunk[] = {"null", "1.5",      "\"x\"",
                                        "[]",   "[[null]]", R"({"type":7})"};
  std::istringstream lines(ReadData("recorded_questions.jsonl"));
  for (std::string line; std::getline(lines, line);) {
    const auto document = json::Document::Parse(line);
    ASSERT_TRUE(document.ok());
    const RecordedQuestion question(document->root());
    const std::string result = RawMember(document->root(), "result");
    for (const std::string& text : {question.params, result}) {
      const auto judged = json::Document::Parse(text);
      if (!judged.ok()) continue;  // absent
      for (const json::Value& value : AllValues(judged->root())) {
        for (const std::string_view junk : kJunk) {
          const std::string spoilt = json::Splice(
              text, {{value.offset(), value.raw().size(), std::string(junk)}});
          const RequestVerdict request =
              JudgeRequest(OpenPolicy(), Asked(question.method, spoilt));
          if (const auto* admitted = std::get_if<AdmittedRequest>(&request)) {
            EXPECT_TRUE(json::Document::Parse(admitted->params_to_relay).ok());
          }
          const ResponseVerdict answer = JudgeResponse(
              OpenPolicy(), Answered(question.method, question.params, spoilt));
          EXPECT_NE(answer.result.has_value(), answer.failure.has_value());
        }
      }
    }
  }
}

}  // namespace
}  // namespace gatehouse::trust
