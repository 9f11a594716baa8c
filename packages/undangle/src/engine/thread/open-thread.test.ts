import { expect, test } from "vitest";

import type { ThreadJournal } from "../journal/thread-journal.ts";
import type { Session } from "../run/session.ts";
import { transition } from "./open-thread.ts";
import type { ThreadChange, ThreadState } from "./open-thread.ts";

const someJournal: Partial<ThreadJournal> = { threadId: "t" };
const journal = someJournal as ThreadJournal; // the transition only passes it on
const someSession: Partial<Session> = { journal };
const session = someSession as Session; // as above
const over = Promise.resolve();

const states: Readonly<Record<ThreadState["phase"], ThreadState>> = {
  closed: { phase: "closed" },
  idle: { phase: "idle", journal },
  tentative: { phase: "tentative", journal },
  running: { phase: "running", journal, session, over },
};

const changes: Readonly<Record<string, ThreadChange>> = {
  open: { type: "open", journal, isTentative: false },
  settle: { type: "open", journal, isTentative: true },
  begin: { type: "begin", session, over },
  save: { type: "save" },
  end: { type: "end" },
  forget: { type: "forget" },
};

test.each([
  ["closed", "open", "idle"],
  ["closed", "settle", "tentative"],
  ["idle", "settle", "tentative"],
  ["idle", "begin", "running"],
  ["idle", "save", "idle"],
  ["tentative", "save", "idle"],
  ["tentative", "begin", "running"],
  ["tentative", "forget", "closed"],
  ["running", "save", "running"],
  ["running", "end", "idle"],
  ["idle", "forget", "closed"],
  ["closed", "save", "closed"],
  ["closed", "end", "closed"],
] as const)("a thread that is %s is after %s %s", (before, change, after) => {
  const next = transition(states[before], changes[change] ?? { type: "forget" });
  expect(next).toEqual(states[after]);
});

test("a change without an effect keeps the state", () => {
  expect(transition(states.running, { type: "save" })).toBe(states.running);
  expect(transition(states.idle, { type: "end" })).toBe(states.idle);
});
