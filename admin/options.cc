#include "admin/options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "admin/config_file.h"
#include "shared/base/status.h"
#include "shared/json/json.h"

namespace gatehouse::admin {
namespace {

constexpr int kUsage = 2;

absl::Status Wrong(std::string_view value, std::string_view expected) {
  return MakeStatus(
      absl::StatusCode::kInvalidArgument,
      absl::StrCat(ToAbsl(value), ": expected ", ToAbsl(expected)));
}

// A text of a list of exactly one.
const std::string& One(const std::vector<std::string>& values) {
  return values.front();
}

std::optional<bool> BoolOf(const std::string& text) {
  const std::string word = absl::AsciiStrToLower(text);
  for (const char* const yes : {"true", "1", "yes", "on"}) {
    if (word == yes) return true;
  }
  for (const char* const no : {"false", "0", "no", "off"}) {
    if (word == no) return false;
  }
  return std::nullopt;
}

std::string DurationText(absl::Duration duration) {
  return duration == absl::InfiniteDuration() ? "off"
                                              : absl::FormatDuration(duration);
}

}  // namespace

// ---- What there is.

void OptionTable::Text(std::string name, std::string value_name,
                       std::string help, std::string* target) {
  Option option;
  option.name = std::move(name);
  option.value_name = std::move(value_name);
  option.help = std::move(help);
  option.set = [target](const std::vector<std::string>& values) {
    *target = One(values);
    return absl::OkStatus();
  };
  option.shown = [target] {
    return target->empty() ? std::vector<std::string>()
                           : std::vector<std::string>{*target};
  };
  options_.push_back(std::move(option));
}

void OptionTable::List(std::string name, std::string value_name,
                       std::string help, std::vector<std::string>* target) {
  Option option;
  option.name = std::move(name);
  option.value_name = std::move(value_name);
  option.help = std::move(help);
  option.is_list = true;
  option.set = [target](const std::vector<std::string>& values) {
    *target = values;
    return absl::OkStatus();
  };
  option.shown = [target] { return *target; };
  options_.push_back(std::move(option));
}

void OptionTable::Switch(std::string name, std::string help, bool* target) {
  Option option;
  option.name = std::move(name);
  option.help = std::move(help);
  option.is_switch = true;
  option.set = [target](const std::vector<std::string>& values) {
    const std::optional<bool> value = BoolOf(One(values));
    if (!value.has_value()) return Wrong(One(values), "true or false");
    *target = *value;
    return absl::OkStatus();
  };
  option.shown = [target] {
    return std::vector<std::string>{*target ? "true" : "false"};
  };
  options_.push_back(std::move(option));
}

void OptionTable::Duration(std::string name, std::string help,
                           absl::Duration least, absl::Duration most,
                           bool or_off, absl::Duration* target) {
  Option option;
  option.name = std::move(name);
  option.value_name = "DURATION";
  option.help = std::move(help);
  option.set = [=](const std::vector<std::string>& values) {
    absl::Duration value;
    if (or_off && One(values) == "off") {
      value = absl::InfiniteDuration();
    } else if (!absl::ParseDuration(One(values), &value) || value < least ||
               value > most) {
      return Wrong(One(values),
                   absl::StrCat(DurationText(least), " to ", DurationText(most),
                                or_off ? ", or off" : ""));
    }
    *target = value;
    return absl::OkStatus();
  };
  option.shown = [target] {
    return std::vector<std::string>{DurationText(*target)};
  };
  options_.push_back(std::move(option));
}

void OptionTable::Choice(std::string name, std::vector<std::string> words,
                         std::string help, std::string* target) {
  const std::string value_name = absl::StrJoin(words, "|");
  Text(std::move(name), value_name, std::move(help), target);
  options_.back().set = [target, words = std::move(words)](
                            const std::vector<std::string>& values) {
    if (std::find(words.begin(), words.end(), One(values)) == words.end()) {
      return Wrong(One(values),
                   absl::StrCat("one of ", absl::StrJoin(words, ", ")));
    }
    *target = One(values);
    return absl::OkStatus();
  };
}

std::string OptionTable::EnvName(std::string_view name) const {
  std::string upper = absl::AsciiStrToUpper(ToAbsl(name));
  std::replace(upper.begin(), upper.end(), '-', '_');
  return about_.env_prefix + upper;
}

const OptionTable::Option* OptionTable::Find(std::string_view name) const {
  for (const Option& option : options_) {
    if (option.name == name) return &option;
  }
  return nullptr;
}

// ---- The command line.

// The table as CLI11 knows it. CLI11 throws; nothing gets out of here.
class OptionTable::CommandLine {
 public:
  explicit CommandLine(OptionTable& table)
      : table_(table), app_(table.about_.what, table.about_.program) {
    for (Option& option : table.options_) Declare(option);
    app_.add_option("--config", given_.config,
                    absl::StrCat("YAML file of these options, by their names "
                                 "without dashes [$",
                                 table.EnvName("config"), "]"))
        ->type_name("FILE");
    app_.add_flag("--print-config", given_.print_config,
                  "print the values in effect, and where each is from, and "
                  "end");
    app_.set_version_flag("--version", absl::StrCat(table.about_.program, " ",
                                                    table.about_.version));
    app_.footer(table.about_.example);
  }

  Outcome Parse(int argc, const char* const* argv) {
    Outcome outcome;
    try {
      app_.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
      std::ostringstream out;
      std::ostringstream err;
      const int code = app_.exit(error, out, err);
      outcome.exit_code = code == 0 ? 0 : kUsage;
      outcome.out = out.str();
      outcome.err = err.str();
      if (code != 0) outcome.err += MeantBy(argc, argv);
    }
    for (Option& option : table_.options_) {
      const CLI::Option* const flag = app_.get_option("--" + option.name);
      if (option.is_switch && flag->count() > 0) {
        option.flag = {option.flag_switch ? "true" : "false"};
      }
    }
    return outcome;
  }

  const Given& given() const { return given_; }

 private:
  void Declare(Option& option) {
    std::string help =
        absl::StrCat(option.help, " [$", table_.EnvName(option.name), "]");
    if (option.is_switch) {
      app_.add_flag("--" + option.name, option.flag_switch, help);
      return;
    }
    const std::vector<std::string> shown = option.shown();
    if (!shown.empty()) {
      absl::StrAppend(&help, " (default: ", absl::StrJoin(shown, ","), ")");
    }
    CLI::Option* const flag =
        app_.add_option("--" + option.name, option.flag, help);
    flag->type_name(option.value_name);
    flag->allow_extra_args(false);
    if (option.is_list) {
      flag->delimiter(',');
    } else {
      flag->expected(1);
    }
  }

  // What an unknown flag was meant to be.
  std::string MeantBy(int argc, const char* const* argv) const {
    for (int i = 1; i < argc; ++i) {
      const std::string_view argument = argv[i];
      if (!argument.starts_with("--")) continue;
      const std::string_view name = argument.substr(2, argument.find('=') - 2);
      if (table_.Find(name) == nullptr && name != "config" &&
          name != "print-config") {
        return absl::StrCat(table_.NotKnown("--", name), "\n");
      }
    }
    return absl::StrCat(table_.about_.program,
                        ": see --help for the flags it knows\n");
  }

  OptionTable& table_;
  CLI::App app_;
  Given given_;
};

std::string OptionTable::NotKnown(std::string_view what,
                                  std::string_view name) const {
  std::vector<std::string_view> names;
  for (const Option& option : options_) names.push_back(option.name);
  const std::string_view nearest = NearestWord(name, names);
  std::string message =
      absl::StrCat(ToAbsl(what), ToAbsl(name), ": no option of that name");
  if (nearest.empty()) return message + "; --help lists them";
  return absl::StrCat(message, "; did you mean ", ToAbsl(what), ToAbsl(nearest),
                      "?");
}

// ---- The sources, the weakest first.

void OptionTable::Set(Option& option, const std::vector<std::string>& values,
                      std::string source, std::vector<std::string>& faults) {
  const absl::Status status = option.set(values);
  if (!status.ok()) {
    faults.push_back(absl::StrCat(source, ": ", status.message()));
  }
  option.source = std::move(source);
}

void OptionTable::ReadFile(const std::string& path, const Getenv& env,
                           std::vector<std::string>& faults) {
  std::string file = path;
  const char* const variable = env(EnvName("config").c_str());
  if (file.empty() && variable != nullptr) file = variable;
  if (file.empty()) return;
  const absl::StatusOr<std::string> text = ReadConfig(file);
  if (!text.ok()) {
    faults.push_back(absl::StrCat("--config: ", text.status().message()));
    return;
  }
  const ConfigFile config = ParseConfig(*text);
  for (const std::string& fault : config.faults) {
    faults.push_back(absl::StrCat(file, ":", fault));
  }
  for (const auto& [name, value] : config.members) {
    const std::string where = absl::StrCat(file, ":", value.line, ": ");
    const auto option =
        std::find_if(options_.begin(), options_.end(),
                     [&](const Option& one) { return one.name == name; });
    if (option == options_.end()) {
      faults.push_back(where + NotKnown("", name));
    } else if (value.is_list != option->is_list) {
      faults.push_back(absl::StrCat(where, name,
                                    option->is_list
                                        ? ": expected a list, such as [a, b]"
                                        : ": expected one value, not a list"));
    } else {
      Set(*option, value.values, where + name, faults);
    }
  }
}

void OptionTable::ReadEnvironment(const Getenv& env,
                                  std::vector<std::string>& faults) {
  for (Option& option : options_) {
    const std::string name = EnvName(option.name);
    const char* const value = env(name.c_str());
    if (value == nullptr || *value == '\0') continue;
    const std::vector<std::string> values =
        option.is_list ? std::vector<std::string>(
                             absl::StrSplit(value, ',', absl::SkipEmpty()))
                       : std::vector<std::string>{value};
    Set(option, values, name, faults);
  }
}

void OptionTable::ReadFlags(std::vector<std::string>& faults) {
  for (Option& option : options_) {
    if (!option.flag.empty()) {
      Set(option, option.flag, "--" + option.name, faults);
    }
  }
}

OptionTable::Outcome OptionTable::Failed(
    const std::vector<std::string>& faults) const {
  Outcome outcome;
  outcome.exit_code = kUsage;
  for (const std::string& fault : faults) {
    absl::StrAppend(&outcome.err, about_.program, ": ", fault, "\n");
  }
  return outcome;
}

OptionTable::Outcome OptionTable::Read(int argc, const char* const* argv,
                                       const Getenv& env) {
  CommandLine line(*this);
  Outcome outcome = line.Parse(argc, argv);
  if (outcome.exit_code.has_value()) return outcome;
  // A fault in a value that a stronger source replaces is a fault all the same:
  // it would strike when that source goes.
  std::vector<std::string> faults;
  ReadFile(line.given().config, env, faults);
  ReadEnvironment(env, faults);
  ReadFlags(faults);
  if (!faults.empty()) return Failed(faults);
  if (line.given().print_config) {
    outcome.exit_code = 0;
    outcome.out = Printed();
  }
  return outcome;
}

std::optional<int> OptionTable::ReadAndPrint(int argc,
                                             const char* const* argv) {
  const Outcome outcome =
      Read(argc, argv, [](const char* name) { return std::getenv(name); });
  std::fputs(outcome.out.c_str(), stdout);
  std::fputs(outcome.err.c_str(), stderr);
  return outcome.exit_code;
}

// ---- What it says of them.

std::string OptionTable::Where(std::string_view name) const {
  const Option* const option = Find(name);
  return option == nullptr || option->source.empty() ? "default"
                                                     : option->source;
}

std::string OptionTable::Explained(std::string_view message) const {
  std::string explained;
  for (const absl::string_view line : absl::StrSplit(ToAbsl(message), '\n')) {
    const std::string_view text = ToStd(line);
    std::string_view name = text.substr(0, text.find_first_of(":, "));
    if (name.starts_with("--")) name.remove_prefix(2);
    const std::string where = Where(name);
    if (text.starts_with("--") && where != "default" &&
        where != "--" + std::string(name)) {
      absl::StrAppend(&explained, where, ": as ");
    }
    absl::StrAppend(&explained, line, "\n");
  }
  explained.pop_back();
  return explained;
}

// YAML again, so that it can be used as a file.
std::string OptionTable::Printed() const {
  std::string text = absl::StrCat("# ", about_.program, " ", about_.version,
                                  ": the values in effect\n");
  for (const Option& option : options_) {
    std::vector<std::string> quoted;
    for (const std::string& value : option.shown()) {
      quoted.push_back(json::Quote(value));
    }
    if (quoted.empty()) {
      absl::StrAppend(&text, "# ", option.name, ": not set\n");
      continue;
    }
    const std::string joined = absl::StrJoin(quoted, ", ");
    absl::StrAppend(&text, option.name, ": ",
                    option.is_list ? absl::StrCat("[", joined, "]") : joined,
                    "  # ", Where(option.name), "\n");
  }
  return text;
}

}  // namespace gatehouse::admin
