import { setTimeout as pause } from "node:timers/promises";

import type {
  Agent,
  Decision,
  Decisions,
  PendingCall,
  Run,
  RunEnd,
  Thread,
} from "../../packages/undangle/src/engine/index.ts";
import type { Random } from "../../packages/undangle/src/testing/random.ts";
import { writeLine } from "./diary.ts";

/** A person who talks with an agent, as chance has it. */
export interface Person {
  /** Says something and decides what has to be; sometimes interrupts. */
  talk(text: string): Promise<void>;
  /** Comes back to a thread that a dead process left. */
  comeBack(way: WayBack): Promise<void>;
  leave(): Promise<void>;
  /** Says something and decides until the thread rests. */
  sayPatiently(text: string): Promise<RunEnd>;
}

/** How a thread is touched again: by `recover`, by a look at it and then `recover`, or by a message that supersedes or waits. */
export type WayBack = (typeof waysBack)[number];

export const waysBack = ["recover", "look", "supersede", "queue"] as const;

export interface PersonOptions {
  readonly agent: Agent;
  readonly thread: Thread;
  readonly random: Random;
  readonly diary: string;
}

export function createPerson({ agent, thread, random, diary }: PersonOptions): Person {
  /** It is written down, and a moment passes before the person tries something else. */
  const fault = async (error: unknown): Promise<void> => {
    for (const each of error instanceof AggregateError ? (error.errors as unknown[]) : [error]) {
      const code = each instanceof Error && "code" in each ? String(each.code) : "none";
      writeLine(diary, { type: "fault", thread: thread.id, code, message: String(each) });
    }
    await pause(100);
  };
  const ended = async (run: Run): Promise<RunEnd> => {
    const end = await run.result;
    if (end.status === "failed") await fault(end.error);
    return end;
  };

  /** Decides about some calls or all, in one request or several, until none waits. */
  const decide = async (): Promise<RunEnd | undefined> => {
    let end: RunEnd | undefined;
    for (let left = 40; left > 0; left--) {
      const pending = await thread.pending();
      const chosen = random.below(2) === 0 ? pending : pending.slice(random.below(pending.length)).slice(0, 1);
      if (chosen.length === 0) return end;
      const decisions: Record<string, Decision> = {};
      for (const call of chosen) {
        const decision = decisionFor(call, random);
        decisions[call.id] = decision;
        writeLine(diary, { type: "decide", thread: thread.id, call: call.id, decision: decision.type });
      }
      end = await ended(thread.decide(decisions satisfies Decisions, { by: "someone" }));
      if (end.status === "failed" && isRefused(end.error)) continue;
      if (end.status === "failed") return end;
      const waiting = end.pending; // when its process stands still after that, another one may decide about them
      const untouched = pending.filter(({ id, deadline }) => decisions[id] === undefined && deadline === undefined);
      if (!untouched.every((call) => waiting.some(({ id, digest }) => id === call.id && digest === call.digest)))
        await fault(new Error("I6: a decision has touched a call that it was not about"));
    }
    return end;
  };

  /** Life goes on, whatever is refused. */
  const bearing = async (work: () => Promise<void>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      await fault(error);
    }
  };
  const talk = async (text: string): Promise<void> => {
    const run = thread.send(text);
    const mood = random.below(10);
    if (mood < 5) {
      await Promise.race([run.result, pause(random.below(40))]);
      if (mood === 0) await thread.stop();
      else await ended(thread.send(`${text} No, wait.`, { onInput: mood < 3 ? "queue" : "supersede" }));
    }
    await ended(run);
    await decide();
  };
  const comeBack = async (way: WayBack): Promise<void> => {
    if (way === "look") {
      await thread.pending();
      await thread.history("openai-chat");
    }
    if (way === "recover" || way === "look") for (const run of await agent.recover()) await ended(run);
    else await ended(thread.send("Are you still there?", { onInput: way }));
    await decide();
  };
  return {
    talk: (text) => bearing(() => talk(text)),
    comeBack: (way) => bearing(() => comeBack(way)),
    leave: () => bearing(() => agent.close()),
    async sayPatiently(text) {
      const end = await ended(thread.send(text));
      return (await decide()) ?? end;
    },
  };
}

/** The time for it was over, or somebody else has decided. */
const isRefused = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === "decision/refused";

function decisionFor({ digest }: PendingCall, { below }: Random): Decision {
  const chance = below(100);
  if (chance < 55) return { type: "approve", digest };
  if (chance < 75) return { type: "reject", reason: "Not this month." };
  if (chance < 90) return { type: "edit", arguments: { about: `edited ${chance}` } };
  return { type: "respond", result: "I have done it myself." };
}
