import { decode, encode } from "#codecs";
import type { Conversation, Format, Message } from "#codecs";
import { copyJson, UndangleError } from "#core";
import type { Edit, JsonObject } from "#core";
import type { FileChange } from "#store";

import { toolDisplay } from "../approvals/call-display.ts";
import { digestOf, decisionTypes } from "../approvals/rules.ts";
import type { ThreadJournal } from "../journal/thread-journal.ts";
import { isSettled, withoutChild } from "../ledger/call.ts";
import type { LedgerCall } from "../ledger/call.ts";
import type { Recorded } from "../ledger/entry.ts";
import type { Ledger, LedgerEvent } from "../ledger/ledger.ts";
import { historyMessages } from "../run/notice-texts.ts";
import type { Setup } from "../run/setup.ts";
import { allFiles } from "../thread-files.ts";
import { importedEntries, pendingActionsIn } from "./imported-entries.ts";
import { isPortable, portableFile, readPortable } from "./portable-thread.ts";
import type { PortableThread } from "./portable-thread.ts";

/** The result of an import. */
export interface Imported {
  /** The given or detected format. Undefined for an exported thread. */
  readonly format: Format | undefined;
  /** The repairs of the history in the thread. The original is kept unchanged. */
  readonly edits: readonly Edit[];
}

/** A decoded history. Its entries are created once the numbers of its calls are known. */
export interface ReadHistory {
  readonly imported: Imported;
  readonly events: (journal: ThreadJournal) => Promise<readonly LedgerEvent[]>;
}

/** Reads a history in any format, or an exported thread. */
export function readHistory(input: unknown, format: Format | undefined, setup: Setup): ReadHistory {
  const { language, now } = setup;
  if (isPortable(input)) {
    const { recorded, files, ...extras } = readPortable(asJson(input));
    const events = async (journal: ThreadJournal): Promise<readonly LedgerEvent[]> => {
      const { threadId } = journal;
      if (journal.ledger().entries > 0) throw new UndangleError("thread/exists", { threadId });
      const copied = copyEvents(await gateImported(recorded, setup, threadId), extras);
      return files.length === 0 ? copied : [...copied, { type: "write-files", changes: files }];
    };
    return { imported: { format: undefined, edits: [] }, events };
  }
  const pending = pendingActionsIn(input);
  const decoded = decode(input, { from: format, language });
  const { format: found, edits, conversation } = decoded;
  if (pending.length === 0 && conversation.messages.every(isBlank))
    throw new UndangleError("input/empty", { messages: conversation.messages.length });
  const value = asJson(input);
  return {
    imported: { format: found, edits },
    async events(journal) {
      const at = now();
      const original: Recorded = { entry: { type: "original", at, format: found, value }, calls: [] };
      const first = journal.ledger().calls;
      const entries = importedEntries(decoded, { at, first, known: journal.providerIds, pending });
      return [{ type: "import", recorded: [original, ...(await gateImported(entries, setup, journal.threadId))] }];
    },
  };
}

/** True for a message without content, such as one whose role and keys no format has. */
const isBlank = (message: Message): boolean =>
  message.role !== "tool" && message.parts.every((part) => part.type === "text" && part.text === "");

/** A copy of a value as JSON. */
export function asJson<Value>(input: Value): Value {
  try {
    return JSON.parse(JSON.stringify(input)) as Value; // without what JSON cannot represent
  } catch (error) {
    throw new UndangleError("input/not-json", { near: error instanceof Error ? error.message : String(error) }, error);
  }
}

/** A thread at one time. */
export interface ThreadSnapshot extends ThreadExtras {
  readonly title: string | undefined;
  readonly recorded: readonly Recorded[];
  readonly files: readonly FileChange[];
}

/** Reads a thread with its files. They are read again if one changes meanwhile, for example because a call has ended. */
export async function readSnapshot(read: () => Promise<ThreadJournal>): Promise<ThreadSnapshot> {
  for (let journal = await read(); ;) {
    const version = journal.filesVersion();
    const files = await allFiles(journal.files);
    journal = await read();
    if (journal.filesVersion() !== version) continue;
    const { state, queue, meta, mode } = journal.ledger();
    return { title: journal.title(), recorded: [...journal.recorded()], state, queue, meta, mode, files };
  }
}

/** What a thread has in addition to its entries. */
export type ThreadExtras = Pick<Ledger, "state" | "queue" | "meta"> & Partial<Pick<Ledger, "mode">>;

/** The events that create a new thread from entries of another. */
export const copyEvents = (
  recorded: readonly Recorded[],
  { state, queue, meta, mode }: ThreadExtras,
): readonly LedgerEvent[] => [
  { type: "import", recorded: copiedEntries(recorded), state, queue, mode },
  ...(Object.keys(meta).length === 0 ? [] : [{ type: "describe" as const, meta }]),
];

/**
 * Writes a whole thread as a history in a format. Nothing is shortened. The instructions are not included, because they
 * belong to the agent that continues the thread.
 */
export async function writeHistory(
  journal: ThreadJournal,
  format: Format,
  setup: Pick<Setup, "language" | "wording">,
): Promise<unknown> {
  const messages = await historyMessages(journal, setup, { longestResult: Infinity });
  return encode(conversationOf(messages, []), { to: format, language: setup.language });
}

/** The last imported history, unchanged. */
export function originalOf(journal: ThreadJournal): unknown {
  const last = journal.recorded().findLast(({ entry }) => entry.type === "original")?.entry;
  if (last?.type !== "original") throw new UndangleError("thread/no-original", { threadId: journal.threadId });
  return copyJson(last.value);
}

/** The thread as JSON. Files that are not text are written in base64. */
export function portableThread(id: string, { recorded, state, queue, meta, files }: ThreadSnapshot): PortableThread {
  return copyJson({
    undangle: 1 as const,
    id,
    entries: recorded.map(({ entry, calls }) => ({ entry, calls: calls.map(withoutChild) })),
    state,
    queue,
    ...(Object.keys(meta).length > 0 && { meta }),
    ...(files.length > 0 && { files: files.map(portableFile) }),
  });
}

/** Messages after the instructions of an agent. */
export function conversationOf(messages: readonly Message[], system: Setup["system"]): Conversation {
  const first: readonly Message[] =
    system.length === 0 ? [] : [{ role: "system", path: "", parts: system, isDeveloper: false }];
  return { messages: [...first, ...messages], setting: undefined };
}

/**
 * Entries for another thread. Pending calls are pending there too. Calls that run, or are about to, run only in the
 * original thread, and child threads belong to it.
 */
const copiedEntries = (recorded: readonly Recorded[]): readonly Recorded[] =>
  recorded.map(({ entry, calls }) => ({ entry, calls: calls.map((call) => copied(withoutChild(call))) }));

function copied(call: LedgerCall): LedgerCall {
  if (isSettled(call) || call.state === "awaiting") return call;
  if (call.attempts > 0) return { ...call, state: "lost", outcome: { type: "notice", cause: "interrupted" } };
  return { ...call, state: "stopped", outcome: { type: "notice", cause: "stopped" } };
}

/**
 * Imported entries with the gates of this agent: its rules define the allowed decisions and the expiry of a pending
 * call. The settings of the import are ignored, and so are decisions and allowances for undecided calls. A call that no
 * rule covers waits for any decision.
 */
async function gateImported(
  recorded: readonly Recorded[],
  setup: Pick<Setup, "gate" | "tools" | "now">,
  threadId: string,
): Promise<readonly Recorded[]> {
  const last = recorded.at(-1);
  if (last?.calls.some(({ state }) => state === "awaiting") !== true) return recorded;
  const gated = async (call: LedgerCall): Promise<LedgerCall> => {
    if (call.state !== "awaiting") return call;
    const { gate: _theirs, decision: _none, allowance: _nor, proposed: _either, ...rest } = call;
    const { id, name, raw } = call;
    const shown = { id, name, arguments: JSON.parse(raw) as JsonObject, threadId }; // only complete calls are pending
    const tool = setup.tools.get(name);
    const since = setup.now();
    const gate = (await setup.gate(shown, tool?.approval, { at: since })) ?? { decisions: [...decisionTypes], since };
    const display = tool === undefined ? {} : { display: toolDisplay(tool) };
    return { ...rest, attempts: 0, gate: { digest: digestOf(name, raw), ...gate, ...display } };
  };
  return [...recorded.slice(0, -1), { entry: last.entry, calls: await Promise.all(last.calls.map(gated)) }];
}
