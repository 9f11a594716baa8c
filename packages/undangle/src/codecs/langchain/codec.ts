import { isRecord, eachRecord } from "#core";
import type { Dialect, Entry } from "#core";

import type { Codec, Request } from "../codec.ts";
import { createOutlook } from "../spans.ts";
import { answerTurn } from "./repair/answer.ts";
import type { Context } from "./repair/context.ts";
import { kindOfMessage, openEnvelope } from "./envelope.ts";
import { createMould } from "./repair/mould.ts";
import { langchainProfile } from "./profile.ts";
import type { LangchainProfile } from "./profile.ts";
import { readLangchain, speakerOf } from "./repair/read.ts";
import { langchainSigns } from "./signs.ts";
import { surveyLangchain } from "./repair/survey.ts";
import { contentOfResult, writeLangchain } from "./repair/write.ts";

/** LangChain's messages: instances of every version, and all serialized forms. */
export const langchain: Codec<LangchainProfile> = {
  format: "langchain",
  listKey: "messages",
  providers: [],
  signs: langchainSigns,
  profile: ({ model }) => langchainProfile(model),
  survey: surveyLangchain,
  eachCallId(message, visit) {
    eachRecord(openEnvelope(message)?.fields ?? {}, "tool_calls", ({ id }) => visit(id));
  },
  startsWithThinking(message) {
    const content = openEnvelope(message)?.fields["content"];
    const first: unknown = Array.isArray(content) ? content[0] : undefined;
    return isRecord(first) && thoughts.has(first["type"]);
  },
  counted(message) {
    // An instance repeats its fields in `lc_kwargs`, and metadata of the response is not sent.
    const { content, tool_calls: calls, name } = openEnvelope(message)?.fields ?? {};
    return content === undefined
      ? message
      : { role: kindOfMessage(message), content, calls: callsBeside(content, calls), name };
  },
  open(request, profile, policy, journal) {
    const context: Context = {
      list: request.list,
      profile,
      policy,
      journal,
      mould: createMould(request.list),
      outlook: createOutlook(request.list, speakerOf),
      envelopes: new Map(),
      prefixes: new Map(),
      seats: new Map(),
      readCalls: new Map(),
    };
    const dialect: Dialect = {
      profile,
      mergesTurns: false,
      fields: { callId: ".id", resultId: ".tool_call_id", name: ".name", arguments: ".args" },
      toolNames: toolNames(request),
      emptyArguments: {},
      contentOf: (result) => contentOfResult(result, context),
      mayRestore: () => true,
      isFreeText: () => false,
      from(entry, call) {
        const { source } = entry;
        if (source === undefined) return undefined;
        const message = `messages[${source.index}]${context.envelopes.get(source)?.prefix ?? ""}`;
        if (entry.role === "result" && entry.place >= 0) return `${message}.content[${entry.place}]`;
        const seat = call && context.seats.get(call)?.own;
        return seat === undefined ? message : `${message}.${seat.list}[${seat.index}]`;
      },
      to(entry, call) {
        const message = `messages[${entry.at}]${prefixOf(entry, context)}`;
        if (entry.role === "result" && entry.slot >= 0) return `${message}.content[${entry.slot}]`;
        return call === undefined ? message : `${message}.tool_calls[${call.slot}]`;
      },
    };
    return {
      dialect,
      read: (start, end) => readLangchain(start, end, context),
      speakerOf,
      answer: (turn, list) => answerTurn(turn, list, context),
      settle: (entries) => entries,
      write: (entries, list) => writeLangchain(entries, list, context),
      mendBody: () => undefined,
    };
  },
};

/** The blocks of reasoning, of Anthropic and of LangChain. */
const thoughts: ReadonlySet<unknown> = new Set(["thinking", "redacted_thinking", "reasoning"]);

/** The calls, unless blocks of the content contain them too. */
function callsBeside(content: unknown, calls: unknown): unknown {
  const isBlock = (part: unknown): boolean =>
    isRecord(part) && (part["type"] === "tool_use" || part["type"] === "tool_call");
  return Array.isArray(content) && content.some(isBlock) ? undefined : calls;
}

function prefixOf(entry: Entry, { envelopes, prefixes }: Context): string {
  return prefixes.get(entry) ?? (entry.source && envelopes.get(entry.source)?.prefix) ?? "";
}

function toolNames({ body }: Request): string[] {
  const tools = body?.["tools"];
  if (!Array.isArray(tools)) return [];
  return tools.flatMap((tool: unknown) => {
    const called = isRecord(tool) && isRecord(tool["function"]) ? tool["function"] : tool;
    const name = isRecord(called) ? called["name"] : undefined;
    return typeof name === "string" ? [name] : [];
  });
}
