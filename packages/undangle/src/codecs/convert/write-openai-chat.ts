import { parseJson } from "#core";
import type { JsonObject } from "#core";

import { chatProfile } from "../openai-chat/profiles.ts";
import type {
  AssistantMessage,
  Call,
  Conversation,
  Media,
  Message,
  Seal,
  Setting,
  Text,
  ToolChoice,
  ToolMessage,
} from "./conversation.ts";
import { writeChatMedia } from "./chat-media.ts";
import type { ChatReader } from "./chat-media.ts";
import { thoughtForm, thoughtKeys, thoughtPart } from "./chat-thoughts.ts";
import type { ThoughtForm } from "./chat-thoughts.ts";
import { inputText } from "./input-text.ts";
import type { Losses } from "./losses.ts";
import { describe, mediaText } from "./media.ts";
import { behindCallLoss } from "./order-losses.ts";
import { chatSampling } from "./read-openai-chat.ts";
import { errorLoss, mediaIn, spokenParts } from "./results.ts";
import { writeSampling } from "./sampling.ts";
import { writeChatTool } from "./tools.ts";
import { compact, listOf, textPart } from "./wire.ts";
import type { Destination, Draft, Written } from "./wire.ts";

/** Writes a chat request. */
export function writeChat(conversation: Conversation, { provider, model }: Destination, losses: Losses): Draft {
  const { setting } = conversation;
  const named = model ?? setting?.model;
  const takes: Takes = {
    provider,
    model: named,
    profile: chatProfile(provider, { model: named, thinking: undefined }),
    thoughts: thoughtForm(provider, named),
    details: provider === "openrouter",
    signatures: /gemini/i.test(named ?? ""),
  };
  const messages = conversation.messages.flatMap((message) => writeMessage(message, takes, losses));
  return { messages, body: setting && writeSetting(setting, model, { provider, losses }) };
}

/** The target, and the reasoning of earlier turns that it reads. */
interface Takes extends ChatReader {
  readonly thoughts: ThoughtForm | undefined;
  /** True for OpenRouter, which has encrypted reasoning in `reasoning_details`. */
  readonly details: boolean;
  /** True for Google, where calls have signatures under `extra_content`. */
  readonly signatures: boolean;
}

function writeSetting(
  setting: Setting,
  model: string | undefined,
  { provider, losses }: { readonly provider: string | undefined; readonly losses: Losses },
): JsonObject {
  const { tools, toolChoice, isParallel, sampling, isStreamed } = setting;
  // OpenAI has renamed the token limit. No other provider knows the new name.
  const isOpenAi = provider === undefined || provider === "openai" || provider === "azure";
  const names = isOpenAi ? chatSampling : { ...chatSampling, maxTokens: ["max_tokens"] as const };
  return compact({
    model: model ?? setting.model,
    tools: tools.length === 0 ? undefined : tools.map(writeChatTool),
    tool_choice:
      toolChoice &&
      writeChoice(
        toolChoice,
        tools.flatMap(({ name, isCustom }) => (isCustom ? [name] : [])),
      ),
    parallel_tool_calls: isParallel?.value,
    stream: isStreamed,
    ...writeSampling(sampling, names, losses),
  });
}

function writeChoice({ type, name: chosen, among }: ToolChoice, custom: readonly (string | undefined)[]): unknown {
  const writeName = (name: string | undefined): JsonObject =>
    custom.includes(name) ? { type: "custom", custom: { name } } : { type: "function", function: { name } };
  if (among !== undefined) {
    return { type: "allowed_tools", allowed_tools: { mode: type, tools: among.map(writeName) } };
  }
  return type === "tool" ? writeName(chosen) : type;
}

function writeMessage(message: Message, takes: Takes, losses: Losses): readonly Written[] {
  const { path } = message;
  switch (message.role) {
    case "system":
      return [{ path, wire: { role: message.isDeveloper ? "developer" : "system", content: spoken(message.parts) } }];
    case "user": {
      const content = spoken(message.parts, (media) => writeChatMedia(media, takes, losses));
      const name = message.name === undefined ? {} : { name: message.name };
      return [{ path, wire: { role: "user", ...name, content } }];
    }
    case "assistant": {
      behindCallLoss(message, losses);
      const wire = writeAssistant(message, takes, losses);
      return wire === undefined ? [] : [{ path, wire }];
    }
    case "tool":
      return writeResults(message, takes, losses);
  }
}

/** A string if there is only one text, otherwise parts. */
function spoken(parts: readonly (Text | Media)[], write?: (media: Media) => JsonObject): unknown {
  const [only] = parts;
  if (only === undefined) return "";
  if (parts.length === 1 && only.type === "text") return only.text;
  return parts.map((part) => (part.type === "text" ? { type: "text", text: part.text } : (write?.(part) ?? {})));
}

function writeAssistant({ parts }: AssistantMessage, takes: Takes, losses: Losses): JsonObject | undefined {
  const texts: Text[] = [];
  const refusals: string[] = [];
  const thoughts: string[] = [];
  const details: unknown[] = [];
  const calls: JsonObject[] = [];
  for (const part of parts) {
    if (part.type === "call") calls.push(writeCall(part, takes, losses));
    else if (part.type === "media")
      texts.push(mediaText(part, losses, `an assistant message of ${losses.to} contains only text`));
    else if (part.type === "text") {
      sealLoss(part.seal, part.path, losses);
      if (part.isRefusal === true) refusals.push(part.text);
      else texts.push(part);
    } else {
      if (takes.details && part.seal?.owner === "openrouter") {
        for (const detail of listOf(parseJson(part.seal.value))) details.push(detail);
        continue;
      }
      if (takes.thoughts !== undefined && part.text !== "") thoughts.push(part.text);
      else losses.add(part.path, "reasoning", `${losses.to} does not accept it for this provider or model`);
      if (takes.thoughts !== undefined) sealLoss(part.seal, part.path, losses);
    }
  }
  const form = takes.thoughts;
  const isThought = form !== "parts" && thoughts.length > 0; // a message with only such parts would be empty
  if (texts.length + calls.length + refusals.length + details.length === 0 && !isThought) {
    return parts.length > 0 ? undefined : { role: "assistant", content: "" };
  }
  return compact({
    role: "assistant",
    content: assistantContent(texts, form === "parts" ? thoughts : []),
    refusal: refusals.length === 0 ? undefined : refusals.join("\n"),
    ...thoughtKeys(thoughts, form),
    ...(details.length > 0 && { reasoning_details: details }),
    tool_calls: calls.length === 0 ? undefined : calls,
  });
}

/** The text after its reasoning. Null without text. */
function assistantContent(texts: readonly Text[], thoughts: readonly string[]): unknown {
  if (thoughts.length === 0) return texts.length === 0 ? null : spoken(texts);
  return [...thoughts.map(thoughtPart), ...texts.map(({ text }) => ({ type: "text", text }))];
}

/** Reports a signature or encrypted data that only its owner can use. */
export function sealLoss(seal: Seal | undefined, path: string, losses: Losses): void {
  if (seal === undefined || (seal.value === "" && seal.id === undefined)) return; // a phase alone has no meaning elsewhere
  losses.add(path, `a signature from ${seal.owner}`, `${losses.to} cannot contain a signature from another provider`);
}

function writeCall(call: Call, { signatures }: Takes, losses: Losses): JsonObject {
  const { id, name, isCustom, seal } = call;
  const isTaken = signatures && seal?.owner === "gemini";
  if (!isTaken) sealLoss(seal, call.path, losses);
  if (isCustom) return { id, type: "custom", custom: { name, input: inputText(call) } };
  const extra = isTaken ? { extra_content: { google: { thought_signature: seal.value } } } : {};
  return { id, type: "function", function: { name, arguments: inputText(call) }, ...extra };
}

/** The results, then media that only a user message may contain. */
function writeResults({ results, path }: ToolMessage, takes: Takes, losses: Losses): readonly Written[] {
  const shown: JsonObject[] = [];
  const written = results.map((result): Written => {
    errorLoss(result, losses);
    const said: Text[] = spokenParts(result).filter((part) => part.type === "text");
    for (const media of mediaIn(result)) {
      const wire = writeChatMedia(media, takes, losses);
      if (typeof wire["text"] === "string") said.push(textPart(wire["text"], media.path));
      else {
        losses.add(
          media.path,
          `${describe(media)} in a result`,
          `only user messages of ${losses.to} contain media; it moves to one`,
        );
        shown.push(wire);
      }
    }
    return { path: result.path, wire: { role: "tool", tool_call_id: result.id, content: spoken(said) } };
  });
  return shown.length === 0 ? written : [...written, { path, wire: { role: "user", content: shown } }];
}
