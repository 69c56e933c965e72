// `gatehousectl completion`: completions for shells.

#include <memory>
#include <string>

#include "tools/gatehousectl/command.h"
#include "tools/gatehousectl/completion.h"

namespace gatehouse::ctl {

void AddCompletionCommand(CLI::App& app, Action* action) {
  CLI::App* completion = app.add_subcommand(
      "completion",
      "Prints a script that completes these commands and flags.\n"
      "  source <(gatehousectl completion bash)\n"
      "  gatehousectl completion zsh > \"${fpath[1]}/_gatehousectl\"\n"
      "  gatehousectl completion fish > "
      "~/.config/fish/completions/gatehousectl.fish");
  auto shell = std::make_shared<std::string>();
  completion->add_option("SHELL", *shell, "bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  completion->callback([action, shell, root = &app] {
    *action = [shell, root](Session&) {
      Print(CompletionScript(*root, *shell == "bash"  ? Shell::kBash
                                    : *shell == "zsh" ? Shell::kZsh
                                                      : Shell::kFish));
      return Exit::kOk;
    };
  });
}

}  // namespace gatehouse::ctl
