import { defineRules } from "./rule.ts";

/** Reasoning, thinking and their signatures, which belong to the calls that they led to. */
export const reasoning = defineRules({
  "missing-reasoning": {
    title: "The reasoning that belongs to a call is missing",
    statement: "In thinking mode, the reasoning that led to a call is sent back with it.",
    why: "The client keeps the call and drops the reasoning, as most code written before reasoning models does.",
    fix: "A reasoning that is gone cannot be restored: an empty field is put in its place, or the item id that asks for it is deleted.",
    lossless: true,
    cases: [
      {
        id: "DSK-REASONING",
        format: "openai-chat",
        provider: "deepseek",
        statement: "In thinking mode, assistant messages with tool calls keep reasoning_content in all later turns.",
        errors: [
          "Missing `reasoning_content` field in the assistant message at message index 2.",
          "The `reasoning_content` in the thinking mode must be passed back to the API.",
        ],
        evidence: "docs",
        source: "https://api-docs.deepseek.com/guides/thinking_mode",
      },
      {
        id: "KIMI-REASONING",
        format: "openai-chat",
        provider: "moonshot",
        statement: "With thinking on, assistant messages with tool calls have reasoning_content.",
        errors: ["thinking is enabled but reasoning_content is missing in assistant tool call message at index 2"],
        evidence: "issue",
        source: "https://github.com/cloudwego/eino-ext/issues/700",
      },
      {
        id: "MIMO-REASONING",
        format: "openai-chat",
        provider: "mimo",
        statement: "In thinking mode, assistant messages with tool calls keep reasoning_content in all later turns.",
        errors: [
          '{"code":"400","message":"Param Incorrect","param":"The reasoning_content in the thinking mode must be passed back to the API."}',
        ],
        evidence: "issue",
        source: "https://github.com/tailcallhq/forgecode/issues/3347",
      },
      {
        id: "DSK-THINKING",
        format: "anthropic",
        provider: "deepseek",
        statement:
          "In thinking mode, assistant messages with tool_use blocks keep their thinking block, signed or not.",
        errors: ["The `content[].thinking` in the thinking mode must be passed back to the API."],
        evidence: "issue",
        source: "https://github.com/NousResearch/hermes-agent/pull/17510",
      },
      {
        id: "OAR-REASONING-REQUIRED",
        format: "openai-responses",
        statement:
          "On reasoning models, a function_call that is sent with its fc_ id needs its reasoning item before it.",
        errors: ["Item 'fc_…' of type 'function_call' was provided without its required 'reasoning' item: 'rs_…'."],
        evidence: "issue",
        source: "https://github.com/cline/cline/issues/12242",
      },
      {
        id: "OAR-REASONING-MESSAGE",
        format: "openai-responses",
        statement:
          "On reasoning models, an assistant message that is sent with its msg_ id needs its reasoning item too.",
        errors: ["Item 'msg_…' of type 'message' was provided without its required 'reasoning' item: 'rs_…'."],
        evidence: "issue",
        source: "https://github.com/continuedev/continue/issues/12620",
      },
    ],
  },
  "dangling-reasoning": {
    title: "A reasoning item has lost what it led to",
    statement: "A reasoning item is followed by the item that it led to; a stored one by that very item.",
    why: "The run was interrupted after the reasoning, or the message or call after it was removed or given another id.",
    fix: "The reasoning item is removed.",
    lossless: false,
    cases: [
      {
        id: "OAR-REASONING-DANGLING",
        format: "openai-responses",
        statement:
          "A reasoning item is followed by the item that it led to; one with an id and without encrypted_content by the original item with its id.",
        errors: ["Item 'rs_…' of type 'reasoning' was provided without its required following item."],
        evidence: "issue",
        source: "https://github.com/openai/openai-node/issues/1567",
      },
    ],
  },
  "encrypted-reasoning": {
    title: "The encrypted reasoning cannot be read",
    statement: "encrypted_content is the token that the API returned, for the same account.",
    why: "Readable reasoning of another provider was put there, or the history was continued with another account, key or region.",
    fix: "The reasoning item is removed if its text is not such a token. A token of another account looks the same and cannot be recognised offline.",
    lossless: false,
    cases: [
      {
        id: "OAR-ENCRYPTED",
        format: "openai-responses",
        statement: "encrypted_content is the opaque token that the API returned; readable text never is one.",
        errors: [
          "invalid_encrypted_content: The encrypted content - **...… could not be verified. Reason: Encrypted content could not be decrypted or parsed.",
        ],
        evidence: "issue",
        source: "https://github.com/Wei-Shaw/sub2api/issues/2863",
      },
    ],
  },
  "thinking-first": {
    title: "The running turn does not begin with thinking",
    statement: "With thinking enabled, a running tool loop begins with a thinking block.",
    why: "Thinking was switched on in the middle of a tool loop, or the blocks were dropped when the history was saved or converted.",
    fix: "Thinking blocks cannot be forged: thinking is switched off for this request, and nothing is asked of the server that needs it.",
    lossless: "partly",
    cases: [
      {
        id: "ANT-THINK-FIRST",
        format: "anthropic",
        statement:
          "With thinking enabled, the running tool loop counts as one assistant turn and begins with thinking or redacted_thinking.",
        errors: [
          "messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`. When `thinking` is enabled, a final `assistant` message must start with a thinking block …",
        ],
        evidence: "issue",
        source: "https://github.com/deepset-ai/haystack-core-integrations/issues/2146",
      },
      {
        id: "BDR-THINK-FIRST",
        format: "bedrock",
        statement:
          "Claude on Bedrock with thinking enabled: the running tool loop begins with a reasoningContent block.",
        errors: [
          "The model returned the following errors: messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`. When `thinking` is enabled, a final `assistant` message must start with a thinking block …",
        ],
        evidence: "issue",
        source: "https://github.com/langchain-ai/langchain-aws/issues/844",
      },
    ],
  },
  "thinking-signature": {
    title: "A thinking block has no valid signature",
    statement: "A thinking block carries the signature that came with it, unchanged.",
    why: "The signature was lost in saving or streaming, or the block comes from another provider.",
    fix: "The thinking block is removed.",
    lossless: false,
    cases: [
      {
        id: "ANT-THINK-SIG",
        format: "anthropic",
        statement: "Thinking blocks carry their signature: present, not empty, issued by Anthropic.",
        errors: ["thinking.signature: Field required", "Invalid `signature` in `thinking` block"],
        evidence: "issue",
        source: "https://github.com/NousResearch/hermes-agent/pull/17890",
      },
      {
        id: "BDR-THINK-SIG",
        format: "bedrock",
        statement: "Claude on Bedrock: reasoningText carries its signature; Nova and MiniMax take it without one.",
        errors: ["thinking.signature: Field required", "Invalid `signature` in `thinking` block"],
        evidence: "issue",
        source: "https://github.com/maximhq/bifrost/pull/6942",
      },
    ],
  },
  "thinking-modified": {
    title: "A thinking block was changed",
    statement: "Thinking blocks of the latest assistant message are byte for byte what the API returned.",
    why: "A sanitiser, a trimmer or a merge touched the blocks: trimmed text, another order, a dropped block.",
    fix: "Nothing: it cannot be seen offline, and the original must be sent again.",
    lossless: true,
    cases: [
      {
        id: "ANT-THINK-MODIFIED",
        format: "anthropic",
        statement: "thinking and redacted_thinking blocks of the latest assistant message are as they were.",
        errors: [
          "messages.3.content.8: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified.",
        ],
        evidence: "issue",
        source: "https://github.com/anthropics/claude-code/issues/63284",
      },
    ],
  },
  "thinking-disabled": {
    title: "The last assistant message has thinking while thinking is off",
    statement: "With thinking disabled, a final assistant message holds no thinking block.",
    why: "Thinking was switched off, or the model was changed, for a request that continues a turn.",
    fix: "The thinking blocks of that message are removed.",
    lossless: false,
    cases: [
      {
        id: "ANT-THINK-DISABLED",
        format: "anthropic",
        statement: "With thinking disabled, an assistant message in the final position holds no thinking.",
        errors: [
          "messages.1.content.0: When thinking is disabled, an `assistant` message in the final position cannot contain `thinking`.",
        ],
        evidence: "issue",
        source: "https://github.com/tailcallhq/forgecode/issues/1853",
      },
    ],
  },
  "missing-signature": {
    title: "A function call has no thought signature",
    statement: "From Gemini 3 on, the first call of every step of the current turn has its thought signature.",
    why: "The history comes from another model, or the SDK or gateway in between drops fields that it does not know.",
    fix: "Google's own sentinel for a signature that is not at hand is put in; it is not a forged one.",
    lossless: true,
    cases: [
      {
        id: "GEM-SIG-MISSING",
        format: "gemini",
        statement:
          "The first functionCall part of every step of the current turn has its thoughtSignature (Gemini 3 and later).",
        errors: [
          "Function call is missing a thought_signature in functionCall parts. … function call `default_api:x`, position 2.",
        ],
        evidence: "docs",
        source: "https://ai.google.dev/gemini-api/docs/thought-signatures",
      },
    ],
  },
  "invalid-signature": {
    title: "A thought signature is not valid here",
    statement: "A thought signature goes back to the route and the model that it came from.",
    why: "The history was continued with another model, project or gateway.",
    fix: "Nothing by itself, for it cannot be seen offline; replacing the signature by Google's sentinel helps.",
    lossless: "partly",
    cases: [
      {
        id: "GEM-SIG-INVALID",
        format: "gemini",
        statement: "A signature of another route or model is refused.",
        errors: ["Invalid thought signature", "Corrupted thought signature"],
        evidence: "docs",
        source: "https://docs.apiyi.com/en/faq/gemini-thought-signature-missing",
      },
    ],
  },
});
