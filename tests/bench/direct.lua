-- wrk's request to the fixed upstream: as long as the one of bench-load. Only
-- to show what another load generator gets out of that upstream; it checks
-- nothing but statuses, and repeats one id, so it is of no use to a gateway.
wrk.method = "POST"
wrk.headers["Accept"] = "application/json, text/event-stream"
wrk.headers["Content-Type"] = "application/json"
wrk.headers["Mcp-Session-Id"] = "fixed-0"
wrk.headers["MCP-Protocol-Version"] = "2025-11-25"
wrk.body = '{"jsonrpc":"2.0","id":1000000,"method":"tools/call","params":'
  .. '{"name":"small","arguments":{"text":"' .. string.rep("a", 360) .. '"}}}'
