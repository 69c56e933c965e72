#ifndef GATEHOUSE_DATAPLANE_WORKER_LOG_H_
#define GATEHOUSE_DATAPLANE_WORKER_LOG_H_

#include <initializer_list>
#include <string_view>
#include <utility>

#include "shared/base/clock.h"

namespace gatehouse::worker {

// Structured lines on stderr, one JSON object each: `ts`, `level`, `event`,
// then the fields. A value over 4 KiB is cut and what is not printable ASCII in
// it becomes `?`. Thread-safe: a line is one write.
class Log {
 public:
  using Field = std::pair<std::string_view, std::string_view>;
  explicit Log(Clock& clock) : clock_(clock) {}
  void Line(std::string_view level, std::string_view event,
            std::initializer_list<Field> fields) const;

 private:
  Clock& clock_;
};

}  // namespace gatehouse::worker

#endif  // GATEHOUSE_DATAPLANE_WORKER_LOG_H_
