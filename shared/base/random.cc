#include "shared/base/random.h"

#include <sys/random.h>

#include <cerrno>
#include <cstdlib>

#include "shared/base/digest.h"

namespace gatehouse {

std::string SystemRandom::Bytes(size_t count) {
  std::string bytes(count, '\0');
  size_t filled = 0;
  while (filled < count) {
    const ssize_t got = getrandom(bytes.data() + filled, count - filled, 0);
    if (got > 0) {
      filled += static_cast<size_t>(got);
    } else if (errno != EINTR) {
      abort();
    }
  }
  return bytes;
}

std::string SeededRandom::Bytes(size_t count) {
  // splitmix64: repeatable on every machine, good enough for tests.
  std::string bytes;
  bytes.reserve(count + 8);
  while (bytes.size() < count) {
    unsigned long long z = (state_ += 0x9e3779b97f4a7c15ULL);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    z ^= z >> 31;
    for (int i = 0; i < 8; ++i)
      bytes.push_back(static_cast<char>(z >> (8 * i)));
  }
  bytes.resize(count);
  return bytes;
}

std::string NewId(Random& random, int bits) {
  return Base64UrlEncode(random.Bytes(static_cast<size_t>(bits / 8)));
}

}  // namespace gatehouse
