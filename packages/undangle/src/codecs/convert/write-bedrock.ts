import { isRecord } from "#core";
import type { JsonObject } from "#core";

import type {
  AssistantPart,
  CompleteConversation,
  Media,
  Reasoning,
  Result,
  Setting,
  Text,
  ToolChoice,
} from "./conversation.ts";
import { inputObject } from "./input-text.ts";
import type { Losses } from "./losses.ts";
import { detailLoss, mediaText } from "./media.ts";
import { behindCallLoss } from "./order-losses.ts";
import { placeSystem } from "./place-system.ts";
import type { SpokenMessage } from "./place-system.ts";
import { bedrockSampling, documentTypes } from "./read-bedrock.ts";
import { writeSampling } from "./sampling.ts";
import { parallelLoss, schemaFor, streamLoss } from "./tools.ts";
import { compact, listOf, recordOf } from "./wire.ts";
import type { Destination, Draft, Written } from "./wire.ts";
import { sealLoss } from "./write-openai-chat.ts";

/** Writes a Converse request. Bytes are base64, as in the JSON of the service. */
export function writeBedrock(conversation: CompleteConversation, { model }: Destination, losses: Losses): Draft {
  const { system, messages } = placeSystem(conversation, losses);
  const { setting } = conversation;
  const modelId = model ?? setting?.model;
  const isClaude = modelId === undefined || /claude|anthropic/i.test(modelId);
  const body = setting && writeSetting(setting, { modelId, system }, losses);
  return {
    messages: nameDocuments(
      messages.flatMap((message) => writeMessage(message, { isNamed: modelId !== undefined, isClaude }, losses)),
    ),
    body,
  };
}

interface Model {
  /** True if the request specifies the model. */
  readonly isNamed: boolean;
  readonly isClaude: boolean;
}

function writeSetting(
  setting: Setting,
  { modelId, system }: { readonly modelId: string | undefined; readonly system: readonly Text[] },
  losses: Losses,
): JsonObject {
  const { tools, toolChoice, sampling } = setting;
  parallelLoss(setting, losses);
  streamLoss(setting, losses);
  const specs = tools.map((tool) => {
    const inputSchema = { json: schemaFor(tool, losses) };
    return { toolSpec: compact({ name: tool.name, description: tool.description, inputSchema }) };
  });
  const choice = toolChoice && writeChoice(toolChoice, losses);
  const inference = writeSampling(sampling, bedrockSampling, losses, 1);
  return compact({
    modelId,
    system: system.length === 0 ? undefined : system.map(({ text }) => ({ text })),
    toolConfig: specs.length === 0 ? undefined : compact({ tools: specs, toolChoice: choice }),
    inferenceConfig: Object.keys(inference).length === 0 ? undefined : inference,
  });
}

function writeChoice({ type, name, path }: ToolChoice, losses: Losses): JsonObject | undefined {
  if (type === "none") losses.add(path, "the setting that forbids tool calls", "bedrock has no such setting");
  if (type === "none") return undefined;
  return type === "tool" ? { tool: { name } } : type === "required" ? { any: {} } : { auto: {} };
}

function writeMessage(message: SpokenMessage, model: Model, losses: Losses): readonly Written[] {
  const { path } = message;
  switch (message.role) {
    case "user": {
      if (message.name !== undefined) losses.add(`${path}.name`, "the name of a user");
      return [{ path, wire: { role: "user", content: message.parts.map((part) => writePart(part, losses)) } }];
    }
    case "assistant": {
      if (model.isNamed && model.isClaude) behindCallLoss(message, losses);
      const content = message.parts.flatMap((part) => writeAssistantPart(part, model.isClaude, losses));
      return content.length === 0 && message.parts.length > 0 ? [] : [{ path, wire: { role: "assistant", content } }];
    }
    case "tool": {
      const content = message.results.map((result) => writeResult(result, losses));
      return [{ path, wire: { role: "user", content } }];
    }
  }
}

function writeAssistantPart(part: AssistantPart, isClaude: boolean, losses: Losses): readonly JsonObject[] {
  switch (part.type) {
    case "text":
      return part.text === "" ? [] : [writePart(part, losses)];
    case "media":
      return [{ text: mediaText(part, losses, `an assistant message of ${losses.to} cannot contain it`).text }];
    case "reasoning":
      return writeReasoning(part, isClaude, losses);
    case "call": {
      sealLoss(part.seal, part.path, losses);
      return [{ toolUse: { toolUseId: part.id, name: part.name, input: inputObject(part, losses) } }];
    }
  }
}

/** Claude accepts reasoning that it signed on any platform; others accept none. */
function writeReasoning(
  { path, text, seal, isRedacted }: Reasoning,
  isClaude: boolean,
  losses: Losses,
): readonly JsonObject[] {
  if (!isClaude || seal?.owner !== "anthropic") {
    losses.add(path, "reasoning", "bedrock accepts only reasoning that its own model signed");
    return [];
  }
  if (isRedacted) return [{ reasoningContent: { redactedContent: seal.value } }];
  return [{ reasoningContent: { reasoningText: { text, signature: seal.value } } }];
}

function writeResult(result: Result, losses: Losses): JsonObject {
  const content = result.parts.map((part) => {
    if (part.type !== "value") return writePart(part, losses);
    if (isRecord(part.value)) return { json: part.value };
    return { text: JSON.stringify(part.value) ?? "" };
  });
  return { toolResult: { toolUseId: result.id, content, ...(result.isError ? { status: "error" } : {}) } };
}

function writePart(part: Text | Media, losses: Losses): JsonObject {
  if (part.type === "media") return writeMedia(part, losses);
  sealLoss(part.seal, part.path, losses);
  return { text: part.text };
}

const imageFormat = /^image\/(png|jpeg|gif|webp)$/;
const videoFormat = /^video\/(mp4|mov|mkv|webm|flv|mpeg|mpg|wmv|three_gp)$/;

function writeMedia(media: Media, losses: Losses): JsonObject {
  detailLoss(media, losses);
  const { kind, source: from, mediaType = "", name } = media;
  const source =
    from.type === "bytes"
      ? { bytes: from.data }
      : from.type === "file" && from.owner === "bedrock"
        ? { s3Location: { uri: from.id } }
        : undefined;
  if (source === undefined) {
    return { text: mediaText(media, losses, "bedrock accepts only bytes or an S3 address").text };
  }
  const format =
    kind === "image"
      ? imageFormat.exec(mediaType === "" ? "image/png" : mediaType)?.[1]
      : kind === "video"
        ? videoFormat.exec(mediaType)?.[1]
        : Object.entries(documentTypes).find(([, type]) => type === mediaType)?.[0];
  if (format === undefined || kind === "audio") {
    return { text: mediaText(media, losses, `bedrock does not accept ${mediaType === "" ? kind : mediaType}`).text };
  }
  if (kind !== "file") return { [kind]: { format, source } };
  return { document: { format, name: documentName(name ?? "document"), source } };
}

/** Document names allow few characters, no dots, and no consecutive spaces. */
const documentName = (name: string): string =>
  name
    .replaceAll(/[^A-Za-z0-9\s()[\]-]+/g, "-")
    .replaceAll(/\s+/g, " ")
    .slice(0, 190) || "document";

/** Document names must be unique in a request, so a number is added. */
function nameDocuments(messages: readonly Written[]): readonly Written[] {
  const taken = new Set<string>();
  const rename = (block: JsonObject): JsonObject => {
    const { document, toolResult } = block;
    if (isRecord(toolResult)) return { toolResult: { ...toolResult, content: blocksOf(toolResult).map(rename) } };
    if (!isRecord(document)) return block;
    const given = String(document["name"]);
    let name = given;
    for (let count = 2; taken.has(name); count++) name = `${given}-${count}`;
    taken.add(name);
    return { document: { ...document, name } };
  };
  return messages.map(({ wire, path }) => ({ path, wire: { ...wire, content: blocksOf(wire).map(rename) } }));
}

const blocksOf = ({ content }: JsonObject): readonly JsonObject[] => listOf(content).map(recordOf);
