#include "tools/gatehousectl/completion.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"

namespace gatehouse::ctl {
namespace {

struct Flag {
  std::string name;         // `--policy`
  std::string description;  // its first line
  bool takes_value = false;
};

// A command and what may stand behind it.
struct Node {
  std::string path;  // `policy apply`; empty for the root
  std::vector<std::pair<std::string, std::string>> commands;  // name, about
  std::vector<Flag> flags;
};

// Without what a shell or its script would take for its own.
std::string FirstLine(const std::string& text) {
  std::string line = text.substr(0, text.find('\n'));
  std::erase_if(line, [](char c) {
    return c == '\'' || c == '"' || c == '`' || c == '$' || c == '\\' ||
           c == '[' || c == ']' || c == ':';
  });
  return line;
}

std::vector<Flag> FlagsOf(const CLI::App& app) {
  std::vector<Flag> flags;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) {
      flags.push_back({"--" + name, FirstLine(option->get_description()),
                       option->get_items_expected_max() > 0});
    }
  }
  return flags;
}

void Collect(const CLI::App& app, const std::string& path,
             const std::vector<Flag>& inherited, std::vector<Node>* nodes) {
  Node node;
  node.path = path;
  node.flags = FlagsOf(app);
  for (const Flag& flag : inherited) {
    const bool own = std::any_of(
        node.flags.begin(), node.flags.end(),
        [&flag](const Flag& other) { return other.name == flag.name; });
    if (!own) node.flags.push_back(flag);
  }
  const std::vector<Flag> passed_on = node.flags;
  const auto commands =
      app.get_subcommands([](const CLI::App*) { return true; });
  for (const CLI::App* command : commands) {
    node.commands.emplace_back(command->get_name(),
                               FirstLine(command->get_description()));
  }
  nodes->push_back(std::move(node));
  for (const CLI::App* command : commands) {
    Collect(*command,
            path.empty() ? command->get_name()
                         : absl::StrCat(path, " ", command->get_name()),
            passed_on, nodes);
  }
}

std::string CommandNames(const Node& node) {
  return absl::StrJoin(node.commands, " ",
                       [](std::string* out, const auto& command) {
                         out->append(command.first);
                       });
}

std::string FlagNames(const Node& node, bool with_value_only) {
  std::vector<std::string> names;
  for (const Flag& flag : node.flags) {
    if (!with_value_only || flag.takes_value) names.push_back(flag.name);
  }
  return absl::StrJoin(names, " ");
}

// `case PATH in` with one assignment of `commands`, `flags` and `valued` each.
std::string Cases(const std::vector<Node>& nodes) {
  std::string cases;
  for (const Node& node : nodes) {
    absl::StrAppend(&cases, "    '", node.path, "') commands='",
                    CommandNames(node), "' flags='", FlagNames(node, false),
                    "' valued='", FlagNames(node, true), "' ;;\n");
  }
  return cases;
}

// $NAME stands for the program. Words before the cursor are walked through: a
// command goes one deeper, the value of a flag is skipped.
constexpr char kBash[] =
    R"bash(# bash completion for $NAME; made by `$NAME completion bash`.
_$NAME_node() {
  case "$1" in
$CASES    *) return 1 ;;
  esac
}
_$NAME() {
  local path='' commands='' flags='' valued='' word previous='' i
  local current=${COMP_WORDS[COMP_CWORD]}
  COMPREPLY=()
  _$NAME_node ''
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=${COMP_WORDS[i]}
    if [[ " $valued " == *" $previous "* && -n $previous ]]; then
      previous=''
      continue
    fi
    previous=$word
    if [[ $word != -* && " $commands " == *" $word "* ]]; then
      path=${path:+$path }$word
      _$NAME_node "$path"
      previous=''
    fi
  done
  if [[ -n $previous && " $valued " == *" $previous "* ]]; then
    COMPREPLY=($(compgen -f -- "$current"))
  elif [[ $current == -* ]]; then
    COMPREPLY=($(compgen -W "$flags" -- "$current"))
  elif [[ -n $commands ]]; then
    COMPREPLY=($(compgen -W "$commands" -- "$current"))
  else
    COMPREPLY=($(compgen -f -- "$current"))
  fi
}
complete -o filenames -F _$NAME $NAME
)bash";

constexpr char kZsh[] = R"zsh(#compdef $NAME
# zsh completion for $NAME; made by `$NAME completion zsh`.
_$NAME_node() {
  case "$1" in
$CASES    *) return 1 ;;
  esac
}
_$NAME() {
  local path_='' commands='' flags='' valued='' word previous='' i
  local current=${words[CURRENT]}
  _$NAME_node ''
  for ((i = 2; i < CURRENT; i++)); do
    word=${words[i]}
    if [[ -n $previous && " $valued " == *" $previous "* ]]; then
      previous=''
      continue
    fi
    previous=$word
    if [[ $word != -* && " $commands " == *" $word "* ]]; then
      path_=${path_:+$path_ }$word
      _$NAME_node "$path_"
      previous=''
    fi
  done
  if [[ -n $previous && " $valued " == *" $previous "* ]]; then
    _files
  elif [[ $current == -* ]]; then
    compadd -- ${=flags}
  elif [[ -n $commands ]]; then
    compadd -- ${=commands}
  else
    _files
  fi
}
compdef _$NAME $NAME
)zsh";

// The words before the cursor, without flags, are the path so far.
std::string FishScript(const std::string& name,
                       const std::vector<Node>& nodes) {
  std::string script = absl::StrCat(
      "# fish completion for ", name, "; made by `", name,
      " completion fish`.\nfunction __", name,
      "_at\n  set -l words (commandline -opc)\n  set -e words[1]\n  set -l "
      "path\n  for word in $words\n    string match -q -- '-*' $word; or set "
      "-a "
      "path $word\n  end\n  set -l wanted (count $argv)\n  test $wanted -eq 0; "
      "and test (count $path) -eq 0; and return 0\n  test $wanted -gt 0; and "
      "test \"$path[1..$wanted]\" = \"$argv\"\nend\n");
  for (const Node& node : nodes) {
    const std::string at = absl::StrCat("complete -c ", name, " -n '__", name,
                                        "_at ", node.path, "'");
    for (const auto& [command, about] : node.commands) {
      absl::StrAppend(&script, at, " -f -a ", command, " -d '", about, "'\n");
    }
    for (const Flag& flag : node.flags) {
      absl::StrAppend(&script, at, " -l ", flag.name.substr(2),
                      flag.takes_value ? " -r" : "", " -d '", flag.description,
                      "'\n");
    }
  }
  return script;
}

}  // namespace

std::string CompletionScript(const CLI::App& root, Shell shell) {
  std::vector<Node> nodes;
  Collect(root, "", {}, &nodes);
  const std::string name = root.get_name();
  switch (shell) {
    case Shell::kBash:
      return absl::StrReplaceAll(kBash,
                                 {{"$NAME", name}, {"$CASES", Cases(nodes)}});
    case Shell::kZsh:
      return absl::StrReplaceAll(kZsh,
                                 {{"$NAME", name}, {"$CASES", Cases(nodes)}});
    case Shell::kFish:
      return FishScript(name, nodes);
  }
  return "";
}

}  // namespace gatehouse::ctl
