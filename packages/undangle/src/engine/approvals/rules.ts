import { isRecord, UndangleError } from "#core";

import type { DecisionType, Gate } from "../ledger/call.ts";

/** Which calls a person has to approve. The first rule that fits a call holds. */
export interface ApprovalRule {
  /** Names of tools; `*` stands for any letters. */
  readonly tools: string | readonly string[];
  /** What the person may decide; left out, anything. */
  readonly decisions?: readonly DecisionType[] | undefined;
  /** Whether this call needs it; one that throws is taken for a yes. */
  readonly when?: ((call: GatedCall) => boolean | Promise<boolean>) | undefined;
  /** Milliseconds until nobody can approve it any more. */
  readonly expiresAfter?: number | undefined;
  /** False: these calls need no approval, whatever a later rule or the tool says. */
  readonly required?: boolean | undefined;
}

/** What a rule may look at. */
export interface GatedCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly threadId: string;
}

export const decisionTypes: readonly DecisionType[] = ["approve", "reject", "edit", "respond"];

/** Finds out whether a call has to be approved. */
export type GateKeeper = (
  call: GatedCall,
  own: OwnApproval,
  at: number,
) => OpenGate | undefined | Promise<OpenGate | undefined>;

/** A gate that does not know yet what stands before it. */
export type OpenGate = Omit<Gate, "digest">;

/** What a tool says of itself. */
export type OwnApproval = boolean | Omit<ApprovalRule, "tools" | "required"> | undefined;

export function createGateKeeper(
  rules: readonly ApprovalRule[],
  onFault: (call: GatedCall, fault: unknown) => void,
): GateKeeper {
  const known = rules.map((rule, i) => {
    checkRule(rule, `approvals[${i}]`, ["tools", "decisions", "when", "expiresAfter", "required"]);
    return { rule, fits: matcher(rule.tools) };
  });
  return (call, own, at) => {
    const found = known.find(({ fits }) => fits(call.name))?.rule;
    const rule = found ?? (own === true ? {} : own === false ? undefined : own);
    if (rule === undefined || found?.required === false) return undefined;
    if (rule.when === undefined) return gateOf(rule, at);
    return asked(rule, call, { at, onFault });
  };
}

async function asked(
  rule: Omit<ApprovalRule, "tools">,
  call: GatedCall,
  { at, onFault }: { readonly at: number; readonly onFault: (call: GatedCall, fault: unknown) => void },
): Promise<OpenGate | undefined> {
  try {
    const shown = { ...call, arguments: structuredClone(call.arguments) }; // it may look at them, and not change what runs
    return (await rule.when?.(shown)) === false ? undefined : gateOf(rule, at);
  } catch (fault) {
    onFault(call, fault); // who cannot tell whether it is dangerous, asks
    return gateOf(rule, at);
  }
}

const gateOf = ({ decisions = decisionTypes, expiresAfter }: Omit<ApprovalRule, "tools">, at: number): OpenGate => ({
  decisions,
  ...(expiresAfter !== undefined && { deadline: at + expiresAfter }),
});

/** Refuses a rule that could not mean what its author thinks. */
export function checkRule(rule: unknown, option: string, keys: readonly string[]): void {
  if (!isRecord(rule))
    throw new UndangleError("options/value", { option, value: rule, allowed: [`{ ${keys.join(", ")} }`] });
  for (const key of Object.keys(rule)) {
    if (!keys.includes(key)) throw new UndangleError("options/unknown", { option: `${option}.${key}`, allowed: keys });
  }
  for (const [key, { allowed, fits }] of Object.entries(ruleChecks)) {
    const value = rule[key];
    const isLeftOut = value === undefined && (key !== "tools" || !keys.includes("tools"));
    if (isLeftOut || fits(value)) continue;
    const list: readonly unknown[] = Array.isArray(value) ? value : [];
    const wrong = list.find((each) => !fits([each])); // the one that is misspelt
    throw new UndangleError("options/value", { option: `${option}.${key}`, value: wrong ?? value, allowed });
  }
}

type RuleCheck = { readonly allowed: readonly string[]; readonly fits: (value: unknown) => boolean };

const isFilledList = (value: unknown, fits: (each: unknown) => boolean): boolean =>
  Array.isArray(value) && value.length > 0 && value.every(fits);
const isName = (value: unknown): boolean => typeof value === "string" && value !== "";

const ruleChecks: Readonly<Record<keyof ApprovalRule, RuleCheck>> = {
  tools: { allowed: ["names of tools"], fits: (value) => isName(value) || isFilledList(value, isName) },
  decisions: {
    allowed: decisionTypes,
    fits: (value) => isFilledList(value, (each) => decisionTypes.some((type) => type === each)),
  },
  when: { allowed: ["a function"], fits: (value) => typeof value === "function" },
  expiresAfter: {
    allowed: ["a number of milliseconds"],
    fits: (value) => typeof value === "number" && Number.isFinite(value) && value > 0,
  },
  required: { allowed: ["true", "false"], fits: (value) => typeof value === "boolean" },
};

function matcher(tools: ApprovalRule["tools"]): (name: string) => boolean {
  const patterns = [tools].flat().map((pattern) => {
    const letters = pattern.split("*").map((piece) => piece.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`));
    return new RegExp(`^${letters.join(".*")}$`, "su");
  });
  return (name) => patterns.some((pattern) => pattern.test(name));
}
