#ifndef GATEHOUSE_TOOLS_GATEHOUSECTL_COMPLETION_H_
#define GATEHOUSE_TOOLS_GATEHOUSECTL_COMPLETION_H_

#include <CLI/App.hpp>
#include <string>

namespace gatehouse::ctl {

enum class Shell { kBash, kZsh, kFish };

// The script that completes `root`'s commands and flags in a shell, made from
// the tree of commands itself; where neither fits, file names. Pure.
std::string CompletionScript(const CLI::App& root, Shell shell);

}  // namespace gatehouse::ctl

#endif  // GATEHOUSE_TOOLS_GATEHOUSECTL_COMPLETION_H_
