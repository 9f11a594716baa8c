import { decode } from "#codecs";
import type { Format } from "#codecs";
import { editText, rules } from "#core";
import type { Edit, Language, RuleId } from "#core";
import type { Store } from "#store";

import { childActor, childAgentOf, isChild } from "../children/child-thread.ts";
import type { EventData } from "../events.ts";
import type { ThreadJournal } from "../journal/thread-journal.ts";
import type { OriginalEntry } from "../ledger/entry.ts";
import type { ThreadActor } from "../thread/thread-actor.ts";

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
  /** The edit of an imported history. */
  readonly edit?: Edit;
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
  const own = [...importRepairs(journal, setup.language), ...(await eventRepairs(threadId, setup.store))];
  const placed = path.length === 0 ? own : own.map((each) => ({ ...each, id: [...path, each.id].join("/"), path }));
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

const atOnce = 500;

/** The stored repairs of requests and responses. */
async function eventRepairs(threadId: string, store: Store): Promise<readonly ThreadRepair[]> {
  const found: ThreadRepair[] = [];
  let open: ThreadRepair[] = []; // of the response that is being read
  for (let after = 0; ;) {
    const events = await store.events(threadId, { after, limit: atOnce });
    for (const { seq, type, data, at } of events) {
      after = seq;
      if (type === "repair") {
        const { rule, message } = data as EventData["repair"]; // written by the engine
        open.push({
          id: `event-${seq}`,
          source: Object.hasOwn(rules, rule) ? "request" : "response",
          at,
          rule,
          message,
        });
      } else if (type === "model_end") {
        const { entry, purpose } = data as EventData["model_end"]; // as above
        if (purpose !== undefined) continue; // outside the conversation
        found.push(...open.map((each) => (entry === undefined ? each : { ...each, entry })));
        open = [];
      } else if (type === "model_discarded" || type === "run_end") {
        found.push(...open);
        open = [];
      }
    }
    if (events.length < atOnce) return [...found, ...open];
  }
}
