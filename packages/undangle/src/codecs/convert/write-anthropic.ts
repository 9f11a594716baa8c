import type { JsonObject } from "#core";
import type {
  AssistantPart,
  Call,
  CompleteConversation,
  Media,
  Result,
  Setting,
  Text,
  Tool,
  ToolChoice,
} from "./conversation.ts";
import { anthropicProfile } from "../anthropic/profile.ts";
import { inputObject } from "./input-text.ts";
import type { Losses } from "./losses.ts";
import { detailLoss, mediaText, textInside, usualImageType } from "./media.ts";
import { behindCallLoss } from "./order-losses.ts";
import { placeSystem } from "./place-system.ts";
import type { SpokenMessage } from "./place-system.ts";
import { anthropicSampling } from "./read-anthropic.ts";
import { spokenParts } from "./results.ts";
import { writeSampling } from "./sampling.ts";
import { schemaFor } from "./tools.ts";
import { compact } from "./wire.ts";
import type { Destination, Draft, Written } from "./wire.ts";
import { sealLoss } from "./write-openai-chat.ts";

/** Writes a Messages request. */
export function writeAnthropic(conversation: CompleteConversation, destination: Destination, losses: Losses): Draft {
  const { system, messages } = placeSystem(conversation, losses);
  const { setting } = conversation;
  const { model, provider } = destination;
  // The output goes to the target, not to the model of the source. Without a provider or a model, the target is Claude.
  const { signaturesChecked } = anthropicProfile({ list: [], body: undefined, provider, model });
  const body = setting && writeSetting(setting, { model, system }, losses);
  return {
    messages: joinResults(messages.flatMap((message) => writeMessage(message, signaturesChecked, losses))),
    body,
  };
}

/** The API requires a token limit. */
const usualMaxTokens = 4096;

function writeSetting(
  setting: Setting,
  { model, system }: { readonly model: string | undefined; readonly system: readonly Text[] },
  losses: Losses,
): JsonObject {
  const { tools, toolChoice, isParallel, sampling, isStreamed } = setting;
  return compact({
    model: model ?? setting.model,
    max_tokens: usualMaxTokens,
    system: system.length === 0 ? undefined : spoken(system.map(writeText)),
    tools: tools.length === 0 ? undefined : tools.map((tool) => writeTool(tool, losses)),
    tool_choice: writeChoice(toolChoice, isParallel?.value),
    stream: isStreamed,
    ...writeSampling(sampling, anthropicSampling, losses, 1),
  });
}

function writeTool(tool: Tool, losses: Losses): JsonObject {
  const { name, description } = tool;
  const schema = schemaFor({ ...tool, isStrict: false }, losses);
  return compact({ name, description, input_schema: schema, strict: tool.isStrict ? true : undefined });
}

function writeChoice(choice: ToolChoice | undefined, isParallel: boolean | undefined): JsonObject | undefined {
  const alone = isParallel === false ? { disable_parallel_tool_use: true } : {};
  if (choice === undefined) return isParallel === false ? { type: "auto", ...alone } : undefined;
  if (choice.type === "tool") return { type: "tool", name: choice.name, ...alone };
  if (choice.type === "none") return { type: "none" };
  return { type: choice.type === "required" ? "any" : "auto", ...alone };
}

function writeMessage(message: SpokenMessage, isSigned: boolean, losses: Losses): readonly Written[] {
  const { path } = message;
  switch (message.role) {
    case "user": {
      if (message.name !== undefined) losses.add(`${path}.name`, "the name of a user");
      const blocks = message.parts.map((part) => writePart(part, losses));
      return [{ path, wire: { role: "user", content: spoken(blocks) } }];
    }
    case "assistant": {
      behindCallLoss(message, losses);
      const blocks = message.parts.flatMap((part) => writeAssistantPart(part, isSigned, losses));
      if (blocks.length === 0 && message.parts.length > 0) return [];
      return [{ path, wire: { role: "assistant", content: spoken(blocks) } }];
    }
    case "tool":
      return [{ path, wire: { role: "user", content: message.results.map((result) => writeResult(result, losses)) } }];
  }
}

/** Text after results belongs in the same user message. */
function joinResults(messages: readonly Written[]): readonly Written[] {
  const joined: Written[] = [];
  for (const message of messages) {
    const last = joined.at(-1);
    if (last !== undefined && hasResults(last) && message.wire["role"] === "user") {
      const content = [...blocksIn(last), ...blocksIn(message)];
      joined[joined.length - 1] = { ...last, wire: { role: "user", content } };
    } else joined.push(message);
  }
  return joined;
}

const hasResults = (message: Written): boolean => blocksIn(message).some(({ type }) => type === "tool_result");

function blocksIn({ wire: { content } }: Written): readonly JsonObject[] {
  return Array.isArray(content) ? (content as readonly JsonObject[]) : [{ type: "text", text: content }]; // written above
}

/** A string if there is only text, otherwise blocks. */
function spoken(blocks: readonly JsonObject[]): unknown {
  const [only] = blocks;
  if (only === undefined) return "";
  return blocks.length === 1 && only["type"] === "text" ? only["text"] : blocks;
}

const writeText = ({ text }: Text): JsonObject => ({ type: "text", text });

function writePart(part: Text | Media, losses: Losses): JsonObject {
  if (part.type === "media") return writeMedia(part, losses);
  sealLoss(part.seal, part.path, losses);
  if (part.document === undefined || part.text === "") return writeText(part);
  const source = { type: "text", media_type: "text/plain", data: part.text };
  return compact({ type: "document", source, title: part.document.title });
}

function writeAssistantPart(part: AssistantPart, isSigned: boolean, losses: Losses): readonly JsonObject[] {
  switch (part.type) {
    case "text":
      sealLoss(part.seal, part.path, losses);
      return part.text === "" ? [] : [writeText(part)];
    case "media":
      return [writeText(mediaText(part, losses, `an assistant message of ${losses.to} cannot contain it`))];
    case "call":
      return [writeCall(part, losses)];
    case "reasoning":
      if (part.seal?.owner !== "anthropic") {
        if (!isSigned && part.text !== "") return [{ type: "thinking", thinking: part.text, signature: "" }];
        losses.add(part.path, "reasoning", "anthropic accepts only reasoning that it signed");
        return [];
      }
      if (part.isRedacted) return [{ type: "redacted_thinking", data: part.seal.value }];
      return [{ type: "thinking", thinking: part.text, signature: part.seal.value }];
  }
}

function writeCall(call: Call, losses: Losses): JsonObject {
  sealLoss(call.seal, call.path, losses);
  return { type: "tool_use", id: call.id, name: call.name, input: inputObject(call, losses) };
}

function writeResult(result: Result, losses: Losses): JsonObject {
  const content = spoken(spokenParts(result).map((part) => writePart(part, losses)));
  const mark = result.isError ? { is_error: true } : {};
  return { type: "tool_result", tool_use_id: result.id, content, ...mark };
}

const imageTypes = /^image\/(?:jpeg|png|gif|webp)$/;

function writeMedia(media: Media, losses: Losses): JsonObject {
  detailLoss(media, losses);
  const { kind, source, name } = media;
  const mediaType = media.mediaType ?? (kind === "image" ? "image/png" : "application/pdf");
  const title = name === undefined ? {} : { title: name };
  const image = kind === "image" && source.type === "bytes" ? usualImageType(mediaType, source.data) : mediaType;
  const fits = kind === "image" ? imageTypes.test(image ?? "") : kind === "file" && mediaType === "application/pdf";
  const type = kind === "image" ? "image" : "document";
  const rest = kind === "image" ? {} : title;
  if (source.type === "bytes" && fits) {
    return { type, source: { type: "base64", media_type: image, data: source.data }, ...rest };
  }
  const text = kind === "file" ? textInside(media) : undefined;
  if (text !== undefined && text !== "") {
    return { type, source: { type: "text", media_type: "text/plain", data: text }, ...rest };
  }
  if (source.type === "url" && fits) return { type, source: { type: "url", url: source.url }, ...rest };
  if (source.type === "file" && source.owner === "anthropic") {
    return { type, source: { type: "file", file_id: source.id }, ...rest };
  }
  return writeText(mediaText(media, losses, "anthropic accepts JPEG, PNG, GIF and WebP images, PDF and text"));
}
