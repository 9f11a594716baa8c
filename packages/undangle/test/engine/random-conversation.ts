import { tool } from "#engine";
import type { AgentOptions, Decision, Middleware, Run, Thread } from "#engine";
import { faultNames, scriptedModel } from "#testing";
import type { ScriptedTurn } from "#testing";
import fc from "fast-check";

import { quiet } from "./promised.ts";

/** A conversation of one thread: what the model says, which hooks there are, and what people do. */
export interface Conversation {
  readonly turns: readonly (ScriptedTurn | { readonly discard: string })[];
  readonly hooks: readonly Hook[];
  readonly hasOutput: boolean;
  readonly deeds: readonly Deed[];
}

interface Hook {
  readonly type:
    | "ask again after the model"
    | "ask again after the agent"
    | "end before the model"
    | "fail before a tool"
    | "fail after a tool"
    | "look";
  /** How often it lets things pass, and how often it then acts. */
  readonly passes: number;
  readonly times: number;
  readonly isSlow: boolean;
}

export interface Deed {
  readonly type: "send" | "decide" | "stop" | "regenerate" | "describe" | "wait";
  readonly onInput: "supersede" | "queue" | "refuse";
  /** One for each pending call; null leaves it. */
  readonly decisions: readonly (Decision | null)[];
  /** The next deed waits until its run is over. */
  readonly isAwaited: boolean;
  readonly ticks: number;
}

const call = fc.oneof(
  fc.constantFrom(
    { name: "quick" },
    { name: "slow" },
    { name: "flaky" },
    { name: "gated" },
    { name: "gated", arguments: { n: 1 } },
    { name: "none" },
    { name: " " },
    { name: "strict" },
    { name: "strict", arguments: { n: "one" } },
    { name: "strict", arguments: { n: 1 } },
    { name: "strict", raw: '{"n":' },
    { name: "quick", raw: "{n: 1}" },
    { name: "final_answer", arguments: { total: 3 } },
    { name: "final_answer", arguments: { total: "three" } },
  ),
);

const faults = faultNames("openai-chat");

const turn: fc.Arbitrary<ScriptedTurn> = fc.record(
  {
    text: fc.constantFrom("", "Hm.", "One two three four five six."),
    reasoning: fc.constantFrom("", "Let me think about this."),
    calls: fc.array(call, { maxLength: 3 }),
    faults: fc.array(fc.constantFrom(...faults), { minLength: 1, maxLength: 1 }),
    pace: fc.constant(0),
    error: fc.constant({ status: 500, message: "busy" }),
  },
  { requiredKeys: ["text", "reasoning", "calls"] },
);

const often = <T>(arbitrary: fc.Arbitrary<T>, ...rare: fc.Arbitrary<T>[]): fc.Arbitrary<T> =>
  fc.oneof({ arbitrary, weight: 8 }, ...rare.map((each) => ({ arbitrary: each, weight: 1 })));

const healthyTurn = turn.map(({ text = "", reasoning = "", calls = [], pace }): ScriptedTurn => ({
  text: text === "" && calls.length === 0 ? "Well." : text,
  reasoning,
  calls,
  ...(pace !== undefined && { pace }),
}));

const decision: fc.Arbitrary<Decision | null> = fc.constantFrom<(Decision | null)[]>(
  { type: "approve" },
  { type: "reject", reason: "no" },
  { type: "edit", arguments: { n: 2 } },
  { type: "respond", result: "from a person" },
  null,
);

export const conversations: fc.Arbitrary<Conversation> = fc.record({
  turns: fc
    .array(often<Conversation["turns"][number]>(healthyTurn, turn, fc.constant({ discard: "it broke" })), {
      minLength: 1,
      maxLength: 6,
    })
    .map((turns) => turns.filter((each, i) => !("discard" in each) || isBetweenTurns(turns, i)))
    .filter((turns) => turns.length > 0),
  hooks: fc.array(
    fc.record({
      type: fc.constantFrom<Hook["type"][]>(
        "ask again after the model",
        "ask again after the agent",
        "end before the model",
        "fail before a tool",
        "fail after a tool",
        "look",
      ),
      passes: fc.nat(2),
      times: fc.integer({ min: 1, max: 2 }),
      isSlow: fc.boolean(),
    }),
    { maxLength: 2 },
  ),
  hasOutput: often(fc.constant(false), fc.constant(true), fc.constant(true)),
  deeds: fc.array(
    fc.record({
      type: fc.constantFrom<Deed["type"][]>(
        "send",
        "send",
        "decide",
        "decide",
        "stop",
        "regenerate",
        "describe",
        "wait",
      ),
      onInput: fc.constantFrom("supersede", "queue", "refuse"),
      decisions: fc.array(decision, { minLength: 1, maxLength: 3 }),
      isAwaited: fc.boolean(),
      ticks: fc.nat(6),
    }),
    { minLength: 1, maxLength: 6 },
  ),
});

const isBetweenTurns = (turns: readonly object[], i: number): boolean =>
  [turns[i - 1], turns[i + 1]].every((each) => each !== undefined && !("discard" in each));

/** What an agent is made of that has the conversation. */
export function agentOptions({ turns, hooks, hasOutput }: Conversation): AgentOptions & {
  readonly model: ReturnType<typeof scriptedModel>;
} {
  const total = { type: "object", properties: { total: { type: "integer" } }, required: ["total"] } as const;
  return {
    model: scriptedModel(turns, { loop: true }),
    tools: tools(),
    middleware: hooks.map(middleware),
    limits: { steps: 5 },
    ...(hasOutput && { output: total }),
  };
}

function tools() {
  const input = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] } as const;
  let tries = 0;
  return [
    tool({ name: "quick", description: "Quick.", execute: () => "quick result" }),
    tool({
      name: "slow",
      description: "Slow.",
      async execute(_: unknown, context) {
        for (let i = 0; i < 3; i++) {
          context.progress({ i });
          await quiet(1);
        }
        return "slow result";
      },
    }),
    tool({
      name: "flaky",
      description: "Fails every other time.",
      retries: 1,
      execute: () => (tries++ % 2 === 0 ? Promise.reject(new Error("flaky")) : "at last"),
    }),
    tool({ name: "gated", description: "Gated.", approval: true, execute: () => "gated result" }),
    tool({ name: "strict", description: "Strict.", input, execute: () => "strict result" }),
  ];
}

function middleware({ type, passes, times, isSlow }: Hook, place: number): Middleware {
  const name = `hook ${place}`;
  let asked = 0;
  const acts = async (): Promise<boolean> => {
    if (isSlow) await quiet(1);
    asked++;
    return asked > passes && asked <= passes + times;
  };
  const again = async () => ((await acts()) ? { type: "again" as const, message: "Again." } : undefined);
  switch (type) {
    case "ask again after the model":
      return { name, afterModel: again };
    case "ask again after the agent":
      return { name, afterAgent: again };
    case "end before the model":
      return { name, beforeModel: async () => ((await acts()) ? { type: "end", text: "That is all." } : undefined) };
    case "fail before a tool":
    case "fail after a tool":
      return {
        name,
        wrapToolCall: (next) => async (given) => {
          const isFailing = await acts();
          if (isFailing && type === "fail before a tool") throw new Error("the hook fails");
          const result = await next(given);
          if (isFailing) throw new Error("the hook fails");
          return result;
        },
      };
    case "look":
      return { name, beforeModel: (request) => request, afterModel: () => undefined };
  }
}

/** Lets the deeds happen to a thread; resolves when nothing goes on any more. Every run is given to `onRun`. */
export async function converse(thread: Thread, deeds: readonly Deed[], onRun: (run: Run) => void): Promise<void> {
  const runs: Run[] = [];
  const begin = async (run: Run, { isAwaited, ticks }: Pick<Deed, "isAwaited" | "ticks">): Promise<void> => {
    runs.push(run);
    onRun(run);
    if (isAwaited) await run.result;
    else await quiet(ticks);
  };
  await begin(thread.send("Hello."), { isAwaited: false, ticks: 1 });
  for (const deed of deeds) {
    switch (deed.type) {
      case "send":
        await begin(thread.send("And?", { onInput: deed.onInput }), deed);
        break;
      case "decide": {
        const pending = await thread.pending();
        const decided = pending.flatMap(({ id }, i) => {
          const each = deed.decisions[i % deed.decisions.length];
          return each === null || each === undefined ? [] : [[id, each] as const];
        });
        if (decided.length > 0) await begin(thread.decide(Object.fromEntries(decided)), deed);
        break;
      }
      case "stop":
        await thread.stop();
        break;
      case "regenerate":
        await begin(thread.regenerate(), deed);
        break;
      case "describe":
        await thread.describe({ meta: { ticks: deed.ticks } }); // a commit in the middle of whatever goes on
        break;
      case "wait":
        await quiet(deed.ticks);
    }
  }
  for (const run of runs) await run.result;
  if ((await thread.pending()).length > 0) await begin(thread.rejectAll(), { isAwaited: true, ticks: 0 });
  await thread.stop(); // the model may have proposed calls again
}
