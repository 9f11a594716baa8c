import { decode } from "#codecs";
import type { Format, StreamFormat } from "#codecs";
import { editText, rules } from "#core";
import type { Edit, Language, RuleId } from "#core";
import type { Model } from "#model";

import { childActor, childAgentOf, isChild } from "../children/child-thread.ts";
import type { EventData } from "../events.ts";
import type { ThreadJournal } from "../journal/thread-journal.ts";
import type { OriginalEntry } from "../ledger/entry.ts";
import type { Setup } from "../run/setup.ts";
import type { ThreadActor } from "../thread/thread-actor.ts";
import { formatOf } from "./thread-exchange.ts";

/** A change that Undangle made in a thread. */
export interface ThreadRepair {
  readonly id: string;
  /**
   * `import`: in an imported history. `request`: in a request that a middleware had broken. `response`: in a response
   * of a model.
   */
  readonly source: "import" | "request" | "response";
  /** In milliseconds of the clock. */
  readonly at: number;
  /** A rule of `rules` or, for a response, an anomaly of its stream. */
  readonly rule: string;
  readonly message: string;
  /** The edit of an imported history or of a request. */
  readonly edit?: Edit;
  /** The call of a response that it concerns. */
  readonly callId?: string;
  /** The error that a provider would have returned, in its words. */
  readonly avoided?: { readonly provider: string; readonly message: string };
  /** The turn that it concerns. Absent if there is none, as for a response that was discarded. */
  readonly entry?: number;
  /** The calls that lead to the child thread of the repair. */
  readonly path?: readonly string[];
}

/** The repairs of a thread and of its child threads, by time. */
export async function repairsInTree(
  actor: ThreadActor,
  path: readonly string[] = [],
): Promise<readonly ThreadRepair[]> {
  const { threadId, setup } = actor;
  const journal = await actor.read();
  const own = [...importRepairs(journal, setup.language), ...(await eventRepairs(threadId, journal, setup))];
  const inTree = (id: string): string => [...path, id].join("/");
  const placed =
    path.length === 0
      ? own
      : own.map(({ id, callId, ...each }) => ({
          ...each,
          id: inTree(id),
          ...(callId !== undefined && { callId: inTree(callId) }),
          path,
        }));
  const calls = journal.recorded().flatMap((each) => each.calls.filter(({ child }) => child !== undefined));
  const ofChildren = await Promise.all(
    calls.map(async (call) => {
      const agent = childAgentOf(setup, call);
      const child = agent === undefined ? undefined : childActor(agent, threadId, call.id);
      if (child === undefined || !isChild(await child.read())) return []; // a fork has no child threads
      return repairsInTree(child, [...path, call.id]);
    }),
  );
  return [...placed, ...ofChildren.flat()].sort((one, other) => one.at - other.at);
}

/** The edits of imported histories. The same history in the same format has the same edits as when it was imported. */
function importRepairs(journal: ThreadJournal, language: Language): readonly ThreadRepair[] {
  const recorded = journal.recorded();
  return recorded.flatMap(({ entry }, number) => {
    if (entry.type !== "original") return [];
    return decode(entry.value, { from: entry.format, language }).edits.map((edit, i): ThreadRepair => {
      const avoided = avoidedError(edit.rule, entry.format);
      const turn = turnOf(edit, { journal, after: number });
      return {
        id: `import-${number}-${i}`,
        source: "import",
        at: entry.at,
        rule: edit.rule,
        message: editText(edit),
        edit,
        ...(avoided !== undefined && { avoided }),
        ...(turn !== undefined && { entry: turn }),
      };
    });
  });
}

/** The imported turn whose call an edit names. */
function turnOf(
  { callId }: Edit,
  { journal, after }: { readonly journal: ThreadJournal; readonly after: number },
): number | undefined {
  if (callId === undefined) return undefined;
  const recorded = journal.recorded();
  const next = recorded.findIndex(({ entry }, number) => number > after && entry.type === "original");
  const turn = recorded.findIndex(
    ({ calls }, number) =>
      number > after && (next === -1 || number < next) && calls.some(({ providerId }) => providerId === callId),
  );
  return turn === -1 ? undefined : turn;
}

/** The providers whose error texts the catalogue has for a format without naming one. */
const providers: Readonly<Partial<Record<Format, string>>> = {
  "openai-chat": "openai",
  "openai-responses": "openai",
  anthropic: "anthropic",
  gemini: "gemini",
  bedrock: "bedrock",
  ollama: "ollama",
};

/** The error text for a rule. Formats of libraries are sent to any provider; they get the text of OpenAI. */
function avoidedError(rule: RuleId, format: OriginalEntry["format"]): ThreadRepair["avoided"] {
  const wire = providers[format] === undefined ? "openai-chat" : format;
  const cases = rules[rule].cases.filter((each) => each.format === wire && each.errors.length > 0);
  const found = cases.find(({ provider }) => provider === undefined) ?? cases[0];
  const message = found?.errors[0];
  if (message === undefined) return undefined;
  return { provider: found?.provider ?? providers[wire] ?? wire, message };
}

/** What a repair in an event concerns. No anomaly has the name of a rule. */
export const repairSource = (rule: string): "request" | "response" =>
  Object.hasOwn(rules, rule) ? "request" : "response";

const atOnce = 500;

/** The stored repairs of requests and responses. */
async function eventRepairs(
  threadId: string,
  journal: ThreadJournal,
  { store, model }: Pick<Setup, "store" | "model">,
): Promise<readonly ThreadRepair[]> {
  const found: ThreadRepair[] = [];
  let open: ThreadRepair[] = []; // of the turn that is being requested
  const close = (closes: (repair: ThreadRepair) => boolean, turn: Pick<ThreadRepair, "entry">): void => {
    found.push(...open.filter(closes).map((each) => ({ ...each, ...turn })));
    open = open.filter((each) => !closes(each));
  };
  for (let after = 0, isLast = false; !isLast;) {
    const events = await store.events(threadId, { after, limit: atOnce });
    isLast = events.length < atOnce;
    for (const { seq, type, data, at } of events) {
      after = seq;
      if (type === "repair") {
        const { id, ...repair } = data as EventData["repair"]; // written by the engine
        const source = repairSource(repair.rule);
        open.push({ id: `event-${seq}`, source, at, ...repair, ...(id !== undefined && { callId: id }) });
      } else if (type === "model_end") {
        const { entry, purpose } = data as EventData["model_end"]; // as above
        if (purpose === undefined) close(() => true, entry === undefined ? {} : { entry }); // else outside the conversation
      } else if (type === "model_discarded") {
        close(({ source }) => source === "response", {}); // the same request is sent again
      } else if (type === "run_end") close(() => true, {});
    }
  }
  const avoided = avoidedIn(journal, model);
  return [...found, ...open].map((each) => (each.source === "request" ? { ...each, ...avoided(each) } : each));
}

/** The errors that the models of a thread would have returned for its requests. */
function avoidedIn(
  journal: ThreadJournal,
  model: Model,
): (repair: Pick<ThreadRepair, "rule" | "entry">) => Pick<ThreadRepair, "avoided"> {
  const recorded = journal.recorded();
  const formats = new Map<string, StreamFormat>();
  return ({ rule, entry: number }) => {
    const turn = number === undefined ? undefined : recorded[number]?.entry;
    const name = turn?.type === "answer" ? turn.model : model.name;
    const format = formats.get(name) ?? formatOf(model, name);
    formats.set(name, format);
    const avoided = Object.hasOwn(rules, rule) ? avoidedError(rule as RuleId, format) : undefined; // it is one of them
    return avoided === undefined ? {} : { avoided };
  };
}
