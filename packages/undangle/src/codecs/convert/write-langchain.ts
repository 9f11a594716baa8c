import type { JsonObject } from "#core";

import type { AssistantMessage, AssistantPart, Conversation, Media, Message, Setting, Text } from "./conversation.ts";
import { inputObject } from "./input-text.ts";
import type { Losses } from "./losses.ts";
import { mediaText, urlOf } from "./media.ts";
import { behindCallLoss } from "./order-losses.ts";
import { langchainSampling } from "./read-langchain.ts";
import { spokenParts } from "./results.ts";
import { writeSampling } from "./sampling.ts";
import { schemaFor, streamLoss, writeChatTool } from "./tools.ts";
import { compact } from "./wire.ts";
import type { Destination, Draft, Written } from "./wire.ts";
import { sealLoss } from "./write-openai-chat.ts";

/** Writes LangChain's messages as plain objects with a type, which its functions accept. */
export function writeLangchain(conversation: Conversation, { model }: Destination, losses: Losses): Draft {
  const { messages, setting } = conversation;
  return {
    messages: messages.flatMap((message) => writeMessage(message, losses)),
    body: setting && writeSetting(setting, model, losses),
  };
}

function writeSetting(setting: Setting, model: string | undefined, losses: Losses): JsonObject {
  const { tools, toolChoice, isParallel, sampling } = setting;
  streamLoss(setting, losses);
  const declared = tools.map((tool) =>
    writeChatTool({ ...tool, schema: schemaFor({ ...tool, isStrict: false }, losses), isCustom: false }),
  );
  const choice =
    toolChoice?.type === "tool" ? { type: "function", function: { name: toolChoice.name } } : toolChoice?.type;
  return compact({
    model: model ?? setting.model,
    tools: declared.length === 0 ? undefined : declared,
    tool_choice: choice,
    parallel_tool_calls: isParallel?.value,
    ...writeSampling(sampling, langchainSampling, losses),
  });
}

function writeMessage(message: Message, losses: Losses): readonly Written[] {
  const { path } = message;
  const spokenOf = (parts: readonly (Text | Media)[]): unknown => spoken(parts.map((part) => writePart(part, losses)));
  switch (message.role) {
    case "system":
      return [{ path, wire: { type: "system", content: spokenOf(message.parts) } }];
    case "user": {
      const name = message.name === undefined ? {} : { name: message.name };
      return [{ path, wire: { type: "human", ...name, content: spokenOf(message.parts) } }];
    }
    case "assistant":
      behindCallLoss(message, losses);
      return [{ path, wire: writeAi(message, losses) }];
    case "tool":
      return message.results.map((result) => {
        const { id, name, isError } = result;
        const wire = compact({
          type: "tool",
          content: spokenOf(spokenParts(result)),
          tool_call_id: id,
          name,
          status: isError ? "error" : undefined,
        });
        return { path: result.path, wire };
      });
  }
}

/** A string if there is only text, otherwise blocks. */
function spoken(blocks: readonly JsonObject[]): unknown {
  const [only] = blocks;
  if (only === undefined) return "";
  return blocks.length === 1 && only["type"] === "text" ? only["text"] : blocks;
}

function writeAi({ parts }: AssistantMessage, losses: Losses): JsonObject {
  const calls = parts.flatMap((part) => {
    if (part.type !== "call") return [];
    sealLoss(part.seal, part.path, losses);
    return [{ type: "tool_call", id: part.id, name: part.name, args: inputObject(part, losses) }];
  });
  const content = spoken(parts.flatMap((part) => writeAssistantPart(part, losses)));
  return compact({ type: "ai", content, tool_calls: calls.length === 0 ? undefined : calls });
}

function writeAssistantPart(part: AssistantPart, losses: Losses): readonly JsonObject[] {
  if (part.type === "call") return [];
  if (part.type !== "reasoning") return part.type === "text" && part.text === "" ? [] : [writePart(part, losses)];
  const { seal, text, isRedacted, path } = part;
  if (seal?.owner === "anthropic") {
    return [
      isRedacted
        ? { type: "redacted_thinking", data: seal.value }
        : { type: "thinking", thinking: text, signature: seal.value },
    ];
  }
  sealLoss(seal, path, losses);
  return text === "" ? [] : [{ type: "reasoning", reasoning: text }];
}

function writePart(part: Text | Media, losses: Losses): JsonObject {
  if (part.type === "text") {
    sealLoss(part.seal, part.path, losses);
    return { type: "text", text: part.text };
  }
  const { kind, source, mediaType, name } = part;
  if (source.type === "file" && source.owner !== "openai") {
    return { type: "text", text: mediaText(part, losses, "the file was uploaded to another provider").text };
  }
  if (kind === "image" && source.type !== "file")
    return { type: "image_url", image_url: compact({ url: urlOf(part), detail: part.detail }) };
  const metadata = name === undefined ? undefined : { filename: name };
  const head = { type: kind, mime_type: mediaType, metadata };
  if (source.type === "bytes") return compact({ ...head, source_type: "base64", data: source.data });
  if (source.type === "url") return compact({ ...head, source_type: "url", url: source.url });
  return compact({ ...head, source_type: "id", id: source.id });
}
