#!/bin/sh
# That tools/check/includes notices each kind of breach, and lets pass what the
# layers allow. Each row is a tree with one file and one include:
# the file | the include | `ok` or what the checker says
set -eu
. "$(dirname "$0")/table.sh"

while IFS='|' read -r file include want; do
  [ -n "$file" ] || continue
  new_tree
  printf '// A file.\n#include %s\n' "$include" | put "$file"
  expect "$file includes $include" "$want"
done <<'ROWS'
shared/json/a.cc|"shared/base/status.h"|ok
shared/json/a.cc|"controlplane/trust/judge.h"|shared/json/a.cc:2: shared includes nothing above it
shared/json/a.h|"dataplane/relay/upstream.h"|shared includes nothing above it
shared/json/a.cc|"tools/demo/a.h"|shared includes nothing above it
shared/mcp/a.cc|"gatehouse/v1/trust_service.pb.h"|generated protos belong to
controlplane/broker/a.cc|"dataplane/relay/upstream.h"|controlplane/broker/a.cc:2: the planes never include each other
dataplane/main.cc|"controlplane/trust/judge.h"|the planes never include each other
controlplane/trust/a.cc|"controlplane/policy/virtual_server.h"|ok
controlplane/trust/a.cc|"controlplane/broker/broker.h"|includes point inwards only
controlplane/policy/a.cc|"controlplane/rpc/policy.h"|includes point inwards only
controlplane/ledger/a.cc|"controlplane/broker/broker.h"|includes point inwards only
controlplane/broker/a.cc|"controlplane/ledger/ledger.h"|ok
controlplane/broker/a.cc|"controlplane/trust/judge.h"|ok
controlplane/broker/a.cc|"controlplane/store/store.h"|ok
controlplane/broker/a.cc|"controlplane/store/rows.h"|ok
controlplane/broker/a.cc|"controlplane/store/sqlite/sqlite_store.h"|includes point inwards only
controlplane/audit/a.cc|"controlplane/rpc/audit.h"|includes point inwards only
controlplane/rpc/a.cc|"controlplane/broker/broker.h"|ok
controlplane/rpc/a.cc|"controlplane/store/memory/memory_store.h"|edges do not include each other
controlplane/store/sqlite/a.cc|"controlplane/store/memory/memory_store.h"|edges do not include each other
controlplane/store/sqlite/a.cc|"controlplane/store/commit_queue.h"|ok
controlplane/store/sqlite/a.cc|"controlplane/rpc/server.h"|edges do not include each other
controlplane/main.cc|"controlplane/store/sqlite/sqlite_store.h"|ok
controlplane/newcomer/a.cc|"shared/base/status.h"|controlplane/newcomer has no ring
controlplane/broker/a.cc|"controlplane/newcomer/a.h"|controlplane/newcomer has no ring
shared/base/a.cc|"admin/log.h"|shared includes nothing above it
admin/a.cc|"shared/base/clock.h"|ok
admin/a.cc|"dataplane/http/server.h"|admin includes nothing but shared
admin/a.cc|"controlplane/broker/broker.h"|admin includes nothing but shared
admin/a.cc|"tools/demo/io.h"|admin includes nothing but shared
controlplane/main/a.cc|"admin/log.h"|ok
dataplane/worker/a.cc|"admin/port.h"|ok
controlplane/broker/a.cc|"admin/metrics_page.h"|only the mains include admin
dataplane/relay/a.cc|"admin/log.h"|only the mains include admin
dataplane/relay/a.cc|"dataplane/catalogue/catalogue.h"|ok
dataplane/relay/a.cc|"dataplane/http/executor.h"|ok
dataplane/catalogue/a.cc|"dataplane/http/reactor.h"|ok
dataplane/relay/a.cc|"dataplane/http/server.h"|includes point inwards only
dataplane/relay/a.cc|"dataplane/downstream/session.h"|includes point inwards only
dataplane/catalogue/a.cc|"dataplane/relay/operation.h"|includes point inwards only
dataplane/catalogue/a.cc|"dataplane/relay/upstream.h"|ok
dataplane/upstream/a.cc|"dataplane/relay/upstream.h"|ok
dataplane/upstream/a.cc|"dataplane/http/client.h"|ok
dataplane/downstream/a.cc|"dataplane/http/server.h"|ok
dataplane/control/a.cc|"dataplane/http/reactor.h"|ok
dataplane/downstream/a.cc|"dataplane/upstream/process.h"|edges do not include each other
dataplane/upstream/a.cc|"dataplane/control/grpc_client.h"|edges do not include each other
dataplane/http/a.cc|"dataplane/downstream/session.h"|edges do not include each other
dataplane/http/a.cc|"dataplane/relay/operation.h"|ok
controlplane/trust/a.cc|<mutex>|the pure core takes values
controlplane/trust/a.cc|<thread>|the pure core takes values
controlplane/privacy/a.cc|<chrono>|the pure core takes values
controlplane/privacy/a.cc|<random>|the pure core takes values
controlplane/policy/a.cc|<fstream>|the pure core takes values
controlplane/policy/a.cc|<sys/socket.h>|the pure core takes values
controlplane/trust/a.cc|"absl/time/clock.h"|the pure core takes values
controlplane/trust/a.cc|"absl/time/time.h"|ok
controlplane/trust/a.cc|"absl/log/log.h"|the pure core takes values
controlplane/trust/a.cc|<grpcpp/grpcpp.h>|the pure core takes values
controlplane/trust/a.cc|<sqlite3.h>|the pure core takes values
controlplane/trust/a.h|"shared/base/clock.h"|the pure core takes values
controlplane/trust/a.h|"shared/base/mutex.h"|the pure core takes values
controlplane/trust/a.cc|"shared/json/json.h"|ok
controlplane/broker/a.cc|<mutex>|ok
controlplane/rpc/a.cc|"gatehouse/v1/trust_service.grpc.pb.h"|ok
dataplane/control/a.cc|"gatehouse/v1/trust_service.pb.h"|ok
tools/gatehousectl/a.cc|"gatehouse/v1/trust_service.pb.h"|ok
controlplane/policy/a.cc|"gatehouse/v1/policy_service.pb.h"|generated protos belong to
controlplane/main.cc|"gatehouse/v1/policy_service.pb.h"|generated protos belong to
dataplane/relay/a.cc|"gatehouse/v1/trust_service.pb.h"|generated protos belong to
tools/gatehousectl/a.cc|"controlplane/policy/virtual_server.h"|gatehousectl speaks gRPC and
tools/gatehousectl/a.cc|"dataplane/http/client.h"|gatehousectl speaks gRPC and
tools/gatehousectl/mcp/a.cc|"dataplane/http/client.h"|ok
tools/gatehousectl/mcp/a.cc|"dataplane/upstream/sse_reader.h"|ok
tools/gatehousectl/mcp/a.cc|"dataplane/http/server.h"|gatehousectl speaks gRPC and
tools/gatehousectl/mcp/a.cc|"controlplane/trust/judge.h"|gatehousectl speaks gRPC and
dataplane/relay/a.cc|"tools/demo/a.h"|a plane includes no tools
dataplane/relay/a.cc|"tests/support/a.h"|only tests include tests
dataplane/worker/main.cc|"dataplane/downstream/session.h"|ok
dataplane/relay/a.cc|"dataplane/worker/options.h"|includes point inwards only
dataplane/relay/a.cc|"operation.h"|from the repository's root
dataplane/relay/a.cc|"../relay/operation.h"|from the repository's root
dataplane/http/a.cc|"httplib.h"|ok
dataplane/http/a.h|"httplib.h"|belongs in a .cc file
shared/json/a.h|"rapidjson/writer.h"|belongs in a .cc file
controlplane/store/sqlite/a.cc|  <sqlite3.h>|ok
tests/unit/trust/a.cc|"dataplane/relay/upstream.h"|ok
ROWS

new_tree
for name in a b; do echo '#include "rapidjson/reader.h"' | put "shared/json/$name.cc"; done
expect "a vendor's header in two files" ok
printf '#include "rapidjson/error/en.h"\n' | put shared/mcp/c.cc
expect "a vendor's header in a third file" \
    "shared/mcp/c.cc:1: rapidjson already stands in two files"

new_tree
printf '#include "controlplane/rpc/a.h"\n#include "dataplane/relay/b.h"\n' |
  put controlplane/trust/a.cc
expect "the first of two breaches" "controlplane/trust/a.cc:1: "
expect "the second of two breaches" "controlplane/trust/a.cc:2: "

new_tree
echo '// #include "controlplane/trust/judge.h"' | put shared/json/a.cc
expect "a tree in which nothing is checked" "found no #include at all"

finish
