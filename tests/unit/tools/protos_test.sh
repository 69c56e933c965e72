#!/bin/sh
# That tools/check/protos notices each kind of breach.
set -eu
. "$(dirname "$0")/table.sh"

# row NAME WANT, with the rest of the file behind its package on stdin
row() {
  new_tree
  { printf 'syntax = "proto3";\npackage gatehouse.v1;\n'; cat; } |
    put proto/gatehouse/v1/a.proto
  expect "$1" "$2"
}

row "a file with everything in its place" ok <<'E'
// A service.
service AService {
  // Does it.
  rpc Do(DoRequest) returns (DoResponse);
  // Streams it.
  rpc Flow(stream Chunk) returns (stream Chunk) {
    option deprecated = true;
  }
}
message DoRequest {
  // The name { not a brace }; said "so".
  string name = 1;
  reserved 2, 10 to 12;
  reserved "old";
  oneof payload {
    // One.
    bytes one = 3 [deprecated = true];
    // The other,
    // in two lines.
    map<string, int32> other =
        4;
  }
}
message DoResponse {}
// A chunk.
message Chunk {
  // Inside.
  message Part {
    // Its own numbers.
    string name = 1;
  }
  // A part.
  repeated Part parts = 1;
}
// A kind.
enum Kind {
  // None.
  KIND_UNSPECIFIED = 0;
  // One.
  KIND_ONE = 1;
}
E
row "a message without a comment" "a.proto:3: message M needs a comment" <<'E'
message M {}
E
row "a request without an rpc" "message LonelyRequest needs a comment" <<'E'
message LonelyRequest {}
E
row "a field without a comment" "a.proto:5: name needs a comment" <<'E'
// M.
message M {
  string name = 1;
}
E
row "a comment that belongs to the field before" "second needs a comment" <<'E'
// M.
message M {
  // First.
  string first = 1;
  string second = 2;
}
E
row "a comment behind the field" "name needs a comment" <<'E'
// M.
message M {
  string name = 1;  // too late
}
E
row "a field of a oneof without a comment" "one needs a comment" <<'E'
// M.
message M {
  oneof payload {
    bytes one = 1;
  }
}
E
row "an rpc without a comment" "rpc Do needs a comment" <<'E'
service S {
  rpc Do(DoRequest) returns (DoResponse);
}
E
row "an rpc with a body without a comment" "rpc Do needs a comment" <<'E'
service S {
  rpc Do(DoRequest) returns (DoResponse) {}
}
E
row "an enum without a comment" "enum K needs a comment" <<'E'
enum K {
  // None.
  K_UNSPECIFIED = 0;
}
E
row "an enum value without a comment" "K_ONE needs a comment" <<'E'
// K.
enum K {
  // None.
  K_UNSPECIFIED = 0;
  K_ONE = 1;
}
E
row "an enum whose zero means something" "ends in UNSPECIFIED, not K_NONE" <<'E'
// K.
enum K {
  // None.
  K_NONE = 0;
}
E
row "an enum that does not start at zero" "starts with a value 0" <<'E'
// K.
enum K {
  // None.
  K_UNSPECIFIED = 1;
}
E
row "a number used twice" "number 1 of b is taken by a" <<'E'
// M.
message M {
  // A.
  string a = 1;
  // B.
  string b = 1;
}
E
row "a number used again in a oneof" "number 1 of b is taken by a" <<'E'
// M.
message M {
  // A.
  string a = 1;
  oneof x {
    // B.
    string b = 1;
  }
}
E
row "a reserved number" "number 11 of b is taken by a reservation" <<'E'
// M.
message M {
  reserved 2, 10 to 12;
  // B.
  string b = 11;
}
E

new_tree
printf 'syntax = "proto3";\npackage gatehouse.v2;\n' |
  put proto/gatehouse/v1/a.proto
expect "a package that is not its path" \
    "package gatehouse.v2 must be gatehouse.v1"
new_tree
printf 'syntax = "proto3";\n' | put proto/gatehouse/v1/a.proto
expect "a file without a package" "package gatehouse.v1 is missing"

finish
