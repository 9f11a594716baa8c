import type { JsonObject } from "#core";

import { readData, readOptions } from "./ai-sdk-options.ts";
import type { Call, Media, Reasoning, Result, ResultPart, Text } from "./conversation.ts";
import type { Losses } from "./losses.ts";
import { kindOf } from "./media.ts";
import { listOf, recordOf, stringOf, textPart, unknownPart, wordsOf } from "./wire.ts";

/** A part of a message and its path. */
export interface Piece {
  readonly wire: JsonObject;
  readonly path: string;
}

export function piecesOf(content: unknown, path: string): readonly Piece[] {
  if (content === undefined || content === null) return [];
  if (typeof content === "string") return [{ wire: { type: "text", text: content }, path }];
  return listOf(content).map((wire, i) => ({ wire: recordOf(wire), path: `${path}[${i}]` }));
}

export function readReasoning(wire: JsonObject, path: string, losses: Losses): Reasoning {
  const key = wire["providerMetadata"] === undefined ? "providerOptions" : "providerMetadata";
  const { seal, isRedacted } = readOptions(wire[key], `${path}.${key}`, losses);
  return { type: "reasoning", path, text: stringOf(wire["text"]) ?? "", seal, isRedacted };
}

export function readCall(wire: JsonObject, path: string, losses: Losses): Call {
  const key = wire["callProviderMetadata"] === undefined ? "providerOptions" : "callProviderMetadata";
  const { seal } = readOptions(wire[key], `${path}.${key}`, losses);
  const given = wire["input"] ?? wire["args"] ?? wire["rawInput"];
  const name = stringOf(wire["toolName"]) ?? (stringOf(wire["type"]) ?? "").replace(/^tool-/, "");
  const input = typeof given === "string" ? { text: given } : { value: given };
  const sealed = seal === undefined ? {} : { seal };
  return { type: "call", path, id: stringOf(wire["toolCallId"]), name, input, isCustom: false, ...sealed };
}

export function readServerCall(wire: JsonObject, path: string, losses: Losses): Text {
  const { name, input } = readCall(wire, path, losses);
  losses.add(path, `a call of the server tool ${name}`, "only its provider can run it; text replaces it");
  return textPart(`[${name}: ${JSON.stringify("text" in input ? input.text : input.value) ?? ""}]`, path);
}

/** The result of a call that a user rejected. */
export function rejected({ toolCallId, toolName, reason }: JsonObject, path: string): Result {
  const rejection = { reason: stringOf(reason) };
  return { path, id: stringOf(toolCallId), name: stringOf(toolName), parts: [], isError: true, rejection };
}

/** The output of a tool. */
export interface Output {
  readonly parts: readonly ResultPart[];
  readonly isError: boolean;
}

export function readOutput(given: unknown, path: string, losses: Losses): Output {
  const output = recordOf(given);
  const { type, value } = output;
  if (type === "text" || type === "error-text") {
    return { parts: [textPart(wordsOf(value), `${path}.value`)], isError: type === "error-text" };
  }
  if (type === "json" || type === "error-json") {
    return { parts: [{ type: "value", path: `${path}.value`, value }], isError: type === "error-json" };
  }
  if (type === "content" && Array.isArray(value)) {
    const parts = piecesOf(value, `${path}.value`).map((piece) => readPart(piece, losses));
    return { parts, isError: false };
  }
  return { parts: readValue(given, path), isError: false };
}

/** Any tool output, unchanged. */
export function readValue(value: unknown, path: string): readonly ResultPart[] {
  if (value === undefined) return [];
  return [typeof value === "string" ? textPart(value, path) : { type: "value", path, value }];
}

export function readPart({ wire, path }: Piece, losses: Losses): Text | Media {
  const { type } = wire;
  const key = wire["providerMetadata"] === undefined ? "providerOptions" : "providerMetadata";
  const { seal } = readOptions(wire[key], `${path}.${key}`, losses);
  if (type === "text") {
    const text = textPart(wordsOf(wire["text"] ?? ""), path);
    return seal === undefined ? text : { ...text, seal };
  }
  if (typeof type !== "string" || !mediaParts.test(type)) return unknownPart(wire, path, losses);
  const found = readData(wire["image"] ?? wire["data"] ?? wire["url"] ?? wire["fileId"]);
  if (found === undefined) return unknownPart(wire, path, losses);
  if (found.text !== undefined) return textPart(found.text, path);
  const mediaType = stringOf(wire["mediaType"] ?? wire["mimeType"]) ?? found.mediaType;
  const kind = type.startsWith("image") ? "image" : kindOf(mediaType);
  const name = typeof wire["filename"] === "string" ? { name: wire["filename"] } : {};
  return { type: "media", path, kind, mediaType, source: found.source, ...name };
}

const mediaParts = /^(?:image|file|media|image-data|image-url|image-file-id|file-data|file-url|file-id)$/;
