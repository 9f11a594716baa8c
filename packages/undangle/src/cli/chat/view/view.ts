import type { CallAllowance } from "#engine";

/** What a chat knows of its thread from its events, as far as it is shown: a fold of them. */
export interface View {
  readonly isRunning: boolean;
  /** What was printed last: a blank line stands between things of different kinds. */
  readonly last: Block | undefined;
  /** What came of a text and is not printed yet. */
  readonly open: { readonly block: "answer" | "reasoning"; readonly text: string } | undefined;
  /** Since when the model is silent. */
  readonly askedAt: number | undefined;
  /** Why it is asked again, where nothing had come of it. */
  readonly askedAgain?: string | undefined;
  /** The calls that are not settled, in their order. */
  readonly calls: readonly OpenCall[];
  /** The numbers that calls have for a person, by their ids. */
  readonly numbers: ReadonlyMap<string, number>;
  /** The arguments of calls that the thread had when it was opened, by their ids: an event that ends a call has none. */
  readonly earlier: ReadonlyMap<string, unknown>;
}

export type Block = "said" | "answer" | "reasoning" | "tools" | "remark";

/** A call that is on its way. */
export interface OpenCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: unknown;
  readonly state: "coming" | "ready" | "waiting" | "running";
  /** Since when it is in this state. */
  readonly since: number;
  /** Characters of its arguments that have come. */
  readonly received: number;
  readonly progress?: unknown;
  readonly allowance?: CallAllowance;
}

/** The view of a thread with so many calls behind it, of which nothing is shown yet. */
export const newView = (calls: readonly { readonly id: string; readonly arguments?: unknown }[] = []): View => ({
  isRunning: false,
  last: undefined,
  open: undefined,
  askedAt: undefined,
  calls: [],
  numbers: new Map(calls.map(({ id }, index) => [id, index + 1])),
  earlier: new Map(calls.map(({ id, arguments: args }) => [id, args])),
});

/** The view with a call that is another one now, or new. */
export function withCall(view: View, id: string, change: Partial<OpenCall> & Pick<OpenCall, "name">): View {
  const known = view.calls.find((call) => call.id === id);
  const fresh: OpenCall = { id, arguments: {}, state: "coming", since: 0, received: 0, ...known, ...change };
  const calls =
    known === undefined ? [...view.calls, fresh] : view.calls.map((call) => (call === known ? fresh : call));
  return { ...view, calls };
}

/** The view without a call. */
export const withoutCall = (view: View, id: string): View => ({
  ...view,
  calls: view.calls.filter((call) => call.id !== id),
});

/** The view in which a call has its number. */
export function numbered(view: View, id: string): View {
  if (view.numbers.has(id)) return view;
  return { ...view, numbers: new Map([...view.numbers, [id, view.numbers.size + 1]]) };
}
