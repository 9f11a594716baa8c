import type { JsonObject } from "#core";
import type {
  AssistantMessage,
  AssistantPart,
  Call,
  Conversation,
  Media,
  Message,
  Setting,
  Text,
} from "./conversation.ts";
import { inputObject } from "./input-text.ts";
import type { Losses } from "./losses.ts";
import { detailLoss, mediaText, sourceOf, typeOfBytes } from "./media.ts";
import { behindCallLoss } from "./order-losses.ts";
import { errorLoss, resultText, spokenParts } from "./results.ts";
import { readSampling, samplingKeys, writeSampling } from "./sampling.ts";
import type { SamplingNames } from "./sampling.ts";
import { parallelLoss, readChatTool, schemaFor } from "./tools.ts";
import { compact, isMessage, listOf, readStray, recordOf, stringOf, textPart, wordsOf } from "./wire.ts";
import type { Converter, Destination, Document, Draft, Written } from "./wire.ts";
import { sealLoss } from "./write-openai-chat.ts";

/** Ollama's native chat format: text, images as bytes, and calls with object arguments. */
export const ollamaConverter: Converter = { listKey: "messages", read: readOllama, write: writeOllama };

const sampling: SamplingNames = {
  maxTokens: ["num_predict"],
  temperature: ["temperature"],
  topP: ["top_p"],
  topK: ["top_k"],
  stop: ["stop"],
  seed: ["seed"],
  frequencyPenalty: ["frequency_penalty"],
  presencePenalty: ["presence_penalty"],
};

function readOllama({ list, body }: Document, losses: Losses): Conversation {
  const messages = list.flatMap((wire, i) => {
    const path = `messages[${i}]`;
    return isMessage(wire) ? [readMessage(wire, path, losses)] : readStray(wire, path, losses);
  });
  return { messages, setting: body && readSetting(body, losses) };
}

function readSetting(body: JsonObject, losses: Losses): Setting {
  losses.others(body, ["messages", "model", "stream", "tools", "options"], "");
  const options = recordOf(body["options"]);
  losses.others(options, samplingKeys(sampling), "options");
  return {
    model: stringOf(body["model"]),
    isStreamed: typeof body["stream"] === "boolean" ? body["stream"] : undefined,
    tools: listOf(body["tools"]).flatMap((wire, i) => readChatTool(wire, `tools[${i}]`, losses)),
    toolChoice: undefined,
    isParallel: undefined,
    sampling: readSampling(options, sampling, "options"),
  };
}

function readMessage(wire: JsonObject, path: string, losses: Losses): Message {
  losses.others(
    wire,
    ["role", "content", "thinking", "images", "tool_calls", "tool_name", "name", "tool_call_id"],
    path,
  );
  const { content, role } = wire;
  const texts: readonly Text[] =
    content === undefined || content === null || content === "" ? [] : [textPart(wordsOf(content), `${path}.content`)];
  const images = listOf(wire["images"]).map((data, i) => readImage(data, `${path}.images[${i}]`));
  switch (role) {
    case "system":
      return { role, path, parts: texts, isDeveloper: false };
    case "assistant":
      return {
        role,
        path,
        parts: [...readThinking(wire, path), ...texts, ...images, ...readCalls(wire, path, losses)],
      };
    case "tool": {
      const name = stringOf(wire["tool_name"]) ?? stringOf(wire["name"]);
      const id = stringOf(wire["tool_call_id"]);
      return { role, path, results: [{ path, id, name, parts: [...texts, ...images], isError: false }] };
    }
    default:
      return { role: "user", path, parts: [...texts, ...images], name: undefined };
  }
}

function readImage(data: unknown, path: string): Media {
  const text = typeof data === "string" ? data : "";
  const { source, mediaType } = text.startsWith("data:")
    ? sourceOf(text)
    : { source: { type: "bytes", data: text } as const, mediaType: typeOfBytes(text) };
  return { type: "media", path, kind: "image", mediaType, source };
}

function readThinking({ thinking }: JsonObject, path: string): readonly AssistantPart[] {
  if (typeof thinking !== "string" || thinking === "") return [];
  return [{ type: "reasoning", path: `${path}.thinking`, text: thinking, seal: undefined, isRedacted: false }];
}

function readCalls(wire: JsonObject, path: string, losses: Losses): readonly Call[] {
  return listOf(wire["tool_calls"]).map((given, i) => {
    const call = recordOf(given);
    const at = `${path}.tool_calls[${i}]`;
    losses.others(call, ["id", "type", "function"], at);
    const inner = recordOf(call["function"]);
    const input = typeof inner["arguments"] === "string" ? { text: inner["arguments"] } : { value: inner["arguments"] };
    const name = stringOf(inner["name"]) ?? "";
    return { type: "call", path: at, id: stringOf(call["id"]), name, input, isCustom: false };
  });
}

function writeOllama(conversation: Conversation, { model }: Destination, losses: Losses): Draft {
  const { setting } = conversation;
  return {
    messages: conversation.messages.flatMap((message) => writeMessage(message, losses)),
    body: setting && writeSetting(setting, model, losses),
  };
}

function writeSetting(setting: Setting, model: string | undefined, losses: Losses): JsonObject {
  const { tools, toolChoice, isStreamed } = setting;
  if (toolChoice !== undefined && toolChoice.type !== "auto") losses.add(toolChoice.path, "a choice of tools");
  parallelLoss(setting, losses);
  const options = writeSampling(setting.sampling, sampling, losses);
  const declared = tools.map((tool) => {
    const { name, description } = tool;
    return { type: "function", function: compact({ name, description, parameters: schemaFor(tool, losses) }) };
  });
  return compact({
    model: model ?? setting.model,
    tools: declared.length === 0 ? undefined : declared,
    stream: isStreamed,
    options: Object.keys(options).length === 0 ? undefined : options,
  });
}

function writeMessage(message: Message, losses: Losses): readonly Written[] {
  const { path } = message;
  switch (message.role) {
    case "system":
      return [{ path, wire: { role: "system", content: message.parts.map(({ text }) => text).join("\n\n") } }];
    case "user":
      if (message.name !== undefined) losses.add(`${path}.name`, "the name of a user");
      return [{ path, wire: { role: "user", ...said(message.parts, losses) } }];
    case "assistant": {
      behindCallLoss(message, losses);
      const wire = writeAssistant(message, losses);
      return wire === undefined ? [] : [{ path, wire }];
    }
    case "tool":
      return message.results.map((result) => {
        const { id, name } = result;
        errorLoss(result, losses);
        const { images } = said(spokenParts(result), losses);
        const texts = { ...result, parts: result.parts.filter((part) => part.type !== "media" || !isHeld(part)) };
        const wire = { role: "tool", content: resultText(texts), images, tool_name: name, tool_call_id: id };
        return { path: result.path, wire: compact(wire) };
      });
  }
}

const isHeld = ({ kind, source }: Media): boolean => kind === "image" && source.type === "bytes";

/** The content as one text and a list of images, because the format has no parts. */
function said(
  parts: readonly (Text | Media)[],
  losses: Losses,
): { readonly content: string; readonly images?: readonly string[] } {
  const texts: string[] = [];
  const images: string[] = [];
  for (const part of parts) {
    if (part.type === "text") {
      sealLoss(part.seal, part.path, losses);
      texts.push(part.text);
    } else if (part.kind === "image" && part.source.type === "bytes") {
      detailLoss(part, losses);
      images.push(part.source.data);
    } else texts.push(mediaText(part, losses, "ollama accepts only images, and only as bytes").text);
  }
  return { content: texts.join("\n"), ...(images.length === 0 ? {} : { images }) };
}

function writeAssistant({ parts }: AssistantMessage, losses: Losses): JsonObject | undefined {
  const thoughts: string[] = [];
  const calls: JsonObject[] = [];
  const spoken: (Text | Media)[] = [];
  for (const part of parts) {
    if (part.type === "call") {
      sealLoss(part.seal, part.path, losses);
      calls.push(
        compact({ id: part.id, type: "function", function: { name: part.name, arguments: inputObject(part, losses) } }),
      );
    } else if (part.type === "reasoning") {
      if (part.isRedacted) losses.add(part.path, "reasoning that only its provider can read");
      else sealLoss(part.seal, part.path, losses);
      if (part.text !== "") thoughts.push(part.text);
    } else spoken.push(part);
  }
  if (spoken.length + calls.length + thoughts.length === 0 && parts.length > 0) return undefined;
  return compact({
    role: "assistant",
    ...said(spoken, losses),
    thinking: thoughts.length === 0 ? undefined : thoughts.join("\n\n"),
    tool_calls: calls.length === 0 ? undefined : calls,
  });
}
