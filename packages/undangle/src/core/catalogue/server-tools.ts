import { defineRules } from "./rule.ts";

export const serverTools = defineRules({
  "server-call-id": {
    title: "A server tool call has an id of the wrong kind",
    statement: "The id of a server tool call has the form that the server generates.",
    why: "An adapter generated new ids for all calls, including those of server tools.",
    fix: "Both blocks of the pair get a new id of the right form.",
    lossless: true,
    cases: [
      {
        id: "ANT-SRV-ID",
        format: "anthropic",
        statement: "server_tool_use.id matches ^srvtoolu_[a-zA-Z0-9_]+$.",
        errors: ["server_tool_use.id: String should match pattern '^srvtoolu_[a-zA-Z0-9_]+$'"],
        evidence: "issue",
        source: "https://github.com/ding113/claude-code-hub/issues/470",
      },
    ],
  },
  "unpaired-server-call": {
    title: "A server tool call has no result",
    statement: "A server tool call is followed by its result in the same turn, unless the turn is still running.",
    why: "The response was cut off between the two blocks, or a client dropped the result block because its type was unknown.",
    fix: "The call without a result is removed.",
    lossless: false,
    cases: [
      {
        id: "ANT-SRV-UNPAIRED",
        format: "anthropic",
        statement:
          "server_tool_use is followed by its result block in the same turn, except in the last message and while it waits for client tools.",
        errors: [
          "messages.X: `web_fetch` tool use with id `srvtoolu_XXX` was found without a corresponding `web_fetch_tool_result` block",
        ],
        evidence: "issue",
        source: "https://github.com/anthropics/anthropic-sdk-python/pull/1151",
      },
    ],
  },
  "orphan-server-result": {
    title: "A server tool result has no call",
    statement: "A server tool result follows its call.",
    why: "Trimming or filtering removed the server_tool_use block and kept the result.",
    fix: "The result is removed or quoted as text.",
    lossless: false,
    cases: [
      {
        id: "ANT-SRV-ORPHAN",
        format: "anthropic",
        statement:
          "A server tool result has its server_tool_use before it, in the same turn or an earlier step of the same tool loop.",
        errors: [
          "messages.15.content.0: unexpected `tool_use_id` found in `advisor_tool_result` blocks: srvtoolu_…. Each `advisor_tool_result` block must have a corresponding `server_tool_use` block before it.",
        ],
        evidence: "issue",
        source: "https://github.com/anthropics/claude-code/issues/95406",
      },
    ],
  },
});
