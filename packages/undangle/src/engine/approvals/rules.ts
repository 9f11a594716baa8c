import { hash } from "node:crypto";

import { isRecord, suggest, UndangleError } from "#core";
import type { JsonObject } from "#core";

import type { ShownRule } from "../events.ts";
import type { AllowanceScope, DecisionType, Gate } from "../ledger/call.ts";

/** Which calls need approval, or are denied. The first matching rule applies; a rule that denies always applies. */
export interface ApprovalRule {
  /** Names of tools; `*` matches any characters. */
  readonly tools: string | readonly string[];
  /** The accepted decisions. All by default. */
  readonly decisions?: readonly DecisionType[] | undefined;
  /** Whether this call needs approval. A rule that throws requires it. */
  readonly when?: ((call: GatedCall) => boolean | Promise<boolean>) | undefined;
  /** Milliseconds until the approval expires. */
  readonly expiresAfter?: number | undefined;
  /** False requires a decision for each call, without allowances. */
  readonly always?: boolean | undefined;
  /** False exempts these calls, regardless of later rules and the tool. True requires a decision in every mode. */
  readonly required?: boolean | undefined;
  /** True if the agent may lack the named tools. */
  readonly optional?: boolean | undefined;
  /** True refuses these calls with an error result, whatever other rules, allowances, decisions and hooks permit. */
  readonly deny?: boolean | undefined;
  /** Why these calls need a decision, for people; why they are denied, for the model. */
  readonly reason?: string | undefined;
}

/** The rules of an agent, or of one of its middleware. */
export interface RuleList {
  /** The option that contains them, for errors. */
  readonly option: string;
  /** `agent`, or the name of the middleware, for people. */
  readonly from: string;
  readonly rules: readonly ApprovalRule[];
}

/** The call as proposed by the model, for rules. The rule of a tool has typed arguments; the rule of an agent does not. */
export interface GatedCall<Args = JsonObject> {
  readonly id: string;
  readonly name: string;
  readonly arguments: Args;
  readonly threadId: string;
}

export const decisionTypes: readonly DecisionType[] = Object.freeze(["approve", "reject", "edit", "respond"] as const);

/** Determines whether a call needs approval. */
export type GateKeeper = (
  call: GatedCall,
  own: OwnApproval,
  judging: Judging,
) => OpenGate | undefined | Promise<OpenGate | undefined>;

/** When a call is proposed, and under which mode. */
export interface Judging {
  readonly at: number;
  /** True if the mode of the run accepts the call. Then only rules that no mode relaxes apply. */
  readonly isAccepted?: boolean;
}

/** A gate that is not bound to a call yet. */
export type OpenGate = Omit<Gate, "digest">;

/** The approval setting of a tool. */
export type OwnApproval<Args = JsonObject> =
  | boolean
  | (Pick<ApprovalRule, "decisions" | "expiresAfter" | "always" | "reason"> & {
      readonly when?: ((call: GatedCall<Args>) => boolean | Promise<boolean>) | undefined;
    })
  | undefined;

/** What all rules of an agent share. */
export interface GateKeeping {
  /** The name of the agent, if it has one. */
  readonly agent: string | undefined;
  readonly onFault: (call: GatedCall, fault: unknown) => void;
  /** The scopes of allowances that decisions may create. */
  readonly scopes: readonly AllowanceScope[];
  /** True for a tool from a source, which may rename its tools at any time. */
  readonly isOfSource: (tool: string) => boolean;
}

/** The allowed keys of a tool's own rule. */
export const ownRuleKeys: readonly (keyof ApprovalRule)[] = ["decisions", "when", "expiresAfter", "always", "reason"];

/** Throws for invalid rules. */
export function checkRules({ option, rules }: RuleList): void {
  rules.forEach((rule, i) => {
    const place = `${option}[${i}]`;
    checkRule(rule, place, ["tools", ...ownRuleKeys, "required", "optional", "deny"]);
    const odd = rule.deny === true ? [...gateKeys].find((key) => rule[key] !== undefined) : undefined;
    if (odd !== undefined)
      throw new UndangleError("options/unknown", { option: `${place}.${odd}`, allowed: [...denyKeys] });
  });
}

const denyKeys = ["tools", "deny", "reason", "when", "optional"] as const;
const gateKeys = ["decisions", "expiresAfter", "always", "required"] as const;

/**
 * Combines lists of checked rules. In each list the first rule that matches the tool applies. If its condition does not
 * hold, the lists after it are consulted. The setting of the tool itself comes last, if no rule of the last list matches.
 */
export function createGateKeeper(lists: readonly RuleList[], keeping: GateKeeping): GateKeeper {
  const known = lists.map(({ from, rules }) => ({
    from,
    rules: rulesByName(rules.filter(({ deny }) => deny !== true)),
  }));
  return (call, own, { at, isAccepted = false }) => {
    const gateFrom = (first: number): OpenGate | undefined | Promise<OpenGate | undefined> => {
      for (const [i, { from, rules }] of known.entries()) {
        if (i < first) continue;
        const rule = firstRule(rules, call.name, keeping);
        if (rule === undefined) continue;
        if (rule.required === false) return undefined;
        if (isAccepted && mayAccept(rule)) {
          if (i === known.length - 1) return undefined;
          continue; // a later list may require a decision in every mode
        }
        const gate = opened(rule, from);
        if (!(gate instanceof Promise) || i === known.length - 1) return gate;
        return gate.then((needed) => needed ?? gateFrom(i + 1));
      }
      if (own === undefined || own === false) return undefined;
      const rule = { ...(own === true ? {} : own), tools: call.name };
      return isAccepted && mayAccept(rule) ? undefined : opened(rule, "tool");
    };
    const opened = (rule: ApprovalRule, from: string): OpenGate | Promise<OpenGate | undefined> => {
      const gate = (): OpenGate => gateOf(rule, { from, at }, keeping);
      return rule.when === undefined ? gate() : evaluated(rule.when, call, { gate, onFault: keeping.onFault });
    };
    return gateFrom(0);
  };
}

/**
 * False for a rule that no mode relaxes: it requires a decision in every mode, or does not permit approvals. `always`
 * concerns allowances, which outlive a run, and not modes.
 */
const mayAccept = ({ required, decisions = decisionTypes }: ApprovalRule): boolean =>
  required !== true && decisions.includes("approve");

/** Determines whether a rule denies a call. Denied calls never start, whatever was decided or allowed. */
export type Denier = (call: GatedCall) => Denied | undefined | Promise<Denied | undefined>;

export interface Denied {
  /** The reason of the rule, for the model. */
  readonly reason: string | undefined;
}

/** Undefined if no rule denies anything. Every deny rule that matches applies, not only the first rule of a list. */
export function createDenier(
  lists: readonly RuleList[],
  keeping: Pick<GateKeeping, "onFault" | "isOfSource">,
): Denier | undefined {
  const denying = lists.flatMap(({ rules }) => rules).filter(({ deny }) => deny === true);
  if (denying.length === 0) return undefined;
  const known = denying.map((rule) => rulesByName([rule]));
  return (call) => {
    const matching = known.flatMap((each) => firstRule(each, call.name, keeping) ?? []);
    const certain = matching.find(({ when }) => when === undefined);
    if (certain !== undefined) return { reason: certain.reason };
    return matching.length === 0 ? undefined : firstThatApplies(matching, call, keeping.onFault);
  };
}

async function firstThatApplies(
  rules: readonly ApprovalRule[],
  call: GatedCall,
  onFault: GateKeeping["onFault"],
): Promise<Denied | undefined> {
  for (const { when, reason } of rules) {
    try {
      const shown = { ...call, arguments: structuredClone(call.arguments) }; // a copy, so that the rule cannot change what runs
      const isDenied: unknown = await when?.(shown); // only true and false are valid, and anything else denies
      if (isDenied !== false) return { reason };
    } catch (fault) {
      onFault(call, fault); // if the danger is unknown, the call is denied
      return { reason };
    }
  }
  return undefined;
}

/** Rules with a test of the name of a tool. */
type RulesByName = readonly { readonly rule: ApprovalRule; readonly fits: (name: string) => boolean }[];

const rulesByName = (rules: readonly ApprovalRule[]): RulesByName =>
  rules.map((rule) => ({ rule, fits: matcher(rule.tools) }));

/** The first rule for a tool. */
const firstRule = (
  rules: RulesByName,
  name: string,
  { isOfSource }: Pick<GateKeeping, "isOfSource">,
): ApprovalRule | undefined =>
  rules.find(({ fits }) => fits(name))?.rule ?? (isOfSource(name) ? nearRule(rules, name) : undefined);

/** A rule for a tool with nearly the same name, so that a server cannot evade a rule by changing the spelling. */
function nearRule(rules: RulesByName, name: string): ApprovalRule | undefined {
  const names = [name, name.replace(/_[0-9a-f]{8}$/u, "")]; // names that providers refuse get a hash suffix
  const isNear = (pattern: string): boolean =>
    !pattern.includes("*") && names.some((each) => isNearName(pattern, each));
  const found = rules.find(({ rule }) => rule.required !== false && [rule.tools].flat().some(isNear))?.rule;
  if (found === undefined) return undefined;
  const { when: _, ...rest } = found; // the condition expects the arguments of another tool
  return rest;
}

async function evaluated(
  when: NonNullable<ApprovalRule["when"]>,
  call: GatedCall,
  { gate, onFault }: { readonly gate: () => OpenGate; readonly onFault: GateKeeping["onFault"] },
): Promise<OpenGate | undefined> {
  try {
    const shown = { ...call, arguments: structuredClone(call.arguments) }; // a copy, so that the rule cannot change what runs
    const isNeeded: unknown = await when(shown); // only true and false are valid, and anything else needs approval
    return isNeeded === false ? undefined : gate();
  } catch (fault) {
    onFault(call, fault); // if the danger is unknown, the call needs approval
    return gate();
  }
}

function gateOf(
  rule: ApprovalRule,
  { from, at }: { readonly from: string; readonly at: number },
  { agent, scopes }: GateKeeping,
): OpenGate {
  const { decisions = decisionTypes, expiresAfter, always = true } = rule;
  return {
    since: at,
    ...(agent !== undefined && { agent }),
    rule: shownRule(rule, from),
    decisions: [...decisions], // a copy, so that the rule cannot be changed
    ...(expiresAfter !== undefined && { deadline: at + expiresAfter }),
    ...(always && decisions.includes("approve") && { always: [...scopes] }), // a call that cannot be approved cannot be always allowed
  };
}

const shownRule = ({ tools, when, reason }: ApprovalRule, from: string): ShownRule => ({
  from,
  tools: [tools].flat(),
  conditional: when !== undefined,
  ...(reason !== undefined && { reason }),
});

/** Throws for an invalid rule. */
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
    const wrong = list.find((each) => !fits([each])); // the invalid item
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
  always: { allowed: ["true", "false"], fits: (value) => typeof value === "boolean" },
  required: { allowed: ["true", "false"], fits: (value) => typeof value === "boolean" },
  optional: { allowed: ["true", "false"], fits: (value) => typeof value === "boolean" },
  deny: { allowed: ["true", "false"], fits: (value) => typeof value === "boolean" },
  reason: { allowed: ["a string"], fits: (value) => typeof value === "string" },
};

/**
 * Throws for a rule that names an unknown tool, because a misspelt rule protects nothing. Returns the patterns that
 * match no tool.
 */
export function refuseUnknownTools({ option, rules }: RuleList, names: readonly string[]): readonly string[] {
  const unmatched = rules.flatMap(({ tools, optional = false }, i) =>
    [tools].flat().flatMap((pattern) => (names.some(matcher(pattern)) ? [] : [{ pattern, optional, i }])),
  );
  for (const { pattern: name, optional, i } of unmatched) {
    if (optional || name.includes("*")) continue;
    const nearest = suggest(name, names);
    throw new UndangleError("approval/unknown", {
      option: `${option}[${i}].tools`,
      name,
      known: names,
      ...(nearest !== undefined && { nearest }),
    });
  }
  return unmatched.flatMap(({ pattern, optional }) => (optional ? [] : [pattern]));
}

function matcher(tools: ApprovalRule["tools"]): (name: string) => boolean {
  const patterns = [tools].flat().map(wildcard);
  return (name) => patterns.some((matches) => matches(name));
}

/**
 * Whether a name matches a pattern in which `*` is any text. Each part is searched once, from the left. A regular
 * expression would backtrack over all ways to divide a name among many wildcards.
 */
function wildcard(pattern: string): (name: string) => boolean {
  const [first = "", ...rest] = pattern.split("*");
  const last = rest.pop();
  if (last === undefined) return (name) => name === pattern;
  return (name) => {
    const end = name.length - last.length;
    if (end < first.length || !name.startsWith(first) || !name.endsWith(last)) return false;
    let at = first.length;
    return rest.every((part) => {
      const found = name.indexOf(part, at);
      at = found + part.length;
      return found !== -1 && at <= end;
    });
  };
}

/** Binds a decision to what the person saw: the tool name and the argument text. */
export const digestOf = (name: string, raw: string): string => hash("sha256", `${name}\u0000${raw}`, "hex");

/** True for names that differ only in case, white space and punctuation: `rm`, `RM`, `r.m`. */
export const isNearName = (one: string, other: string): boolean => letters(one) === letters(other);

const letters = (name: string): string =>
  name
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, "");
