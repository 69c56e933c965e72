#ifndef GATEHOUSE_TESTS_FUZZ_FUZZ_SUPPORT_H_
#define GATEHOUSE_TESTS_FUZZ_FUZZ_SUPPORT_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

// What the targets share. An input is only the bytes that a stranger would
// send: how it is split follows from its digest, so that a corpus file can be
// read, written by hand and sent with netcat.
namespace gatehouse::fuzz {

// Ends the process, which is how a target tells of a broken property.
inline void Require(bool holds, const char* property) {
  if (holds) return;
  std::fprintf(stderr, "broken property: %s\n", property);
  std::abort();
}

inline std::string_view View(const uint8_t* data, size_t size) {
  // An empty input may have no address.
  return size == 0
             ? std::string_view()
             : std::string_view(reinterpret_cast<const char*>(data), size);
}

// Numbers that follow from the input (FNV-1a, then xorshift).
class Dice {
 public:
  explicit Dice(std::string_view seed) {
    for (const char c : seed) {
      state_ = (state_ ^ static_cast<unsigned char>(c)) * 0x100000001B3;
    }
    if (state_ == 0) state_ = 1;
  }

  size_t Below(size_t bound) {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return static_cast<size_t>(state_ % bound);
  }

 private:
  uint64_t state_ = 0xCBF29CE484222325;
};

// Takes a piece off the front of `bytes`: often one byte or two, sometimes
// many; of long inputs fewer and larger ones, so that a run stays short.
inline std::string_view TakePiece(std::string_view& bytes, Dice& dice) {
  const size_t large = bytes.size() > 96 ? 96 : 24;
  const size_t bound = dice.Below(3) == 0 ? 2 : large;
  const size_t size = std::min(bytes.size(), 1 + dice.Below(bound));
  const std::string_view piece = bytes.substr(0, size);
  bytes.remove_prefix(size);
  return piece;
}

}  // namespace gatehouse::fuzz

#endif  // GATEHOUSE_TESTS_FUZZ_FUZZ_SUPPORT_H_
