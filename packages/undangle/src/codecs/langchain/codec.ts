import { isRecord, eachRecord } from "#core";
import type { Dialect, Entry } from "#core";

import type { Codec, Request } from "../codec.ts";
import { createOutlook } from "../spans.ts";
import { answerTurn } from "./repair/answer.ts";
import type { Context } from "./repair/context.ts";
import { openEnvelope } from "./envelope.ts";
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
