#ifndef GATEHOUSE_DATAPLANE_HTTP_BODY_ACCOUNT_H_
#define GATEHOUSE_DATAPLANE_HTTP_BODY_ACCOUNT_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace gatehouse::http {

// What one request's body takes of a total that all share; given back at the
// end. Borrows the total. Movable; thread-compatible.
class BodyAccount {
 public:
  explicit BodyAccount(std::atomic<int64_t>& total) : total_(&total) {}
  BodyAccount(BodyAccount&& other) noexcept
      : total_(other.total_), bytes_(std::exchange(other.bytes_, 0)) {}
  BodyAccount& operator=(BodyAccount&&) = delete;
  ~BodyAccount() { Set(0); }

  void Set(size_t bytes) {
    const auto now = static_cast<int64_t>(bytes);
    if (now != bytes_) total_->fetch_add(now - std::exchange(bytes_, now));
  }

 private:
  std::atomic<int64_t>* const total_;
  int64_t bytes_ = 0;
};

}  // namespace gatehouse::http

#endif  // GATEHOUSE_DATAPLANE_HTTP_BODY_ACCOUNT_H_
