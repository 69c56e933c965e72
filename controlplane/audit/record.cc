#include "controlplane/audit/record.h"

#include <array>
#include <utility>

#include "absl/strings/str_cat.h"
#include "controlplane/audit/cbor.h"
#include "shared/base/digest.h"
#include "shared/base/status.h"

namespace gatehouse::audit {
namespace {

constexpr size_t kDigestBytes = 32;

// One field on its way between a Record and the map: its key (and the key in
// the nested map, 0 if it is not in one), and how it is got and set. The table
// below is the format; docs/audit.md tells it to people.
struct Field {
  int key;
  int inner_key;
  const char* name;
  // nullopt: absent.
  std::optional<CborScalar> (*get)(const Record&);
  // False: the value has another type or range.
  bool (*set)(Record&, const CborScalar&);
};

template <auto kMember>
constexpr Field Text(int key, int inner_key, const char* name) {
  return {key, inner_key, name,
          [](const Record& record) -> std::optional<CborScalar> {
            if ((record.*kMember).empty()) return std::nullopt;
            return CborText{record.*kMember};
          },
          [](Record& record, const CborScalar& value) {
            const auto* text = std::get_if<CborText>(&value);
            if (text == nullptr) return false;
            record.*kMember = text->utf8;
            return true;
          }};
}

template <auto kMember>
constexpr Field Bytes(int key, int inner_key, const char* name) {
  return {key, inner_key, name,
          [](const Record& record) -> std::optional<CborScalar> {
            if ((record.*kMember).empty()) return std::nullopt;
            return CborBytes{record.*kMember};
          },
          [](Record& record, const CborScalar& value) {
            const auto* bytes = std::get_if<CborBytes>(&value);
            if (bytes == nullptr) return false;
            record.*kMember = bytes->bytes;
            return true;
          }};
}

// An int64_t that is always there.
template <auto kMember>
constexpr Field Number(int key, int inner_key, const char* name) {
  return {key, inner_key, name,
          [](const Record& record) -> std::optional<CborScalar> {
            return record.*kMember;
          },
          [](Record& record, const CborScalar& value) {
            const auto* number = std::get_if<int64_t>(&value);
            if (number == nullptr) return false;
            record.*kMember = *number;
            return true;
          }};
}

template <auto kMember>
constexpr Field OptionalNumber(int key, int inner_key, const char* name) {
  return {key, inner_key, name,
          [](const Record& record) -> std::optional<CborScalar> {
            if (!(record.*kMember).has_value()) return std::nullopt;
            return *(record.*kMember);
          },
          [](Record& record, const CborScalar& value) {
            const auto* number = std::get_if<int64_t>(&value);
            if (number == nullptr) return false;
            record.*kMember = *number;
            return true;
          }};
}

template <auto kMember>
constexpr Field State(int key, int inner_key, const char* name) {
  return {key, inner_key, name,
          [](const Record& record) -> std::optional<CborScalar> {
            if (!(record.*kMember).has_value()) return std::nullopt;
            return CborText{std::string(StateName(*(record.*kMember)))};
          },
          [](Record& record, const CborScalar& value) {
            const auto* text = std::get_if<CborText>(&value);
            if (text == nullptr) return false;
            record.*kMember = StateFromName(text->utf8);
            return (record.*kMember).has_value();
          }};
}

template <auto kMember>
constexpr Field BudgetNumber(int inner_key, const char* name) {
  return {17, inner_key, name,
          [](const Record& record) -> std::optional<CborScalar> {
            if (!record.budget.has_value()) return std::nullopt;
            return (*record.budget).*kMember;
          },
          [](Record& record, const CborScalar& value) {
            const auto* number = std::get_if<int64_t>(&value);
            if (number == nullptr) return false;
            if (!record.budget.has_value()) record.budget.emplace();
            (*record.budget).*kMember = *number;
            return true;
          }};
}

constexpr Field kSchema = {
    1, 0, "schema version",
    [](const Record&) -> std::optional<CborScalar> { return kSchemaVersion; },
    [](Record&, const CborScalar& value) {
      const auto* number = std::get_if<int64_t>(&value);
      return number != nullptr && *number == kSchemaVersion;
    }};

constexpr Field kType = {
    4, 0, "type",
    [](const Record& record) -> std::optional<CborScalar> {
      return CborText{std::string(RecordTypeName(record.type))};
    },
    [](Record& record, const CborScalar& value) {
      const auto* text = std::get_if<CborText>(&value);
      if (text == nullptr) return false;
      const std::optional<RecordType> type = RecordTypeFromName(text->utf8);
      if (type.has_value()) record.type = *type;
      return type.has_value();
    }};

constexpr Field kTime = {5, 0, "time",
                         [](const Record& record) -> std::optional<CborScalar> {
                           return absl::ToUnixMicros(record.time);
                         },
                         [](Record& record, const CborScalar& value) {
                           const auto* number = std::get_if<int64_t>(&value);
                           if (number == nullptr) return false;
                           record.time = absl::FromUnixMicros(*number);
                           return true;
                         }};

// Keys are those of the design's list; holes are its fields that no build has
// written yet. A landed row never changes.
constexpr std::array kFields = {
    kSchema,
    Number<&Record::epoch>(2, 0, "epoch"),
    Number<&Record::seq>(3, 0, "seq"),
    kType,
    kTime,
    Text<&Record::boot_id>(6, 2, "boot id"),
    Text<&Record::operation_id>(7, 0, "operation"),
    Text<&Record::input_request_id>(8, 0, "input request"),
    Text<&Record::kind>(9, 0, "kind"),
    Text<&Record::era>(10, 0, "era"),
    Text<&Record::virtual_server>(11, 1, "virtual server"),
    Text<&Record::upstream>(11, 2, "upstream"),
    Bytes<&Record::principal_hmac>(12, 0, "principal hmac"),
    State<&Record::from_state>(14, 1, "from state"),
    State<&Record::to_state>(14, 2, "to state"),
    OptionalNumber<&Record::state_version>(14, 3, "state version"),
    Text<&Record::outcome>(15, 1, "outcome"),
    Text<&Record::reason>(15, 2, "reason"),
    Text<&Record::cause>(15, 3, "cause"),
    OptionalNumber<&Record::policy_version>(16, 1, "policy version"),
    Bytes<&Record::policy_etag_sha256>(16, 2, "policy etag sha256"),
    Text<&Record::rule>(16, 3, "rule"),
    BudgetNumber<&Budget::slots_delta>(1, "slots delta"),
    BudgetNumber<&Budget::reserved_delta>(2, "reserved delta"),
    BudgetNumber<&Budget::charged_delta>(3, "charged delta"),
    BudgetNumber<&Budget::slots>(4, "slots"),
    BudgetNumber<&Budget::reserved>(5, "reserved"),
    BudgetNumber<&Budget::charged>(6, "charged"),
    OptionalNumber<&Record::bytes_in>(18, 1, "bytes in"),
    OptionalNumber<&Record::bytes_out>(18, 2, "bytes out"),
    OptionalNumber<&Record::max_tokens>(18, 5, "max tokens"),
    Bytes<&Record::payload_hmac>(20, 1, "payload hmac"),
    Bytes<&Record::delivered_hmac>(20, 4, "delivered hmac"),
    Bytes<&Record::request_id_sha256>(22, 0, "request id sha256"),
    Text<&Record::worker_id>(23, 1, "worker"),
    OptionalNumber<&Record::worker_epoch>(23, 2, "worker epoch"),
    OptionalNumber<&Record::error_code>(24, 0, "error code"),
    Bytes<&Record::nonce>(25, 0, "nonce"),
    OptionalNumber<&Record::prior_seq>(26, 0, "prior seq"),
    Text<&Record::tool>(27, 0, "tool"),
    Text<&Record::session_id>(28, 0, "session"),
    OptionalNumber<&Record::count>(29, 0, "count"),
    Text<&Record::actor>(30, 0, "actor"),
};

const CborScalar* Find(const CborMap& map, const Field& field) {
  const auto outer = map.find(field.key);
  if (outer == map.end()) return nullptr;
  if (field.inner_key == 0) return std::get_if<CborScalar>(&outer->second);
  const auto* submap = std::get_if<CborSubmap>(&outer->second);
  if (submap == nullptr) return nullptr;
  const auto inner = submap->find(field.inner_key);
  return inner == submap->end() ? nullptr : &inner->second;
}

absl::Status Wrong(const char* field, std::string_view what) {
  return absl::InvalidArgumentError(
      absl::StrCat("audit record: ", field, ": ", ToAbsl(what)));
}

absl::Status CheckScalar(const Field& field, const CborScalar& value) {
  if (const auto* text = std::get_if<CborText>(&value)) {
    if (text->utf8.size() > kMaxTextBytes) {
      return Wrong(field.name, "longer than 1024 bytes");
    }
    if (!IsUtf8(text->utf8)) return Wrong(field.name, "not UTF-8");
  } else if (const auto* bytes = std::get_if<CborBytes>(&value)) {
    const size_t want = field.key == 25 ? kNonceBytes : kDigestBytes;
    if (bytes->bytes.size() != want) {
      return Wrong(field.name, absl::StrCat("not ", want, " bytes"));
    }
  }
  return absl::OkStatus();
}

std::optional<int64_t> Lowest(const Record& record) {
  std::optional<int64_t> lowest = std::min(record.epoch, record.seq);
  for (const auto& number :
       {record.state_version, record.policy_version, record.bytes_in,
        record.bytes_out, record.max_tokens, record.worker_epoch,
        record.prior_seq, record.count}) {
    if (number.has_value()) lowest = std::min(*lowest, *number);
  }
  return lowest;
}

}  // namespace

Budget BudgetOf(const OperationRow& before, const OperationRow& after) {
  return {after.slots_used - before.slots_used,
          after.tokens_reserved - before.tokens_reserved,
          after.tokens_charged - before.tokens_charged,
          after.slots_used,
          after.tokens_reserved,
          after.tokens_charged};
}

absl::Status Validate(const Record& record) {
  if (record.nonce.size() != kNonceBytes) {
    return Wrong("nonce", "not 16 bytes");
  }
  for (const Field& field : kFields) {
    const std::optional<CborScalar> value = field.get(record);
    if (!value.has_value()) continue;
    GATEHOUSE_RETURN_IF_ERROR(CheckScalar(field, *value));
  }
  if (Lowest(record) < 0)
    return Wrong("numbers", "a place or size is negative");
  return absl::OkStatus();
}

std::string Encode(const Record& record) {
  CborMap map;
  for (const Field& field : kFields) {
    std::optional<CborScalar> value = field.get(record);
    if (!value.has_value()) continue;
    if (field.inner_key == 0) {
      map.emplace(field.key, *std::move(value));
      continue;
    }
    auto& item = map.try_emplace(field.key, CborSubmap()).first->second;
    std::get<CborSubmap>(item).emplace(field.inner_key, *std::move(value));
  }
  return WriteCbor(map);
}

absl::StatusOr<Record> Decode(std::string_view body) {
  if (body.size() > kMaxBodyBytes) {
    return Wrong("body", "longer than 32768 bytes");
  }
  absl::StatusOr<CborMap> map = ReadCbor(body);
  if (!map.ok()) return Annotate(map.status(), "audit record");
  Record record;
  for (const Field& field : kFields) {
    const CborScalar* value = Find(*map, field);
    if (value != nullptr && !field.set(record, *value)) {
      return Wrong(field.name, "no value that this build knows");
    }
  }
  GATEHOUSE_RETURN_IF_ERROR(Validate(record));
  // Whatever was not taken above, or was written another way, shows here.
  if (Encode(record) != body) {
    return Wrong("body", "not the bytes that this record has");
  }
  return record;
}

std::string Hmac(std::string_view key, HmacTag tag, std::string_view data) {
  std::string tagged(1, static_cast<char>(tag));
  tagged += data;
  return HmacSha256(key, tagged);
}

std::string PrincipalHmac(std::string_view key, const Principal& principal) {
  // The issuer's length keeps {"a", "bc"} and {"ab", "c"} apart.
  return Hmac(key, HmacTag::kPrincipal,
              absl::StrCat(principal.issuer.size(), ":", principal.issuer,
                           principal.subject));
}

}  // namespace gatehouse::audit
