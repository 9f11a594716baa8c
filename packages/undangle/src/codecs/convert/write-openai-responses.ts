import type { JsonObject } from "#core";
import type {
  AssistantPart,
  Conversation,
  Media,
  Message,
  Result,
  Seal,
  Setting,
  Text,
  Tool,
  ToolChoice,
} from "./conversation.ts";
import { inputText } from "./input-text.ts";
import type { Losses } from "./losses.ts";
import { mediaText, urlOf, isCommonImage } from "./media.ts";
import { responsesSampling } from "./read-openai-responses.ts";
import { errorLoss, spokenParts } from "./results.ts";
import { writeSampling } from "./sampling.ts";
import { openSchema } from "./tools.ts";
import { compact } from "./wire.ts";
import type { Destination, Draft, Written } from "./wire.ts";
import { sealLoss } from "./write-openai-chat.ts";

/** Writes a Responses request. */
export function writeResponses(conversation: Conversation, { model, server }: Destination, losses: Losses): Draft {
  const { messages: given, setting } = conversation;
  const messages = server === undefined ? given : given.map((message) => withSealsOf(server, message));
  const custom = customCalls(messages);
  return {
    messages: messages.flatMap((message) => writeMessage(message, custom, losses)),
    body: setting && writeSetting(setting, model, losses),
  };
}

/** The message without signatures of other servers of the format. Without an owner they count as OpenAI's. */
function withSealsOf(server: string, message: Message): Message {
  if (message.role !== "assistant" || !message.parts.some(({ seal }) => isForeign(seal, server))) return message;
  const parts = message.parts.map((part): AssistantPart => {
    if (!isForeign(part.seal, server)) return part;
    if (part.type === "reasoning") return { ...part, seal: undefined };
    const { seal: _seal, ...rest } = part;
    return rest;
  });
  return { ...message, parts };
}

function isForeign(seal: Seal | undefined, server: string): boolean {
  if (seal?.owner !== "openai") return false;
  return seal.server === undefined ? seal.value !== "" && !seal.value.startsWith("gAAA") : seal.server !== server;
}

/** The ids of plain-text calls, whose outputs have their own item type. */
function customCalls(messages: readonly Message[]): ReadonlySet<string> {
  const calls = messages.flatMap((message) => (message.role === "assistant" ? message.parts : []));
  return new Set(calls.flatMap((part) => (part.type === "call" && part.isCustom ? [part.id ?? ""] : [])));
}

function writeSetting(setting: Setting, model: string | undefined, losses: Losses): JsonObject {
  const { tools, toolChoice, isParallel, isStreamed, sampling } = setting;
  return compact({
    model: model ?? setting.model,
    tools: tools.length === 0 ? undefined : tools.map(writeTool),
    tool_choice: toolChoice && writeChoice(toolChoice, tools),
    parallel_tool_calls: isParallel?.value,
    stream: isStreamed,
    ...writeSampling(sampling, responsesSampling, losses),
  });
}

function writeChoice({ type, name: chosen, among }: ToolChoice, tools: readonly Tool[]): unknown {
  const writeName = (name: string | undefined): JsonObject => {
    const isCustom = tools.some((tool) => tool.isCustom && tool.name === name);
    return { type: isCustom ? "custom" : "function", name };
  };
  if (among !== undefined) return { type: "allowed_tools", mode: type, tools: among.map(writeName) };
  return type === "tool" ? writeName(chosen) : type;
}

function writeTool({ name, description, schema, isCustom, isStrict }: Tool): JsonObject {
  if (isCustom) return compact({ type: "custom", name, description });
  // The default of `strict` is true here, but it refuses schemas that are valid elsewhere.
  return compact({ type: "function", name, description, parameters: schema ?? openSchema, strict: isStrict });
}

function writeMessage(message: Message, custom: ReadonlySet<string>, losses: Losses): readonly Written[] {
  const { path } = message;
  switch (message.role) {
    case "system": {
      const role = message.isDeveloper ? "developer" : "system";
      return [{ path, wire: { role, content: spoken(message.parts.map(writeText)) } }];
    }
    case "user": {
      if (message.name !== undefined) losses.add(`${path}.name`, "the name of a user");
      const parts = message.parts.map((part) => writePart(part, losses));
      return [{ path, wire: { role: "user", content: spoken(parts) } }];
    }
    case "assistant":
      return writeAssistant(message.parts, losses);
    case "tool":
      return message.results.map((result) => ({ path: result.path, wire: writeResult(result, custom, losses) }));
  }
}

const writeText = ({ text }: Text): JsonObject => ({ type: "input_text", text });

/** A string if there is only one text, otherwise parts. */
function spoken(parts: readonly JsonObject[]): unknown {
  const [only] = parts;
  if (only === undefined) return "";
  return parts.length === 1 && only["type"] === "input_text" ? only["text"] : parts;
}

function writePart(part: Text | Media, losses: Losses): JsonObject {
  if (part.type === "text") {
    sealLoss(part.seal, part.path, losses);
    return writeText(part);
  }
  const { kind, source, detail, name, mediaType } = part;
  const url = urlOf(part);
  if (kind === "image") {
    if (url !== undefined && isCommonImage(part)) return compact({ type: "input_image", image_url: url, detail });
    if (source.type === "file" && source.owner === "openai") {
      return compact({ type: "input_image", file_id: source.id, detail });
    }
  }
  if (kind === "file") {
    if (source.type === "bytes") return compact({ type: "input_file", filename: name ?? "file", file_data: url });
    if (source.type === "url") return { type: "input_file", file_url: source.url };
    if (source.owner === "openai") return { type: "input_file", file_id: source.id };
  }
  const format = /^audio\/(?:x-)?(wav|mp3|mpeg)$/.exec(mediaType ?? "")?.[1];
  if (source.type === "bytes" && kind === "audio" && format !== undefined) {
    return { type: "input_audio", input_audio: { data: source.data, format: format === "mpeg" ? "mp3" : format } };
  }
  return writeText(mediaText(part, losses, "openai-responses accepts images, files, and WAV and MP3 audio as bytes"));
}

/** An item per part. Adjacent texts are one message, unless OpenAI separates them. */
function writeAssistant(parts: readonly AssistantPart[], losses: Losses): readonly Written[] {
  const items: Written[] = [];
  let said: JsonObject[] = [];
  let path = "";
  let head: JsonObject = {};
  const close = (): void => {
    const [only] = said;
    const isPlain = said.length === 1 && only?.["type"] === "output_text" && head["id"] === undefined;
    if (only !== undefined)
      items.push({ path, wire: { ...head, role: "assistant", content: isPlain ? only["text"] : said } });
    said = [];
  };
  for (const part of parts) {
    const drawn = part.type === "media" ? writeDrawn(part) : undefined;
    if (part.type === "text" || (part.type === "media" && drawn === undefined)) {
      const next = part.type === "text" ? headOf(part) : {};
      if (next["id"] !== head["id"] || next["phase"] !== head["phase"]) close();
      head = next;
      if (said.length === 0) path = part.path;
      said.push(writeSpoken(part, losses));
      continue;
    }
    const wire =
      part.type === "call" ? writeCall(part, losses) : part.type === "media" ? drawn : writeReasoning(part, losses);
    if (wire === undefined) continue;
    close();
    items.push({ path: part.path, wire });
  }
  close();
  return items;
}

/** The fields with which OpenAI identifies a message. */
function headOf(text: Text): JsonObject {
  const id = idIn(text);
  const phase = text.seal?.owner === "openai" ? text.seal.phase : undefined;
  return compact({ type: id === undefined ? undefined : "message", id, phase });
}

/** The id under which OpenAI stores a part. */
const idIn = ({ seal }: Pick<AssistantPart, "seal">): string | undefined =>
  seal?.owner === "openai" ? seal.id : undefined;

/** An image that OpenAI's image tool generated. */
function writeDrawn(media: Media): JsonObject | undefined {
  const id = idIn(media);
  if (id === undefined || media.source.type !== "bytes") return undefined;
  return { type: "image_generation_call", id, status: "completed", result: media.source.data };
}

function writeSpoken(part: Text | Media, losses: Losses): JsonObject {
  if (part.type === "media") {
    return {
      type: "output_text",
      text: mediaText(part, losses, `an assistant message of ${losses.to} contains only text`).text,
    };
  }
  if (part.seal?.owner !== "openai") sealLoss(part.seal, part.path, losses);
  if (part.isRefusal === true) return { type: "refusal", refusal: part.text };
  return { type: "output_text", text: part.text };
}

function writeCall(call: AssistantPart & { readonly type: "call" }, losses: Losses): JsonObject {
  if (call.seal?.owner !== "openai") sealLoss(call.seal, call.path, losses);
  const { id, name } = call;
  const itemId = idIn(call);
  const item = itemId === undefined ? {} : { id: itemId };
  if (call.isCustom) return { type: "custom_tool_call", ...item, call_id: id, name, input: inputText(call) };
  return { type: "function_call", ...item, call_id: id, name, arguments: inputText(call) };
}

function writeReasoning(
  { path, text, seal }: AssistantPart & { readonly type: "reasoning" },
  losses: Losses,
): JsonObject | undefined {
  if (seal?.owner !== "openai") {
    losses.add(path, "reasoning", "openai-responses accepts only reasoning that it encrypted or stored");
    return undefined;
  }
  const summary = text === "" ? [] : [{ type: "summary_text", text }];
  const encrypted = seal.value === "" ? undefined : seal.value;
  return compact({ type: "reasoning", id: seal.id, summary, encrypted_content: encrypted });
}

function writeResult(result: Result, custom: ReadonlySet<string>, losses: Losses): JsonObject {
  errorLoss(result, losses);
  const type = custom.has(result.id ?? "") ? "custom_tool_call_output" : "function_call_output";
  return { type, call_id: result.id, output: spoken(spokenParts(result).map((part) => writePart(part, losses))) };
}
