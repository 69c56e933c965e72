#include "dataplane/worker/options.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <string_view>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "admin/loopback.h"
#include "dataplane/downstream/origin_check.h"
#include "shared/base/digest.h"
#include "shared/base/status.h"

namespace gatehouse::worker {
namespace {

constexpr size_t kMaxFileBytes = 1 << 20;
constexpr size_t kMaxTokenBytes = 4096;

absl::StatusOr<std::string> ReadFile(const std::string& path,
                                     std::string_view flag) {
  std::ifstream file(path, std::ios::binary);
  std::string text;
  text.resize(kMaxFileBytes + 1);
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<size_t>(file.gcount()));
  if (file.bad() || (!file.is_open())) {
    return MakeStatus(absl::StatusCode::kNotFound,
                      absl::StrCat(ToAbsl(flag), ": ", path,
                                   ": cannot be read; check the path and its "
                                   "rights"));
  }
  if (text.size() > kMaxFileBytes) {
    return MakeStatus(
        absl::StatusCode::kInvalidArgument,
        absl::StrCat(ToAbsl(flag), ": ", path, ": larger than 1 MiB"));
  }
  return text;
}

absl::StatusOr<std::string> ReadToken(const std::string& path) {
  GATEHOUSE_ASSIGN_OR_RETURN(const std::string text,
                             ReadFile(path, "--token-file"));
  const std::string token(absl::StripAsciiWhitespace(text));
  if (token.empty() || token.size() > kMaxTokenBytes ||
      token.find_first_of(" \t\r\n") != std::string::npos) {
    return MakeStatus(absl::StatusCode::kInvalidArgument,
                      absl::StrCat("--token-file: ", path,
                                   ": expected one token, such as the control "
                                   "plane writes for workers"));
  }
  return token;
}

absl::Status ParseListen(const std::string& listen, Settings& settings) {
  const size_t colon = listen.rfind(':');
  if (colon == std::string::npos ||
      !absl::SimpleAtoi(listen.substr(colon + 1), &settings.port) ||
      settings.port < 0 || settings.port > 65535) {
    return MakeStatus(absl::StatusCode::kInvalidArgument,
                      absl::StrCat("--listen: ", listen,
                                   ": expected HOST:PORT, such as "
                                   "127.0.0.1:8800; port 0 takes any"));
  }
  settings.host = listen.substr(0, colon);
  if (settings.host.size() > 2 && settings.host.front() == '[' &&
      settings.host.back() == ']') {
    settings.host = settings.host.substr(1, settings.host.size() - 2);
  }
  return absl::OkStatus();
}

// What could never be met would be allowed in vain, and nobody would notice.
absl::Status CheckAllowed(const Options& options) {
  for (const std::string& host : options.allow_hosts) {
    if (downstream::IsHostToAllow(host)) continue;
    return MakeStatus(absl::StatusCode::kInvalidArgument,
                      absl::StrCat("--allow-host: ", host,
                                   ": expected NAME or NAME:PORT, such as "
                                   "gateway.example"));
  }
  for (const std::string& origin : options.allow_origins) {
    if (downstream::IsOriginToAllow(origin)) continue;
    return MakeStatus(absl::StatusCode::kInvalidArgument,
                      absl::StrCat("--allow-origin: ", origin,
                                   ": expected SCHEME://HOST[:PORT] without a "
                                   "path, such as https://app.example; `*` "
                                   "and `null` cannot be allowed"));
  }
  return absl::OkStatus();
}

// Null, and no error, if the worker is to speak plain HTTP.
absl::StatusOr<std::shared_ptr<http::TlsAcceptor>> MakeAcceptor(
    const http::TlsFiles& files) {
  if (files.cert.empty() != files.key.empty()) {
    return MakeStatus(absl::StatusCode::kInvalidArgument,
                      "--tls-cert and --tls-key: give both, or neither for "
                      "plain HTTP");
  }
  if (files.cert.empty() && !files.client_ca.empty()) {
    return MakeStatus(absl::StatusCode::kInvalidArgument,
                      "--tls-client-ca: needs --tls-cert and --tls-key");
  }
  if (files.client_ca.empty() && files.require_client_cert) {
    return MakeStatus(absl::StatusCode::kInvalidArgument,
                      "--tls-require-client-cert: needs --tls-client-ca");
  }
  if (files.cert.empty()) return std::shared_ptr<http::TlsAcceptor>();
  auto acceptor = http::TlsAcceptor::Create(files);
  if (!acceptor.ok()) {
    return Annotate(acceptor.status(),
                    "--tls-cert, --tls-key or --tls-client-ca");
  }
  return acceptor;
}

// As the control plane takes it.
absl::Status CheckCluster(const std::string& name) {
  constexpr size_t kMaxBytes = 32;
  const bool fit =
      !name.empty() && name.size() <= kMaxBytes &&
      absl::ascii_islower(static_cast<unsigned char>(name.front())) &&
      std::all_of(name.begin(), name.end(), [](unsigned char c) {
        return absl::ascii_islower(c) || absl::ascii_isdigit(c) || c == '-';
      });
  if (fit) return absl::OkStatus();
  return MakeStatus(
      absl::StatusCode::kInvalidArgument,
      absl::StrCat("--cluster: ", name, ": must match [a-z][a-z0-9-]{0,31}"));
}

// `hostname-0a1b2c3d`, in the letters that a worker's name may have.
std::string MadeUpName(Random& random) {
  char host[256] = "worker";
  if (gethostname(host, sizeof(host) - 1) != 0) host[0] = '\0';
  std::string name;
  for (const char c : std::string_view(host)) {
    const char lower = absl::ascii_tolower(static_cast<unsigned char>(c));
    if (absl::ascii_isalnum(static_cast<unsigned char>(lower)) ||
        lower == '-') {
      name.push_back(lower);
    }
    if (name.size() == 48) break;
  }
  return absl::StrCat(name.empty() ? "worker" : name, "-",
                      HexEncode(random.Bytes(4)));
}

// Where a client may be anybody, it must be on this machine.
absl::StatusOr<downstream::Identities> ReadIdentities(
    const Options& options, const Settings& settings) {
  if (options.client_tokens.empty()) {
    if (settings.host.empty() || downstream::IsLoopbackHost(settings.host)) {
      return downstream::Identities::Anonymous();
    }
    return MakeStatus(absl::StatusCode::kInvalidArgument,
                      absl::StrCat("--listen: ", options.listen,
                                   ": not loopback, so clients must say who "
                                   "they are; give --client-tokens"));
  }
  GATEHOUSE_ASSIGN_OR_RETURN(
      const std::string file,
      ReadFile(options.client_tokens, "--client-tokens"));
  absl::StatusOr<downstream::Identities> identities =
      downstream::Identities::Parse(file);
  if (identities.ok()) return identities;
  return Annotate(identities.status(),
                  absl::StrCat("--client-tokens: ", options.client_tokens));
}

absl::Status CheckAdmin(const std::string& address) {
  if (address.empty()) return absl::OkStatus();
  return Annotate(admin::ParseLoopback(address).status(), "--admin");
}

void DeclareServing(admin::OptionTable& table, Options& options) {
  table.Text("control", "unix:PATH|HOST:PORT",
             "the control plane, on this machine", &options.control);
  table.Text("token-file", "FILE", "this worker's token for the control plane",
             &options.token_file);
  table.Text("listen", "HOST:PORT",
             "where MCP clients connect; port 0 takes any", &options.listen);
  table.Text("name", "NAME",
             "this worker's name: a-z, 0-9 and '-', unique in the fleet; if "
             "not given, the host's and random digits",
             &options.name);
  table.Text("cluster", "NAME",
             "cluster whose upstreams it serves: a-z, 0-9 and '-'",
             &options.cluster);
  table.Text("client-tokens", "FILE",
             "clients, lines NAME SHA256-HEX of their bearer token; without it "
             "every client is `anonymous`, on loopback only",
             &options.client_tokens);
  table.List("allow-host", "NAME",
             "another name this worker goes by in Host (repeatable)",
             &options.allow_hosts);
  table.List("allow-origin", "ORIGIN",
             "origin of a web page that may call it (repeatable)",
             &options.allow_origins);
  table.Duration("stream-keepalive",
                 "between two comments on a silent event stream, 1s to 5m, or "
                 "`off`",
                 absl::Seconds(1), absl::Minutes(5), /*or_off=*/true,
                 &options.stream_keepalive);
}

void DeclareTls(admin::OptionTable& table, http::TlsFiles& tls) {
  table.Text("tls-cert", "FILE",
             "PEM: the certificate that clients are shown, then its chain; "
             "read again on SIGHUP; if not given, plain HTTP",
             &tls.cert);
  table.Text("tls-key", "FILE",
             "PEM: its private key, closed to others; read again on SIGHUP",
             &tls.key);
  table.Text("tls-client-ca", "FILE",
             "PEM: authorities; a client that shows a certificate must show "
             "one of theirs",
             &tls.client_ca);
  table.Switch("tls-require-client-cert", "every client must show one",
               &tls.require_client_cert);
}

void DeclareRunning(admin::OptionTable& table, Options& options) {
  table.Text("admin", "HOST:PORT",
             "where /healthz, /readyz and /metrics are served, on loopback; "
             "port 0 takes any; if not given, nowhere",
             &options.admin_address);
  table.Choice("log-level", {"debug", "info", "warning", "error"},
               "least level of the lines that are logged", &options.log_level);
  table.Duration("drain-deadline",
                 "how long calls in flight may go on after SIGTERM, 0s to 10m",
                 absl::ZeroDuration(), absl::Minutes(10), /*or_off=*/false,
                 &options.drain_deadline);
}

}  // namespace

admin::OptionTable TableOf(Options& options) {
  admin::OptionTable table(
      {"gatehouse-worker", GATEHOUSE_VERSION, "GATEHOUSE_WORKER_",
       "The data plane of Gatehouse. MCP clients connect to "
       "http://HOST:PORT/mcp/NAME; what an upstream asks of them is decided by "
       "the control plane.",
       "Example:\n  gatehouse-worker --control unix:data/control.sock "
       "--token-file data/tokens/worker.token\n"
       "SIGTERM drains it, a second one ends it at once; SIGHUP reads the "
       "files of TLS again."});
  DeclareServing(table, options);
  DeclareTls(table, options.tls);
  DeclareRunning(table, options);
  return table;
}

absl::StatusOr<Settings> Resolve(const Options& options, Random& random) {
  std::string faults;
  const auto note = [&faults](const absl::Status& status) {
    if (status.ok()) return;
    absl::StrAppend(&faults, faults.empty() ? "" : "\n", status.message());
  };
  Settings settings;
  note(ParseListen(options.listen, settings));
  settings.control = options.control;
  note(CheckCluster(options.cluster));
  settings.cluster = options.cluster;
  settings.name = options.name.empty() ? MadeUpName(random) : options.name;
  note(CheckAllowed(options));
  settings.allow_hosts = options.allow_hosts;
  settings.allow_origins = options.allow_origins;
  settings.stream_keepalive = options.stream_keepalive;
  settings.drain_deadline = options.drain_deadline;
  note(CheckAdmin(options.admin_address));
  settings.admin_address = options.admin_address;
  const auto take = [&note](auto read, auto& target) {
    note(read.status());
    if (read.ok()) target = *std::move(read);
  };
  take(admin::ParseLogLevel(options.log_level), settings.log_level);
  take(MakeAcceptor(options.tls), settings.tls);
  if (options.control.empty() || options.token_file.empty()) {
    note(MakeStatus(absl::StatusCode::kInvalidArgument,
                    "--control and --token-file are needed: where the control "
                    "plane is, and this worker's token for it"));
  } else {
    take(ReadToken(options.token_file), settings.token);
  }
  take(ReadIdentities(options, settings), settings.identities);
  if (faults.empty()) return settings;
  return MakeStatus(absl::StatusCode::kInvalidArgument, faults);
}

}  // namespace gatehouse::worker
