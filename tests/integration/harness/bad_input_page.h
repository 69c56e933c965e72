#ifndef GATEHOUSE_TESTS_INTEGRATION_HARNESS_BAD_INPUT_PAGE_H_
#define GATEHOUSE_TESTS_INTEGRATION_HARNESS_BAD_INPUT_PAGE_H_

#include <string>
#include <utility>
#include <vector>

namespace gatehouse::testing {

// A case of bad input and the answer chosen for it, in words: one row of
// docs/bad_input.md and one row of a test.
struct BadInputRow {
  std::string sent;    // the case
  std::string answer;  // what it is to get
  std::string name;    // of the test's row
};

// Fails the test, and prints the lines to paste, if the rows that
// docs/bad_input.md has between `<!-- rows: GROUP -->` and `<!-- end -->`
// are not exactly these, in this order.
void ExpectDocumented(const std::string& group,
                      const std::vector<BadInputRow>& rows);

// A case that another test of the tree holds: its source file and its name.
struct HeldElsewhere {
  std::string sent;
  std::string answer;
  std::string file;
  std::string test;
};
// The same of the group `elsewhere`; and each file must have its test.
void ExpectHeldElsewhere(const std::vector<HeldElsewhere>& rows);

// Whether the page has a row of any group with this answer and this test.
bool IsDocumented(const std::string& answer, const std::string& test);

// Fails the test unless the page says how many cases it has, and how many of
// them the group `later` has.
void ExpectCounted();

// Whether `part` stands in `text`, in whatever case.
bool HasText(const std::string& text, const std::string& part);

// What each probe of a program got, printed when the program is done.
// Thread-compatible.
class ProbeTable {
 public:
  explicit ProbeTable(std::string title) : title_(std::move(title)) {}
  // Prints the table, if it has any row.
  ~ProbeTable();
  ProbeTable(const ProbeTable&) = delete;
  ProbeTable& operator=(const ProbeTable&) = delete;

  void Add(const std::string& name, const std::string& sent,
           const std::string& answer, const std::string& connection);

 private:
  const std::string title_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace gatehouse::testing

#endif  // GATEHOUSE_TESTS_INTEGRATION_HARNESS_BAD_INPUT_PAGE_H_
