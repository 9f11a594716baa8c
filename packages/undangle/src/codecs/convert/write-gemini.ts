import { isRecord } from "#core";
import type { JsonObject } from "#core";

import { isRefusedType } from "../gemini/media.ts";
import { modelOf } from "../gemini/model.ts";
import { isFailure } from "../gemini/part.ts";
import type {
  AssistantPart,
  Call,
  CompleteConversation,
  Media,
  Result,
  Setting,
  Text,
  ToolChoice,
  ToolMessage,
} from "./conversation.ts";
import { inputObject } from "./input-text.ts";
import type { Losses } from "./losses.ts";
import { describe, detailLoss, mediaText, usualImageType } from "./media.ts";
import { placeSystem } from "./place-system.ts";
import type { SpokenMessage } from "./place-system.ts";
import { geminiSampling } from "./read-gemini.ts";
import { inCallOrder, mediaIn, resultText } from "./results.ts";
import { writeSampling } from "./sampling.ts";
import { parallelLoss, schemaFor, streamLoss } from "./tools.ts";
import { compact } from "./wire.ts";
import type { Destination, Draft, Written } from "./wire.ts";
import { sealLoss } from "./write-openai-chat.ts";

/** Writes a generateContent request in REST form. */
export function writeGemini(
  conversation: CompleteConversation,
  { provider, model }: Destination,
  losses: Losses,
): Draft {
  // Vertex AI may refuse ids, and pairs by position.
  const ordered = provider === "vertex" ? { ...conversation, messages: inCallOrder(conversation) } : conversation;
  const { system, messages } = placeSystem(ordered, losses);
  const { setting } = conversation;
  const body = setting && writeSetting(setting, { model, system }, losses);
  const { refusesResultMedia } = modelOf(model ?? setting?.model);
  const written = messages.flatMap((message) =>
    message.role === "tool" ? writeResults(message, refusesResultMedia, losses) : [...writeTurn(message, losses)],
  );
  return { messages: written, body };
}

function writeSetting(
  setting: Setting,
  { model, system }: { readonly model: string | undefined; readonly system: readonly Text[] },
  losses: Losses,
): JsonObject {
  const { tools, toolChoice, sampling } = setting;
  parallelLoss(setting, losses);
  streamLoss(setting, losses);
  const declarations = tools.map((tool) =>
    compact({ name: tool.name, description: tool.description, parametersJsonSchema: schemaFor(tool, losses) }),
  );
  const generation = writeSampling(sampling, geminiSampling, losses);
  return compact({
    model: model ?? setting.model,
    systemInstruction: system.length === 0 ? undefined : { parts: system.map(({ text }) => ({ text })) },
    tools: declarations.length === 0 ? undefined : [{ functionDeclarations: declarations }],
    toolConfig: toolChoice && { functionCallingConfig: writeChoice(toolChoice) },
    generationConfig: Object.keys(generation).length === 0 ? undefined : generation,
  });
}

function writeChoice({ type, name, among }: ToolChoice): JsonObject {
  if (among !== undefined) return { mode: "ANY", allowedFunctionNames: among };
  if (type === "tool") return { mode: "ANY", allowedFunctionNames: [name] };
  return { mode: { auto: "AUTO", none: "NONE", required: "ANY" }[type] };
}

function writeTurn(message: Exclude<SpokenMessage, ToolMessage>, losses: Losses): readonly Written[] {
  const { path } = message;
  switch (message.role) {
    case "user": {
      if (message.name !== undefined) losses.add(`${path}.name`, "the name of a user");
      return [{ path, wire: { role: "user", parts: message.parts.map((part) => writePart(part, losses)) } }];
    }
    case "assistant": {
      const parts = message.parts.flatMap((part) => writeModelPart(part, losses));
      if (parts.length === 0 && message.parts.length > 0) return [];
      return [{ path, wire: { role: "model", parts } }];
    }
  }
}

function writePart(part: Text | Media, losses: Losses): JsonObject {
  if (part.type === "text") return { text: part.text };
  const { source, mediaType, kind } = part;
  const mimeType =
    mediaType ?? { image: "image/png", audio: "audio/wav", video: "video/mp4", file: "application/pdf" }[kind];
  if (source.type !== "file" || source.owner === "gemini") {
    detailLoss(part, losses);
    if (part.name !== undefined) losses.add(part.path, "the name of a file");
  }
  if (source.type === "bytes") {
    const type = (kind === "image" ? usualImageType(mimeType, source.data) : undefined) ?? mimeType;
    if (!isRefusedType(type) && !unread.test(type)) return { inlineData: { mimeType: type, data: source.data } };
    return { text: mediaText(part, losses, "gemini does not accept bytes of that type").text };
  }
  if (source.type === "url") return { fileData: { mimeType, fileUri: source.url } };
  if (source.owner === "gemini") return { fileData: { mimeType, fileUri: source.id } };
  return { text: mediaText(part, losses, "the file was uploaded to another provider").text };
}

/** Files other than PDF and text: some are refused, and others are not read. */
const unread = /^application\/(?!pdf$)/i;

function writeModelPart(part: AssistantPart, losses: Losses): readonly JsonObject[] {
  switch (part.type) {
    case "call":
      return [{ functionCall: writeCall(part, losses), ...signed(part, losses) }];
    case "reasoning":
      if (part.isRedacted) {
        losses.add(part.path, "reasoning that only its provider can read");
        return [];
      }
      return part.text === "" && part.seal?.owner !== "gemini"
        ? []
        : [{ text: part.text, thought: true, ...signed(part, losses) }];
    case "text":
      return part.text === "" && part.seal?.owner !== "gemini" ? [] : [{ text: part.text, ...signed(part, losses) }];
    case "media":
      return [{ ...writePart(part, losses), ...signed(part, losses) }];
  }
}

function signed({ seal, path }: Pick<AssistantPart, "seal" | "path">, losses: Losses): JsonObject {
  if (seal?.owner === "gemini") return { thoughtSignature: seal.value };
  sealLoss(seal, path, losses);
  return {};
}

function writeCall(call: Call, losses: Losses): JsonObject {
  return compact({ id: call.id, name: call.name, args: inputObject(call, losses) });
}

/**
 * Writes the results. Before Gemini 3, media follow a result, because it cannot contain them ("function_response.parts
 * is not supported").
 */
function writeResults({ results, path }: ToolMessage, isOld: boolean, losses: Losses): readonly Written[] {
  const behind: JsonObject[] = [];
  const parts = results.map((result) => {
    const media = mediaIn(result).map((part) => {
      const wire = writePart(part, losses);
      if (isOld && !("text" in wire))
        losses.add(part.path, `${describe(part)} in a result`, "it moves after the results");
      return wire;
    });
    const shown = media.filter((part) => !("text" in part));
    const noted = media.flatMap(({ text }) => (typeof text === "string" ? [text] : []));
    if (isOld) for (const part of shown) behind.push(part);
    return {
      functionResponse: compact({
        id: result.id,
        name: result.name,
        response: writeResponse(result, noted),
        parts: shown.length === 0 || isOld ? undefined : shown,
      }),
    };
  });
  const written = { path, wire: { role: "user", parts } };
  return behind.length === 0 ? [written] : [written, { path, wire: { role: "user", parts: behind } }];
}

/** Tool output as an object: the original object, or a wrapper around its text. */
function writeResponse(result: Result, noted: readonly string[]): unknown {
  const said = result.parts.filter((part) => part.type !== "media");
  const [only] = said;
  if (said.length === 1 && only?.type === "value" && isRecord(only.value) && noted.length === 0) {
    return result.isError && !isFailure(only.value) ? { error: only.value } : only.value;
  }
  const text = [resultText({ ...result, parts: said }), ...noted].filter((one) => one !== "").join("\n");
  return { [result.isError ? "error" : "result"]: text };
}
