#ifndef GATEHOUSE_CONTROLPLANE_STORE_MEMORY_MEMORY_TABLES_H_
#define GATEHOUSE_CONTROLPLANE_STORE_MEMORY_MEMORY_TABLES_H_

// What the memory store holds, and the journal by which one Work is undone.
// Thread-compatible; used on the store's thread.

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "controlplane/store/rows.h"

namespace gatehouse::memory {

// The inverse of every change since the Work began, the last one first to run.
class Journal {
 public:
  void Add(std::function<void()> inverse) {
    inverses_.push_back(std::move(inverse));
  }
  void Undo() {
    while (!inverses_.empty()) {
      inverses_.back()();
      inverses_.pop_back();
    }
  }

 private:
  std::vector<std::function<void()>> inverses_;
};

// A map whose changes are journalled.
template <typename Key, typename Row>
class Table {
 public:
  const std::map<Key, Row>& rows() const { return rows_; }

  const Row* Find(const Key& key) const {
    const auto found = rows_.find(key);
    return found == rows_.end() ? nullptr : &found->second;
  }

  void Put(Journal& journal, const Key& key, Row row) {
    Remember(journal, key);
    rows_.insert_or_assign(key, std::move(row));
  }

  void Erase(Journal& journal, const Key& key) {
    Remember(journal, key);
    rows_.erase(key);
  }

 private:
  void Remember(Journal& journal, const Key& key) {
    std::optional<Row> old;
    if (const Row* row = Find(key)) old = *row;
    journal.Add([this, key, old = std::move(old)] {
      if (old.has_value()) {
        rows_.insert_or_assign(key, *old);
      } else {
        rows_.erase(key);
      }
    });
  }

  std::map<Key, Row> rows_;
};

struct Tables {
  using Place = std::pair<int64_t, int64_t>;         // of a leaf
  using Numbered = std::pair<std::string, int64_t>;  // owner, number
  // Virtual server, upstream, counter.
  using Counted = std::tuple<std::string, std::string, std::string>;

  Table<std::string, SessionRow> sessions;
  Table<std::string, RootsRow> roots;  // by session
  Table<std::string, WorkerRow> workers;
  Table<std::string, OperationRow> operations;
  Table<int64_t, InputRequestRow> input_requests;     // by order of insertion
  Table<std::string, int64_t> input_request_numbers;  // by id
  Table<Counted, VerdictCountRow> verdict_counts;
  Table<Numbered, MailRow> mail;
  Table<std::string, IdempotencyRow> idempotency;
  Table<Numbered, PolicyRow> policies;
  Table<Place, AuditLeafRow> leaves;
  Table<int, AuditHeadRow> head;  // one row, under 1
  Table<std::string, std::string> meta;
};

}  // namespace gatehouse::memory

#endif  // GATEHOUSE_CONTROLPLANE_STORE_MEMORY_MEMORY_TABLES_H_
