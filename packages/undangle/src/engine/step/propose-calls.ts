import { isTooDeep, parseJson } from "#core";
import type { AssembledCall, AssembledTurn, JsonObject, Language } from "#core";

import { createAllowances } from "../approvals/allowances.ts";
import type { Allowances } from "../approvals/allowances.ts";
import { withDisplay } from "../approvals/call-display.ts";
import { digestOf } from "../approvals/rules.ts";
import type { OpenGate } from "../approvals/rules.ts";
import { infiniteProblems, readArguments } from "../arguments-text.ts";
import type { CallArguments } from "../arguments-text.ts";
import { emitEnds } from "../journal/call-events.ts";
import { callId } from "../ledger/call.ts";
import type { CallAllowance, LedgerCall, Gate } from "../ledger/call.ts";
import { writeJson } from "../result/write-json.ts";
import { isOffered } from "../run/run-mode.ts";
import type { Session } from "../run/session.ts";
import { andThen } from "../tool-result.ts";
import type { Tool } from "../tool.ts";
import { pendingView, readable } from "../views/call-view.ts";
import { cutOff, deniedCall, invalidArguments, outsideMode, unknownTool } from "./error-outcomes.ts";
import { availableTools } from "./guard-tool.ts";

/** The calls of a turn for the ledger. Only complete, known and valid calls can run. */
export function proposedCalls(
  session: Session,
  { calls, complete: isWhole, anomalies }: AssembledTurn,
  { results, hidden }: { readonly results: readonly unknown[]; readonly hidden: readonly string[] },
): readonly LedgerCall[] | Promise<readonly LedgerCall[]> {
  const first = session.journal.ledger().calls;
  const siblings = new Set<string>();
  if (session.validated.size > 0) session.validated.clear(); // calls of earlier turns are settled
  const allowances = createAllowances(session);
  const proposed = calls.map((call, place) => {
    const number = numberOf(call, place, results);
    const isRepeated = hasRepeatedId(number, anomalies);
    const at = { number: first + number, place, siblings, isWhole, isRepeated };
    return propose(session, call, { ...at, hidden, allowances });
  });
  if (proposed.some((each) => each instanceof Promise))
    return Promise.all(proposed.map((each) => Promise.resolve(each)));
  return proposed as LedgerCall[]; // none is a promise
}

/** The calls of a turn whose run ended before they were validated: none of them runs. */
export function stoppedCalls(
  session: Session,
  { calls, anomalies }: AssembledTurn,
  results: readonly unknown[],
): readonly LedgerCall[] {
  const first = session.journal.ledger().calls;
  const siblings = new Set<string>();
  return calls.map((call, place) => {
    const number = numberOf(call, place, results);
    const isRepeated = hasRepeatedId(number, anomalies);
    return {
      ...baseOf(session, call, { number: first + number, place, siblings, isWhole: false, isRepeated }),
      state: "stopped",
      outcome: { type: "notice", cause: "stopped" },
    };
  });
}

/** True if the provider gave the call the id of another call. */
const hasRepeatedId = (number: number, anomalies: AssembledTurn["anomalies"]): boolean =>
  anomalies.some(({ kind, call }) => kind === "id-repeated" && call === number);

/** The number of a call in its stream. */
function numberOf(call: AssembledCall, place: number, results: readonly unknown[]): number {
  if (results[place] === call) return place;
  const number = results.indexOf(call);
  return number === -1 ? place : number;
}

interface Place {
  readonly number: number;
  readonly place: number;
  /** The ids of earlier calls in the turn. */
  readonly siblings: Set<string>;
  /** False for an incomplete turn, none of whose calls run. */
  readonly isWhole: boolean;
  /** The call had the id of another call and got a new one. */
  readonly isRepeated: boolean;
}

function baseOf(session: Session, call: AssembledCall, place: Place): LedgerCall {
  const { name, arguments: args, state, seal } = call;
  const base: LedgerCall = {
    id: callId(place.number),
    providerId: providerIdOf(session, call, place),
    name,
    raw: state === "ready" && args !== null ? (textOf(call) ?? call.raw) : call.raw,
    state: "proposed",
    attempts: 0,
  };
  return seal === undefined ? base : { ...base, seal };
}

/** The input for deciding whether a call may run. */
interface Proposing extends Place {
  /** Tools that hooks or the mode hid from the request. */
  readonly hidden: readonly string[];
  readonly allowances: Allowances;
}

function propose(session: Session, call: AssembledCall, place: Proposing): LedgerCall | Promise<LedgerCall> {
  const { isWhole, hidden, allowances } = place;
  const { setup, validated } = session;
  const { name, arguments: args, state } = call;
  const base = baseOf(session, call, place);
  const unknown = (): LedgerCall => ({
    ...base,
    state: "failed",
    outcome: unknownTool(name, availableTools(setup, hidden), setup.language),
  });
  if (state !== "truncated" && name.trim() === "") return unknown(); // regardless of its arguments
  if (state !== "ready" || args === null) {
    const cause = state === "truncated" ? "truncated" : "malformed";
    return { ...base, state: "failed", outcome: { type: "notice", cause } };
  }
  if (!isWhole) return { ...base, state: "failed", outcome: cutOff(name, setup.language) };
  const unfit = (problems: readonly string[]): LedgerCall => ({
    ...base,
    state: "failed",
    outcome: invalidArguments(name, problems, setup.language),
  });
  const tool = setup.tools.get(name);
  if (tool !== undefined && !isOffered(session.mode(), tool)) {
    const facts = { mode: session.mode(), available: availableTools(setup, hidden) };
    return { ...base, state: "failed", outcome: outsideMode(name, facts, setup.language) };
  }
  if (tool === undefined || hidden.includes(name)) return unknown();
  if (textOf(call) === undefined) return unfit([unwritable[setup.language]]);
  if (isTooDeep(base.raw)) return unfit([tooDeep[setup.language]]);
  const { value, isFinite } = argumentsOf(call, base.raw);
  if (!isFinite) return unfit(infiniteProblems(base.raw, setup.language)); // the arguments could not be displayed exactly
  return andThen(tool.validate(value, setup.language), (outcome) => {
    if (!outcome.ok) return unfit(outcome.problems);
    validated.set(base.id, { name, raw: base.raw, value: outcome.value });
    if (tool === setup.output?.tool) return base; // the tool of the final answer has no effects
    const shown = { id: base.id, name, arguments: value, threadId: session.journal.threadId };
    return andThen(setup.deny?.(shown), (denied) => {
      if (denied !== undefined)
        return { ...base, state: "failed", outcome: deniedCall(name, denied.reason, setup.language) };
      const gated = andThen(session.gate(shown, tool), (gate) => awaiting(base, gate, allowances));
      return andThen(gated, (waiting) => withDisplay(session, waiting, { tool, args: outcome.value }));
    });
  });
}

/** A call at its gate. It waits for a decision, unless an allowance covers it. */
function awaiting(
  call: LedgerCall,
  gate: OpenGate | undefined,
  allowances: Allowances,
): LedgerCall | Promise<LedgerCall> {
  if (gate === undefined) return call;
  return andThen(allowances(call, gate), (allowance) =>
    allowance === undefined
      ? { ...call, state: "awaiting", gate: { digest: digestOf(call.name, call.raw), ...gate } }
      : { ...call, allowance },
  );
}

/**
 * The argument text of the model, without additional layers of JSON strings, so that no digit is lost. Undefined if
 * there is no text and the arguments cannot be serialized.
 */
function textOf({ raw, arguments: args }: AssembledCall): string | undefined {
  let text: unknown = raw;
  while (typeof text === "string" && text.trimStart().startsWith('"')) text = parseJson(text);
  if (typeof text === "string" && text.trimStart().startsWith("{")) return text.toWellFormed();
  const written = writeJson(args, "en");
  return "json" in written ? written.json : undefined;
}

/**
 * Parses the argument text, which is what is displayed. A custom model may not have written JSON; that is reported
 * later.
 */
function argumentsOf({ arguments: args }: AssembledCall, raw: string): CallArguments & { readonly value: Arguments } {
  try {
    return readArguments(raw) as CallArguments & { readonly value: Arguments }; // the text of a JSON object
  } catch {
    return { value: args ?? {}, isFinite: true };
  }
}

type Arguments = JsonObject;

const unwritable: Readonly<Record<Language, string>> = {
  en: "They cannot be written as JSON",
  zh: "参数无法写成 JSON",
};

const tooDeep: Readonly<Record<Language, string>> = {
  en: "They are nested too deeply to be checked and shown: use at most 500 levels",
  zh: "参数嵌套过深，无法检查和显示：最多允许 500 层",
};

/** The id of the call for the model and its provider, unique in the thread. */
function providerIdOf({ journal, setup }: Session, { id, idGenerated }: AssembledCall, place: Place): string {
  const known = journal.providerIds;
  const isBlank = id.trim() === "";
  const first = isBlank ? callId(place.number) : id;
  const isTaken = (each: string): boolean => known.has(each) || place.siblings.has(each);
  const unique = isTaken(first) ? `${first}_${freeNumber((n) => isTaken(`${first}_${n}`))}` : first;
  place.siblings.add(unique);
  if (!idGenerated && unique === id) return id;
  const isMissing = (idGenerated && !place.isRepeated) || isBlank;
  const message = (isMissing ? minted : doubled)[setup.language](place.place, unique);
  setup.logger.warn({ threadId: journal.threadId, providerId: unique }, message);
  journal.events.emitOnSave({ type: "warning", data: { message } });
  return unique;
}

/** A free number from 2 on: the first one if the taken numbers are consecutive. */
function freeNumber(isTaken: (n: number) => boolean): number {
  let free = 2;
  while (isTaken(free)) free *= 2;
  let taken = free / 2; // or 1
  while (free - taken > 1) {
    const middle = Math.floor((free + taken) / 2);
    if (isTaken(middle)) taken = middle;
    else free = middle;
  }
  return free;
}

const minted: Readonly<Record<Language, (place: number, id: string) => string>> = {
  en: (place, id) => `Tool call #${place} has no id; generated ${id}`,
  zh: (place, id) => `工具调用 #${place} 缺少 ID，已生成临时 ID: ${id}`,
};

const doubled: Readonly<Record<Language, (place: number, id: string) => string>> = {
  en: (place, id) => `Tool call #${place} has the id of another call; generated ${id}`,
  zh: (place, id) => `工具调用 #${place} 的 ID 已被其他调用使用，已生成临时 ID: ${id}`,
};

/**
 * Gates the calls of a dead process again that no person has decided, by the rules and allowances of this one. A call that had not
 * started waits for a decision. A call that had started does not start a second time: it is lost, outcome unknown.
 */
export async function regateCalls(session: Session): Promise<void> {
  const { journal, setup } = session;
  const gates = new Map<string, Gate>();
  const passes = new Map<string, CallAllowance>();
  const lost: string[] = [];
  const allowances = createAllowances(session);
  for (const call of journal.ledger().turn?.calls ?? []) {
    const { id, name, raw } = call;
    const tool = isUndecided(call) ? setup.tools.get(name) : undefined;
    if (tool === undefined || tool === setup.output?.tool) continue;
    const args = readable(raw) as JsonObject; // only complete calls are proposed
    const shown = { id, name, arguments: args, threadId: journal.threadId };
    const gate = await session.orOver(Promise.resolve(session.gate(shown, tool)));
    if (gate === undefined) continue;
    const allowance = await session.orOver(Promise.resolve(allowances(call, gate)));
    if (allowance === undefined && call.state === "approved") lost.push(id);
    else if (allowance === undefined)
      gates.set(id, await shownGate(session, call, { tool, args, gate: { digest: digestOf(name, raw), ...gate } }));
    else passes.set(id, allowance);
  }
  if (lost.length > 0) {
    journal.apply({ type: "close", how: "crashed", at: setup.now(), ids: lost });
    emitEnds(session, lost);
  }
  if (gates.size === 0 && passes.size === 0) return;
  journal.apply({ type: "gate", gates, allowances: passes });
  for (const id of gates.keys()) {
    const call = journal.callOf(id);
    if (call?.state === "awaiting") journal.events.emitOnSave({ type: "approval_required", data: pendingView(call) });
  }
}

/** A gate with what the tool of its call shows to the person. */
async function shownGate(
  session: Session,
  call: LedgerCall,
  { tool, args, gate }: { readonly tool: Tool; readonly args: JsonObject; readonly gate: Gate },
): Promise<Gate> {
  const validated = tool.render === undefined ? undefined : await tool.validate(args, session.setup.language);
  const given = validated?.ok === true ? validated.value : args;
  return (await withDisplay(session, { ...call, state: "awaiting", gate }, { tool, args: given })).gate ?? gate;
}

/**
 * True for a call that may start without a decision. A call that will start again is `approved`; one with a child thread
 * only continues.
 */
export const isUndecided = ({ state, decision, child }: LedgerCall): boolean =>
  state === "proposed" || (state === "approved" && decision === undefined && child === undefined);
