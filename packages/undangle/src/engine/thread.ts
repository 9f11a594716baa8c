import { randomUUID } from "node:crypto";

import { encode, formats, holdsSystemText } from "#codecs";
import type { Format, HistoryOf } from "#codecs";
import { copyJson, isRecord, UndangleError } from "#core";
import type { JsonObject } from "#core";
import type { Model } from "#model";

import type { Decisions } from "./approvals/decisions.ts";
import { checkedOptions, isText, yesOrNo } from "./checked-options.ts";
import { actorAt, eventsAt } from "./children/child-events.ts";
import { refuseChild } from "./children/child-thread.ts";
import { allowedInTree, holderOf } from "./children/tree-allowances.ts";
import { pendingInTree } from "./children/tree-decisions.ts";
import type { AgentEvent, Allowance, CallView, PendingCall } from "./events.ts";
import { readEntries } from "./journal/read-entries.ts";
import { isPlace } from "./journal/read-events.ts";
import type { EventsOptions } from "./journal/read-events.ts";
import { retryStore } from "./journal/retry-store.ts";
import type { ThreadJournal } from "./journal/thread-journal.ts";
import type { LedgerEvent } from "./ledger/ledger.ts";
import { historyMessages } from "./run/notice-texts.ts";
import type { Run } from "./run/run.ts";
import { runModes } from "./run/run-mode.ts";
import type { RunMode } from "./run/run-mode.ts";
import { inputPolicies } from "./run/setup.ts";
import type { Setup } from "./run/setup.ts";
import { describeThread, revokeAllowance, writeThreadFiles } from "./thread/commands/change.ts";
import type { RevokeOptions } from "./thread/commands/change.ts";
import { decide } from "./thread/commands/decide.ts";
import type { DecideOptions, MakeDecisions } from "./thread/commands/decide.ts";
import { createThreadWith, importInto } from "./thread/commands/import.ts";
import { recover } from "./thread/commands/recover.ts";
import type { Semaphore } from "./thread/commands/recover.ts";
import { regenerate } from "./thread/commands/regenerate.ts";
import type { RegenerateOptions } from "./thread/commands/regenerate.ts";
import { descriptionEvent } from "./thread/commands/request.ts";
import type { Description } from "./thread/commands/request.ts";
import { inputParts, send } from "./thread/commands/send.ts";
import type { Input, SendOptions } from "./thread/commands/send.ts";
import { stopThread } from "./thread/commands/stop.ts";
import type { StopOptions } from "./thread/commands/stop.ts";
import { fileChange, fileEvents, isContent, threadPath } from "./thread-files.ts";
import type { GivenFiles, ThreadFile } from "./thread-files.ts";
import type { ThreadActor } from "./thread/thread-actor.ts";
import { readTrace } from "./trace/read-trace.ts";
import type { ThreadTrace } from "./trace/trace.ts";
import type { PortableThread } from "./transfer/portable-thread.ts";
import {
  asJson,
  conversationOf,
  copyEvents,
  originalOf,
  portableThread,
  readHistory,
  readSnapshot,
  writeHistory,
} from "./transfer/transfer.ts";
import type { Imported } from "./transfer/transfer.ts";
import { allowedForAgent } from "./approvals/allowances.ts";
import { callView } from "./views/call-view.ts";
import { entriesView } from "./views/entry-view.ts";
import type { ThreadEntries } from "./views/entry-view.ts";
import { exchangeOf } from "./views/thread-exchange.ts";
import type { ThreadExchange } from "./views/thread-exchange.ts";
import { repairsInTree } from "./views/thread-repairs.ts";
import type { ThreadRepair } from "./views/thread-repairs.ts";

/** One conversation. Its history is valid at any time, and it can always be resumed. */
export interface Thread<Output = unknown> {
  readonly id: string;
  /**
   * Starts a new thread: imports a history, saves metadata and runs the model, all in one commit. Throws `thread/exists`
   * if the thread exists.
   */
  begin(beginning: Beginning): Run<Output>;
  /** Sends a message and runs the model. */
  send(input: Input, options?: SendOptions): Run<Output>;
  /** Decides pending calls, some or all. If one decision is invalid, none is applied and the run fails. */
  decide(decisions: Decisions, options?: DecideOptions): Run<Output>;
  approveAll(options?: DecideOptions): Run<Output>;
  rejectAll(reason?: string, options?: DecideOptions): Run<Output>;
  /** The pending calls. */
  pending(): Promise<readonly PendingCall[]>;
  /** All calls so far, in order, with their outcomes and decisions. */
  calls(): Promise<readonly CallView[]>;
  /** What was repaired in the thread and its child threads: imported histories, requests and responses. */
  repairs(): Promise<readonly ThreadRepair[]>;
  /**
   * The request of a turn and its response, written again in the format of its model. Undefined if the entry with this
   * number is not a turn, or was imported. With a path, of a child thread.
   */
  exchange(entry: number, options?: ExchangeOptions): Promise<ThreadExchange | undefined>;
  /** The allowances of this thread and of its running child threads, and of all threads of the agent. */
  allowed(): Promise<readonly Allowance[]>;
  /** Revokes an allowance of this thread or of a child from the next call on. For those of the agent, use `agent.revoke()`. */
  revoke(id: string, options?: RevokeOptions): Promise<void>;
  /** Stops the current run, and settles pending calls. */
  stop(options?: StopOptions): Promise<void>;
  /**
   * Requests another response: after a failed run, or instead of the last turn if none of its calls was started or
   * decided.
   */
  regenerate(options?: RegenerateOptions): Run<Output>;
  /**
   * Creates a new thread with the entries of this one up to `at`, or with all of them. Pending calls are pending there
   * too.
   */
  fork(at?: number, options?: ForkOptions): Promise<Thread<Output>>;
  /**
   * Imports a history in any format, or the result of `export()`. Calls without a result are lost, unless a pending
   * action names them.
   */
  import(history: unknown, options?: ImportOptions): Promise<Imported>;
  /** Exports the whole thread: in a format, as imported, or as JSON that `import` accepts. */
  export(): Promise<PortableThread>;
  export(as: "original"): Promise<unknown>;
  export<F extends Format>(as: F): Promise<HistoryOf<F>>;
  export(as: Format | "original"): Promise<unknown>;
  /** The history that a model would receive, in any format. It is valid at any time. */
  history<F extends Format>(format: F, target?: HistoryTarget): Promise<HistoryOf<F>>;
  /** Stored and new events. The iteration ends when the signal is aborted or the loop is left. */
  events(options?: EventsOptions): AsyncIterable<AgentEvent>;
  /**
   * Messages and turns for display, as they are saved: the newest, or those before an entry. The cost is proportional to
   * the result.
   */
  entries(options?: EntriesOptions): Promise<ThreadEntries>;
  /** What the thread and its child threads did, and when: runs, model responses, calls and waits for people. */
  trace(): Promise<ThreadTrace>;
  /** The state that tools store in the thread. */
  state(): Promise<JsonObject>;
  /** The files of the thread whose paths start with a text, sorted by path. */
  files(prefix?: string): Promise<readonly ThreadFile[]>;
  /** The content of a file of the thread; undefined if there is none. */
  readFile(path: string): Promise<Uint8Array | undefined>;
  /** Creates or replaces a file of the thread, or deletes it with `null`. A running call keeps what it has already read. */
  writeFile(path: string, content: string | Uint8Array | null): Promise<void>;
  /** Sets the title and metadata, which `agent.find()` and `agent.threads()` return. */
  describe(about: Description): Promise<void>;
  /** Resumes this thread after a crash; undefined if there is nothing to do. */
  recover(): Promise<Run<Output> | undefined>;
}

export interface ForkOptions {
  readonly id?: string | undefined;
  /** By default the title of the original thread. */
  readonly title?: string | undefined;
}

/** What a new thread starts with: a history, a message after it, or both. */
export interface Beginning extends ImportOptions {
  readonly history?: unknown;
  readonly input?: Input | undefined;
  readonly signal?: AbortSignal | undefined;
  /** What the calls of the run may do. By default the mode of the agent. */
  readonly mode?: RunMode | undefined;
  /** Files of the thread, by path, saved in the same commit. */
  readonly files?: GivenFiles | undefined;
}

export interface ImportOptions {
  readonly format?: Format | undefined;
  /** Saved in the same commit. */
  readonly describe?: Description | undefined;
}

export interface EntriesOptions {
  /** Only entries with smaller numbers: `before` of a later page. */
  readonly before?: number | undefined;
  /** How many, from 1 to 500. 100 by default. Queued messages are added to the newest page. */
  readonly limit?: number | undefined;
  /** The calls that lead to a child thread, to read its entries. */
  readonly path?: readonly string[] | undefined;
}

export interface ExchangeOptions extends Pick<EntriesOptions, "path"> {
  /** Models that may have written the turn, besides that of the agent. */
  readonly models?: readonly Model[] | undefined;
}

/** The provider and model that a history is written for. */
export interface HistoryTarget {
  readonly provider?: string;
  readonly model?: string;
  /**
   * False omits the instructions of the agent, for readers that must not see them. Formats whose messages cannot contain
   * instructions always omit them.
   */
  readonly instructions?: boolean;
}

/** What the threads of an agent share. */
export interface ThreadAccess {
  readonly setup: Setup;
  readonly actorOf: (id: string) => ThreadActor;
  /** Limits how many threads are resumed at the same time. */
  readonly recoveries: Semaphore;
}

export function createThread(id: string, access: ThreadAccess): Thread {
  const { setup, actorOf, recoveries } = access;
  const actor = (): ThreadActor => actorOf(id);
  const read = (): Promise<ThreadJournal> => actor().read();
  const decideWith = (decisions: MakeDecisions, options: DecideOptions): Run => {
    const ofParent: MakeDecisions = (journal) => {
      refuseChild(journal);
      return decisions(journal);
    };
    return decide(actor(), ofParent, prepared(options, ["by", "signal", "describe", "input", "maxMode"]));
  };
  const all =
    (decision: Decisions[string]) =>
    async (journal: ThreadJournal): Promise<Decisions> => {
      const calls = await pendingInTree(actor(), journal);
      if (calls.length === 0) throw new UndangleError("decision/none", { threadId: id });
      return Object.fromEntries(calls.map((call) => [call.id, decision]));
    };
  return {
    id,
    begin(beginning) {
      const { history, input, format, describe, signal, mode, files } = checked(beginning, beginningNames);
      const events = async (journal: ThreadJournal): Promise<readonly LedgerEvent[]> => {
        if (history === undefined && input === undefined)
          throw new UndangleError("options/value", {
            option: "input",
            value: input,
            allowed: ["a history or a string"],
          });
        const entries = history === undefined ? [] : await readHistory(history, format, setup).events(journal);
        const imported = [...entries, ...describeEvent(describe), ...fileEvents(files)];
        if (input === undefined) return imported;
        const entry = { type: "input" as const, at: setup.now(), parts: inputParts(input) };
        return [...imported, { type: "close", how: "superseded", at: entry.at }, { type: "say", entry }];
      };
      return createThreadWith(actor(), events, { signal, mode });
    },
    send: (input, options = {}) => send(actor(), input, prepared(options, sendNames)),
    decide: (decisions, options = {}) => decideWith(() => decisions, options),
    approveAll: (options = {}) => decideWith(all({ type: "approve" }), options),
    rejectAll: (reason, options = {}) =>
      decideWith(all({ type: "reject", ...(reason !== undefined && { reason }) }), options),
    pending: async () => pendingInTree(actor(), await read()),
    async calls() {
      const journal = await read();
      return journal.recorded().flatMap(({ calls }) => calls.map((call) => callView(call, setup.language)));
    },
    repairs: () => repairsInTree(actor()),
    async exchange(entry, options = {}) {
      const { path = [], models = [] } = checked(options, ["path", "models"]);
      const asked = await actorAt(actor(), path);
      return exchangeOf(await asked.read(), { number: entry, models }, asked.setup);
    },
    allowed: async () => [...(await allowedInTree(actor(), await read())), ...(await allowedForAgent(setup))],
    async revoke(allowance, options = {}) {
      const holder = (await holderOf(actor(), allowance)) ?? actor();
      return revokeAllowance(holder, allowance, checked(options, ["by"]));
    },
    stop: async (options = {}) => stopThread(actor(), checked(options, ["cause"]), refuseChild),
    regenerate: (options = {}) => regenerate(actor(), prepared(options, ["signal", "describe", "maxMode"])),
    async fork(at, options = {}) {
      const { id: other = randomUUID(), title: given } = checked(options, ["id", "title"]);
      const { recorded, files, queue, ...original } = await readSnapshot(read);
      const title = given ?? original.title;
      if (at !== undefined && !(Number.isInteger(at) && at >= 0 && at < recorded.length))
        throw new UndangleError("thread/entry", { threadId: id, at, entries: recorded.length });
      const copied = at === undefined ? recorded : recorded.slice(0, at + 1);
      await importInto(actorOf(other), async (fresh) => {
        if (fresh.ledger().entries > 0) throw new UndangleError("thread/exists", { threadId: other });
        const named = title === undefined ? [] : [descriptionEvent({ title })];
        const events = copyEvents(copied, { ...original, queue: at === undefined ? queue : [] });
        return [...events, ...named, { type: "write-files", changes: files }];
      });
      return createThread(other, access);
    },
    async import(history, options = {}) {
      const { format, describe } = checked(options, ["format", "describe"]);
      const { imported, events } = readHistory(history, format, setup);
      await importInto(actor(), async (journal) => [...(await events(journal)), ...describeEvent(describe)]);
      return imported;
    },
    export: (async (as?: Format | "original") => {
      if (as === undefined) return portableThread(id, await readSnapshot(read));
      const journal = await read();
      return as === "original" ? originalOf(journal) : writeHistory(journal, as, setup);
    }) as Thread["export"], // the argument selects the overload
    async history<F extends Format>(format: F, target: HistoryTarget = {}) {
      const { provider, model, instructions = true } = checked(target, ["provider", "model", "instructions"]);
      const journal = await read();
      const messages = await historyMessages(journal, setup, setup.projection);
      const conversation = conversationOf(messages, instructions && holdsSystemText(format) ? setup.system : []);
      return encode(conversation, { to: format, provider, model, language: setup.language }) as HistoryOf<F>; // the encoder of this format returns this type
    },
    events(options = {}) {
      const { path = [], ...rest } = checked(options, ["after", "signal", "path"]);
      return eventsAt(actor(), path, rest);
    },
    async entries(options = {}) {
      const { before, limit = 100, path = [] } = checked(options, ["before", "limit", "path"]);
      const { threadId, setup: ofThread, mailbox } = await actorAt(actor(), path);
      await mailbox.whenFree();
      const { store, language } = ofThread;
      const saved = await retryStore(ofThread, threadId, () => readEntries(store, threadId, { before, limit }));
      return entriesView(saved, { language, path });
    },
    async trace() {
      await actor().mailbox.whenFree();
      return retryStore(setup, id, () => readTrace(actor()));
    },
    state: async () => copyJson((await read()).ledger().state),
    files: async (prefix = "") => (await read()).files.list(prefix, Infinity),
    readFile: async (path) => (await (await read()).files.read(threadPath(path)))?.data,
    writeFile: async (path, content) => writeThreadFiles(actor(), [fileChange(path, content)]),
    describe: async (about) => describeThread(actor(), checkedDescription(about)),
    recover: () => recover(actor(), recoveries),
  };
}

const beginningNames = ["history", "input", "format", "describe", "signal", "mode", "files"] as const;
const sendNames = ["onInput", "mode", "maxMode", "signal", "describe", "files"] as const;

/** Validated options of a command that starts a run, with the description as JSON. */
function prepared<Options extends { readonly describe?: Description | undefined }>(
  options: Options,
  allowed: readonly (keyof typeof optionChecks)[],
): Options {
  const { describe } = checked(options, allowed);
  return describe === undefined ? options : { ...options, describe: checkedDescription(describe) };
}

const describeEvent = (describe: Description | undefined): readonly LedgerEvent[] =>
  describe === undefined ? [] : [descriptionEvent(checkedDescription(describe))];

function checkedDescription(about: Description): Description {
  const { meta = {}, ...rest } = checked(about, ["title", "meta"]);
  return { ...rest, meta: asJson(meta) };
}

const checked = <Options extends object>(options: Options, allowed: readonly (keyof typeof optionChecks)[]): Options =>
  checkedOptions(options, allowed, optionChecks);

const optionChecks = {
  mode: { fits: (value: unknown) => runModes.some((mode) => mode === value), values: runModes },
  maxMode: { fits: (value: unknown) => runModes.some((mode) => mode === value), values: runModes },
  onInput: { fits: (value: unknown) => inputPolicies.some((policy) => policy === value), values: inputPolicies },
  after: { fits: isPlace, values: ["the id of an event"] },
  by: { fits: isText, values: ["a string"] },
  provider: { fits: isText, values: ["the name of a provider"] },
  model: { fits: isText, values: ["the name of a model"] },
  signal: { fits: (value: unknown) => value instanceof AbortSignal, values: ["an AbortSignal"] },
  id: { fits: (value: unknown) => typeof value === "string" && value !== "", values: ["a non-empty string"] },
  title: {
    fits: (value: unknown) => typeof value === "string" && value.isWellFormed() && value !== "" && value.length <= 200,
    values: ["a string of 1 to 200 characters"],
  },
  path: {
    fits: (value: unknown) => Array.isArray(value) && value.every(isText),
    values: ["a list of call ids"],
  },
  models: {
    fits: (value: unknown) => Array.isArray(value) && value.every((each) => isRecord(each) && isText(each["name"])),
    values: ["a list of models"],
  },
  before: {
    fits: (value: unknown) => Number.isSafeInteger(value) && Number(value) >= 0,
    values: ["the number of an entry"],
  },
  limit: {
    fits: (value: unknown) => Number.isInteger(value) && Number(value) >= 1 && Number(value) <= 500,
    values: ["a whole number from 1 to 500"],
  },
  meta: { fits: isRecord, values: ["an object"] },
  files: {
    fits: (value: unknown) => isRecord(value) && Object.values(value).every(isContent),
    values: ["an object with a string, a Uint8Array or null for each path"],
  },
  describe: { fits: isRecord, values: ["an object"] },
  cause: {
    fits: (value: unknown) => value === "stopped" || value === "superseded",
    values: ["stopped", "superseded"],
  },
  history: { fits: () => true, values: [] }, // the decoder validates it
  input: { fits: () => true, values: [] },
  instructions: yesOrNo,
  format: { fits: (value: unknown) => formats.some((format) => format === value), values: formats },
};
