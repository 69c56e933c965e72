#include "dataplane/worker/options.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <string_view>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
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

absl::Status ParseKeepalive(const std::string& text, Settings& settings) {
  if (text == "off") {
    settings.stream_keepalive = absl::InfiniteDuration();
    return absl::OkStatus();
  }
  if (absl::ParseDuration(text, &settings.stream_keepalive) &&
      settings.stream_keepalive >= absl::Seconds(1) &&
      settings.stream_keepalive <= absl::Minutes(5)) {
    return absl::OkStatus();
  }
  return MakeStatus(absl::StatusCode::kInvalidArgument,
                    absl::StrCat("--stream-keepalive: ", text,
                                 ": expected 1s to 5m, or off"));
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

void Declare(CLI::App& app, Options& options) {
  app.add_option("--control", options.control,
                 "control plane: unix:/path or 127.0.0.1:PORT")
      ->envname("GATEHOUSE_WORKER_CONTROL");
  app.add_option("--token-file", options.token_file,
                 "file with this worker's token for the control plane")
      ->envname("GATEHOUSE_WORKER_TOKEN_FILE");
  app.add_option("--listen", options.listen,
                 "where MCP clients connect, HOST:PORT; port 0 takes any")
      ->envname("GATEHOUSE_WORKER_LISTEN")
      ->capture_default_str();
  app.add_option("--name", options.name,
                 "this worker's name: a-z, 0-9 and '-', unique in the fleet "
                 "(default: hostname and random digits)")
      ->envname("GATEHOUSE_WORKER_NAME");
  app.add_option("--cluster", options.cluster,
                 "cluster whose upstreams it serves: a-z, 0-9 and '-'")
      ->envname("GATEHOUSE_WORKER_CLUSTER")
      ->capture_default_str();
  app.add_option("--client-tokens", options.client_tokens,
                 "file of clients, lines NAME SHA256-HEX of their bearer "
                 "token; without it every client is `anonymous`, on loopback "
                 "only")
      ->envname("GATEHOUSE_WORKER_CLIENT_TOKENS");
  app.add_option("--allow-host", options.allow_hosts,
                 "another name this worker goes by in Host (repeatable)")
      ->envname("GATEHOUSE_WORKER_ALLOW_HOST")
      ->delimiter(',');
  app.add_option("--allow-origin", options.allow_origins,
                 "origin of a web page that may call it (repeatable)")
      ->envname("GATEHOUSE_WORKER_ALLOW_ORIGIN")
      ->delimiter(',');
  app.add_option("--stream-keepalive", options.stream_keepalive,
                 "between two comments on a silent event stream, 1s to 5m, or "
                 "`off`")
      ->envname("GATEHOUSE_WORKER_STREAM_KEEPALIVE")
      ->capture_default_str();
  app.add_option("--tls-cert", options.tls.cert,
                 "PEM file: the certificate that clients are shown, then its "
                 "chain; read again on SIGHUP (default: plain HTTP)")
      ->envname("GATEHOUSE_WORKER_TLS_CERT");
  app.add_option("--tls-key", options.tls.key,
                 "PEM file: its private key, closed to others; read again on "
                 "SIGHUP")
      ->envname("GATEHOUSE_WORKER_TLS_KEY");
  app.add_option("--tls-client-ca", options.tls.client_ca,
                 "PEM file: authorities; a client that shows a certificate "
                 "must show one of theirs")
      ->envname("GATEHOUSE_WORKER_TLS_CLIENT_CA");
  app.add_flag("--tls-require-client-cert", options.tls.require_client_cert,
               "every client must show one")
      ->envname("GATEHOUSE_WORKER_TLS_REQUIRE_CLIENT_CERT");
  app.set_version_flag("--version", "gatehouse-worker " GATEHOUSE_VERSION);
}

}  // namespace

CommandLine ParseCommandLine(int argc, char** argv) {
  CommandLine line;
  CLI::App app{
      "gatehouse-worker: the data plane of Gatehouse. MCP clients connect to "
      "http://HOST:PORT/mcp/NAME; what an upstream asks of them is decided by "
      "the control plane.",
      "gatehouse-worker"};
  Declare(app, line.options);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const int code = app.exit(error);  // prints help, version or the mistake
    line.exit_code = code == 0 ? 0 : 2;
    if (code != 0) {
      std::fputs("gatehouse-worker: see --help for the flags it knows\n",
                 stderr);
    }
  }
  return line;
}

absl::StatusOr<Settings> Resolve(const Options& options, Random& random) {
  // Not left to the parser, which would speak of these before an unknown flag.
  if (options.control.empty() || options.token_file.empty()) {
    return MakeStatus(absl::StatusCode::kInvalidArgument,
                      "--control and --token-file are needed: where the "
                      "control plane is, and this worker's token for it");
  }
  Settings settings;
  GATEHOUSE_RETURN_IF_ERROR(ParseListen(options.listen, settings));
  GATEHOUSE_RETURN_IF_ERROR(ParseKeepalive(options.stream_keepalive, settings));
  settings.control = options.control;
  GATEHOUSE_RETURN_IF_ERROR(CheckCluster(options.cluster));
  settings.cluster = options.cluster;
  settings.name = options.name.empty() ? MadeUpName(random) : options.name;
  GATEHOUSE_RETURN_IF_ERROR(CheckAllowed(options));
  settings.allow_hosts = options.allow_hosts;
  settings.allow_origins = options.allow_origins;
  GATEHOUSE_ASSIGN_OR_RETURN(settings.tls, MakeAcceptor(options.tls));
  GATEHOUSE_ASSIGN_OR_RETURN(settings.token, ReadToken(options.token_file));
  if (!options.client_tokens.empty()) {
    GATEHOUSE_ASSIGN_OR_RETURN(
        const std::string file,
        ReadFile(options.client_tokens, "--client-tokens"));
    absl::StatusOr<downstream::Identities> identities =
        downstream::Identities::Parse(file);
    if (!identities.ok()) {
      return Annotate(identities.status(),
                      absl::StrCat("--client-tokens: ", options.client_tokens));
    }
    settings.identities = *std::move(identities);
  } else if (!downstream::IsLoopbackHost(settings.host)) {
    return MakeStatus(absl::StatusCode::kInvalidArgument,
                      absl::StrCat("--listen: ", options.listen,
                                   ": not loopback, so clients must say who "
                                   "they are; give --client-tokens"));
  }
  return settings;
}

}  // namespace gatehouse::worker
