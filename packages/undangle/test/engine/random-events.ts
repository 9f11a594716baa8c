import type { PendingCall } from "../../src/engine/events.ts";
import { isReady, isSettled } from "../../src/engine/ledger/call.ts";
import type { CallState, Gate, LedgerCall, Outcome, SettledState } from "../../src/engine/ledger/call.ts";
import type { TurnEntryPart, InputEntry, Recorded } from "../../src/engine/ledger/entry.ts";
import { importedModel } from "../../src/engine/ledger/recorded.ts";
import { noUsage } from "../../src/engine/ledger/ledger.ts";
import type { AppliedDecision, Closing, Ledger, LedgerEvent } from "../../src/engine/ledger/ledger.ts";
import type { Seal } from "#core";
import fc from "fast-check";

/** Something that may happen to a thread, before it is known how the thread stands. */
export interface Move {
  readonly type: LedgerEvent["type"];
  /** What is chosen where there is a choice. */
  readonly dice: readonly number[];
  readonly text: string;
  /** It happens whether or not it may: a result that is late, a decision that was taken, a second start. */
  readonly isReckless: boolean;
}

const texts = ["Hello.", "", " ", "\n", "工具 👀", "a\u0000b", "half \ud83d", "{}", "x".repeat(300)];
const raws = ["{}", '{"n":1}', '{"n":', "", "nothing", "[1]", '{"a":{"b":"\\u0000"}}', '{"text":"工具 👀"}'];
const names = ["auto", "gated", "no such tool", "名字", "x".repeat(80)];

const pendingIn = (text: string): PendingCall => ({
  id: "call_1",
  name: "gated",
  arguments: { text },
  digest: "",
  decisions: ["approve"],
  always: [],
});

export const moves: fc.Arbitrary<readonly Move[]> = fc.array(
  fc.record({
    type: fc.constantFrom<Move["type"][]>(
      ...(["say", "answer", "start", "start", "end", "end", "end", "decide", "decide"] as const),
      ...(["close", "begin", "queue", "reclaim", "remember", "describe", "finish", "gate"] as const),
      ...(["import", "retract", "restore", "revoke", "hand-on", "spend", "write-files"] as const),
      ...(["track-child", "delegate", "resume", "receive"] as const),
    ),
    dice: fc.array(fc.nat(1000), { minLength: 8, maxLength: 8 }),
    text: fc.constantFrom(...texts),
    isReckless: fc.nat(5).map((n) => n === 0),
  }),
  { maxLength: 40, size: "max" },
);

/** What a move comes to on a thread that stands so. One that cannot happen there is the next thing that can. */
export function eventOf(move: Move, ledger: Ledger): LedgerEvent {
  const isFirst = move.type === "answer" && ledger.entries === 0; // people speak first
  const isPossible = !isFirst && (move.isReckless || isPossibleIn(ledger, move.type));
  return eventFor(isPossible ? move : { ...move, type: nextIn(ledger) }, ledger);
}

const statesIn = ({ turn }: Ledger): ReadonlySet<CallState> => new Set(turn?.calls.map(({ state }) => state));

function isPossibleIn(ledger: Ledger, type: Move["type"]): boolean {
  const states = statesIn(ledger);
  if (type === "say" || type === "import") return ledger.turn === undefined;
  if (type === "retract" || type === "restore") return ledger.turn === undefined && ledger.entries > 1;
  if (type === "answer") return ledger.turn === undefined && ledger.entries > 0;
  if (type === "start") return states.has("proposed") || states.has("approved");
  if (type === "gate") return states.has("proposed");
  if (type === "end" || type === "reclaim" || type === "hand-on" || type === "track-child")
    return states.has("running");
  if (type === "delegate") return ledger.turn?.calls.some(isChild) === true;
  if (type === "resume") return states.has("delegated") || ledger.turn?.calls.some(isChild) === true;
  if (type === "receive") return ledger.turn?.calls.some(isDecided) === true;
  return type !== "decide" || states.has("awaiting");
}

const isChild = ({ state, child }: LedgerCall): boolean => state === "running" && child !== undefined;

const isDecided = ({ child }: LedgerCall): boolean => child?.decisions !== undefined;

const nextIn = (ledger: Ledger): Move["type"] =>
  (["start", "end", "decide", "answer"] as const).find((type) => isPossibleIn(ledger, type)) ?? "say";

function eventFor({ type, dice, text, isReckless }: Move, ledger: Ledger): LedgerEvent {
  const calls = ledger.turn?.calls ?? [];
  /** At least one of those that fit, if there is one. */
  const chosen = (filter: (call: LedgerCall) => boolean): readonly string[] => {
    const fitting = calls.filter((call) => isReckless || filter(call)).map(({ id }) => id);
    const some = fitting.filter((_, i) => (dice[i] ?? 0) % 2 === 0);
    return some.length > 0 ? some : fitting.slice(0, 1);
  };
  switch (type) {
    case "begin":
      return { type, run: `run ${dice[0]}`, at: 1 };
    case "say":
    case "queue":
      return { type, entry: inputOf(text) };
    case "withdraw": {
      const entry = ledger.queue[(dice[0] ?? 0) % Math.max(1, ledger.queue.length)];
      return entry === undefined ? { type: "finish" } : { type, entry };
    }
    case "answer":
      return answerOf(dice, text, ledger);
    case "start":
      return { type, ids: chosen(isReady), at: 1 };
    case "hand-on": {
      const [id = ""] = chosen(({ state }) => state === "running");
      return { type, id, name: `tool_${(dice[0] ?? 0) % 3}`, raw: '{"handed":"on"}', allowance: undefined };
    }
    case "end":
      return {
        type,
        calls: chosen(({ state }) => state === "running").map((id) => ({ id, at: 1, ...endOf(dice, text) })),
      };
    case "gate": {
      const ids = chosen(({ state }) => state === "proposed");
      const allowance = { id: "allowed before", scope: "agent" as const, at: 1 };
      const isAllowed = (_: unknown, i: number): boolean => (dice[i + 3] ?? 0) % 3 === 0;
      const held = ids.filter((id, i) => !isAllowed(id, i));
      return {
        type,
        gates: new Map(held.map((id): [string, Gate] => [id, { digest: "", decisions: ["approve"] }])),
        allowances: new Map(ids.filter(isAllowed).map((id) => [id, allowance])),
      };
    }
    case "decide": {
      const ids = chosen(({ state }) => state === "awaiting");
      return { type, decisions: ids.map((id, i) => decisionOf(id, dice[i + 3] ?? 0, text)) };
    }
    case "close": {
      const how = pick<Closing>(["superseded", "expired", "stopped", "limit", "crashed"], dice[0]);
      return (dice[1] ?? 0) % 3 === 0
        ? { type, how, at: 1 }
        : { type, how, at: 1, ids: chosen((call) => !isSettled(call)) };
    }
    case "track-child": {
      const [id = ""] = chosen(({ state }) => state === "running");
      const tokens = dice[0] ?? 0;
      return { type, id, thread: `child of ${id}`, usage: { ...noUsage, totalTokens: tokens } };
    }
    case "delegate":
      return { type, calls: chosen(isChild).map((id) => ({ id, pending: [pendingIn(text)] })) };
    case "resume":
      return {
        type,
        calls: chosen((call) => call.state === "delegated" || isChild(call)).map((id) => ({
          id,
          decisions: { decisions: { call_1: { type: "approve" } } },
        })),
      };
    case "receive": {
      const decided = calls.find(isDecided);
      return { type, id: decided?.id ?? "", given: decided?.child?.decisions?.[0] ?? { decisions: {} } };
    }
    case "nest":
      return { type, parent: { thread: "parent", call: "call_1", depth: 1 } };
    case "write-files":
      return { type, changes: [{ path: `/${text}`, data: new Uint8Array(dice) }] };
    case "reclaim":
      return { type, ids: chosen(({ state }) => state === "running"), hasBegun: (dice[7] ?? 0) % 2 === 0 };
    case "remember":
      return { type, values: { [`key ${(dice[0] ?? 0) % 3}`]: (dice[1] ?? 0) % 4 === 0 ? undefined : { text } } };
    case "spend":
      return { type, usage: { ...noUsage, totalTokens: dice[0] ?? 0 } };
    case "describe":
      return { type, meta: { [`key ${(dice[0] ?? 0) % 3}`]: (dice[1] ?? 0) % 4 === 0 ? null : { text } } };
    case "import": {
      const answer = answerOf(dice, text, ledger);
      const said = { entry: inputOf(text), calls: [] };
      if (answer.type !== "answer" || (dice[6] ?? 0) % 3 === 0) return { type, recorded: [said] };
      return { type, recorded: [said, (dice[7] ?? 0) % 2 === 0 ? answer : fromElsewhere(answer)] };
    }
    case "retract":
      return {
        type,
        from: 1 + ((dice[0] ?? 0) % Math.max(1, ledger.entries - 1)),
        ending: undefined, // whoever has the entries knows it
        at: 1,
      };
    case "restore":
      return {
        type,
        retraction: ledger.entries - 1 - ((dice[0] ?? 0) % Math.min(3, Math.max(1, ledger.entries))), // mostly none, or one of before
        from: 1,
        isAsking: (dice[1] ?? 0) % 2 === 0,
        ending: undefined, // as above
        at: 1,
      };
    case "revoke":
      return { type, ids: ledger.allowed.map(({ id }) => id).filter((_, i) => (dice[i % dice.length] ?? 0) % 2 === 0) };
    case "finish":
      return { type, isOwing: (dice[0] ?? 0) % 4 === 0 };
  }
}

const pick = <T>(list: readonly [T, ...T[]], number = 0): T => list[number % list.length] ?? list[0];

/** What a person says is never empty. */
const inputOf = (text: string): InputEntry => ({
  type: "input",
  at: 1,
  parts: [{ type: "text", text: text === "" ? "And?" : text }],
});

function answerOf(dice: readonly number[], text: string, { calls: made }: Ledger): LedgerEvent {
  const count = (dice[0] ?? 0) % 4;
  const calls = Array.from({ length: count }, (_, i) => callOf(made + i, dice[i + 1] ?? 0));
  const parts: TurnEntryPart[] = calls.map(({ id }) => ({ type: "call", id }));
  for (const [i, part] of saidParts(dice, text).entries()) {
    const isInPlace = (dice[5] ?? 0) % 2 === 0;
    parts.splice(isInPlace ? i : (dice[i] ?? 0) % (parts.length + 1), 0, part);
  }
  const finish = count > 0 ? "tool_calls" : pick(["stop", "length", "stopped"] as const, dice[7]);
  return {
    type: "answer",
    entry: { type: "answer", at: 1, model: "any", parts, finish },
    calls,
    usage: { ...noUsage, totalTokens: count },
  };
}

/** An answer of an imported history: calls that are not settled have no result there, unless they wait for a person. */
function fromElsewhere({ entry, calls }: Extract<LedgerEvent, { type: "answer" }>): Recorded {
  return {
    entry: { ...entry, model: importedModel },
    calls: calls.map((call) =>
      isSettled(call) || call.state === "awaiting"
        ? call
        : { ...call, state: "lost", outcome: { type: "notice", cause: "interrupted" } },
    ),
  };
}

/** What a model says besides its calls, with the seals of some provider or of none. */
function saidParts(dice: readonly number[], text: string): readonly TurnEntryPart[] {
  const [, , , , , shown = 0, thought = 0, owner = 0] = dice;
  const sealed = sealOf(owner);
  const parts: TurnEntryPart[] = [];
  if (thought % 3 === 0) parts.push({ type: "reasoning", text: thought % 2 === 0 ? `Hm. ${text}` : "", ...sealed });
  if (thought % 7 === 0) parts.push({ type: "reasoning", text: "", ...sealOf(2), isRedacted: true });
  if (shown % 3 > 0) parts.push({ type: "text", text, ...(shown % 5 === 0 && sealed) });
  if (shown % 3 > 1) parts.push({ type: "text", text: shown % 2 === 0 ? "" : text, ...sealed });
  if (shown % 11 === 0) parts.push({ type: "media", kind: "image", mediaType: "image/png", source, ...sealed });
  return parts;
}

const sealOf = (dice: number): { readonly seal?: Seal } =>
  pick<{ readonly seal?: Seal }>(
    [
      {},
      { seal: { owner: "gemini", value: "CiQBAAAA" } },
      { seal: { owner: "anthropic", value: "EqQBCgIYAhIkAAAA" } },
      { seal: { owner: "openai", value: "gAAAAABmAAAA", id: `rs_${dice}` } },
      { seal: { owner: "openai", value: "", id: `item_${dice}` } },
    ],
    dice,
  );

const gate: Gate = { digest: "of the call", decisions: ["approve", "reject", "edit", "respond"] };

/** A call as it is taken down: it waits, may start, or cannot run at all. */
function callOf(number: number, dice: number): LedgerCall {
  const raw = raws[dice % raws.length] ?? "{}";
  const name = names[dice % names.length] ?? "auto";
  const base = {
    id: `call_${number + 1}`,
    providerId: pick(
      [`call_${number}`, `functions.Bash:${number}`, `工具 ${number}`, `${"y".repeat(70)}${number}`],
      dice,
    ),
    name,
    raw,
    attempts: 0,
    ...sealOf(dice),
  };
  if (!raw.startsWith("{") || !raw.endsWith("}"))
    return {
      ...base,
      state: "failed",
      outcome: { type: "notice", cause: raw === '{"n":' ? "truncated" : "malformed" },
    };
  if (dice % 3 === 0) return { ...base, state: "awaiting", gate };
  if (dice % 7 === 0) return { ...base, state: "proposed", allowance: { id: "allowed", scope: "thread", at: 1 } };
  return { ...base, state: "proposed" };
}

function endOf(dice: readonly number[], text: string): { readonly state: SettledState; readonly outcome: Outcome } {
  const state = pick(["succeeded", "failed", "timed-out"] as const, dice[5]);
  if (state === "timed-out") return { state, outcome: { type: "notice", cause: state } };
  const image = { type: "media" as const, kind: "image" as const, mediaType: "image/png", source };
  const parts = pick(
    [[], [{ type: "text" as const, text }], [{ type: "text" as const, text }, image], [image]],
    dice[6],
  );
  return { state, outcome: { type: "result", parts, isError: state === "failed" } };
}

function alwaysOf(id: string, dice: number): NonNullable<AppliedDecision["always"]> {
  const isForAll = dice % 5 > 1;
  return {
    scope: pick(["thread", "agent"] as const, dice % 3),
    match: isForAll ? "tool" : "arguments",
    allowance: {
      id: `of ${id}`,
      tool: `tool ${dice % 3}`,
      call: id,
      at: 1,
      ...(!isForAll && { digest: `${dice % 4}` }),
    },
  };
}

const source = { type: "bytes" as const, data: "iVBORw0KGgo=" };

function decisionOf(id: string, dice: number, text: string): AppliedDecision {
  const type = pick(["approve", "reject", "edit", "respond"] as const, dice);
  const base = { id, type, at: 1, digest: "of the call", ...(dice % 3 === 0 && { by: "Ada" }) };
  if (type === "reject") return { ...base, ...(dice % 5 === 0 && { reason: text }) };
  if (type === "edit") {
    const edited = { name: "auto", raw: '{"n":2}' };
    const outcome: Outcome = { type: "result", parts: [{ type: "text", text: "no such tool" }], isError: true };
    return { ...base, edited, ...(dice % 7 === 0 && { outcome }) };
  }
  if (type === "respond")
    return { ...base, outcome: { type: "result", parts: [{ type: "text", text }], isError: false } };
  return dice % 2 === 0 ? base : { ...base, always: alwaysOf(id, dice) };
}
