import { setImmediate as soon } from "node:timers/promises";

import type { Run, RunMode, Thread } from "#engine";

import { noteAgent } from "../noted-agent.ts";
import type { Approver } from "./approval/approver.ts";
import type { Desk } from "./desk.ts";
import type { OpenedAgent } from "./open-chat.ts";
import type { Card } from "./input/question.ts";
import { measureIn } from "./view/face.ts";
import { printFault, printSaid, saidLines } from "./view/show-event.ts";
import { setText } from "./view/text-flow.ts";

/** Sends messages at once, or queues them during a run. */
export interface Outbox {
  readonly waiting: () => readonly string[];
  /** Sends a message now, or after the current run. */
  readonly say: (text: string) => Promise<void>;
  /** Sends the next message, if nothing is running. */
  readonly goOn: () => Promise<void>;
  /** Moves queued messages back to the input line. After a failed run nothing is sent unseen. */
  readonly giveBack: () => void;
}

export interface OutboxOptions {
  readonly desk: Desk;
  readonly thread: () => Thread;
  readonly agent: () => OpenedAgent;
  readonly approver: Approver;
  /** The reason why a run did not start. */
  readonly watch: (run: Run) => Promise<string | undefined>;
  readonly now: () => number;
  /** The mode of messages. */
  readonly mode: () => RunMode | undefined;
}

export function createOutbox({ desk, thread, agent, approver, watch, now, mode }: OutboxOptions): Outbox {
  let waiting: string[] = [];
  const isBusy = (): boolean => desk.view().isRunning || approver.isBusy() || desk.isAsking();

  /** Prompts about a message that would cancel pending calls. */
  const asked = async (text: string, calls: number): Promise<string | undefined> => {
    const { sending } = desk.face().texts.approval;
    const card: Card = {
      lines: (face) => [
        ...saidLines(text, face),
        ...setText(face.texts.approval.waiting(calls), measureIn(face) - 2).map(
          (line) => `  ${face.paint("dim", line)}`,
        ),
      ],
    };
    const choices = [
      { key: "c", label: sending.cancel },
      { key: "d", label: sending.keep },
      { key: "Esc", label: sending.back },
    ];
    return approver.hold(() => desk.ask({ type: "choice", card, choices }));
  };
  const send = async (text: string): Promise<void> => {
    const { length } = await thread().pending();
    const key = length === 0 ? "c" : await asked(text, length);
    if (key === undefined) return desk.setDraft(text);
    if (key === "d") {
      waiting.unshift(text);
      await approver.ask();
      return outbox.goOn();
    }
    desk.show((view, face) => printSaid({ ...view, isRunning: true, askedAt: now() }, text, face));
    await soon(); // shows the message before the store responds, which may take a while
    const problem = await watch(thread().send(text, { mode: mode() }));
    if (problem === undefined) return noteAgent(thread(), agent());
    desk.show((view, face) => printFault({ ...view, isRunning: false, askedAt: undefined }, problem, face));
    return desk.setDraft(text);
  };
  const outbox: Outbox = {
    waiting: () => waiting,
    async say(text) {
      if (isBusy()) waiting.push(text);
      else await send(text);
    },
    async goOn() {
      if (isBusy()) return;
      const next = waiting.shift();
      if (next !== undefined) await send(next);
    },
    giveBack() {
      if (waiting.length === 0) return;
      desk.setDraft([...waiting, desk.draft()].filter((text) => text !== "").join("\n"));
      waiting = [];
      desk.hint(desk.face().texts.givenBack);
    },
  };
  return outbox;
}
