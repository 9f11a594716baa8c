import { isRecord } from "#core";
import type { JsonObject } from "#core";

import { kindOfMessage, openEnvelope } from "../langchain/envelope.ts";
import type { Envelope } from "../langchain/envelope.ts";
import type { AssistantPart, Call, Conversation, Media, Message, Setting, Text, Tool } from "./conversation.ts";
import { readBlock, readContent } from "./langchain-blocks.ts";
import type { Losses } from "./losses.ts";
import { readSampling, samplingKeys } from "./sampling.ts";
import type { SamplingNames } from "./sampling.ts";
import { isRawSchema, readChatChoice, readChatTool } from "./tools.ts";
import { isMessage, listOf, readStray, recordOf, stringOf, textPart, wordsOf } from "./wire.ts";
import type { Document } from "./wire.ts";

export const langchainSampling: SamplingNames = {
  maxTokens: ["max_tokens", "maxTokens"],
  temperature: ["temperature"],
  topP: ["top_p", "topP"],
  topK: ["top_k", "topK"],
  stop: ["stop"],
  seed: ["seed"],
  frequencyPenalty: ["frequency_penalty", "frequencyPenalty"],
  presencePenalty: ["presence_penalty", "presencePenalty"],
};

/** Reads LangChain's messages: instances, or any of their serialized forms. */
export function readLangchain({ list, body }: Document, losses: Losses): Conversation {
  const messages = list.flatMap((wire, i) => readMessage(wire, `messages[${i}]`, losses));
  if (body === undefined) return { messages, setting: undefined };
  const prompt = body["systemPrompt"];
  const system: readonly Message[] =
    typeof prompt === "string" && prompt !== ""
      ? [{ role: "system", path: "systemPrompt", parts: [textPart(prompt, "systemPrompt")], isDeveloper: false }]
      : [];
  return { messages: [...system, ...messages], setting: readSetting(body, losses) };
}

function readSetting(body: JsonObject, losses: Losses): Setting {
  const read = ["messages", "model", "systemPrompt", "tools", "tool_choice", "toolChoice", "parallel_tool_calls"];
  losses.others(body, [...read, ...samplingKeys(langchainSampling)], "");
  const choice = body["tool_choice"] ?? body["toolChoice"];
  const named = typeof choice === "string" && !/^(?:auto|none|any|required)$/.test(choice) ? { name: choice } : choice;
  const parallel = body["parallel_tool_calls"];
  return {
    model: stringOf(body["model"]),
    isStreamed: undefined,
    tools: listOf(body["tools"]).flatMap((wire, i) => readTool(wire, `tools[${i}]`, losses)),
    toolChoice: readChatChoice(named, "tool_choice", losses),
    isParallel: typeof parallel === "boolean" ? { path: "parallel_tool_calls", value: parallel } : undefined,
    sampling: readSampling(body, langchainSampling, ""),
  };
}

/** A tool of the chat format, or an object with a name and a schema. */
function readTool(wire: unknown, path: string, losses: Losses): readonly Tool[] {
  const tool = recordOf(wire);
  const { name } = tool;
  const given = tool["schema"] ?? tool["input_schema"] ?? tool["parameters"];
  if (typeof name !== "string" || "type" in tool) {
    return readChatTool(wire, path, losses).map((one) => ({
      ...one,
      isCustom: one.isCustom || isRawSchema(one.schema),
    }));
  }
  const isJson = isRecord(given) && typeof given["type"] === "string" && !("~standard" in given);
  if (!isJson) losses.add(path, "the schema of a tool", "it is not a JSON schema; a schema for any object replaces it");
  const schema = isJson ? given : undefined;
  const description = stringOf(tool["description"]);
  return [{ path, name, description, schema, isCustom: isRawSchema(schema), isStrict: false }];
}

function readMessage(wire: unknown, path: string, losses: Losses): readonly Message[] {
  const isPair = Array.isArray(wire) && wire.length === 2 && kindOfMessage(wire) !== "other";
  const pair: JsonObject | undefined = isPair ? { role: wire[0] as unknown, content: wire[1] as unknown } : undefined;
  const envelope = openEnvelope(pair ?? (typeof wire === "string" ? { role: "user", content: wire } : wire));
  const isOther = envelope?.form === "flat" && envelope.kind === "other" && !isMessage(envelope.wire);
  if (envelope === undefined || isOther) return readStray(wire, path, losses);
  const { fields, kind } = envelope;
  const at = path + envelope.prefix;
  const parts = (): readonly (Text | Media)[] => readContent(fields["content"], `${at}.content`, losses);
  switch (kind) {
    case "ai":
      return [{ role: "assistant", path, parts: readAi(envelope, at, losses) }];
    case "tool": {
      noteOthers(envelope, at, losses);
      if (fields["artifact"] !== undefined && fields["artifact"] !== null) losses.add(`${at}.artifact`, "an artifact");
      const isError = fields["status"] === "error";
      const name = stringOf(fields["name"]);
      return [
        {
          role: "tool",
          path,
          results: [{ path, id: stringOf(fields["tool_call_id"]), name, parts: parts(), isError }],
        },
      ];
    }
    case "system": {
      noteOthers(envelope, at, losses);
      const isDeveloper = fields["role"] === "developer";
      return [{ role: "system", path, parts: parts().filter((part) => part.type === "text"), isDeveloper }];
    }
    case "human":
      noteOthers(envelope, at, losses);
      return [{ role: "user", path, parts: parts(), name: stringOf(fields["name"]) }];
    case "other":
      return readOther(envelope, path, losses);
  }
}

/** A legacy function message, or a message that only a state graph uses. */
function readOther({ fields, wire, prefix }: Envelope, path: string, losses: Losses): readonly Message[] {
  const at = path + prefix;
  const name = stringOf(fields["name"]);
  if (wire["type"] === "function" || wire["role"] === "function") {
    const parts = readContent(fields["content"], `${at}.content`, losses);
    return [{ role: "tool", path, results: [{ path, id: undefined, name, parts, isError: false }] }];
  }
  losses.add(path, "a message of an unknown type", `${losses.to} has no such message`);
  if (fields["content"] === undefined || fields["content"] === "") return [];
  return [{ role: "user", path, parts: readContent(fields["content"], `${at}.content`, losses), name }];
}

/** The fields of a message with content; not ids, usage and the like. */
function noteOthers({ fields }: Envelope, path: string, losses: Losses): void {
  const { tool_calls: _, function_call: __, reasoning_content: ___, ...kwargs } = recordOf(fields["additional_kwargs"]);
  losses.others(kwargs, ["refusal"], `${path}.additional_kwargs`);
}

function readAi(envelope: Envelope, path: string, losses: Losses): readonly AssistantPart[] {
  const { fields } = envelope;
  noteOthers(envelope, path, losses);
  const kwargs = recordOf(fields["additional_kwargs"]);
  const parts = new Set<AssistantPart>();
  const thought = kwargs["reasoning_content"];
  if (typeof thought === "string" && thought !== "") {
    const at = `${path}.additional_kwargs.reasoning_content`;
    parts.add({ type: "reasoning", path: at, text: thought, seal: undefined, isRedacted: false });
  }
  const calls = readCalls(fields, path);
  const { content } = fields;
  if (Array.isArray(content)) {
    let next = 0; // the first call without a position
    listOf(content).forEach((block, i) => {
      for (const part of readBlock(block, `${path}.content[${i}]`, { calls, placed: parts, losses })) {
        // A call keeps its position among the blocks, after the calls before it.
        const place = part.type === "call" && !parts.has(part) ? calls.indexOf(part) : -1;
        for (const call of calls.slice(next, place + 1)) parts.add(call);
        next = Math.max(next, place + 1);
        parts.add(part);
      }
    });
  } else if (content !== undefined && content !== null && content !== "") {
    parts.add(textPart(wordsOf(content), `${path}.content`));
  }
  for (const call of calls) parts.add(call);
  return [...parts];
}

/** The calls of a message, including invalid ones and those that are only in OpenAI's field. */
function readCalls(fields: JsonObject, path: string): readonly Call[] {
  const calls = ["tool_calls", "invalid_tool_calls"].flatMap((key) =>
    listOf(fields[key]).map((given, i): Call => {
      const call = recordOf(given);
      const { args } = call;
      const input = typeof args === "string" ? { text: args } : { value: args };
      const name = stringOf(call["name"]) ?? "";
      return { type: "call", path: `${path}.${key}[${i}]`, id: stringOf(call["id"]), name, input, isCustom: false };
    }),
  );
  const given = listOf(recordOf(fields["additional_kwargs"])["tool_calls"]);
  const raw = given.map((one, i) => readChatCall(recordOf(one), `${path}.additional_kwargs.tool_calls[${i}]`));
  return [...calls, ...raw.filter(({ id }) => !calls.some((call) => call.id === id))];
}

function readChatCall(call: JsonObject, path: string): Call {
  const inner = recordOf(call["function"]);
  const given = inner["arguments"];
  const input = typeof given === "string" ? { text: given } : { value: given };
  return { type: "call", path, id: stringOf(call["id"]), name: stringOf(inner["name"]) ?? "", input, isCustom: false };
}
