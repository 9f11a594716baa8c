import { invalidGeminiName } from "../gemini/parts.ts";
import { dotted, isRecord, isText, listOf, modelOf, readInput, recordOf, type Loose } from "../loose.ts";
import { callsOf } from "./messages.ts";
import type { Verdict } from "../verdict.ts";

/** The rules of one OpenAI-compatible provider in addition to the common rules. Some depend on the verdicts of those. */
export function judgeProvider(input: unknown, provider: string, common: readonly Verdict[]): Verdict[] {
  const { messages: list, body } = readInput(input);
  const chat: Chat = { messages: list.map(recordOf), body, model: modelOf(body), common };
  const own = ownRules.get(provider) ?? [];
  const rules = lenientAboutArguments.has(provider) ? own : [argumentsAreAnObject, ...own];
  return rules.flatMap((rule) => rule(chat));
}

interface Chat {
  readonly messages: readonly Loose[];
  readonly body: Loose | undefined;
  readonly model: string;
  readonly common: readonly Verdict[];
}

type Rule = (chat: Chat) => Verdict[];

/** For OpenAI's models the evidence for JSON arguments is contested; vLLM has its own rule. */
const lenientAboutArguments: ReadonlySet<string> = new Set(["openai", "azure", "vllm"]);

const ownRules: ReadonlyMap<string, readonly Rule[]> = new Map<string, readonly Rule[]>([
  [
    "azure",
    [contentKeyIsRequired("AZR-CONTENT-REQUIRED", (index) => `'content' is a required property - 'messages.${index}'`)],
  ],
  [
    "deepseek",
    [
      rolesAreNot("developer", "function"),
      reasoningIsKept(
        "DSK-REASONING",
        (index) => `Missing \`reasoning_content\` field in the assistant message at message index ${index}.`,
      ),
      sameAs("DSK-UNANSWERED", ["OAC-UNANSWERED"], () => "insufficient tool messages following tool_calls message"),
    ],
  ],
  [
    "moonshot",
    [
      rolesAreNot("developer"),
      reasoningIsKept(
        "KIMI-REASONING",
        (index) =>
          `thinking is enabled but reasoning_content is missing in assistant tool call message at index ${index}`,
      ),
      moonshotAssistantIsNotEmpty,
    ],
  ],
  [
    "minimax",
    [
      sameAs("MMX-ORDER", ["OAC-UNANSWERED", "OAC-INTERLEAVED", "OAC-RESULT-BEFORE-CALL"], () => outOfOrder),
      resultIdIsKnown,
      argumentsAreJson(
        "MMX-ARGS-JSON",
        (id) => `invalid params, invalid function arguments json string, tool_call_id: ${id} (2013)`,
      ),
      systemStandsInFront,
      idsAreNotReused("CMP-ID-REUSE", () => outOfOrder),
    ],
  ],
  [
    "dashscope",
    [
      sameAs("DSC-PAIRING", ["OAC-UNANSWERED"], unansweredAtDashScope),
      sameAs(
        "DSC-PAIRING",
        ["OAC-ORPHAN"],
        () => `${dashScope} messages with role "tool" must be a response to a preceeding message with "tool_calls".`,
      ),
      argumentsAreJson(
        "DSC-ARGS-JSON",
        () => `${dashScope} The "function.arguments" parameter of the code model must be in JSON format.`,
      ),
    ],
  ],
  ["zhipu", [rolesAreNot("developer"), userIsThere, assistantHasContentOrCalls]],
  ["xai", [messageHasAnElement]],
  ["groq", [propertiesAreKnown]],
  [
    "mimo",
    [
      reasoningIsKept("MIMO-REASONING", () =>
        incorrect("The reasoning_content in the thinking mode must be passed back to the API."),
      ),
      callsHaveText,
      resultsAreText,
    ],
  ],
  ["cohere", [userDoesNotFollowTool]],
  ["vllm", [rolesAlternate, argumentsAreAMapping, llamaTakesOneCall]],
  // Only through a gateway: otherwise these two have their own formats.
  [
    "anthropic",
    [
      idsHaveTheAlphabet,
      idsAreNotReused("ANT-DUP-ID", (index, position) => {
        return `messages.${index}.content.${position}: \`tool_use\` ids must be unique`;
      }),
    ],
  ],
  ["google", [namesBeginWithALetter, callsDoNotComeFirst]],
  [
    "llamacpp",
    [
      endIsOneAssistant,
      contentKeyIsRequired("LCP-CONTENT-REQUIRED", (index) => `Field required (messages[${index}].content)`),
      sameAs(
        "LCP-ORPHAN",
        ["OAC-ORPHAN"],
        () => "Message has tool role, but there was no previous assistant message with a tool call!",
      ),
    ],
  ],
]);

const outOfOrder = "invalid params, tool call result does not follow tool call (2013)";

const dashScope = "<400> InternalError.Algo.InvalidParameter:";

/** DashScope names the message in the position of the missing tool message. */
function unansweredAtDashScope({ messages }: Chat, { path }: Verdict): string {
  const index = messages.findIndex((_, at) => path.startsWith(`messages[${at}]`));
  const next = messages.findIndex(({ role }, at) => at > index && role !== "tool");
  return `${dashScope} An assistant message with "tool_calls" must be followed by tool messages responding to each "tool_call_id". The following tool_call_ids did not have response messages: message[${next === -1 ? index : next}].role`;
}

/** OpenAI roles that the provider does not support. */
function rolesAreNot(...refused: readonly string[]): Rule {
  return ({ messages }) =>
    messages.flatMap(({ role }, index) =>
      typeof role === "string" && refused.includes(role)
        ? [{ id: "OAC-ROLE", path: `messages[${index}].role`, text: unknownVariant(index, role) }]
        : [],
    );
}

const unknownVariant = (index: number, role: string): string =>
  `Failed to deserialize the JSON body into the target type: messages[${index}].role: unknown variant \`${role}\``;

/** The provider has the common rule with its own error text. */
function sameAs(id: string, commonIds: readonly string[], wordsFor: (chat: Chat, verdict: Verdict) => string): Rule {
  return (chat) =>
    chat.common
      .filter((verdict) => commonIds.includes(verdict.id))
      .map((verdict) => ({ id, path: verdict.path, text: wordsFor(chat, verdict) }));
}

function argumentsAreAnObject(chat: Chat): Verdict[] {
  return argumentTexts(chat).flatMap(({ path, value }) => {
    if (isRecord(parsed(value))) return [];
    const text = `invalid_prompt: Invalid request: ${dotted(path)}: arguments must be a valid JSON object string`;
    return [{ id: "CMP-ARGS-JSON", path, text }];
  });
}

function argumentsAreJson(rule: string, wordsFor: (id: string) => string): Rule {
  return (chat) =>
    argumentTexts(chat).flatMap(({ id, path, value }) =>
      parsed(value) === undefined ? [{ id: rule, path, text: wordsFor(id) }] : [],
    );
}

function argumentsAreAMapping(chat: Chat): Verdict[] {
  const text = "Can only get item pairs from a mapping.";
  return argumentTexts(chat).flatMap((place) =>
    place.value === "" || isRecord(parsed(place.value)) ? [] : [{ id: "VLM-ARGS-JSON", path: place.path, text }],
  );
}

/** The arguments that are strings. Others already violate OAC-ARGS-TYPE. */
function argumentTexts({ messages }: Chat): { readonly id: string; readonly path: string; readonly value: string }[] {
  return messages.flatMap((message, index) =>
    callsOf(message).flatMap((call, position) => {
      const { id, function: called } = recordOf(call);
      const value = recordOf(called)["arguments"];
      const path = `messages[${index}].tool_calls[${position}].function.arguments`;
      return typeof value === "string" ? [{ id: isText(id) ? id : "", path, value }] : [];
    }),
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function contentKeyIsRequired(id: string, wordsFor: (index: number) => string): Rule {
  return ({ messages }) =>
    messages.flatMap((message, index) =>
      Object.hasOwn(message, "content") ? [] : [{ id, path: `messages[${index}]`, text: wordsFor(index) }],
    );
}

/** Only if the request itself enables thinking. The default of a model is not known here. */
function reasoningIsKept(id: string, wordsFor: (index: number) => string): Rule {
  return ({ messages, body, model }) => {
    const told = recordOf(body?.["thinking"])["type"];
    if (told !== "enabled" && (told === "disabled" || thinksByItself[id]?.test(model) !== true)) return [];
    return messages.flatMap((message, index) => {
      if (callsOf(message).length === 0 || typeof message["reasoning_content"] === "string") return [];
      return [{ id, path: `messages[${index}].reasoning_content`, text: wordsFor(index) }];
    });
  };
}

/** The models of each provider that think by default. */
const thinksByItself: Readonly<Record<string, RegExp>> = {
  "KIMI-REASONING": /^kimi-(?:k2\.[5-9]|k2-thinking|k[3-9])/,
  "DSK-REASONING": /^deepseek-(?:reasoner|v[4-9])/,
  "MIMO-REASONING": /^mimo-v(?:2\.[5-9]|[3-9])/,
};

function isEmptyContent(content: unknown): boolean {
  return (
    content === undefined || content === null || content === "" || (Array.isArray(content) && content.length === 0)
  );
}

/** An assistant message without content and calls. */
function isHollow(message: Loose): boolean {
  return (
    message["role"] === "assistant" &&
    callsOf(message).length === 0 &&
    isEmptyContent(message["content"]) &&
    ["function_call", "audio"].every((key) => message[key] === undefined || message[key] === null)
  );
}

function moonshotAssistantIsNotEmpty({ messages }: Chat): Verdict[] {
  return messages.flatMap((message, index) => {
    // Partial mode prefills the response, possibly with a name and no text.
    if (!isHollow(message) || message["partial"] === true || isText(message["reasoning_content"])) return [];
    const text = `Invalid request: the message at position ${index} with role 'assistant' must not be empty`;
    return [{ id: "KIMI-EMPTY", path: `messages[${index}]`, text }];
  });
}

function resultIdIsKnown({ messages, common }: Chat): Verdict[] {
  const known = new Set(messages.flatMap((message) => callsOf(message).map((call) => recordOf(call)["id"])));
  return common.flatMap((verdict) => {
    if (verdict.id !== "OAC-ORPHAN") return [];
    const stray = messages.find((_, index) => verdict.path === `messages[${index}]`);
    const id = stray?.["tool_call_id"];
    if (known.has(id)) return [];
    const text = `invalid params, tool result's tool id(${isText(id) ? id : ""}) not found (2013)`;
    return [{ id: "MMX-NOTFOUND", path: verdict.path, text }];
  });
}

function systemStandsInFront({ messages }: Chat): Verdict[] {
  const front = messages.findIndex((message) => message["role"] !== "system");
  return messages.flatMap((message, index) => {
    if (message["role"] !== "system" || front === -1 || index < front) return [];
    const text = "invalid params, chat content has invalid message role: system (2013)";
    return [{ id: "MMX-SYSTEM-ROLE", path: `messages[${index}].role`, text }];
  });
}

/** Anthropic's character set for ids, on calls and on results. */
function idsHaveTheAlphabet({ messages }: Chat): Verdict[] {
  const judge = (id: unknown, path: string, place: string): Verdict[] =>
    isText(id) && !/^[a-zA-Z0-9_-]+$/.test(id)
      ? [{ id: "ANT-ID-PATTERN", path, text: `messages.${place}: String should match pattern '^[a-zA-Z0-9_-]+$'` }]
      : [];
  return messages.flatMap((message, index) => [
    ...callsOf(message).flatMap((call, i) =>
      judge(recordOf(call)["id"], `messages[${index}].tool_calls[${i}].id`, `${index}.content.${i}.tool_use.id`),
    ),
    ...(message["role"] === "tool"
      ? judge(message["tool_call_id"], `messages[${index}].tool_call_id`, `${index}.content.0.tool_result.tool_use_id`)
      : []),
  ]);
}

function namesBeginWithALetter({ messages }: Chat): Verdict[] {
  return messages.flatMap((message, index) =>
    callsOf(message).flatMap((call, position): Verdict[] => {
      const name = recordOf(recordOf(call)["function"])["name"];
      if (!isText(name) || /^[A-Za-z_]/.test(name)) return [];
      const path = `messages[${index}].tool_calls[${position}].function.name`;
      return [{ id: "GEM-CALL-NAME", path, text: invalidGeminiName }];
    }),
  );
}

/** System messages do not count as turns. */
function callsDoNotComeFirst({ messages }: Chat): Verdict[] {
  const index = messages.findIndex(({ role }) => role !== "system" && role !== "developer");
  const first = messages[index];
  if (first === undefined || callsOf(first).length === 0) return [];
  const text =
    "Please ensure that function call turn comes immediately after a user turn or after a function response turn.";
  return [{ id: "GEM-CALL-ORDER", path: `messages[${index}]`, text }];
}

function idsAreNotReused(rule: string, wordsFor: (index: number, position: number) => string): Rule {
  return ({ messages }) => {
    const earlier = new Set<unknown>();
    return messages.flatMap((message, index) => {
      const ids = callsOf(message).map((call) => recordOf(call)["id"]);
      const reused = ids.flatMap((id, position): Verdict[] => {
        if (!isText(id) || !earlier.has(id)) return [];
        const path = `messages[${index}].tool_calls[${position}].id`;
        return [{ id: rule, path, text: wordsFor(index, position) }];
      });
      for (const id of ids) earlier.add(id);
      return reused;
    });
  };
}

function userIsThere({ messages }: Chat): Verdict[] {
  if (messages.length === 0 || messages.some((message) => message["role"] === "user")) return [];
  return [{ id: "GLM-NO-USER", path: "messages", text: illegalMessages }];
}

const illegalMessages =
  '{"code":"1214","message":"The messages parameter is illegal. Please check the documentation."}';

function assistantHasContentOrCalls({ messages }: Chat): Verdict[] {
  return messages.flatMap((message, index) =>
    isHollow(message)
      ? [
          {
            id: "GLM-EMPTY",
            path: `messages[${index}]`,
            text: `messages[${index}]:content和tool_calls 字段不能同时为空`,
          },
        ]
      : [],
  );
}

function messageHasAnElement({ messages }: Chat): Verdict[] {
  return messages.flatMap((message, index) => {
    const hasEmptyList = Array.isArray(message["content"]) && listOf(message["content"]).length === 0;
    if (!hasEmptyList && !isHollow(message)) return [];
    const text = "Invalid request content: Each message must have at least one content element.";
    return [{ id: "XAI-EMPTY", path: `messages[${index}].content`, text }];
  });
}

function propertiesAreKnown({ messages, model }: Chat): Verdict[] {
  const takesReasoning = model === "" || /gpt-oss|qwen-?3/i.test(model);
  const refused = ["reasoning_content", "reasoning_details", "annotations", ...(takesReasoning ? [] : ["reasoning"])];
  return messages.flatMap((message, index) => {
    if (message["role"] !== "assistant") return [];
    const present = refused.filter((key) => message[key] !== undefined && message[key] !== null);
    return present.map((key) => {
      const at = `'messages.${index}'`;
      const text = `${at} : for 'role:assistant' the following must be satisfied[(${at} : property '${key}' is unsupported)]`;
      return { id: "GRQ-UNKNOWN-PROP", path: `messages[${index}].${key}`, text };
    });
  });
}

const incorrect = (param: string): string => JSON.stringify({ code: "400", message: "Param Incorrect", param });

function callsHaveText({ messages }: Chat): Verdict[] {
  return messages.flatMap((message, index) =>
    (callsOf(message).length > 0 || isRecord(message["function_call"])) &&
    (message["content"] === null || message["content"] === undefined)
      ? [{ id: "MIMO-CONTENT-NULL", path: `messages[${index}].content`, text: incorrect("`text` is not present") }]
      : [],
  );
}

function resultsAreText({ messages }: Chat): Verdict[] {
  return messages.flatMap((message, index) =>
    message["role"] === "tool" && Array.isArray(message["content"])
      ? [{ id: "MIMO-TOOL-STRING", path: `messages[${index}].content`, text: incorrect("`text` is not set") }]
      : [],
  );
}

function userDoesNotFollowTool({ messages }: Chat): Verdict[] {
  return messages.flatMap((message, index) => {
    if (index === 0 || message["role"] !== "user" || messages[index - 1]?.["role"] !== "tool") return [];
    const text = "invalid request: cannot specify message if the last entry in chat history contains tool results";
    return [{ id: "COH-USER-AFTER-TOOL", path: `messages[${index}]`, text }];
  });
}

/** The rule of chat templates: without tool messages, user messages are at even positions only. */
function rolesAlternate({ messages, model }: Chat): Verdict[] {
  const isGemma = /gemma/i.test(model) && !/gemma-?[4-9]/i.test(model);
  if (!isGemma && !/mi[sx]tral|ministral|magistral|devstral|codestral|pixtral/i.test(model)) return [];
  const withPaths = messages.map((message, index) => ({ message, path: `messages[${index}].role` }));
  const spoken = (messages[0]?.["role"] === "system" ? withPaths.slice(1) : withPaths).filter(
    ({ message }) => message["role"] !== "tool" && !Array.isArray(message["tool_calls"]),
  );
  const text = "After the optional system message, conversation roles must alternate user/assistant/user/assistant/...";
  return spoken.flatMap(({ message, path }, index) =>
    (message["role"] === "user") === (index % 2 === 0) ? [] : [{ id: "VLM-ALTERNATE", path, text }],
  );
}

function llamaTakesOneCall({ messages, model }: Chat): Verdict[] {
  if (!/llama-?3\.[12]/i.test(model)) return [];
  return messages.flatMap((message, index) => {
    if (!Array.isArray(message["tool_calls"]) || message["tool_calls"].length === 1) return [];
    const text = "This model only supports single tool-calls at once!";
    return [{ id: "VLM-TOOLCALLS-EMPTY", path: `messages[${index}].tool_calls`, text }];
  });
}

function endIsOneAssistant({ messages }: Chat): Verdict[] {
  const [before, last] = messages.slice(-2);
  if (before?.["role"] !== "assistant" || last?.["role"] !== "assistant") return [];
  const text = "Cannot have 2 or more assistant messages at the end of the list.";
  return [{ id: "LCP-TWO-ASSISTANT", path: `messages[${messages.length - 1}].role`, text }];
}
