#ifndef GATEHOUSE_SHARED_BASE_RANDOM_H_
#define GATEHOUSE_SHARED_BASE_RANDOM_H_

#include <cstddef>
#include <string>

namespace gatehouse {

// Where ids, secrets and nonces come from.
// Thread-safe. Ownership: borrowed; outlives every object constructed with it.
class Random {
 public:
  virtual ~Random() = default;
  // `count` unpredictable bytes.
  virtual std::string Bytes(size_t count) = 0;
};

// The kernel's generator (getrandom). Ends the process if the kernel refuses:
// there is nothing safe to do without randomness.
class SystemRandom final : public Random {
 public:
  std::string Bytes(size_t count) override;
};

// For tests: a seeded, repeatable stream. Thread-compatible.
class SeededRandom final : public Random {
 public:
  explicit SeededRandom(unsigned long long seed) : state_(seed) {}
  std::string Bytes(size_t count) override;

 private:
  unsigned long long state_;
};

// An id of `bits` random bits (a multiple of 8) in unpadded base64url, visible
// ASCII and safe in URLs, headers and resource names. Ids are 128 bits,
// secrets (session ids, opaque ids, handles, tokens) 256.
std::string NewId(Random& random, int bits = 128);

}  // namespace gatehouse

#endif  // GATEHOUSE_SHARED_BASE_RANDOM_H_
