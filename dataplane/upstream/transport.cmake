# What the upstream side stands on: child processes and the event-stream reader.
gatehouse_library(dataplane_upstream_transport
  SOURCES child_start.cc process.cc sse_reader.cc
  DEPS PUBLIC absl::status absl::statusor absl::time gatehouse_dataplane_http
       PRIVATE gatehouse_shared_base)
