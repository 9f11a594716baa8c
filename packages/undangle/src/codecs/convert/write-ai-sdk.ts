import type { JsonObject } from "#core";

import { writeOptions } from "./ai-sdk-options.ts";
import type { AssistantPart, Conversation, Media, Message, Result, Setting, Text } from "./conversation.ts";
import { inputObject } from "./input-text.ts";
import type { Losses } from "./losses.ts";
import { detailLoss, mediaText, typeOfUrl } from "./media.ts";
import { aiSdkSampling } from "./read-ai-sdk.ts";
import { mediaIn, resultText, spokenParts } from "./results.ts";
import { writeSampling } from "./sampling.ts";
import { parallelLoss, schemaFor, streamLoss } from "./tools.ts";
import { compact } from "./wire.ts";
import type { Destination, Draft, Written } from "./wire.ts";

/** Writes ModelMessages, and for a body the options of `generateText`. */
export function writeAiSdk(conversation: Conversation, { model }: Destination, losses: Losses): Draft {
  const { messages, setting } = conversation;
  const first = messages.findIndex(({ role }) => role !== "system");
  const leading = setting === undefined ? 0 : first === -1 ? messages.length : first;
  const system = messages.slice(0, leading).flatMap((message) => (message.role === "system" ? message.parts : []));
  const rest = messages.slice(leading);
  const hasMore = rest.some(({ role }) => role === "system");
  return {
    messages: rest.flatMap((message) => writeMessage(message, losses)),
    body:
      setting &&
      compact({
        ...writeSetting(setting, model, losses),
        system: system.length === 0 ? undefined : system.map(({ text }) => text).join("\n\n"),
        allowSystemInMessages: hasMore ? true : undefined,
      }),
  };
}

function writeSetting(setting: Setting, model: string | undefined, losses: Losses): JsonObject {
  const { tools, toolChoice, sampling } = setting;
  parallelLoss(setting, losses);
  streamLoss(setting, losses);
  const declared = tools.map((tool) => {
    const inputSchema = schemaFor({ ...tool, isStrict: false }, losses);
    const strict = tool.isStrict ? true : undefined;
    return [tool.name, compact({ description: tool.description, inputSchema, strict })] as const;
  });
  return compact({
    model: model ?? setting.model,
    tools: declared.length === 0 ? undefined : Object.fromEntries(declared),
    toolChoice: toolChoice?.type === "tool" ? { type: "tool", toolName: toolChoice.name } : toolChoice?.type,
    ...writeSampling(sampling, aiSdkSampling, losses),
  });
}

function writeMessage(message: Message, losses: Losses): readonly Written[] {
  const { path } = message;
  switch (message.role) {
    case "system":
      return [{ path, wire: { role: "system", content: message.parts.map(({ text }) => text).join("\n\n") } }];
    case "user":
      if (message.name !== undefined) losses.add(`${path}.name`, "the name of a user");
      return [{ path, wire: { role: "user", content: spoken(message.parts.map((part) => writePart(part, losses))) } }];
    case "assistant": {
      const content = message.parts.map((part) => writeAssistantPart(part, losses));
      return [{ path, wire: { role: "assistant", content: spoken(content) } }];
    }
    case "tool":
      return [{ path, wire: { role: "tool", content: message.results.map((result) => writeResult(result, losses)) } }];
  }
}

/** A string if there is only text, otherwise parts. */
function spoken(parts: readonly JsonObject[]): unknown {
  const [only] = parts;
  if (only === undefined) return "";
  return parts.length === 1 && only["type"] === "text" && !("providerOptions" in only) ? only["text"] : parts;
}

function writeAssistantPart(part: AssistantPart, losses: Losses): JsonObject {
  switch (part.type) {
    case "call": {
      const input = inputObject(part, losses);
      return { type: "tool-call", toolCallId: part.id, toolName: part.name, input, ...writeOptions(part.seal) };
    }
    case "reasoning":
      return { type: "reasoning", text: part.text, ...writeOptions(part.seal, part.isRedacted) };
    case "media": {
      const data = dataOf(part);
      if (data === undefined) return writePart(part, losses);
      return { type: "file", data, mediaType: part.mediaType ?? anyType(part) };
    }
    case "text":
      return writePart(part, losses);
  }
}

/** Bytes or a URL. Google's providers also open URLs of its cloud storage. */
function dataOf({ source }: Media): string | undefined {
  if (source.type === "bytes") return source.data;
  if (source.type === "url") return source.url;
  return source.id.startsWith("gs://") ? source.id : undefined;
}

function anyType({ kind, source }: Media): string {
  if (kind !== "file") return `${kind}/*`;
  return (source.type === "url" ? typeOfUrl(source.url) : undefined) ?? "application/octet-stream";
}

function writePart(part: Text | Media, losses: Losses): JsonObject {
  if (part.type === "text") return { type: "text", text: part.text, ...writeOptions(part.seal) };
  const { kind, mediaType, name } = part;
  const data = dataOf(part);
  if (data === undefined) {
    return { type: "text", text: mediaText(part, losses, "ai-sdk 6 cannot refer to an upload").text };
  }
  detailLoss(part, losses);
  if (kind === "image") return compact({ type: "image", image: data, mediaType });
  return compact({ type: "file", data, mediaType: mediaType ?? anyType(part), filename: name });
}

function writeResult(result: Result, losses: Losses): JsonObject {
  const { id, name } = result;
  return { type: "tool-result", toolCallId: id, toolName: name, output: writeOutput(result, losses) };
}

function writeOutput(result: Result, losses: Losses): JsonObject {
  const { parts, isError } = result;
  const [only] = parts;
  if (parts.length === 1 && only?.type === "value") {
    return { type: isError ? "error-json" : "json", value: only.value ?? null };
  }
  const isText = mediaIn(result).length === 0 && (parts.length <= 1 || isError);
  if (isText) return { type: isError ? "error-text" : "text", value: resultText(result) };
  if (isError) losses.add(result.path, "the error flag of a result", "an ai-sdk result with media has no error flag");
  return { type: "content", value: spokenParts(result).map((part) => writeContent(part, losses)) };
}

function writeContent(part: Text | Media, losses: Losses): JsonObject {
  if (part.type === "text") return { type: "text", text: part.text };
  const { source, kind, mediaType } = part;
  const type = kind === "image" ? "image" : "file";
  const data = dataOf(part);
  if (source.type === "bytes") return { type: `${type}-data`, data, mediaType: mediaType ?? anyType(part) };
  if (data !== undefined) return { type: `${type}-url`, url: data };
  return { type: "text", text: mediaText(part, losses, "ai-sdk 6 cannot refer to an upload").text };
}
