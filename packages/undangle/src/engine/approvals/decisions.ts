import { isRecord, isTooDeep, UndangleError } from "#core";
import type { JsonObject, Language } from "#core";

import type { PendingCall } from "../events.ts";
import type { CallState, DecisionType, Gate, LedgerCall } from "../ledger/call.ts";
import type { AppliedDecision, OpenTurn } from "../ledger/ledger.ts";
import { writeJson } from "../result/write-json.ts";
import { givenResult } from "../tool-result.ts";
import type { ToolTable } from "../toolbox.ts";
import { pendingCalls } from "../views/call-view.ts";
import { allowanceFromDecision } from "./allowances.ts";
import type { Always } from "./allowances.ts";
import { decisionTexts } from "./decision-texts.ts";
import { digestOf, decisionTypes } from "./rules.ts";
import type { GateKeeper, OpenGate } from "./rules.ts";

/** A person's decision about one call. A digest, if given, must match the call. */
export type Decision =
  | { readonly type: "approve"; readonly always?: Always | undefined; readonly digest?: string | undefined }
  /** The tool does not run, and the model gets the reason. */
  | { readonly type: "reject"; readonly reason?: string | undefined; readonly digest?: string | undefined }
  /** The tool runs with other arguments, or another tool runs. */
  | {
      readonly type: "edit";
      readonly arguments: JsonObject;
      readonly name?: string | undefined;
      readonly always?: Always | undefined;
      readonly digest?: string | undefined;
    }
  /** The person supplies the result, and the tool does not run. */
  | { readonly type: "respond"; readonly result: unknown; readonly digest?: string | undefined };

/** Decisions by call id. */
export type Decisions = Readonly<Record<string, Decision>>;

export interface DecisionContext {
  /** The open turn, with all of its calls. */
  readonly turn: OpenTurn | undefined;
  readonly stateOf: (id: string) => CallState | undefined;
  readonly threadId: string;
  readonly tools: ToolTable;
  /** Tools that hooks hid from the request. An edit cannot name one of them. */
  readonly hidden: readonly string[];
  /** Evaluates the current rules for the call, and for an edit that names another tool. */
  readonly gate: GateKeeper;
  /** The name of the agent, if it has one. */
  readonly agent: string | undefined;
  readonly at: number;
  readonly by: string | undefined;
  readonly language: Language;
}

/** The effects of decisions. If one is refused, an error lists the problems and none takes effect. */
export async function resolveDecisions(
  decisions: unknown,
  deciding: DecisionContext,
): Promise<readonly AppliedDecision[]> {
  if (!isRecord(decisions) || Object.keys(decisions).length === 0) {
    throw new UndangleError("options/value", {
      option: "decisions",
      value: decisions,
      allowed: ["{ [callId]: { type } }"],
    });
  }
  const problems: { callId: string; problem: string }[] = [];
  const applied: AppliedDecision[] = [];
  const calls = new Map(deciding.turn?.calls.map((call) => [call.id, call]));
  for (const [callId, decision] of Object.entries(decisions)) {
    const call = calls.get(callId);
    const outcome = call === undefined ? unknownCall(callId, deciding) : await resolve(call, decision, deciding);
    if (typeof outcome === "string") problems.push({ callId, problem: outcome });
    else applied.push(outcome);
  }
  if (problems.length > 0) throw new UndangleError("decision/refused", { problems, language: deciding.language });
  return applied;
}

/** The decision to apply, or an error message. */
async function resolve(
  call: LedgerCall,
  decision: unknown,
  deciding: DecisionContext,
): Promise<AppliedDecision | string> {
  const texts = decisionTexts[deciding.language];
  if (call.state !== "awaiting" || call.gate === undefined) return texts.open(call.state);
  const { deadline } = call.gate;
  if (deadline !== undefined && deadline <= deciding.at) return texts.expired;
  if (!isRecord(decision) || typeof decision["type"] !== "string") return texts.shape;
  const { agent } = call.gate;
  if (agent !== undefined && isForeign(call.gate, deciding.agent) && toolRuns.includes(decision["type"]))
    return texts.foreign(call.name, agent, deciding.agent);
  const gate = await gateNow(call, call.gate, deciding);
  if (gate === undefined) return texts.late(call.name, longestCheck / 1000);
  const { decisions, digest } = gate;
  const given = decision as {
    readonly [Key in keyof Decision | "reason" | "arguments" | "name" | "result" | "always"]?: unknown;
  }; // checked to be an object
  const type = decisions.find((each) => each === given.type);
  if (type === undefined) return texts.notAllowed(given.type, call.name, decisions);
  if (given.digest !== undefined && given.digest !== digest) return texts.changed;
  const unknown = Object.keys(given).find((key) => decision[key] !== undefined && !decisionKeys[type].includes(key));
  if (unknown !== undefined) return texts.oddKey(type, unknown, decisionKeys[type]);
  const record = { id: call.id, type, at: deciding.at, digest, ...(deciding.by !== undefined && { by: deciding.by }) };
  const judged = { ...call, gate };
  if (type === "approve") return withAlways(judged, given, { record, deciding });
  if (type === "edit") return edited(judged, given, { record, deciding });
  if (type === "respond") {
    if (given.result === undefined) return texts.noResult;
    const result = givenResult(given.result, deciding.language);
    return "reason" in result ? texts.unpassable(result.reason) : { ...record, outcome: { type: "result", ...result } };
  }
  const { reason } = given;
  if (reason !== undefined && typeof reason !== "string") return texts.reason;
  return { ...record, ...(reason !== undefined && { reason: reason.toWellFormed() }) };
}

/**
 * The gate of a call under the rules of the deciding agent. Undefined if a rule takes too long. Its rules may have
 * changed since the call was gated, in an import or by a new configuration. Then both gates apply, and a rejection by
 * either is possible.
 */
async function gateNow(
  { id, name, raw }: LedgerCall,
  stored: Gate,
  { gate, tools, threadId, at }: DecisionContext,
): Promise<Gate | undefined> {
  const args: unknown = JSON.parse(raw); // only complete arguments are gated
  const shown = { id, name, arguments: isRecord(args) ? args : {}, threadId };
  const asked = Promise.resolve(gate(shown, tools.get(name)?.approval, { at }));
  const found = await inTime(asked.then((now) => ({ now })));
  if (found?.now === undefined) return found === undefined ? undefined : stored;
  const { now } = found;
  const { always: was = [], ...rest } = stored;
  const always = was.filter((scope) => now.always?.includes(scope) === true);
  const decisions = decisionTypes.filter((type) => {
    const [before, after] = [stored.decisions.includes(type), now.decisions.includes(type)];
    return type === "reject" ? before || after : before && after;
  });
  return { ...rest, decisions, ...(always.length > 0 && { always }) };
}

/**
 * Decisions after which a tool runs. Only the agent that requested the call may run it: the tools of another agent can
 * have the same names and do something else than what a person was shown.
 */
const toolRuns: readonly string[] = ["approve", "edit"] satisfies readonly DecisionType[];

/** True for a call of another agent than the one that decides. */
const isForeign = ({ agent }: Pick<PendingCall, "agent">, deciding: string | undefined): boolean =>
  agent !== undefined && agent !== deciding;

/** A pending call with the decisions that an agent accepts. */
export const acceptedBy = (agent: string | undefined, call: PendingCall): PendingCall =>
  isForeign(call, agent)
    ? { ...call, foreign: true, decisions: call.decisions.filter((type) => !toolRuns.includes(type)), always: [] }
    : call;

/** The keys of each decision. The model gets the reason, so only a rejection has one. */
const decisionKeys: Readonly<Record<DecisionType, readonly string[]>> = {
  approve: ["type", "digest", "always"],
  reject: ["type", "digest", "reason"],
  edit: ["type", "digest", "arguments", "name", "always"],
  respond: ["type", "digest", "result"],
};

function unknownCall(id: string, { stateOf, turn, language }: DecisionContext): string {
  const texts = decisionTexts[language];
  const state = stateOf(id);
  if (state !== undefined) return texts.settled(state);
  return texts.unknown(pendingCalls(turn?.calls ?? []).map((call) => call.id));
}

/** A decision that is being resolved. */
interface Resolving {
  readonly record: AppliedDecision;
  readonly deciding: DecisionContext;
}

/** Adds the allowance to a decision that lets the call run. */
function withAlways(
  call: LedgerCall,
  given: { readonly always?: unknown },
  { record, deciding: { agent, language } }: Resolving,
): AppliedDecision | string {
  const texts = decisionTexts[language].always;
  const { at, by, edited: { name, raw } = call } = record;
  const always = allowanceFromDecision(given.always, { id: call.id, name, raw, gate: call.gate, at, by, agent, texts });
  if (typeof always === "string") return always;
  if (always !== undefined && name !== call.name) return texts.otherTool;
  return always === undefined ? record : { ...record, always };
}

async function edited(
  call: LedgerCall,
  given: { readonly arguments?: unknown; readonly name?: unknown; readonly always?: unknown },
  { record, deciding }: Resolving,
): Promise<AppliedDecision | string> {
  const { arguments: args, name = call.name } = given;
  const { tools, hidden, language } = deciding;
  const texts = decisionTexts[language];
  if (typeof name !== "string") return texts.name;
  if (!isRecord(args)) return texts.noArguments;
  const written = writeJson(args, language);
  if ("reason" in written) return texts.unwritable(written.reason);
  const raw = written.json;
  if (isTooDeep(raw)) return texts.tooDeep;
  const value: unknown = JSON.parse(raw);
  if (!isRecord(value)) return texts.noArguments; // its `toJSON` returned something else
  const changed = { ...record, digest: digestOf(name, raw), edited: { name, raw } };
  const tool = tools.get(name);
  if (tool === undefined || hidden.includes(name))
    return texts.noTool(
      name,
      [...tools.keys()].filter((each) => !hidden.includes(each)),
    );
  const validated = await inTime(tool.validate(value, language));
  if (validated === undefined) return texts.late(name, longestCheck / 1000);
  if (!validated.ok) return texts.unfit(name, validated.problems);
  if (name !== call.name) {
    const shown = { id: call.id, name, arguments: value, threadId: deciding.threadId };
    const gate = await inTime(Promise.resolve(deciding.gate(shown, tool.approval, deciding)).then(opened));
    if (gate === undefined) return texts.late(name, longestCheck / 1000);
    if (!gate.decisions.includes("edit")) return texts.notAllowed("edit", name, gate.decisions);
  }
  return withAlways(call, given, { record: changed, deciding });
}

/** The accepted decisions. All of them if no rule applies. */
const opened = (gate: OpenGate | undefined): Pick<OpenGate, "decisions"> => gate ?? { decisions: decisionTypes };

/** The time limit for validating arguments in milliseconds, because the thread waits for it. */
const longestCheck = 30_000;

async function inTime<T>(work: T | Promise<T>): Promise<T | undefined> {
  if (!(work instanceof Promise)) return work;
  const { promise: late, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(resolve, longestCheck, undefined);
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
