import { createAgent, tool } from "#engine";
import type { Agent, CallState, Decision, LedgerCall, Thread } from "#engine";
import type { ModelRequest } from "#model";
import type { Store } from "#store";
import { scriptedModel } from "#testing";
import type { ScriptedModel } from "#testing";

import { promised, until } from "./promised.ts";
import type { Promised } from "./promised.ts";
import { callsOf, endsOf } from "./recorded.ts";
import { watchedStore } from "./watched-store.ts";
import type { WatchedStore } from "./watched-store.ts";

/** What becomes of one call of a turn. */
const kinds = ["gated-approve", "gated-reject", "gated-pending", "gated-edit", "auto", "throwing", "slow"] as const;

export type Kind = (typeof kinds)[number];

/** How decisions come in. */
export const orders = ["one batch", "separate requests", "reversed"] as const;

export type Order = (typeof orders)[number];

/** One turn of the table. */
export interface MatrixCase {
  readonly kinds: readonly Kind[];
  readonly order: Order;
  /** When the slow calls end: before the decisions or behind them. */
  readonly slowEnds: "first" | "last";
}

/** All turns of so many calls. */
function turnsOf(size: number): readonly (readonly Kind[])[] {
  if (size === 0) return [[]];
  return turnsOf(size - 1).flatMap((turn) => kinds.map((kind) => [...turn, kind]));
}

/** All cases of turns of so many calls. */
export function casesOf(size: number, order: Order): readonly MatrixCase[] {
  return turnsOf(size).flatMap((turn) => {
    const whens = turn.includes("slow") && turn.some(isGated) ? (["first", "last"] as const) : (["last"] as const);
    return whens.map((slowEnds) => ({ kinds: turn, order, slowEnds }));
  });
}

const isGated = (kind: Kind): boolean => kind.startsWith("gated-");

/** What came of a case: all that is wrong, and the requests that the model got after it. */
export interface MatrixEnd {
  readonly wrong: readonly string[];
  readonly requests: readonly ModelRequest[];
}

/** What a call of each kind comes to, once nothing more is decided and another message has come. */
const finalStates: Readonly<Record<Kind, CallState>> = {
  "gated-approve": "succeeded",
  "gated-reject": "rejected",
  "gated-pending": "superseded",
  "gated-edit": "succeeded",
  auto: "succeeded",
  throwing: "failed",
  slow: "succeeded",
};

/** Plays a turn with its decisions, says something more, and looks at all that was saved, told and run. */
export async function play(given: MatrixCase, inner: Store, id: string): Promise<MatrixEnd> {
  const stage = createStage(given, inner, id);
  const { thread, model, store, slow } = stage;
  const wrong: string[] = [];
  const expectThat = (holds: boolean, what: string): void => {
    if (!holds) wrong.push(what);
  };

  const first = thread.send("Do all of it.");
  const isReady = (): boolean => {
    const states = callsIn(store).map(({ state }) => state);
    return states.length === given.kinds.length && given.kinds.every((kind, i) => readyStates[kind] === states[i]);
  };
  await until(isReady);
  const shown = await callsOf(store, id);
  const isOpen = given.kinds.some((kind) => isGated(kind) || kind === "slow");
  if (isOpen) expectThat(model.calls === 1, "the model was asked before all calls had their outcomes");
  if (given.slowEnds === "first") {
    for (const each of slow) each.resolve("came late");
    await first.result;
  }
  const settledBefore = shown.filter(({ outcome }) => outcome !== undefined);

  const requests = requestsFor(given, shown);
  for (const [i, decisions] of requests.entries()) {
    const before = store.commits.length;
    const ids = Object.keys(decisions);
    const run = thread.decide(decisions, { by: "Ada" });
    await until(() => decidedIn(store, ids, before).length > 0);
    expectThat(decidedIn(store, ids, before).length === 1, `request ${i} was not saved in one transaction`);
    const isLast = i === requests.length - 1;
    const isHeldUp = slow.length > 0 && given.slowEnds === "last";
    if (!isHeldUp) {
      const { status, error } = await run.result;
      const isLeft = !isLast || given.kinds.includes("gated-pending");
      expectThat(status === (isLeft ? "waiting" : "done"), `request ${i} ended ${status} ${error?.message ?? ""}`);
    }
  }
  for (const each of slow) each.resolve("came late");
  await until(() => store.commits.at(-1)?.head.owner === undefined);
  const isWaiting = given.kinds.includes("gated-pending");
  expectThat(model.calls === (isWaiting ? 1 : 2), `the model was asked ${model.calls} times before the next message`);

  const end = await thread.send("And now?").result;
  expectThat(end.status === "done", `the next message ended ${end.status} ${end.error?.message ?? ""}`);
  expectThat(end.pending.length === 0, "something is pending at the end");

  const calls = await callsOf(store, id);
  const ends = await endsOf(store, id);
  calls.forEach((call, i) => {
    const kind = given.kinds[i] ?? "auto";
    const says = `${kind} (${call.id})`;
    expectThat(call.state === finalStates[kind], `${says} is ${call.state}`);
    expectThat(toldBy(call) === outcomes[kind](call, i), `${says} says ${toldBy(call)}`);
    expectThat(ends.get(call.id) === 1, `${says} ended ${ends.get(call.id) ?? 0} times`);
    const runs = stage.ran.filter((each) => each === `${call.name} ${argumentsOf(kind, i)}`).length;
    const isRun = kind !== "gated-reject" && kind !== "gated-pending";
    expectThat(runs === (isRun ? 1 : 0), `${says} ran ${runs} times`);
    const earlier = settledBefore.find((each) => each.id === call.id);
    if (earlier !== undefined)
      expectThat(earlier.outcome === call.outcome || same(earlier, call), `${says} was touched`);
    const isDecided = isGated(kind) && kind !== "gated-pending";
    expectThat((call.decision?.by === "Ada") === isDecided, `${says}: decided by ${call.decision?.by ?? "nobody"}`);
  });
  expectThat(calls.length === given.kinds.length, `${calls.length} calls`);
  expectThat(stage.ran.length === given.kinds.filter((kind) => isRunKind(kind)).length, `ran: ${stage.ran.join(", ")}`);
  await stage.agent.close();
  return { wrong, requests: model.requests.slice(1) };
}

const isRunKind = (kind: Kind): boolean => kind !== "gated-reject" && kind !== "gated-pending";
const same = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/** Where a call stands when everything has happened that can happen without a person. */
const readyStates: Readonly<Record<Kind, CallState>> = {
  "gated-approve": "awaiting",
  "gated-reject": "awaiting",
  "gated-pending": "awaiting",
  "gated-edit": "awaiting",
  auto: "succeeded",
  throwing: "failed",
  slow: "running",
};

interface Stage {
  readonly agent: Agent;
  readonly thread: Thread;
  readonly model: ScriptedModel;
  readonly store: WatchedStore;
  readonly slow: readonly Promised[];
  /** The tools that ran, with their arguments. */
  readonly ran: readonly string[];
}

function createStage({ kinds: turn }: MatrixCase, inner: Store, id: string): Stage {
  const ran: string[] = [];
  const slow = turn.filter((kind) => kind === "slow").map(() => promised());
  let begun = 0;
  const input = { type: "object", properties: { n: { type: "number" } }, required: ["n"] } as const;
  const make = (name: string, approval: boolean, execute: (n: number) => unknown) =>
    tool({
      name,
      description: `Does ${name}.`,
      input,
      approval,
      execute({ n }) {
        ran.push(`${name} ${n}`);
        return execute(n);
      },
    });
  const tools = [
    make("gated", true, (n) => `gated ${n}`),
    make("auto", false, (n) => `auto ${n}`),
    make("throwing", false, (n) => {
      throw new Error(`no luck ${n}`);
    }),
    make("slow", false, () => slow[begun++]?.promise),
  ];
  const calls = turn.map((kind, n) => ({ name: isGated(kind) ? "gated" : kind, arguments: { n } }));
  const model = scriptedModel([{ text: "I will.", calls }, { text: "Done." }, { text: "Nothing more." }]);
  const store = watchedStore(inner);
  const agent = createAgent({ model, tools, store });
  return { agent, thread: agent.thread(id), model, store, slow, ran };
}

/** What the tool of a call is to get. */
const argumentsOf = (kind: Kind, n: number): number => (kind === "gated-edit" ? 100 + n : n);

/** What the model is to be told of a call. */
const outcomes: Readonly<Record<Kind, (call: LedgerCall, n: number) => string>> = {
  "gated-approve": (_, n) => `gated ${n}`,
  "gated-reject": () => "rejected: not this month",
  "gated-pending": () => "superseded: ",
  "gated-edit": (_, n) => `gated ${100 + n}`,
  auto: (_, n) => `auto ${n}`,
  throwing: (_, n) => `error: no luck ${n}`,
  slow: () => "came late",
};

function toldBy({ outcome }: LedgerCall): string {
  if (outcome === undefined) return "nothing";
  if (outcome.type === "notice") return `${outcome.cause}: ${outcome.reason ?? ""}`;
  const text = outcome.parts.map((part) => (part.type === "text" ? part.text : part.kind)).join("");
  return outcome.isError ? `error: ${text}` : text;
}

/** The decisions, request by request. */
function requestsFor(
  { kinds: turn, order }: MatrixCase,
  calls: readonly LedgerCall[],
): readonly Record<string, Decision>[] {
  const decisions = turn.flatMap((kind, n): Record<string, Decision>[] => {
    const { id = "" } = calls[n] ?? {};
    if (kind === "gated-approve") return [{ [id]: { type: "approve" } }];
    if (kind === "gated-reject") return [{ [id]: { type: "reject", reason: "not this month" } }];
    if (kind === "gated-edit") return [{ [id]: { type: "edit", arguments: { n: 100 + n } } }];
    return [];
  });
  if (decisions.length === 0) return [];
  if (order === "one batch") return [Object.assign({}, ...decisions) as Record<string, Decision>]; // of such records
  return order === "reversed" ? decisions.toReversed() : decisions;
}

/** The calls as the last commits have them, in their order. */
function callsIn({ commits }: WatchedStore): readonly LedgerCall[] {
  const rows = new Map(commits.flatMap(({ calls }) => calls.map((call) => [call.id, call])));
  return [...rows.values()].toSorted((a, b) => a.place - b.place).map(({ value }) => value as LedgerCall); // of the ledger
}

/** The commits since one in which some of these calls first stood as decided. */
function decidedIn({ commits }: WatchedStore, ids: readonly string[], from: number): readonly number[] {
  const found = new Set<number>();
  for (const id of ids) {
    const at = commits.findIndex(
      ({ calls }, i) =>
        i >= from && calls.some((call) => call.id === id && (call.value as LedgerCall).decision !== undefined), // a call of the ledger
    );
    if (at !== -1) found.add(at);
  }
  return [...found];
}
