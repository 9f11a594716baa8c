import { defineRules } from "./rule.ts";

/** Reasoning, thinking and their signatures. */
export const reasoning = defineRules({
  "missing-reasoning": {
    title: "The reasoning that belongs to a call is missing",
    statement: "In thinking mode, a call is sent back with the reasoning that produced it.",
    why: "The client keeps the call and drops the reasoning, as most code from before reasoning models does.",
    fix: "Lost reasoning cannot be restored. An empty field replaces it, or the item id that requires it is deleted.",
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
        statement: "On reasoning models, a function_call with its fc_ id requires its reasoning item before it.",
        errors: ["Item 'fc_…' of type 'function_call' was provided without its required 'reasoning' item: 'rs_…'."],
        evidence: "issue",
        source: "https://github.com/cline/cline/issues/12242",
      },
      {
        id: "OAR-REASONING-MESSAGE",
        format: "openai-responses",
        statement: "On reasoning models, an assistant message with its msg_ id requires its reasoning item too.",
        errors: ["Item 'msg_…' of type 'message' was provided without its required 'reasoning' item: 'rs_…'."],
        evidence: "issue",
        source: "https://github.com/continuedev/continue/issues/12620",
      },
    ],
  },
  "dangling-reasoning": {
    title: "A reasoning item is not followed by the item that it produced",
    statement:
      "A reasoning item is followed by the item that it produced. After a stored reasoning item, this is the original item.",
    why: "The run was interrupted after the reasoning, or the message or call after it was removed or given another id.",
    fix: "The reasoning item is removed.",
    lossless: false,
    cases: [
      {
        id: "OAR-REASONING-DANGLING",
        format: "openai-responses",
        statement:
          "A reasoning item is followed by the item that it produced. If it has an id and no encrypted_content, this is the original item with its id.",
        errors: ["Item 'rs_…' of type 'reasoning' was provided without its required following item."],
        evidence: "issue",
        source: "https://github.com/openai/openai-node/issues/1567",
      },
    ],
  },
  "encrypted-reasoning": {
    title: "The encrypted reasoning cannot be read",
    statement: "encrypted_content is the token that the API returned, for the same account.",
    why: "The field contains readable reasoning of another provider, or the history continued with another account, key or region.",
    fix: "The reasoning item is removed if the value is not a token. A token of another account looks the same and cannot be recognized offline.",
    lossless: false,
    cases: [
      {
        id: "OAR-ENCRYPTED",
        format: "openai-responses",
        statement: "encrypted_content is the opaque token that the API returned, never readable text.",
        errors: [
          "invalid_encrypted_content: The encrypted content - **...… could not be verified. Reason: Encrypted content could not be decrypted or parsed.",
        ],
        evidence: "issue",
        source: "https://github.com/Wei-Shaw/sub2api/issues/2863",
      },
    ],
  },
  "thinking-first": {
    title: "The current turn does not begin with thinking",
    statement: "With thinking enabled, the current tool loop begins with a thinking block.",
    why: "Thinking was switched on in the middle of a tool loop, or the blocks were dropped when the history was saved or converted.",
    fix: "Thinking blocks cannot be forged. The repair disables thinking for this request and removes settings that require it.",
    lossless: "partly",
    cases: [
      {
        id: "ANT-THINK-FIRST",
        format: "anthropic",
        statement:
          "With thinking enabled, the current tool loop counts as one assistant turn and begins with thinking or redacted_thinking.",
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
          "For Claude on Bedrock with thinking enabled, the current tool loop begins with a reasoningContent block.",
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
    statement: "A thinking block has its original signature, unchanged.",
    why: "The client lost the signature while it saved or streamed the block, or the block comes from another provider.",
    fix: "The thinking block is removed.",
    lossless: false,
    cases: [
      {
        id: "ANT-THINK-SIG",
        format: "anthropic",
        statement: "Thinking blocks have a non-empty signature issued by Anthropic.",
        errors: ["thinking.signature: Field required", "Invalid `signature` in `thinking` block"],
        evidence: "issue",
        source: "https://github.com/NousResearch/hermes-agent/pull/17890",
      },
      {
        id: "BDR-THINK-SIG",
        format: "bedrock",
        statement:
          "For Claude on Bedrock, reasoningText has its signature; Nova and MiniMax accept it without a signature.",
        errors: ["thinking.signature: Field required", "Invalid `signature` in `thinking` block"],
        evidence: "issue",
        source: "https://github.com/maximhq/bifrost/pull/6942",
      },
    ],
  },
  "thinking-modified": {
    title: "A thinking block was changed",
    statement: "Thinking blocks of the latest assistant message are byte for byte the same as the API returned them.",
    why: "A sanitizer, a trimmer or a merge trimmed the text, changed the order or removed a block.",
    fix: "No automatic repair, because the change cannot be detected offline. Send the original blocks.",
    lossless: true,
    cases: [
      {
        id: "ANT-THINK-MODIFIED",
        format: "anthropic",
        statement: "thinking and redacted_thinking blocks of the latest assistant message are unchanged.",
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
    statement: "With thinking disabled, a final assistant message contains no thinking block.",
    why: "Thinking was switched off, or the model was changed, for a request that continues a turn.",
    fix: "The thinking blocks of that message are removed.",
    lossless: false,
    cases: [
      {
        id: "ANT-THINK-DISABLED",
        format: "anthropic",
        statement: "With thinking disabled, an assistant message in the final position contains no thinking.",
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
    statement: "In Gemini 3 and later, the first call of every step of the current turn has its thought signature.",
    why: "The history comes from another model, or the SDK or gateway drops unknown fields.",
    fix: "The sentinel that Google documents for a missing signature is inserted. It is not a forged signature.",
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
    statement: "A thought signature is sent back to the route and the model that issued it.",
    why: "The history was continued with another model, project or gateway.",
    fix: "No automatic repair, because the route cannot be detected offline. Replace the signature with Google's sentinel.",
    lossless: "partly",
    cases: [
      {
        id: "GEM-SIG-INVALID",
        format: "gemini",
        statement: "A signature from another route or model is refused.",
        errors: ["Invalid thought signature", "Corrupted thought signature"],
        evidence: "docs",
        source: "https://docs.apiyi.com/en/faq/gemini-thought-signature-missing",
      },
    ],
  },
});
