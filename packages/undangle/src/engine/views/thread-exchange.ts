import { encode, writeResponse } from "#codecs";
import type { AssistantMessage, StreamFormat } from "#codecs";
import { hideKeys, isRecord } from "#core";
import type { JsonObject } from "#core";
import type { Model, ModelRequest, RequestTarget, WrittenRequest } from "#model";

import type { ThreadJournal } from "../journal/thread-journal.ts";
import type { LedgerCall } from "../ledger/call.ts";
import type { Recorded } from "../ledger/entry.ts";
import { project } from "../ledger/project.ts";
import { importedModel } from "../ledger/recorded.ts";
import { historyMessages } from "../run/notice-texts.ts";
import type { Setup } from "../run/setup.ts";

/** A request to a model and its response, written again from the thread in the format of the model. */
export interface ThreadExchange {
  readonly model: string;
  readonly format: StreamFormat;
  /** Without what middleware added to the request. Texts that look like keys are replaced by `***`. */
  readonly request: JsonObject;
  /** As a response that is not streamed. */
  readonly response: JsonObject;
  /** Where the request would be sent. Absent for a model that is not asked over HTTP, or is no longer configured. */
  readonly target?: RequestTarget;
}

/** Which turn to write, and how. */
export interface ExchangeQuestion {
  readonly number: number;
  /** Models besides that of the agent: a thread may have changed its model after the turn. */
  readonly models: readonly Model[];
}

/** The exchange of a turn. Undefined for an entry that no model of this thread has written. */
export async function exchangeOf(
  journal: ThreadJournal,
  { number, models }: ExchangeQuestion,
  setup: Setup,
): Promise<ThreadExchange | undefined> {
  const recorded = journal.recorded();
  const turn = recorded[number];
  if (turn?.entry.type !== "answer" || turn.entry.model === importedModel) return undefined;
  const { model: name, finish, usage, hidden = [] } = turn.entry;
  const { language, system, output, descriptions, projection } = setup;
  const messages = await historyMessages(journal, setup, {
    longestResult: projection.longestResult,
    recorded: recorded.slice(0, number),
  });
  const request: ModelRequest = {
    system,
    messages,
    tools: descriptions.filter((tool) => !hidden.includes(tool.name)),
    output: output?.tool.schema,
    knownIds: [],
    language,
    signal: new AbortController().signal,
  };
  const { format, body, target } =
    modelAmong([setup.model, ...models], name)?.write?.(request) ?? plainRequest(name, request);
  const model = typeof body["model"] === "string" ? body["model"] : name; // as the provider knows it
  const response = writeResponse(
    { message: messageOf(turn), model, finish: finish === "stopped" ? null : finish, usage },
    { format, language },
  );
  const exchange = { model: name, format, request: withoutKeys(body), response: withoutKeys(response) };
  return target === undefined ? exchange : { ...exchange, target };
}

/** The model with this name: one of the models, or one that they choose from. */
function modelAmong(models: readonly Model[], name: string): Model | undefined {
  for (const each of models) {
    const found = each.name === name ? each : modelAmong(each.models ?? [], name);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The format of the requests to a model with this name: the model of an agent, or one that it chooses from. */
export function formatOf(model: Model, name: string): StreamFormat {
  const parts = [{ type: "text", path: "", text: "." }] as const;
  const request: ModelRequest = {
    system: [],
    messages: [{ role: "user", path: "", name: undefined, parts }],
    tools: [],
    knownIds: [],
    language: "en",
    signal: new AbortController().signal,
  };
  return modelAmong([model], name)?.write?.(request).format ?? "openai-chat";
}

/** The request in OpenAI's format, for a model that does not write bodies or is no longer configured. */
function plainRequest(model: string, { system, messages, tools, language }: ModelRequest): WrittenRequest {
  const setting = {
    model,
    isStreamed: true,
    tools: tools.map((tool) => ({ ...tool, path: "tools", isCustom: false, isStrict: false })),
    toolChoice: undefined,
    isParallel: undefined,
    sampling: {},
  };
  const first = system.length === 0 ? [] : [{ role: "system" as const, path: "", parts: system, isDeveloper: false }];
  const body = encode({ messages: [...first, ...messages], setting }, { to: "openai-chat", language });
  return { format: "openai-chat", body: isRecord(body) ? body : {} }; // with settings it is a body
}

function messageOf({ entry, calls }: Recorded): AssistantMessage {
  const [message] = project({ entry, calls: calls.map(asWritten) }, { language: "en", longestResult: Infinity });
  return message?.role === "assistant" ? message : { role: "assistant", path: "", parts: [] };
}

/** The call as the model wrote it: a person may have edited it, or a hook have changed it. */
function asWritten(call: LedgerCall): LedgerCall {
  const { name, raw } = call.decision?.proposed ?? call.proposed ?? call;
  return { ...call, name, raw };
}

const withoutKeys = (body: JsonObject): JsonObject => JSON.parse(hideKeys(JSON.stringify(body))) as JsonObject; // it was one
