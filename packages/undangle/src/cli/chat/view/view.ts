import type { CallAllowance } from "#engine";

/** The state of the display, folded from the events of the thread. */
export interface View {
  readonly isRunning: boolean;
  /** The kind of the last printed block. A blank line separates blocks of different kinds. */
  readonly last: Block | undefined;
  /** The text that is not printed yet. */
  readonly open: { readonly block: "answer" | "reasoning"; readonly text: string } | undefined;
  /** The time of the last request to the model without a response. */
  readonly askedAt: number | undefined;
  /** Why the request was repeated, if nothing had arrived. */
  readonly askedAgain?: string | undefined;
  /** The open calls, in order. */
  readonly calls: readonly OpenCall[];
  /** The display numbers of calls, by id. */
  readonly numbers: ReadonlyMap<string, number>;
  /** The arguments of calls from before the thread was opened, by id. The end event of a call has none. */
  readonly earlier: ReadonlyMap<string, unknown>;
}

export type Block = "said" | "answer" | "reasoning" | "tools" | "remark";

export interface OpenCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: unknown;
  readonly state: "coming" | "ready" | "waiting" | "running";
  /** The time at which it entered this state. */
  readonly since: number;
  /** The number of received argument characters. */
  readonly received: number;
  readonly progress?: unknown;
  readonly allowance?: CallAllowance;
}

/** The initial view of a thread with its existing calls. */
export const newView = (calls: readonly { readonly id: string; readonly arguments?: unknown }[] = []): View => ({
  isRunning: false,
  last: undefined,
  open: undefined,
  askedAt: undefined,
  calls: [],
  numbers: new Map(calls.map(({ id }, index) => [id, index + 1])),
  earlier: new Map(calls.map(({ id, arguments: args }) => [id, args])),
});

/** The view with a changed or new call. */
export function withCall(view: View, id: string, change: Partial<OpenCall> & Pick<OpenCall, "name">): View {
  const known = view.calls.find((call) => call.id === id);
  const before = { arguments: view.earlier.get(id) ?? {}, state: "coming", since: 0, received: 0 } as const;
  const fresh: OpenCall = { id, ...before, ...known, ...change };
  const calls =
    known === undefined ? [...view.calls, fresh] : view.calls.map((call) => (call === known ? fresh : call));
  return { ...view, calls };
}

export const withoutCall = (view: View, id: string): View => ({
  ...view,
  calls: view.calls.filter((call) => call.id !== id),
});

/** The view with a display number for the call. */
export function numbered(view: View, id: string): View {
  if (view.numbers.has(id)) return view;
  return { ...view, numbers: new Map([...view.numbers, [id, view.numbers.size + 1]]) };
}
