import { isRecord, UndangleError } from "#core";

import { refuseChild, restingChildren } from "../../children/child-thread.ts";
import { openIds } from "../../journal/call-events.ts";
import type { HeldEvent, ThreadJournal } from "../../journal/thread-journal.ts";
import type { InputEntry, InputPart } from "../../ledger/entry.ts";
import { nextOf } from "../../ledger/step.ts";
import { asPart, isMedia } from "../../result/media.ts";
import type { ToolMedia } from "../../result/media.ts";
import { endOf } from "../../run/run.ts";
import type { LiveRun } from "../../run/run.ts";
import type { Session } from "../../run/session.ts";
import { refuseOther, refuseOverLimit } from "../../run/run-mode.ts";
import type { RunMode } from "../../run/run-mode.ts";
import type { InputPolicy, Setup } from "../../run/setup.ts";
import { fileEvents } from "../../thread-files.ts";
import type { GivenFiles } from "../../thread-files.ts";
import type { ThreadActor } from "../thread-actor.ts";
import { describeEvents, startRun } from "./request.ts";
import type { PendingRequest, StartOptions } from "./request.ts";

export interface SendOptions extends StartOptions {
  readonly onInput?: InputPolicy | undefined;
  /** What the calls of this run may do. By default `read-only` if the last run was, else the mode of the agent. */
  readonly mode?: RunMode | undefined;
  /** The widest mode that the sender may give. A message that would start or join a wider run is refused. */
  readonly maxMode?: RunMode | undefined;
  /** Files of the thread, by path, saved in the same commit. */
  readonly files?: GivenFiles | undefined;
}

/** Sends a message and runs the model. An invalid message or path fails the run. */
export function send(actor: ThreadActor, input: Input, options: SendOptions): LiveRun {
  const { threadId, setup, thread } = actor;
  const { onInput = setup.onInput, mode, maxMode, signal, describe, files } = options;
  return startRun(actor, { signal }, async (request) => {
    if (setup.mode === "read-only") refuseOther(mode, setup.mode);
    if (mode !== undefined) refuseOverLimit(mode, { own: setup.mode, maxMode });
    const described = [...describeEvents(describe), ...fileEvents(files)];
    const entry = { type: "input" as const, at: setup.now(), parts: inputParts(input) };
    for (;;) {
      const session = await thread.acceptingSession();
      const journal = await thread.open();
      refuseChild(journal);
      if (session?.isClosing === true) continue; // the closing run would not respond to the message
      const isBusy = session !== undefined || journal.ledger().turn !== undefined;
      if (isBusy && onInput === "refuse") throw new UndangleError("thread/busy", { threadId, calls: openIds(journal) });
      if (isBusy && onInput === "queue")
        return queue(actor, request, { entry, described, mode, maxMode, session, journal });
      await thread.endRun("superseded");
      // Interrupted calls are settled in the commit that resumes the thread, so that they are found until then.
      const current = session === undefined ? journal : await thread.open();
      const isOpen = current.ledger().turn !== undefined;
      const children = restingChildren(current, setup);
      const start = { reason: "message" as const, mode: mode ?? modeOfMessage(journal, setup) };
      await thread.begin(request.run, start, [
        ...described,
        ...(isOpen ? [{ type: "close" as const, how: "superseded" as const, at: setup.now() }] : []),
        { type: "say", entry },
      ]);
      void setup.children.stop(children, "superseded");
      return undefined;
    }
  });
}

/** The mode of a message that has none. A thread stays read-only until a message has another mode. */
const modeOfMessage = (journal: ThreadJournal, { mode }: Setup): RunMode =>
  journal.ledger().mode === "read-only" ? "read-only" : mode;

/** A message to queue, and the thread at that time. */
interface QueuedMessage {
  readonly entry: InputEntry;
  /** Metadata and files to save with it. */
  readonly described: readonly HeldEvent[];
  readonly mode: RunMode | undefined;
  readonly maxMode: RunMode | undefined;
  readonly session: Session | undefined;
  readonly journal: ThreadJournal;
}

/** Queues a message until all calls are settled. */
async function queue({ thread, setup }: ThreadActor, request: PendingRequest, message: QueuedMessage): Promise<void> {
  const { run } = request;
  const { entry, described, mode, maxMode, session, journal } = message;
  const joined = journal.ledger().mode ?? setup.mode;
  refuseOther(mode, joined);
  refuseOverLimit(joined, { own: setup.mode, maxMode });
  if (session === undefined && nextOf(journal.ledger()) !== "wait")
    return thread.begin(run, { reason: "message" }, [...described, { type: "queue", entry }]); // work of a dead process comes first
  const from = session?.run.log.mark();
  journal.apply({ type: "queue", entry });
  await thread.saveOrForget(journal, session, { held: described, undo: () => journal.unsend(entry) });
  if (session === undefined) {
    thread.scheduleNext();
    return run.settle(endOf(journal, { status: "waiting" }));
  }
  run.join(session.run, from); // after the save, because a command that fails is repeated with this run
  session.queued.set(entry, run);
  request.withdraw = () => {
    const leaving = withdraw(thread, run, message);
    run.leave(leaving);
    return leaving;
  };
  return undefined;
}

/** Removes a queued message. False if it is not queued any more, or if the change could not be saved. */
async function withdraw(
  thread: ThreadActor["thread"],
  run: LiveRun,
  { entry, session, journal }: QueuedMessage,
): Promise<boolean> {
  if (!journal.ledger().queue.includes(entry)) return false; // the thread already contains it
  journal.apply({ type: "withdraw", entry });
  try {
    await thread.saveOrForget(journal, session, { undo: () => journal.apply({ type: "queue", entry }) });
  } catch {
    return false; // the run gets the error and ends
  }
  if (!run.isOver()) run.settle(endOf(journal, { status: "stopped" }));
  return true;
}

/** The content of a user message: a text, or texts and media from `image()` and `file()`. */
export type Input = string | readonly (string | ToolMedia | { readonly type: "text"; readonly text: string })[];

/** The parts of a user message. */
export function inputParts(input: Input): readonly InputPart[] {
  const items: readonly unknown[] = Array.isArray(input) ? input : [input];
  const parts = items.map((item): InputPart => {
    if (typeof item === "string") return { type: "text", text: item.toWellFormed() }; // providers refuse lone surrogates
    if (isMedia(item)) return asPart(item);
    if (isRecord(item) && item["type"] === "text" && typeof item["text"] === "string")
      return { type: "text", text: item["text"].toWellFormed() };
    throw new UndangleError("options/value", {
      option: "input",
      value: item,
      allowed: ["a string", "image()", "file()", "{ type: 'text', text }"],
    });
  });
  if (parts.every((part) => part.type === "text" && part.text === "")) {
    throw new UndangleError("options/value", { option: "input", value: input, allowed: ["a non-empty string"] });
  }
  return parts;
}
