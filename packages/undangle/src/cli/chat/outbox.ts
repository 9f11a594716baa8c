import { setImmediate as soon } from "node:timers/promises";

import type { Run, Thread } from "#engine";

import { noteAgent } from "../noted-agent.ts";
import type { Approver } from "./approval/approver.ts";
import type { Desk } from "./desk.ts";
import type { OpenedAgent } from "./open-chat.ts";
import type { Card } from "./input/question.ts";
import { measureIn } from "./view/face.ts";
import { printFault, printSaid, saidLines } from "./view/show-event.ts";
import { setText } from "./view/text-flow.ts";

/** What a person says goes to the model at once, or waits here for its turn. */
export interface Outbox {
  readonly waiting: () => readonly string[];
  /** Says something now, or when what goes on is over. */
  readonly say: (text: string) => Promise<void>;
  /** Says what is next, if nothing goes on. */
  readonly goOn: () => Promise<void>;
  /** Puts what waits back into the line: after a run that did not end well nothing is sent unseen. */
  readonly giveBack: () => void;
}

export interface OutboxOptions {
  readonly desk: Desk;
  readonly thread: () => Thread;
  readonly agent: () => OpenedAgent;
  readonly approver: Approver;
  /** What keeps a run from beginning. */
  readonly watch: (run: Run) => Promise<string | undefined>;
  readonly now: () => number;
}

export function createOutbox({ desk, thread, agent, approver, watch, now }: OutboxOptions): Outbox {
  let waiting: string[] = [];
  const isBusy = (): boolean => desk.view().isRunning || approver.isBusy() || desk.isAsking();

  /** What to do with a message that would cancel pending calls. */
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
    await soon(); // it is seen before the store is asked, which may have to wait for others
    const problem = await watch(thread().send(text));
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
