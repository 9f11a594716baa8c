/** Where it holds: in one thread, or in all threads of the agents of one name. */
export type AllowanceScope = "thread" | "agent";

/** What it holds for: every call of a tool, or those with the same arguments. */
export type AllowanceMatch = "tool" | "arguments";

/** What a person has allowed from now on: calls of a tool that need no decision any more. */
export interface LedgerAllowance {
  readonly id: string;
  readonly tool: string;
  /** Of the arguments, where it holds for calls with just those. */
  readonly digest?: string;
  /** The call that was decided about. */
  readonly call: string;
  readonly at: number;
  readonly by?: string;
}

/** What a decision allows beyond its call. */
export interface AppliedAlways {
  readonly scope: AllowanceScope;
  readonly match: AllowanceMatch;
  readonly allowance: LedgerAllowance;
}

/** By what a call runs that a person would have had to decide about. */
export interface CallAllowance {
  readonly id: string;
  readonly scope: AllowanceScope;
  /** When it was given, in milliseconds of the clock, and by whom. */
  readonly at: number;
  readonly by?: string;
}

/** The list with more of them; what is allowed already is not allowed twice. The same list when there is nothing new. */
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
