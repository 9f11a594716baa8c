import { isRecord, isText, lengthOf, listOf, modelOf, readInput, recordOf, shown, type Loose } from "../loose.ts";
import { emptyArray, missing, tooLong, wrongName, wrongText, wrongType, wrongValue } from "../openai-words.ts";
import { judgeChatPairing } from "./pairing.ts";
import type { Verdict } from "../verdict.ts";

/** The OAC rules: what OpenAI refuses, and with `openAiModels: false` what every compatible server refuses. */
export function judgeOpenAiChat(input: unknown, { openAiModels }: { readonly openAiModels: boolean }): Verdict[] {
  const { messages, body } = readInput(input);
  if (messages.length === 0) {
    const isMissing = body !== undefined && body["messages"] === undefined;
    return [{ id: "OAC-EMPTY", path: "messages", text: isMissing ? missing("messages") : emptyArray("messages") }];
  }
  const model = modelOf(body);
  const verdicts: Verdict[] = [];
  for (const [index, raw] of messages.entries()) {
    const message = recordOf(raw);
    const path = `messages[${index}]`;
    verdicts.push(...judgeRole(message, path, openAiModels ? model : ""));
    verdicts.push(...judgeContent(message, path, openAiModels));
    verdicts.push(...judgeCalls(message, path, openAiModels));
    verdicts.push(...judgeResultId(message, path, openAiModels));
  }
  return [...verdicts, ...judgeChatPairing(messages)];
}

/** The calls of an assistant message, unchanged. */
export function callsOf(message: Loose): readonly unknown[] {
  return message["role"] === "assistant" ? listOf(message["tool_calls"]) : [];
}

const roles: readonly string[] = ["system", "assistant", "user", "function", "tool", "developer"];

function judgeRole(message: Loose, path: string, model: string): Verdict[] {
  const role = message["role"];
  const at = `${path}.role`;
  if (!isText(role)) return [{ id: "OAC-ROLE", path: at, text: wrongText(at, role) }];
  if (!roles.includes(role)) return [{ id: "OAC-ROLE", path: at, text: wrongValue(role, roles) }];
  if (role === "function" && isReasoningModel(model)) {
    const text = `Unsupported value: '${at}' does not support 'function' with this model.`;
    return [{ id: "OAC-ROLE", path: at, text }];
  }
  return [];
}

/** o-series and gpt-5 or later. The chat variants of gpt-5 do not reason, so they are not judged. */
function isReasoningModel(model: string): boolean {
  const name = model.replace(/^openai\//, "");
  return /^o\d/.test(name) || (/^gpt-([5-9]|\d\d)/.test(name) && !name.includes("-chat"));
}

function judgeContent(message: Loose, path: string, openAiModels: boolean): Verdict[] {
  const content = message["content"];
  if (content === null || content === undefined) {
    if (mayLackContent(message)) return [];
    const text = "Invalid value for 'content': expected a string, got null.";
    return [{ id: "OAC-CONTENT-NULL", path: `${path}.content`, text }];
  }
  if (typeof content === "string") return [];
  if (!Array.isArray(content)) {
    const text = wrongType(`${path}.content`, content, "one of a string or array of objects");
    return [{ id: "OAC-CONTENT-TYPE", path: `${path}.content`, text }];
  }
  return listOf(content).flatMap((part, index) =>
    judgePart(part, { path: `${path}.content[${index}]`, role: message["role"], openAiModels }),
  );
}

function mayLackContent(message: Loose): boolean {
  // OpenAI's own types allow null as the content of the legacy role.
  if (message["role"] === "function") return true;
  if (message["role"] !== "assistant") return false;
  if (callsOf(message).length > 0) return true;
  return ["function_call", "refusal", "audio"].some((key) => message[key] !== null && message[key] !== undefined);
}

const openAiParts: readonly string[] = ["text", "image_url", "input_audio", "refusal", "file"];

/** Compatible servers accept more part types (video, documents, thinking), but no tool blocks of other formats. */
const foreignParts: ReadonlySet<unknown> = new Set([
  "tool_use",
  "tool_result",
  "server_tool_use",
  "tool-call",
  "tool-result",
  "tool_call",
  "function_call",
  "function_call_output",
  "functionCall",
  "functionResponse",
]);

interface PartPlace {
  readonly path: string;
  readonly role: unknown;
  readonly openAiModels: boolean;
}

function judgePart(part: unknown, { path, role, openAiModels }: PartPlace): Verdict[] {
  const type = recordOf(part)["type"];
  if (!isText(type)) {
    return [{ id: "OAC-CONTENT-TYPE", path: `${path}.type`, text: wrongText(`${path}.type`, type) }];
  }
  // Tool output is text; an image there has its own verdict.
  const isForeign = role === "tool" ? type !== "text" && type !== "image_url" : foreignParts.has(type);
  if (isForeign || (openAiModels && !openAiParts.includes(type))) {
    return [{ id: "OAC-CONTENT-TYPE", path: `${path}.type`, text: wrongValue(type, partsOf(role)) }];
  }
  if (type === "text" && typeof recordOf(part)["text"] !== "string") {
    const text = wrongType(`${path}.text`, recordOf(part)["text"]);
    return [{ id: "OAC-CONTENT-TYPE", path: `${path}.text`, text }];
  }
  if (type === "image_url" && role !== "user") {
    const message = path.replace(/\.content.*$/, "");
    const text = `Invalid '${message}'. Image URLs are only allowed for messages with role 'user', but this message with role '${shown(role)}' contains an image URL.`;
    return [{ id: "OAC-IMAGE-ROLE", path, text }];
  }
  return [];
}

const partsOf = (role: unknown): readonly string[] => (role === "tool" ? ["text"] : openAiParts);

function judgeCalls(message: Loose, path: string, openAiModels: boolean): Verdict[] {
  if (message["role"] !== "assistant" || !Array.isArray(message["tool_calls"])) return [];
  const calls = callsOf(message);
  if (calls.length === 0) {
    return [{ id: "OAC-TOOLCALLS-EMPTY", path: `${path}.tool_calls`, text: emptyArray(`${path}.tool_calls`) }];
  }
  const verdicts: Verdict[] = [];
  const seen = new Set<string>();
  for (const [index, raw] of calls.entries()) {
    const call = recordOf(raw);
    const place = `${path}.tool_calls[${index}]`;
    const id = call["id"];
    if (!isText(id)) {
      verdicts.push({ id: "OAC-ID-MISSING", path: `${place}.id`, text: wrongText(`${place}.id`, id) });
    } else {
      if (seen.has(id)) verdicts.push({ id: "OAC-DUP-CALL-ID", path: `${place}.id`, text: "duplicate tool_call_id" });
      seen.add(id);
      if (openAiModels) verdicts.push(...judgeIdLength(id, `${place}.id`));
    }
    verdicts.push(...judgeCallType(call, place, openAiModels), ...judgeFunction(call, place));
  }
  return verdicts;
}

function judgeIdLength(id: string, path: string): Verdict[] {
  return lengthOf(id) > 40 ? [{ id: "OAC-ID-LONG", path, text: tooLong(path, id, 40) }] : [];
}

function judgeCallType(call: Loose, place: string, openAiModels: boolean): Verdict[] {
  const type = call["type"];
  if (!isText(type)) {
    return [{ id: "OAC-CALL-TYPE", path: `${place}.type`, text: wrongText(`${place}.type`, type) }];
  }
  if (openAiModels && type !== "function" && type !== "custom") {
    return [{ id: "OAC-CALL-TYPE", path: `${place}.type`, text: wrongValue(type, ["function", "custom"]) }];
  }
  return [];
}

function judgeFunction(call: Loose, place: string): Verdict[] {
  // Custom tool calls have free text as input and no function.
  if (call["type"] === "custom" || (isRecord(call["custom"]) && !isRecord(call["function"]))) return [];
  const called = recordOf(call["function"]);
  const name = called["name"];
  const args = called["arguments"];
  const at = { name: `${place}.function.name`, arguments: `${place}.function.arguments` };
  const verdicts: Verdict[] = [];
  if (!isText(name)) {
    verdicts.push({ id: "OAC-NAME-MISSING", path: at.name, text: wrongText(at.name, name) });
  } else if (!/^[a-zA-Z0-9_-]{1,64}$/.test(name)) {
    verdicts.push({ id: "OAC-NAME-PATTERN", path: at.name, text: wrongName(at.name, name, 64) });
  }
  if (typeof args !== "string") {
    verdicts.push({ id: "OAC-ARGS-TYPE", path: at.arguments, text: wrongType(at.arguments, args) });
  }
  return verdicts;
}

function judgeResultId(message: Loose, path: string, openAiModels: boolean): Verdict[] {
  if (message["role"] !== "tool") return [];
  const id = message["tool_call_id"];
  if (!isText(id)) {
    const text = "Missing parameter 'tool_call_id': messages with role 'tool' must have a 'tool_call_id'.";
    return [{ id: "OAC-RESULT-ID-MISSING", path: `${path}.tool_call_id`, text }];
  }
  return openAiModels ? judgeIdLength(id, `${path}.tool_call_id`) : [];
}
