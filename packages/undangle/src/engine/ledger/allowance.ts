/** Applies to one thread, or to all threads of agents with the same name. */
export type AllowanceScope = "thread" | "agent";

/** Covers every call of a tool, or only calls with the same arguments. */
export type AllowanceMatch = "tool" | "arguments";

/** A stored permission: the calls that it covers need no decision. */
export interface LedgerAllowance {
  readonly id: string;
  readonly tool: string;
  /** The digest of the arguments, if it covers only calls with these. */
  readonly digest?: string;
  /** The call whose decision created it. */
  readonly call: string;
  readonly at: number;
  readonly by?: string;
}

/** The allowance that a decision creates. */
export interface AppliedAlways {
  readonly scope: AllowanceScope;
  readonly match: AllowanceMatch;
  readonly allowance: LedgerAllowance;
}

/** The allowance under which a call runs without a decision. */
export interface CallAllowance {
  readonly id: string;
  readonly scope: AllowanceScope;
  /** When it was created, in milliseconds of the clock, and by whom. */
  readonly at: number;
  readonly by?: string;
}

/** Adds allowances without duplicates. Returns the same list if nothing is new. */
export function withAllowances<One extends LedgerAllowance>(
  known: readonly One[],
  more: readonly One[],
): readonly One[] {
  const all = [...known];
  for (const each of more) {
    const isKnown = all.some(({ tool, digest }) => tool === each.tool && digest === each.digest);
    if (!isKnown) all.push(each);
  }
  return all.length === known.length ? known : all;
}
