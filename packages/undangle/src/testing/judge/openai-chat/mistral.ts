import { isRecord, isText, listOf, modelOf, readInput, recordOf, shown, type Loose } from "../loose.ts";
import { callsOf } from "./messages.ts";
import type { Verdict } from "../verdict.ts";

/**
 * The MIS rules, in the steps of Mistral's own open-source validator (mistral-common, serving mode): structure of
 * the list first (first role, last role, order, counts and ids), then the content of each message.
 */
export function judgeMistral(input: unknown): Verdict[] {
  const { messages: list, body } = readInput(input);
  const messages = list.map(recordOf);
  if (messages.length === 0) {
    return [{ id: "MIS-EMPTY", path: "messages", text: "Conversation must have at least one message" }];
  }
  return [
    ...judgeFirstRole(messages),
    ...judgeLastRole(messages),
    ...judgeOrder(messages),
    ...judgePairs(messages),
    ...messages.flatMap((message, index) =>
      judgeMessage(message, {
        path: `messages[${index}]`,
        index,
        isLast: index === messages.length - 1,
        isOnly: messages.length === 1,
        body,
      }),
    ),
  ];
}

/**
 * OAC rules that Mistral lacks. Its types give `type` a default and accept an object or null as arguments and an empty
 * list of calls. It has its own rules for ids, names, roles, empty content and images.
 */
export const oacRulesThatMistralLacks: ReadonlySet<string> = new Set([
  "OAC-CALL-TYPE",
  "OAC-ARGS-TYPE",
  "OAC-TOOLCALLS-EMPTY",
  "OAC-IMAGE-ROLE",
  "OAC-ROLE",
  "OAC-EMPTY",
  "OAC-ID-MISSING",
  "OAC-RESULT-ID-MISSING",
  "OAC-NAME-MISSING",
  "OAC-NAME-PATTERN",
]);

function judgeFirstRole(messages: readonly Loose[]): Verdict[] {
  const [only, ...others] = messages;
  if (others.length > 0 || only?.["role"] === "user" || only?.["role"] === "system") return [];
  const text = "Conversation must start with a user message or system message";
  return [{ id: "MIS-FIRST-ROLE", path: "messages[0].role", text }];
}

function judgeLastRole(messages: readonly Loose[]): Verdict[] {
  const last = messages.at(-1);
  const role = last?.["role"];
  if (messages.length < 2 || (role !== "assistant" && role !== "system")) return [];
  if (role === "assistant" && last?.["prefix"] === true) return [];
  const text = `Expected last role User or Tool (or Assistant with prefix True) for serving but got ${role}`;
  return [{ id: "MIS-LAST-ROLE", path: `messages[${messages.length - 1}].role`, text }];
}

/** The roles that may follow each role. Only the hosted API refuses a user message directly after a tool message. */
const successors: ReadonlyMap<unknown, ReadonlySet<unknown>> = new Map([
  ["system", new Set(["user", "assistant", "system"])],
  ["user", new Set(["assistant", "system", "user"])],
  ["assistant", new Set(["assistant", "user", "tool"])],
  ["tool", new Set(["assistant", "tool"])],
]);

function judgeOrder(messages: readonly Loose[]): Verdict[] {
  const verdicts: Verdict[] = [];
  for (const [index, message] of messages.entries()) {
    const role = message["role"];
    const before = index === 0 ? undefined : messages[index - 1]?.["role"];
    const allowed = successors.get(before);
    if (allowed === undefined || !successors.has(role) || allowed.has(role)) continue;
    const text = `Unexpected role '${shown(role)}' after role '${shown(before)}'`;
    const id = before === "tool" && role === "user" ? "MIS-USER-AFTER-TOOL" : "MIS-ROLE-ORDER";
    verdicts.push({ id, path: `messages[${index}].role`, text });
  }
  return verdicts;
}

function judgePairs(messages: readonly Loose[]): Verdict[] {
  const verdicts: Verdict[] = [];
  let expected = new Set<unknown>();
  let observed = new Set<unknown>();
  const countAt = (path: string): void => {
    if (expected.size === observed.size) return;
    verdicts.push({ id: "MIS-COUNT", path, text: "Not the same number of function calls and responses" });
  };
  for (const [index, message] of messages.entries()) {
    // The validator skips the first message, so its calls need no results, and their results are unexpected. A
    // conversation that begins with a call is therefore refused.
    if (index === 0) continue;
    const path = `messages[${index}]`;
    if (message["role"] === "tool") {
      const id = message["tool_call_id"];
      if (observed.has(id)) {
        verdicts.push({ id: "MIS-DUP-RESULT", path, text: `Duplicate tool call id ${shown(id)} in tool results` });
      } else if (!expected.has(id)) {
        const text = `Unexpected tool call id ${shown(id)} in tool results`;
        verdicts.push({ id: "MIS-UNEXPECTED-ID", path, text });
      } else {
        observed.add(id);
      }
    } else if (message["role"] === "assistant") {
      countAt(path);
      expected = new Set();
      observed = new Set();
      for (const [position, call] of callsOf(message).entries()) {
        const id = recordOf(call)["id"];
        if (expected.has(id)) {
          const text = `Duplicate tool call id ${shown(id)} in assistant message`;
          verdicts.push({ id: "MIS-DUP-CALL", path: `${path}.tool_calls[${position}].id`, text });
        }
        expected.add(id);
      }
    }
  }
  countAt(`messages[${messages.length - 1}]`);
  return verdicts;
}

interface MessagePlace {
  readonly path: string;
  readonly index: number;
  readonly isLast: boolean;
  readonly isOnly: boolean;
  readonly body: Loose | undefined;
}

function judgeMessage(message: Loose, place: MessagePlace): Verdict[] {
  switch (message["role"]) {
    case "user":
      return [];
    case "system":
      if (hasContent(message["content"]) || (place.isOnly && typeof message["content"] === "string")) return [];
      return [{ id: "MIS-SYSTEM-CONTENT", path: `${place.path}.content`, text: "System prompt must have content" }];
    case "assistant":
      return judgeAssistant(message, place);
    case "tool":
      return judgeTool(message, place);
    default: {
      const text = `Unsupported message type ${shown(message["role"])}`;
      return [{ id: "MIS-ROLE", path: `${place.path}.role`, text }];
    }
  }
}

const hasContent = (content: unknown): boolean => isText(content) || listOf(content).length > 0;

function judgeAssistant(message: Loose, { path, index: at, isLast, body }: MessagePlace): Verdict[] {
  const verdicts: Verdict[] = [];
  const speaks = hasContent(message["content"]);
  const calls = callsOf(message);
  if (!speaks && calls.length === 0) {
    const text = "Assistant message must have either content or tool_calls, but not none.";
    verdicts.push({ id: "MIS-EMPTY-ASSISTANT", path, text });
  }
  if (speaks && calls.length > 0 && hasOldTokenizer(modelOf(body))) {
    const text = "Assistant message must have either content or tool_calls, but not both.";
    verdicts.push({ id: "MIS-BOTH", path, text });
  }
  for (const [index, raw] of calls.entries()) {
    const call = recordOf(raw);
    const called = recordOf(call["function"]);
    const place = `${path}.tool_calls[${index}]`;
    verdicts.push(...judgeId(call["id"], `${place}.id`), ...judgeName(called["name"], `${place}.function.name`));
    verdicts.push(...judgeArguments(called["arguments"], `${place}.function.arguments`));
  }
  for (const key of keysOfOthers.filter((each) => message[each] !== undefined)) {
    const text = JSON.stringify({
      type: "extra_forbidden",
      loc: ["body", "messages", at, "assistant", key],
      msg: "Extra inputs are not permitted",
    });
    verdicts.push({ id: "MIS-UNKNOWN-PROP", path: `${path}.${key}`, text });
  }
  if (message["prefix"] === true && !isLast) {
    const text = "Assistant message with prefix True must be last message";
    verdicts.push({ id: "MIS-PREFIX-LAST", path: `${path}.prefix`, text });
  }
  return verdicts;
}

/** Keys of other providers on assistant messages. Mistral refuses them, even with null. */
const keysOfOthers: readonly string[] = [
  "reasoning_content",
  "reasoning_details",
  "reasoning",
  "annotations",
  "refusal",
  "audio",
  "function_call",
];

function judgeTool(message: Loose, { path, body }: MessagePlace): Verdict[] {
  const verdicts = judgeId(message["tool_call_id"], `${path}.tool_call_id`);
  const name = message["name"];
  if (name !== null && name !== undefined) verdicts.push(...judgeName(name, `${path}.name`));
  const content = message["content"];
  const types = listOf(content).map((chunk) => recordOf(chunk)["type"]);
  const isNoText = isRecord(content) || types.some((type) => !isText(type));
  const isMore = types.some((type) => type !== "text");
  if (isNoText || (isMore && wasReleasedBefore2026(modelOf(body)))) {
    const text = "Unexpected content chunk types in tool message";
    verdicts.push({ id: "MIS-TOOL-CONTENT", path: `${path}.content`, text });
  }
  return verdicts;
}

function judgeId(id: unknown, path: string): Verdict[] {
  if (id === undefined || id === null || id === "null") {
    return [{ id: "MIS-ID-NULL", path, text: "Tool call id has to be defined in serving mode." }];
  }
  if (typeof id === "string" && /^[a-zA-Z0-9]{9}$/.test(id)) return [];
  const text = `Tool call id was ${shown(id)} but must be a-z, A-Z, 0-9, with a length of 9.`;
  return [{ id: "MIS-ID", path, text }];
}

function judgeName(name: unknown, path: string): Verdict[] {
  if (typeof name === "string" && /^[a-zA-Z0-9_-]{1,64}$/.test(name)) return [];
  const text = `Function name was ${shown(name)} but must be a-z, A-Z, 0-9, or contain underscores and dashes, with a maximum length of 64.`;
  return [{ id: "MIS-NAME", path, text }];
}

function judgeArguments(value: unknown, path: string): Verdict[] {
  if (typeof value === "string" || value === null || isRecord(value)) return [];
  return [{ id: "MIS-ARGS", path, text: "Input should be a valid string" }];
}

/** Tokenizers up to v3: the open-weight models of 2023 and 2024, and other models released until October 2024. */
function hasOldTokenizer(model: string): boolean {
  return /^open-(mistral|mixtral)/.test(model) || /-(23\d\d|240\d|2410)$/.test(model);
}

/** Only tokenizer v15 (2026) accepts more than text from a tool. A name with "-latest" has no version. */
function wasReleasedBefore2026(model: string): boolean {
  return /^open-(mistral|mixtral)/.test(model) || /-2[345]\d\d$/.test(model);
}
