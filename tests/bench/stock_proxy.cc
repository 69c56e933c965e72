// bench-proxy: what cpp-httplib gives to whoever writes a gateway on it in an
// afternoon: an httplib::Server that hands each request to an httplib::Client.
// It looks at nothing. With the settings that its authors' defaults lack:
// TCP_NODELAY on both sides, keep-alive without end, a thread for each
// connection, a client for each thread, a backlog.

#include <httplib.h>
#include <signal.h>
#include <sys/socket.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <limits>
#include <memory>
#include <string>

namespace gatehouse::bench {
namespace {

constexpr time_t kIdleSeconds = 300;
constexpr int kBacklog = 4096;

struct Flags {
  std::string upstream_host;
  int upstream_port = 0;
  int threads = 256;
};

// The client of the calling thread: one thread has one request at a time.
httplib::Client& ClientOfThread(const Flags& flags) {
  static thread_local std::unique_ptr<httplib::Client> client;
  if (client == nullptr) {
    client = std::make_unique<httplib::Client>(flags.upstream_host,
                                               flags.upstream_port);
    client->set_keep_alive(true);
    client->set_tcp_nodelay(true);
    client->set_read_timeout(60);
    client->set_decompress(false);
  }
  return *client;
}

void Forward(const Flags& flags, const httplib::Request& request,
             httplib::Response& response) {
  httplib::Request onward;
  onward.method = request.method;
  onward.path = request.path;
  onward.body = request.body;
  for (const char* name :
       {"Content-Type", "Accept", "Mcp-Session-Id", "MCP-Protocol-Version"}) {
    if (request.has_header(name)) {
      onward.set_header(name, request.get_header_value(name));
    }
  }
  const httplib::Result result = ClientOfThread(flags).send(onward);
  if (!result) {
    response.status = 502;
    return;
  }
  response.status = result->status;
  if (result->has_header("Mcp-Session-Id")) {
    response.set_header("Mcp-Session-Id",
                        result->get_header_value("Mcp-Session-Id"));
  }
  response.set_content(result->body, result->get_header_value("Content-Type"));
}

int Serve(const Flags& flags) {
  httplib::Server server;
  server.new_task_queue = [&flags] {
    return new httplib::ThreadPool(static_cast<size_t>(flags.threads));
  };
  server.set_tcp_nodelay(true);
  server.set_keep_alive_max_count(std::numeric_limits<size_t>::max());
  server.set_keep_alive_timeout(kIdleSeconds);
  // Its backlog is 5, and a burst of connections would be measured instead: the
  // socket is kept, to be given a longer one.
  int listen_fd = -1;
  server.set_socket_options([&listen_fd](int fd) { listen_fd = fd; });
  const auto forward = [&flags](const httplib::Request& request,
                                httplib::Response& response) {
    Forward(flags, request, response);
  };
  server.Post("/mcp", forward);
  server.Delete("/mcp", forward);
  const int port = server.bind_to_any_port("127.0.0.1");
  if (port < 0) {
    std::fputs("bench-proxy: no port to listen on\n", stderr);
    return 1;
  }
  listen(listen_fd, kBacklog);
  std::printf("{\"event\":\"ready\",\"listen\":\"127.0.0.1:%d\"}\n", port);
  std::fflush(stdout);
  return server.listen_after_bind() ? 0 : 1;
}

}  // namespace
}  // namespace gatehouse::bench

int main(int argc, char** argv) {
  CLI::App app("A stock httplib proxy, for tools/bench to compare with.");
  gatehouse::bench::Flags flags;
  std::string upstream;
  app.add_option("--upstream", upstream, "HOST:PORT of the upstream")
      ->required();
  app.add_option("--threads", flags.threads, "Connections served at once")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  const size_t colon = upstream.rfind(':');
  flags.upstream_host = upstream.substr(0, colon);
  flags.upstream_port = std::atoi(upstream.c_str() + colon + 1);
  signal(SIGPIPE, SIG_IGN);
  return gatehouse::bench::Serve(flags);
}
