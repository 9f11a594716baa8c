import type { CallAllowance, PendingCall, ToolCallEnd } from "#engine";

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
  /** The open calls, each followed by the calls of its sub-agent. Those stay until it ends, so that they are printed with it. */
  readonly calls: readonly OpenCall[];
  /** The display numbers of calls, by id. */
  readonly numbers: ReadonlyMap<string, number>;
  /** The arguments of calls from before the thread was opened, by id. The end event of a call has none. */
  readonly earlier: ReadonlyMap<string, unknown>;
}

export type Block = "said" | "answer" | "reasoning" | "tools" | "remark";

export interface OpenCall {
  readonly id: string;
  /** The calls that lead to a call of a sub-agent. Empty for a call of the agent. */
  readonly path: readonly string[];
  readonly name: string;
  readonly arguments: unknown;
  /** `delegated`: a call of its sub-agent waits. `ended`: only a call of a sub-agent. */
  readonly state: "coming" | "ready" | "waiting" | "running" | "delegated" | "ended";
  /** The time at which it entered this state. */
  readonly since: number;
  /** The number of received argument characters. */
  readonly received: number;
  readonly progress?: unknown;
  readonly allowance?: CallAllowance;
  /** Its end, and the time of its start. */
  readonly end?: { readonly event: ToolCallEnd; readonly call: EarlierCall | undefined; readonly at: number };
}

/** A call before its end. `state` and `since` are known only if the chat saw its start. */
export type EarlierCall = Pick<OpenCall, "arguments" | "allowance"> & Partial<Pick<OpenCall, "state" | "since">>;

/** A call from before the thread was opened. */
interface KnownCall {
  readonly id: string;
  readonly arguments?: unknown;
}

/** The initial view of a thread with its existing calls, and the known calls of sub-agents. */
export const newView = (calls: readonly KnownCall[] = [], inner: readonly KnownCall[] = []): View => ({
  isRunning: false,
  last: undefined,
  open: undefined,
  askedAt: undefined,
  calls: [],
  numbers: new Map(calls.map(({ id }, index) => [id, index + 1])),
  earlier: new Map([...calls, ...inner].map(({ id, arguments: args }) => [id, args])),
});

/** The view with a changed or new call. */
export function withCall(view: View, id: string, change: Partial<OpenCall> & Pick<OpenCall, "name">): View {
  const known = view.calls.find((call) => call.id === id);
  const before = { path: [], arguments: view.earlier.get(id) ?? {}, state: "coming", since: 0, received: 0 } as const;
  const fresh: OpenCall = { id, ...before, ...known, ...change };
  const calls =
    known === undefined ? inserted(view.calls, fresh) : view.calls.map((call) => (call === known ? fresh : call));
  return { ...view, calls };
}

/** A call of a sub-agent comes after the call that it belongs to, and after earlier calls of that sub-agent. */
function inserted(calls: readonly OpenCall[], fresh: OpenCall): readonly OpenCall[] {
  const parent = fresh.path.join("/");
  const last = parent === "" ? -1 : calls.findLastIndex(({ id }) => id === parent || id.startsWith(`${parent}/`));
  return last === -1 ? [...calls, fresh] : calls.toSpliced(last + 1, 0, fresh);
}

/** The view without a call and the calls of its sub-agent. */
export const withoutCall = (view: View, id: string): View => ({
  ...view,
  calls: view.calls.filter((call) => call.id !== id && !isInside(call, id)),
});

/** True for a call of the sub-agent that runs another call, or of its sub-agents. */
export const isInside = (call: Pick<OpenCall, "id">, id: string): boolean => call.id.startsWith(`${id}/`);

/** The calls that lead to a pending call of a sub-agent. Empty for a call of the agent. */
export const pathTo = ({ id, path }: Pick<PendingCall, "id" | "path">): readonly string[] =>
  path === undefined ? [] : id.split("/").slice(0, -1);

/** The view with a display number for the call. Calls of sub-agents have none. */
export function numbered(view: View, id: string, path: readonly string[] = []): View {
  if (path.length > 0 || view.numbers.has(id)) return view;
  return { ...view, numbers: new Map([...view.numbers, [id, view.numbers.size + 1]]) };
}
