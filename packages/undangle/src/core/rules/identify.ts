import type { Dialect, Means } from "../dialect.ts";
import { hashAlphanumeric, mintCallId } from "../hash.ts";
import type { AssistantEntry, Call, Entry } from "../history.ts";
import { acceptsId } from "../profile.ts";
import { shorten } from "./describe.ts";
import type { Matching } from "./match.ts";

/** Generates ids that do not occur in the history and depend only on what they replace. */
export interface Mint {
  /** A new id for `seed`: a refused id, or the text of a call without an id. */
  fresh(seed: string): string;
}

export function createMint(entries: readonly Entry[], { dialect: { profile }, unread }: Means): Mint {
  let taken: Set<string> | undefined; // collected on demand: most histories need no new id
  const times = new Map<string, number>();
  return {
    fresh(seed) {
      taken ??= new Set(allIds(entries));
      for (let n = times.get(seed) ?? 0; ; n++) {
        const text = n === 0 ? seed : `${seed}\u0000${n}`;
        const id = profile.ids.mint === "nine" ? hashAlphanumeric(text, 9) : mintCallId(text);
        if (taken.has(id) || unread?.hasCallId(id) === true) continue;
        times.set(seed, n + 1);
        taken.add(id);
        return id;
      }
    },
  };
}

function* allIds(entries: readonly Entry[]): Generator<string> {
  for (const entry of entries) {
    if (entry.role === "result") yield entry.id;
    else if (entry.role === "assistant") for (const call of entry.calls) yield call.id;
  }
}

/** Gives every call a valid and unique id, and its result the same id. */
export function identify({ turns }: Matching, mint: Mint, means: Means): void {
  const { dialect } = means;
  const { ids } = dialect.profile;
  const everywhere = ids.scope === "request" ? new Set<string>() : undefined;
  for (const turn of turns) {
    const seen = everywhere ?? (turn.calls.length > 1 ? new Set<string>() : undefined);
    const before = everywhere?.size ?? 0;
    const inTurn = everywhere === undefined || turn.calls.length < 2 ? undefined : new Set<string>();
    for (const assistant of turn.assistants) {
      for (const call of assistant.calls) {
        const repeated = seen?.has(call.id) === true;
        if (!repeated && acceptsId(call.id, ids)) {
          seen?.add(call.id);
          inTurn?.add(call.id);
          if (call.result !== undefined && call.result.id !== call.id) renameResult(call, "invalid-call-id", means);
          continue;
        }
        const rule = ruleOf(call, repeated, before > 0 && inTurn?.has(call.id) !== true);
        inTurn?.add(call.id);
        renameCall(call, adoptable(call, seen, dialect) ?? mint.fresh(seedOf(call)), { assistant, rule }, means);
        seen?.add(call.id);
        if (call.result !== undefined && call.result.id !== call.id) renameResult(call, rule, means);
      }
    }
  }
}

type IdRule = "missing-call-id" | "invalid-call-id" | "duplicate-call-id" | "reused-call-id" | "mismatched-call-id";

function ruleOf({ id }: Call, repeated: boolean, earlier: boolean): IdRule {
  if (id === "") return "missing-call-id";
  if (!repeated) return "invalid-call-id";
  return earlier ? "reused-call-id" : "duplicate-call-id";
}

/** A call without an id gets that of its result, if the provider accepts it. */
function adoptable({ id, result }: Call, seen: ReadonlySet<string> | undefined, dialect: Dialect): string | undefined {
  if (id !== "" || result === undefined || seen?.has(result.id) === true) return undefined;
  return acceptsId(result.id, dialect.profile.ids) ? result.id : undefined;
}

function seedOf(call: Call): string {
  return call.id === "" ? `${call.name}\u0000${JSON.stringify(call.arguments) ?? ""}` : call.id;
}

interface Renaming {
  readonly assistant: AssistantEntry;
  readonly rule: IdRule;
}

const complaints: Readonly<Record<IdRule, (call: Call) => string>> = {
  "missing-call-id": ({ name }) => `The call of ${name || "a tool"} has no id.`,
  "invalid-call-id": ({ id }) => `The id ${shorten(id)} has characters or a length that the provider does not accept.`,
  "duplicate-call-id": ({ id }) => `Two calls of one turn have the id ${shorten(id)}.`,
  "reused-call-id": ({ id }) => `The id ${shorten(id)} was used by an earlier call of the conversation.`,
  "mismatched-call-id": ({ name }) => `The call of ${shorten(name)} has no id, but its result has one.`,
};

/** Gives a call a new id, and reports why. */
export function renameCall(call: Call, id: string, { assistant, rule }: Renaming, { dialect, journal }: Means): void {
  const from = dialect.from(assistant, call);
  const { callId } = dialect.fields;
  journal.report(
    { rule, from: from === undefined ? undefined : from + callId, message: complaints[rule](call), callId: id },
    { type: "rename", entry: assistant, call, suffix: callId },
  );
  call.id = id;
  call.fresh = true;
  assistant.fresh = true;
}

function renameResult(call: Call, rule: IdRule, { dialect, journal }: Means): void {
  const { result } = call;
  if (result === undefined) return;
  const { resultId } = dialect.fields;
  const from = dialect.from(result);
  const finding = {
    rule: result.id === "" ? ("missing-result-id" as const) : rule,
    from: from === undefined ? undefined : from + resultId,
    message: `The result of ${call.name} has no id.`,
    callId: call.id,
  };
  const change = { type: "rename" as const, entry: result, suffix: resultId };
  if (result.id === "") journal.report(finding, change);
  else journal.edit(finding, change); // the problem belongs to its call or its position
  result.id = call.id;
  result.fresh = true;
}
