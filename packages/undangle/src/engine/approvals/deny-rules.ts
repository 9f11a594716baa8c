import { firstRule, rulesByName } from "./rules.ts";
import type { ApprovalRule, GatedCall, GateKeeping, RuleList } from "./rules.ts";

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
