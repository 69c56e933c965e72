#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <exception>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "controlplane/policy/text_rules.h"
#include "controlplane/policy/tree.h"
#include "shared/base/status.h"

namespace gatehouse::policy {
namespace {

// What yaml-cpp says of a node that has no tag of its own.
constexpr std::string_view kPlain = "?";
constexpr std::string_view kQuoted = "!";

Node ScalarNode(std::string_view text, bool plain) {
  Node node;
  node.text = std::string(text);
  node.kind = Node::Kind::kString;
  if (!plain) return node;
  if (text == "true" || text == "True" || text == "TRUE") {
    node.kind = Node::Kind::kBool;
    node.flag = true;
  } else if (text == "false" || text == "False" || text == "FALSE") {
    node.kind = Node::Kind::kBool;
  } else if (IsDecimalNumber(text)) {
    node.kind = Node::Kind::kNumber;
  }
  return node;
}

// Builds the tree from yaml-cpp's events. The events are used, not yaml-cpp's
// own tree, because that one has already expanded aliases and dropped
// duplicate keys when one sees it. After the depth is passed it only counts
// brackets; yaml-cpp's own guard ends what is deeper still.
class TreeBuilder final : public YAML::EventHandler {
 public:
  explicit TreeBuilder(TreeResult& result) : result_(result) {}

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark&, YAML::anchor_t anchor) override {
    RefuseAnchor(anchor);
    // As a key, `~` is as good a name as another.
    if (ExpectsKey()) return TakeKey("null");
    Attach(Node());
  }
  void OnAlias(const YAML::Mark&, YAML::anchor_t) override {
    Refuse("aliases are not supported; write the value out");
    if (ExpectsKey()) return TakeKey("*");
    Attach(Node());
  }
  void OnScalar(const YAML::Mark&, const std::string& tag,
                YAML::anchor_t anchor, const std::string& value) override {
    if (ExpectsKey()) {
      RefuseAnchor(anchor);
      RefuseTag(tag);
      return TakeKey(value);
    }
    RefuseAnchor(anchor);
    RefuseTag(tag);
    Attach(ScalarNode(value, tag == kPlain));
  }
  void OnSequenceStart(const YAML::Mark&, const std::string& tag,
                       YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    Open(Node::Kind::kList, tag, anchor);
  }
  void OnSequenceEnd() override { Close(); }
  void OnMapStart(const YAML::Mark&, const std::string& tag,
                  YAML::anchor_t anchor, YAML::EmitterStyle::value) override {
    Open(Node::Kind::kMap, tag, anchor);
  }
  void OnMapEnd() override { Close(); }

 private:
  struct Frame {
    Node node;
    std::string path;
    std::optional<std::string> key;  // of a map: the name whose value comes
    std::unordered_set<std::string> names;  // of a map: those it has had
  };

  bool ExpectsKey() const {
    return !frames_.empty() && too_deep_ == 0 &&
           frames_.back().node.kind == Node::Kind::kMap &&
           !frames_.back().key.has_value();
  }

  std::string NextPath() const {
    if (frames_.empty()) return "";
    const Frame& frame = frames_.back();
    if (frame.node.kind == Node::Kind::kList) {
      return ItemPath(frame.path, frame.node.items.size());
    }
    return frame.key ? MemberPath(frame.path, *frame.key) : frame.path;
  }

  void Refuse(std::string_view what) {
    if (result_.violations.size() >= kMaxViolations) return;
    result_.violations.push_back({NextPath(), std::string(what)});
  }
  void RefuseAnchor(YAML::anchor_t anchor) {
    if (anchor != 0) Refuse("anchors are not supported; write the value out");
  }
  void RefuseTag(std::string_view tag) {
    if (tag.empty() || tag == kPlain || tag == kQuoted) return;
    Refuse("tags are not supported; leave the tag out");
  }

  void TakeKey(std::string_view name) {
    Frame& frame = frames_.back();
    if (!frame.names.insert(std::string(name)).second &&
        result_.violations.size() < kMaxViolations) {
      result_.violations.push_back(
          {MemberPath(frame.path, name), "stands twice; keep one of the two"});
    }
    frame.key = std::string(name);
  }

  void Open(Node::Kind kind, const std::string& tag, YAML::anchor_t anchor) {
    RefuseAnchor(anchor);
    RefuseTag(tag);
    if (ExpectsKey()) {
      Refuse("a key must be a plain text, not a list or a map");
      // Its events are skipped like those of what is too deep; what follows is
      // then the value of a key without a name.
      frames_.back().key = std::string();
      skipping_key_ = true;
      ++too_deep_;
      return;
    }
    if (too_deep_ > 0 || frames_.size() >= kMaxDocumentDepth) {
      if (too_deep_ == 0) {
        Refuse(absl::StrCat("nested deeper than ", kMaxDocumentDepth));
      }
      ++too_deep_;
      return;
    }
    Frame frame;
    frame.node.kind = kind;
    frame.path = NextPath();
    frames_.push_back(std::move(frame));
  }

  void Close() {
    if (too_deep_ > 0) {
      --too_deep_;
      if (too_deep_ > 0) return;
      if (!std::exchange(skipping_key_, false)) Attach(Node());
      return;
    }
    Node node = std::move(frames_.back().node);
    frames_.pop_back();
    Attach(std::move(node));
  }

  void Attach(Node node) {
    if (too_deep_ > 0) return;
    if (frames_.empty()) {
      result_.root = std::move(node);
      return;
    }
    Frame& frame = frames_.back();
    if (frame.node.kind == Node::Kind::kList) {
      frame.node.items.push_back(std::move(node));
      return;
    }
    frame.node.members.emplace_back(std::move(*frame.key), std::move(node));
    frame.key.reset();
  }

  TreeResult& result_;
  std::vector<Frame> frames_;
  int too_deep_ = 0;           // containers open below the last one kept
  bool skipping_key_ = false;  // those containers are a key
};

}  // namespace

TreeResult ReadYamlTree(std::string_view text) {
  TreeResult result;
  try {
    std::istringstream stream{std::string(text)};
    YAML::Parser parser(stream);
    TreeBuilder builder(result);
    parser.HandleNextDocument(builder);
    TreeResult second;
    TreeBuilder ignored(second);
    if (parser.HandleNextDocument(ignored)) {
      result.violations.push_back(
          {"", "has a second document; apply one document at a time"});
    }
  } catch (const YAML::Exception& error) {
    result.violations.push_back(
        {"", absl::StrCat("line ", error.mark.line + 1, ", column ",
                          error.mark.column + 1, ": ", error.msg)});
  } catch (const std::exception&) {
    result.violations.push_back({"", "cannot be read as YAML"});
  }
  return result;
}

}  // namespace gatehouse::policy
