#include "tests/integration/harness/oracle.h"

#include <sqlite3.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <set>

#include "absl/strings/str_cat.h"
#include "controlplane/audit/record.h"
#include "controlplane/audit/verify.h"
#include "shared/base/status.h"
#include "tests/integration/harness/program.h"

namespace gatehouse::testing {
namespace {

namespace fs = std::filesystem;
using audit::Record;
using audit::RecordType;

// A result row of a query.
class Row {
 public:
  explicit Row(sqlite3_stmt* statement) : statement_(statement) {}
  int64_t Int(int column) const {
    return sqlite3_column_int64(statement_, column);
  }
  std::string Bytes(int column) const {
    const int size = sqlite3_column_bytes(statement_, column);
    const void* data = sqlite3_column_blob(statement_, column);
    return data == nullptr ? ""
                           : std::string(static_cast<const char*>(data),
                                         static_cast<size_t>(size));
  }

 private:
  sqlite3_stmt* const statement_;
};

// A database file, with its write-ahead log if a kill left one. Reads only.
class Data {
 public:
  static absl::StatusOr<std::unique_ptr<Data>> Open(const std::string& path) {
    sqlite3* handle = nullptr;
    // Read-write, for a copy: reading a write-ahead log means recovering it.
    if (sqlite3_open_v2(path.c_str(), &handle, SQLITE_OPEN_READWRITE,
                        nullptr) != SQLITE_OK) {
      sqlite3_close(handle);
      return absl::NotFoundError(absl::StrCat(path, ": cannot be opened"));
    }
    return std::unique_ptr<Data>(new Data(handle));
  }
  ~Data() { sqlite3_close(handle_); }
  Data(const Data&) = delete;
  Data& operator=(const Data&) = delete;

  absl::Status Each(const char* sql,
                    const std::function<void(const Row&)>& take) {
    sqlite3_stmt* statement = nullptr;
    int code = sqlite3_prepare_v2(handle_, sql, -1, &statement, nullptr);
    while (code == SQLITE_OK || code == SQLITE_ROW) {
      code = sqlite3_step(statement);
      if (code == SQLITE_ROW) take(Row(statement));
    }
    sqlite3_finalize(statement);
    if (code == SQLITE_DONE) return absl::OkStatus();
    return absl::DataLossError(
        absl::StrCat(sql, ": ", sqlite3_errmsg(handle_)));
  }

 private:
  explicit Data(sqlite3* handle) : handle_(handle) {}
  sqlite3* const handle_;
};

// The SQLite main file of a data directory; empty if there is none.
std::string FindDatabase(const std::string& data_dir) {
  std::error_code error;
  for (const auto& entry : fs::recursive_directory_iterator(data_dir, error)) {
    if (!entry.is_regular_file()) continue;
    if (ReadFile(entry.path()).rfind("SQLite format 3", 0) == 0) {
      return entry.path();
    }
  }
  return "";
}

bool IsTerminal(InputRequestState state) {
  return state != InputRequestState::kRelayed &&
         state != InputRequestState::kPendingReview &&
         state != InputRequestState::kPendingRelease;
}

// What the log says of one input request.
struct Story {
  std::vector<InputRequestState> entered;
  int claims = 0;
  int acknowledgements = 0;
  int64_t last_seq = -1;
};

class Examination {
 public:
  Examination(Data& data, const Effects& effects, bool at_rest)
      : data_(data), effects_(effects), at_rest_(at_rest) {}

  absl::StatusOr<OracleReport> Run() {
    GATEHOUSE_RETURN_IF_ERROR(ReadLog());
    CheckStories();
    GATEHOUSE_RETURN_IF_ERROR(CheckRequests());
    GATEHOUSE_RETURN_IF_ERROR(CheckOperations());
    CheckOrder("shown to a client", effects_.shown, forwarded_);
    CheckOrder("delivered to the upstream", effects_.delivered, claimed_);
    return report_;
  }

 private:
  template <typename... Parts>
  void Violation(const Parts&... parts) {
    report_.violations.push_back(absl::StrCat(parts...));
  }

  absl::Status ReadLog() {
    std::optional<AuditHeadRow> head;
    GATEHOUSE_RETURN_IF_ERROR(
        data_.Each("SELECT epoch, size, compact_range FROM audit_head",
                   [&](const Row& row) {
                     head = AuditHeadRow{row.Int(0), row.Int(1), row.Bytes(2)};
                   }));
    if (!head.has_value()) return absl::DataLossError("the log has no head");
    audit::LogVerifier verifier(head->epoch);
    bool intact = true;
    GATEHOUSE_RETURN_IF_ERROR(data_.Each(
        "SELECT epoch, seq, leaf_hash, body FROM audit_leaf ORDER BY epoch, "
        "seq",
        [&](const Row& row) {
          if (!intact) return;
          const absl::StatusOr<Record> record = verifier.Add(
              {row.Int(0), row.Int(1), row.Bytes(2), row.Bytes(3)});
          if (record.ok()) {
            Take(*record);
          } else {
            intact = false;
            Violation("log: ", record.status().ToString());
          }
        }));
    report_.log_size = verifier.size();
    if (intact && !verifier.CheckHead(*head).ok()) {
      Violation("log: its head does not speak of its leaves");
    }
    return absl::OkStatus();
  }

  void Take(const Record& record) {
    if (record.type == RecordType::kForwarded) {
      forwarded_.push_back(record.time);
    }
    if (record.type == RecordType::kDeliveryClaimed) {
      claimed_.push_back(record.time);
    }
    if (record.input_request_id.empty()) return;
    Story& story = stories_[record.input_request_id];
    // A reply that was ignored changes nothing but the log: not the row either.
    if (record.outcome != "ignored") story.last_seq = record.seq;
    if (record.to_state.has_value() && record.to_state != record.from_state) {
      story.entered.push_back(*record.to_state);
    }
    story.claims += record.type == RecordType::kDeliveryClaimed;
    story.acknowledgements += record.type == RecordType::kDeliveryAcknowledged;
  }

  void CheckStories() {
    for (const auto& [id, story] : stories_) {
      const int terminal = static_cast<int>(std::count_if(
          story.entered.begin(), story.entered.end(), IsTerminal));
      if (terminal > 1) Violation(id, ": ", terminal, " terminal states");
      if (terminal == 1 && !IsTerminal(story.entered.back())) {
        Violation(id, ": went on after its terminal state");
      }
      if (story.claims > 1) Violation(id, ": claimed ", story.claims, " times");
      if (story.acknowledgements > story.claims) {
        Violation(id, ": delivered ", story.acknowledgements, " times of ",
                  story.claims, " claimed");
      }
    }
  }

  absl::Status CheckRequests() {
    return data_.Each(
        "SELECT id, state, delivery, last_audit_seq FROM input_request",
        [&](const Row& row) {
          const std::string id = row.Bytes(0);
          const auto state = static_cast<InputRequestState>(row.Int(1));
          const auto delivery = static_cast<DeliveryState>(row.Int(2));
          const std::string name(audit::StateName(state));
          ++report_.states[name];
          const auto story = stories_.find(id);
          if (story == stories_.end() || story->second.entered.empty()) {
            Violation(id, ": is ", name, ", and the log does not know it");
          } else if (story->second.entered.back() != state) {
            Violation(
                id, ": is ", name, ", and the log says ",
                std::string(audit::StateName(story->second.entered.back())));
          }
          // Written in the commit that changed the row, or not at all.
          if (story != stories_.end() && row.Int(3) != story->second.last_seq) {
            Violation(id, ": its newest record is ", story->second.last_seq,
                      ", and its row names ", row.Int(3));
          }
          if (at_rest_ && !IsTerminal(state)) {
            Violation(id, ": still ", name, " at rest");
          }
          if (at_rest_ && (delivery == DeliveryState::kUnclaimed ||
                           delivery == DeliveryState::kClaimed)) {
            Violation(id, ": its answer is neither delivered nor given up");
          }
        });
  }

  absl::Status CheckOperations() {
    return data_.Each(
        "SELECT id, slots_used, tokens_reserved, tokens_charged FROM operation",
        [&](const Row& row) {
          const std::string id = row.Bytes(0);
          if (row.Int(1) > 8) Violation(id, ": ", row.Int(1), " slots used");
          if (row.Int(2) < 0 || row.Int(2) + row.Int(3) > 8192) {
            Violation(id, ": ", row.Int(2), " reserved, ", row.Int(3),
                      " charged");
          }
          if (at_rest_ && row.Int(2) != 0) {
            Violation(id, ": ", row.Int(2), " tokens reserved at rest");
          }
        });
  }

  // Effects and records carry no common name that both peers could know, so
  // they are compared in order: that is sound (it never accuses wrongly), and
  // it catches an effect whose record is missing or younger.
  void CheckOrder(const char* what, std::vector<absl::Time> effects,
                  std::vector<absl::Time> records) {
    std::sort(effects.begin(), effects.end());
    std::sort(records.begin(), records.end());
    for (size_t i = 0; i < effects.size(); ++i) {
      if (i >= records.size()) {
        Violation(effects.size(), " ", what, ", and only ", records.size(),
                  " in the log");
        return;
      }
      if (records[i] > effects[i]) {
        Violation("no. ", i, " ", what, " before its record");
      }
    }
  }

  Data& data_;
  const Effects& effects_;
  const bool at_rest_;
  OracleReport report_;
  std::map<std::string, Story> stories_;
  std::vector<absl::Time> forwarded_;
  std::vector<absl::Time> claimed_;
};

}  // namespace

std::string OracleReport::ToString() const {
  std::string text = absl::StrCat(log_size, " records;");
  for (const auto& [state, count] : states) {
    absl::StrAppend(&text, " ", state, " ", count);
  }
  for (const std::string& violation : violations) {
    absl::StrAppend(&text, "\n  violation: ", violation);
  }
  return text;
}

absl::StatusOr<OracleReport> Examine(const std::string& data_dir,
                                     const Effects& effects, bool at_rest) {
  const std::string path = FindDatabase(data_dir);
  if (path.empty()) {
    return absl::NotFoundError(absl::StrCat(data_dir, ": no database"));
  }
  const TempDir copy;
  for (const char* suffix : {"", "-wal"}) {
    std::error_code ignored;
    fs::copy_file(path + suffix, copy.path() + "/copy" + suffix, ignored);
  }
  GATEHOUSE_ASSIGN_OR_RETURN(const std::unique_ptr<Data> data,
                             Data::Open(copy.path() + "/copy"));
  return Examination(*data, effects, at_rest).Run();
}

}  // namespace gatehouse::testing
