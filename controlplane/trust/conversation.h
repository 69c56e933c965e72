#ifndef GATEHOUSE_CONTROLPLANE_TRUST_CONVERSATION_H_
#define GATEHOUSE_CONTROLPLANE_TRUST_CONVERSATION_H_

#include <cstddef>
#include <string_view>
#include <vector>

#include "controlplane/trust/era.h"
#include "shared/json/json.h"

namespace gatehouse::trust {

// Sampling messages laid out flat, so that each rule goes over just what it is
// about. Built of whatever was sent: what has not the shape to be a message or
// a block is left out, and a rule says so.

struct Block {
  json::Value value;      // an object
  std::string_view type;  // empty: missing or no string
  bool inner = false;     // within a tool_result's content
};

struct Message {
  json::Value value;      // an object
  std::string_view role;  // empty: missing or no string
  // Its blocks among Conversation::blocks; those of its tool_results follow
  // the block that holds them.
  size_t first_block = 0;
  size_t end_block = 0;
};

struct Conversation {
  std::vector<Message> messages;
  std::vector<Block> blocks;
  // Elements of `messages` and of content arrays that are no objects.
  std::vector<json::Value> no_messages, no_blocks;
};

// Of a request's `messages`.
Conversation ReadConversation(const json::Value& params);
// Of a result, which is one message itself.
Conversation ReadCompletion(const json::Value& result);

// The edits by which a message's content loses the array around its single
// block, towards a peer of an era without such arrays.
void UnwrapContent(const json::Value& message, const Era& era,
                   std::vector<json::Edit>& edits);

}  // namespace gatehouse::trust

#endif  // GATEHOUSE_CONTROLPLANE_TRUST_CONVERSATION_H_
