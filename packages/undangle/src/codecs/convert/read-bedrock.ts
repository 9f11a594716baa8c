import { isRecord } from "#core";
import type { JsonObject } from "#core";

import type {
  AssistantPart,
  Conversation,
  Media,
  Message,
  Reasoning,
  Result,
  ResultPart,
  Setting,
  Text,
  Tool,
  ToolChoice,
} from "./conversation.ts";
import type { Losses } from "./losses.ts";
import { base64Of, sourceOf } from "./media.ts";
import { readSampling, samplingKeys } from "./sampling.ts";
import type { SamplingNames } from "./sampling.ts";
import { isRawSchema, serverTool } from "./tools.ts";
import { isMessage, listOf, readStray, recordOf, stringOf, textPart, unknownPart } from "./wire.ts";
import type { Document } from "./wire.ts";

export const bedrockSampling: SamplingNames = {
  maxTokens: ["maxTokens"],
  temperature: ["temperature"],
  topP: ["topP"],
  stop: ["stopSequences"],
};

/** Reads a Converse request. */
export function readBedrock({ list, body }: Document, losses: Losses): Conversation {
  const messages = list.flatMap((wire, i) => readMessage(wire, `messages[${i}]`, losses));
  if (body === undefined) return { messages, setting: undefined };
  const system = blocksIn(body["system"], "system", losses).map((block) => readSystem(block, losses));
  const first: readonly Message[] =
    system.length === 0 ? [] : [{ role: "system", path: "system", parts: system, isDeveloper: false }];
  return { messages: [...first, ...messages], setting: readSetting(body, losses) };
}

function readSetting(body: JsonObject, losses: Losses): Setting {
  losses.others(body, ["messages", "modelId", "system", "inferenceConfig", "toolConfig"], "");
  const inference = recordOf(body["inferenceConfig"]);
  losses.others(inference, samplingKeys(bedrockSampling), "inferenceConfig");
  const { tools, toolChoice } = recordOf(body["toolConfig"]);
  return {
    model: stringOf(body["modelId"]),
    isStreamed: undefined,
    tools: listOf(tools).flatMap((wire, i) => readTool(wire, `toolConfig.tools[${i}]`, losses)),
    toolChoice: readChoice(recordOf(toolChoice)),
    isParallel: undefined,
    sampling: readSampling(inference, bedrockSampling, "inferenceConfig"),
  };
}

function readTool(wire: unknown, path: string, losses: Losses): readonly Tool[] {
  const tool = recordOf(wire);
  if ("cachePoint" in tool) {
    losses.add(path, "a cache marker");
    return [];
  }
  const spec = recordOf(tool["toolSpec"]);
  if (typeof spec["name"] !== "string") {
    serverTool(wire, path, losses);
    return [];
  }
  losses.others(spec, ["name", "description", "inputSchema", "strict"], `${path}.toolSpec`);
  const schema = recordOf(spec["inputSchema"])["json"];
  const description = stringOf(spec["description"]);
  const isStrict = spec["strict"] === true;
  const home = `${path}.toolSpec`;
  return [{ path, home, name: spec["name"], description, schema, isCustom: isRawSchema(schema), isStrict }];
}

function readChoice(choice: JsonObject): ToolChoice | undefined {
  const path = "toolConfig.toolChoice";
  if ("auto" in choice) return { path, type: "auto" };
  if ("any" in choice) return { path, type: "required" };
  const name = recordOf(choice["tool"])["name"];
  return typeof name === "string" ? { path, type: "tool", name } : undefined;
}

interface Block {
  readonly wire: JsonObject;
  readonly path: string;
}

/** The blocks with content; cache markers are reported as losses. */
function blocksIn(content: unknown, path: string, losses: Losses): readonly Block[] {
  if (typeof content === "string") return [{ wire: { text: content }, path }];
  return listOf(content).flatMap((wire, i): readonly Block[] => {
    const at = `${path}[${i}]`;
    if (!isRecord(wire) || !("cachePoint" in wire)) return [{ wire: recordOf(wire), path: at }];
    losses.add(at, "a cache marker");
    return [];
  });
}

function readSystem({ wire, path }: Block, losses: Losses): Text {
  return typeof wire["text"] === "string" ? textPart(wire["text"], path) : unknownPart(wire, path, losses);
}

function readMessage(wire: unknown, path: string, losses: Losses): readonly Message[] {
  if (!isMessage(wire)) return readStray(wire, path, losses);
  const message = wire;
  losses.others(message, ["role", "content"], path);
  const blocks = blocksIn(message["content"], `${path}.content`, losses);
  if (message["role"] === "system") {
    return [{ role: "system", path, parts: blocks.map((block) => readSystem(block, losses)), isDeveloper: false }];
  }
  if (message["role"] === "assistant") {
    return [{ role: "assistant", path, parts: blocks.map((block) => readAssistantBlock(block, losses)) }];
  }
  const isResult = (block: Block): boolean => isRecord(block.wire["toolResult"]);
  const results = blocks.filter(isResult).map((block) => readResult(block, losses));
  const parts = blocks.filter((block) => !isResult(block)).map((block) => readPart(block, losses));
  const said: Message = { role: "user", path, parts, name: undefined };
  if (results.length === 0) return [said];
  const answered: Message = { role: "tool", path, results };
  return parts.length === 0 ? [answered] : [answered, said];
}

function readAssistantBlock(block: Block, losses: Losses): AssistantPart {
  const { wire, path } = block;
  const use = wire["toolUse"];
  if (isRecord(use)) {
    losses.others(use, ["toolUseId", "name", "input", "type"], `${path}.toolUse`);
    const name = stringOf(use["name"]) ?? "";
    const input = { value: use["input"] };
    return { type: "call", path, id: stringOf(use["toolUseId"]), name, input, isCustom: false };
  }
  return isRecord(wire["reasoningContent"]) ? readReasoning(wire["reasoningContent"], path) : readPart(block, losses);
}

/** Signatures on Bedrock belong to Claude, and are valid on every platform. */
function readReasoning(wire: JsonObject, path: string): Reasoning {
  const { text, signature } = recordOf(wire["reasoningText"]);
  const redacted = base64Of(wire["redactedContent"]);
  const value = redacted ?? stringOf(signature);
  const seal = value === undefined || value === "" ? undefined : ({ owner: "anthropic", value } as const);
  return { type: "reasoning", path, text: stringOf(text) ?? "", seal, isRedacted: redacted !== undefined };
}

function readResult({ wire, path }: Block, losses: Losses): Result {
  const result = recordOf(wire["toolResult"]);
  losses.others(result, ["toolUseId", "content", "status", "type"], `${path}.toolResult`);
  const blocks = blocksIn(result["content"], `${path}.toolResult.content`, losses);
  const parts = blocks.map((block): ResultPart => {
    if ("json" in block.wire) return { type: "value", path: block.path, value: block.wire["json"] };
    return readPart(block, losses);
  });
  const id = stringOf(result["toolUseId"]);
  return { path, id, name: undefined, parts, isError: result["status"] === "error" };
}

function readPart({ wire, path }: Block, losses: Losses): Text | Media {
  if (typeof wire["text"] === "string") return textPart(wire["text"], path);
  for (const kind of ["image", "document", "video", "audio"] as const) {
    const media = wire[kind];
    if (isRecord(media)) return readMedia(media, kind, path) ?? unknownPart(wire, path, losses);
  }
  const cited = recordOf(wire["citationsContent"])["content"];
  if (Array.isArray(cited)) {
    losses.add(path, "citations", "the text stays without them");
    return textPart(
      listOf(cited)
        .map((one) => stringOf(recordOf(one)["text"]) ?? "")
        .join(""),
      path,
    );
  }
  const guarded = recordOf(recordOf(wire["guardContent"])["text"])["text"];
  if (typeof guarded !== "string") return unknownPart(wire, path, losses);
  losses.add(path, "a guardrail marker", "the text stays without it");
  return textPart(guarded, path);
}

function readMedia(
  media: JsonObject,
  kind: "image" | "document" | "video" | "audio",
  path: string,
): Media | Text | undefined {
  const source = recordOf(media["source"]);
  const format = stringOf(media["format"]) ?? "";
  const name = typeof media["name"] === "string" ? { name: media["name"] } : {};
  const mediaType = kind === "document" ? documentTypes[format] : `${kind}/${format}`;
  const head = { type: "media", path, kind: kind === "document" ? "file" : kind, mediaType, ...name } as const;
  if (typeof source["text"] === "string") return textPart(source["text"], path);
  const data = base64Of(source["bytes"]);
  if (data !== undefined) return { ...head, source: { type: "bytes", data } };
  const { uri } = recordOf(source["s3Location"]);
  return typeof uri === "string" ? { ...head, source: sourceOf(uri).source } : undefined;
}

/** The media types of documents that Converse accepts. */
export const documentTypes: Readonly<Record<string, string>> = {
  pdf: "application/pdf",
  csv: "text/csv",
  doc: "application/msword",
  docx: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  xls: "application/vnd.ms-excel",
  xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
  html: "text/html",
  txt: "text/plain",
  md: "text/markdown",
};
