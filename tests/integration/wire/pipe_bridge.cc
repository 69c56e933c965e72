// What a worker starts in the place of a recorded stdio server: it passes its
// stdin on to a socket, HOST PORT on loopback, and what comes from there to its
// stdout, until either ends.

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdlib>

namespace {

// False at the end of `from`, or if `to` takes no more.
bool Pass(int from, int to) {
  std::array<char, 65536> buffer;
  const ssize_t size = read(from, buffer.data(), buffer.size());
  for (ssize_t done = 0; done < size;) {
    const ssize_t wrote =
        write(to, buffer.data() + done, static_cast<size_t>(size - done));
    if (wrote <= 0) return false;
    done += wrote;
  }
  return size > 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<uint16_t>(std::atoi(argv[1])));
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  if (connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof(address)) !=
      0) {
    return 1;
  }
  for (;;) {
    std::array<pollfd, 2> ends = {{{STDIN_FILENO, POLLIN, 0}, {fd, POLLIN, 0}}};
    if (poll(ends.data(), ends.size(), -1) < 0) return 1;
    if (ends[0].revents != 0 && !Pass(STDIN_FILENO, fd)) return 0;
    if (ends[1].revents != 0 && !Pass(fd, STDOUT_FILENO)) return 0;
  }
}
