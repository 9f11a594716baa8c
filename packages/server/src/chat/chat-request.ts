import { isDeepStrictEqual } from "node:util";

import type { ModelRequest } from "undangle/agent";

import type { ClientTool } from "../projects/agents/client-tools.ts";
import type { RunSettings } from "../projects/runs/run-settings.ts";
import { demandFewParts } from "../histories/demand-few-parts.ts";
import { bad, fieldsOf } from "./fields.ts";
import type { Fields } from "./fields.ts";

/** A message with a valid role. Other problems are repaired, not refused. */
export interface ChatMessage {
  readonly role: Role;
  readonly [key: string]: unknown;
}

const roles = ["system", "developer", "user", "assistant", "tool", "function"] as const;
type Role = (typeof roles)[number];

export interface ChatRequest {
  readonly messages: readonly ChatMessage[];
  readonly model: string | undefined;
  readonly persona: string | undefined;
  readonly threadId: string | undefined;
  /** The end user, as the client names them. */
  readonly user: string | undefined;
  readonly useTools: boolean | undefined;
  readonly clientTools: readonly ClientTool[];
  readonly isStreamed: boolean;
  readonly wantsUsage: boolean;
  readonly settings: RunSettings;
}

/** Reads a body. The error names the first invalid field. */
export function readChatRequest(body: unknown): ChatRequest {
  const fields = fieldsOf(body);
  const clientTools = readTools(fields);
  const isStreamed = fields.flag("stream") ?? false;
  const wantsUsage = readStreamOptions(fields, isStreamed);
  for (const old of ["functions", "function_call"])
    if (fields.all[old] !== undefined && fields.all[old] !== null)
      throw bad(old, "not supported: use tools and tool_choice", fields.all[old]);
  checkOthers(fields);
  return {
    messages: readMessages(fields),
    model: fields.text("model"),
    persona: fields.text("personality_id"),
    threadId: fields.text("thread_id"),
    user: [fields.all["user"], fields.all["safety_identifier"]].find((each) => typeof each === "string"),
    useTools: fields.flag("use_tools"),
    clientTools,
    isStreamed,
    wantsUsage,
    settings: readSettings(fields),
  };
}

function readStreamOptions(fields: Fields, isStreamed: boolean): boolean {
  const options = fields.record("stream_options");
  if (options !== undefined && !isStreamed) throw bad("stream_options", "omitted, unless stream is true", options);
  return (options && fieldsOf(options, "stream_options").flag("include_usage")) ?? false;
}

/**
 * Refuses fields that would require a different response. Fields without an effect must still have valid OpenAI values.
 */
function checkOthers(fields: Fields): void {
  const count = fields.number("n", { least: 1, most: 128, whole: true });
  if (count !== undefined && count !== 1) throw bad("n", "1 (only one choice is supported)", count);
  if (fields.flag("logprobs") === true) throw bad("logprobs", "omitted (this server does not support them)", true);
  fields.number("top_logprobs", { least: 0, most: 20, whole: true });
  const modalities = fields.list("modalities") ?? [];
  if (modalities.some((each) => each !== "text")) throw bad("modalities", '["text"] (responses are text)', modalities);
  for (const penalty of ["frequency_penalty", "presence_penalty"]) fields.number(penalty, { least: -2, most: 2 });
  for (const name of ["logit_bias", "metadata"]) fields.record(name);
  fields.flag("store");
}

/** More than any model can read. Longer lists would block the event loop. */
const mostMessages = 20_000;

function readMessages(fields: Fields): readonly ChatMessage[] {
  const messages = fields.list("messages");
  if (messages === undefined || messages.length === 0)
    throw bad("messages", "a list with at least one message", messages);
  if (messages.length > mostMessages) throw bad("messages", `a list of at most ${mostMessages} messages`, messages);
  demandFewParts(messages, "messages");
  return messages.map((message, i) => {
    const at = `messages[${i}]`;
    const { role, content } = fieldsOf(message, at).all;
    if (!roles.some((each) => each === role)) throw bad(`${at}.role`, roles.join(", "), role);
    const isFine = content === undefined || content === null || typeof content === "string" || Array.isArray(content);
    if (!isFine) throw bad(`${at}.content`, "a string or a list of parts", content);
    if (Array.isArray(content)) content.forEach((part, k) => checkPart(part, `${at}.content[${k}]`));
    return message as ChatMessage; // its role is checked above
  });
}

const partTypes = ["text", "image_url", "input_audio", "file", "refusal"];

function checkPart(part: unknown, at: string): void {
  if (typeof part === "string") return;
  const { type, text } = fieldsOf(part, at).all;
  if (typeof type !== "string" || !partTypes.includes(type)) throw bad(`${at}.type`, partTypes.join(", "), type);
  if (type === "text" && typeof text !== "string") throw bad(`${at}.text`, "a string", text);
}

/** The limit of OpenAI. The note of a thread contains the tools and is read with every list of threads. */
const mostTools = 128;
const longestTools = 128 * 1024;

function readTools(fields: Fields): readonly ClientTool[] {
  const given = fields.list("tools") ?? [];
  if (given.length > mostTools) throw bad("tools", `a list of at most ${mostTools} tools`, given);
  if (JSON.stringify(given).length > longestTools)
    throw bad("tools", `a list of at most ${longestTools / 1024} KB of JSON`, given);
  const tools = given.map((each, i): ClientTool => {
    const at = `tools[${i}]`;
    const { type, function: described } = fieldsOf(each, at).all;
    if (type !== "function") throw bad(`${at}.type`, '"function"', type);
    const own = fieldsOf(described, `${at}.function`);
    const name = own.text("name");
    if (name === undefined || !/^[\w-]{1,64}$/u.test(name))
      throw bad(`${at}.function.name`, "1 to 64 letters, digits, _ and -", name);
    return { name, description: own.text("description"), parameters: own.record("parameters") };
  });
  tools.forEach(({ name }, i) => {
    const first = tools.findIndex((each) => each.name === name);
    if (first < i && !isDeepStrictEqual(tools[first], tools[i]))
      throw bad(`tools[${i}].function.name`, `unique (tools[${first}] has the same name)`, name);
  });
  return tools.filter(({ name }, i) => tools.findIndex((each) => each.name === name) === i);
}

function readSettings(fields: Fields): RunSettings {
  const stop = fields.all["stop"] ?? undefined;
  const stops = typeof stop === "string" ? [stop] : stop;
  if (stops !== undefined && !(Array.isArray(stops) && stops.every((each) => typeof each === "string")))
    throw bad("stop", "a string or a list of strings", stop);
  const maxTokens =
    fields.number("max_completion_tokens", { least: 1, whole: true }) ??
    fields.number("max_tokens", { least: 1, whole: true });
  const sampling = defined({
    maxTokens,
    temperature: fields.number("temperature", { least: 0, most: 2 }),
    topP: fields.number("top_p", { least: 0, most: 1 }),
    seed: fields.number("seed", { whole: true }),
    stop: stops,
  });
  return defined({
    sampling: Object.keys(sampling).length === 0 ? undefined : sampling,
    toolChoice: readToolChoice(fields),
    parallelCalls: fields.flag("parallel_tool_calls"),
    output: readOutput(fields),
  });
}

function readToolChoice(fields: Fields): ModelRequest["toolChoice"] {
  const choice = fields.all["tool_choice"] ?? undefined;
  if (choice === undefined || choice === "auto" || choice === "none" || choice === "required") return choice;
  const { type, function: named } = typeof choice === "object" ? fieldsOf(choice, "tool_choice").all : {};
  const isFunction = type === "function" && named !== undefined;
  const name = isFunction ? fieldsOf(named, "tool_choice.function").text("name") : undefined;
  if (name === undefined)
    throw bad("tool_choice", '"auto", "none", "required" or { type: "function", function: { name } }', choice);
  return { tool: name };
}

function readOutput(fields: Fields): RunSettings["output"] {
  const format = fields.record("response_format");
  if (format === undefined || format["type"] === "text") return undefined;
  if (format["type"] === "json_object") return { type: "object" };
  if (format["type"] !== "json_schema")
    throw bad("response_format.type", "text, json_object, json_schema", format["type"]);
  const schema = fieldsOf(format["json_schema"], "response_format.json_schema").record("schema");
  if (schema === undefined) throw bad("response_format.json_schema.schema", "a JSON schema", schema);
  return schema;
}

const defined = <T extends object>(record: T): { [Key in keyof T]?: Exclude<T[Key], undefined> } =>
  Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined)) as {
    [Key in keyof T]?: Exclude<T[Key], undefined>; // only keys with values were kept
  };
