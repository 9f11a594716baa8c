import type { AgentEvent, CallView, EntryPage, PendingCall, RemoteEntry, RemotePart } from "undangle/client";

import { isSettled } from "../../parts/call-states.ts";

/** A call as the page shows it: saved, or while the model writes it. */
export interface ShownCall extends CallView {
  /** The arguments that the model has written so far, while it writes them. */
  readonly written?: string;
  /** The last progress report of the tool. It is not saved. */
  readonly progress?: unknown;
}

/** A message or a turn. A turn that the model is writing has no time yet. */
export interface ShownEntry extends Omit<RemoteEntry, "calls" | "at"> {
  readonly at?: number;
  readonly calls: readonly ShownCall[];
  /** True for a message that waits until open calls have results. */
  readonly queued?: true;
}

/** A call whose outcome is unknown, because the process ended while it ran. */
export type LostCall = Pick<CallView, "id" | "name">;

export type RunEnd = Extract<AgentEvent, { readonly type: "run_end" }>["data"];

/** What the page knows about a thread, or about the child thread at `path`. */
export interface ThreadState {
  /** The calls that lead to a child thread, joined by `/`. */
  readonly path: string;
  /** Saved messages and turns, the oldest first. Queued messages are last. */
  readonly entries: readonly ShownEntry[];
  /** Older entries can be read before this number. */
  readonly before: number | null;
  /** The turn that the model is writing. */
  readonly live: ShownEntry | undefined;
  /** Why earlier attempts at that turn were discarded. */
  readonly discarded: readonly string[];
  readonly isRunning: boolean;
  /** The mode of the last run. */
  readonly mode: EntryPage["mode"];
  /** How the last run ended. */
  readonly end: RunEnd | undefined;
  /** Warnings since the last run started. */
  readonly warnings: readonly string[];
  /** The number of repairs that were reported since the page was opened. */
  readonly repairs: number;
  /** What the sub-agent of a call did last: the name of a tool, or "" for text. It is not saved with this thread. */
  readonly activity: Readonly<Record<string, string>>;
  /** Calls of sub-agents that events reported as lost. */
  readonly lostInside: readonly LostCall[];
  /** The number of the last event that `entries` contain. */
  readonly last: number;
  /** How often the newest page was read. Child threads that are shown are read again with it. */
  readonly reads: number;
  /** True if an event reported something that only the server knows completely. */
  readonly isStale: boolean;
}

/** The number of an event. Its id may continue with an offset. */
export const eventNumber = (id: string): number => Number(id.split(":", 1)[0]) || 0;

/** The state of a thread from its newest page. */
export const openedState = (page: EntryPage, path: readonly string[] = []): ThreadState => ({
  path: path.join("/"),
  entries: page.data,
  before: page.before,
  live: undefined,
  discarded: [],
  isRunning: false,
  mode: page.mode,
  end: undefined,
  warnings: [],
  repairs: 0,
  activity: {},
  lostInside: [],
  last: eventNumber(page.last_event),
  reads: 0,
  isStale: false,
});

/** The state after the newest page was read again, and the events after that page were applied again. */
export function refreshedState(state: ThreadState, page: EntryPage, events: readonly AgentEvent[]): ThreadState {
  const last = eventNumber(page.last_event);
  const first = page.before ?? 0;
  const isConnected = state.entries.some(({ entry, queued }) => queued !== true && entry >= first - 1);
  const older = isConnected ? state.entries.filter(({ entry, queued }) => queued !== true && entry < first) : [];
  const read: ThreadState = {
    ...state,
    entries: [...older, ...page.data.map((entry) => withProgress(entry, state.entries))],
    before: older.length > 0 ? state.before : page.before,
    live: undefined,
    discarded: [],
    mode: page.mode,
    last,
    reads: state.reads + 1,
    isStale: false,
  };
  const later = events.filter(({ id }) => eventNumber(id) > last).reduce(stateAfter, read);
  return { ...later, repairs: state.repairs, warnings: state.warnings, isStale: false };
}

/** The state with an older page. */
export const withOlder = (state: ThreadState, page: EntryPage): ThreadState => ({
  ...state,
  entries: [...page.data.filter(({ entry }) => entry < (state.before ?? 0)), ...state.entries],
  before: page.before,
});

/** Progress reports are not saved; they stay while the call runs. */
function withProgress(entry: RemoteEntry, known: readonly ShownEntry[]): ShownEntry {
  if (!entry.calls.some(({ status }) => status === "running")) return entry;
  const before = new Map(known.flatMap(({ calls }) => calls.map((call) => [call.id, call] as const)));
  const calls = entry.calls.map((call): ShownCall => {
    const progress = call.status === "running" ? before.get(call.id)?.progress : undefined;
    return progress === undefined ? call : { ...call, progress };
  });
  return { ...entry, calls };
}

/** The state after an event. The same object if the event changes nothing that is shown. */
export function stateAfter(state: ThreadState, event: AgentEvent): ThreadState {
  const path = event.path?.join("/") ?? "";
  if (path !== state.path) return afterChildEvent(state, event, event.path ?? []);
  if (eventNumber(event.id) <= state.last) return afterSavedEvent(state, event);
  switch (event.type) {
    case "run_start":
    case "run_end":
    case "warning":
      return afterRunEvent(state, event);
    case "model_start":
      if (event.data.purpose !== undefined) return state;
      return { ...state, live: newTurn(state, event.data.model), discarded: [], isStale: true }; // messages may precede it
    case "text_delta":
      return withLive(state, (turn) => ({ ...turn, parts: withText(turn.parts, "text", event.data.text) }));
    case "reasoning_delta":
      return withLive(state, (turn) => ({ ...turn, parts: withText(turn.parts, "reasoning", event.data.text) }));
    case "model_discarded": {
      const { reason } = event.data;
      const cleared = withLive(state, (turn) => ({ ...turn, parts: [], calls: [] }));
      return { ...cleared, discarded: [...state.discarded, reason] };
    }
    case "model_end":
      return event.data.purpose === undefined ? afterTurn(state, event.data) : state;
    case "tool_call_start": {
      const { id, name } = event.data;
      const call: ShownCall = { id, name, arguments: "", status: "proposed", written: "" };
      return withLive(state, (turn) => withCall(turn, call));
    }
    case "tool_call_delta":
      return changeCall(state, event.data.id, (call) => ({ ...call, written: (call.written ?? "") + event.data.text }));
    case "tool_call_ready": {
      const { id, name, arguments: args, allowance } = event.data;
      const by = allowance === undefined ? {} : { allowance };
      return changeCall(state, id, ({ written: _written, ...call }) => ({ ...call, name, arguments: args, ...by }));
    }
    case "approval_required":
      return { ...afterPending(state, event.data), isStale: true };
    case "tool_call_running":
      return afterStart(state, event.data);
    case "tool_call_end":
      return { ...afterEnd(state, event.data), isStale: true };
    case "repair":
      return { ...state, repairs: state.repairs + 1 };
  }
}

type Of<Type extends AgentEvent["type"]> = Extract<AgentEvent, { readonly type: Type }>;

function afterRunEvent(state: ThreadState, event: Of<"run_start" | "run_end" | "warning">): ThreadState {
  switch (event.type) {
    case "run_start":
      return {
        ...state,
        isRunning: true,
        mode: event.data.mode,
        end: undefined,
        warnings: [],
        live: undefined,
        discarded: [],
        activity: {},
        isStale: true,
      };
    case "run_end":
      return { ...state, isRunning: false, end: event.data, live: undefined, discarded: [], isStale: true };
    case "warning":
      return state.warnings.includes(event.data.message)
        ? state
        : { ...state, warnings: [...state.warnings, event.data.message] };
  }
}

/** An event that the entries contain. Only what is no part of entries is new: how the last run ended, and progress. */
function afterSavedEvent(state: ThreadState, event: AgentEvent): ThreadState {
  switch (event.type) {
    case "run_start":
    case "run_end":
    case "warning":
      return { ...afterRunEvent(state, event), isRunning: state.isRunning, live: state.live, isStale: state.isStale };
    case "tool_call_running":
      return event.data.progress === undefined ? state : afterStart(state, event.data);
    default:
      return state;
  }
}

/** An event of a sub-agent: its call shows what it does. */
function afterChildEvent(known: ThreadState, event: AgentEvent, path: readonly string[]): ThreadState {
  const depth = known.path === "" ? 0 : known.path.split("/").length;
  const call = path.slice(0, depth + 1).join("/");
  if (path.length <= depth || !call.startsWith(known.path)) return known;
  const state = withLostInside(known, event);
  const isStale = state.isStale || event.type === "approval_required" || event.type === "tool_call_end";
  const name = activityOf(event);
  if (name === undefined || state.activity[call] === name)
    return isStale === state.isStale ? state : { ...state, isStale };
  return { ...state, isStale, activity: { ...state.activity, [call]: name } };
}

function withLostInside(state: ThreadState, event: AgentEvent): ThreadState {
  if (event.type !== "tool_call_end" || event.data.status !== "lost") return state;
  const { id, name } = event.data;
  if (state.lostInside.some((each) => each.id === id)) return state;
  return { ...state, lostInside: [...state.lostInside, { id, name }] };
}

function activityOf(event: AgentEvent): string | undefined {
  if (event.type === "text_delta") return "";
  if (event.type === "tool_call_start" || event.type === "tool_call_running") return event.data.name;
  return event.type === "approval_required" ? event.data.name : undefined;
}

const savedOf = ({ entries }: ThreadState): readonly ShownEntry[] => entries.filter(({ queued }) => queued !== true);

const newTurn = (state: ThreadState, model?: string): ShownEntry => ({
  entry: (savedOf(state).at(-1)?.entry ?? -1) + 1,
  type: "turn",
  parts: [],
  calls: [],
  ...(model !== undefined && { model }),
});

/** Changes the turn that the model is writing. A hook may write text without a start. */
const withLive = (state: ThreadState, change: (turn: ShownEntry) => ShownEntry): ThreadState => ({
  ...state,
  live: change(state.live ?? newTurn(state)),
});

function withText(parts: readonly RemotePart[], type: "text" | "reasoning", text: string): readonly RemotePart[] {
  const last = parts.at(-1);
  return last?.type === type ? [...parts.slice(0, -1), { type, text: last.text + text }] : [...parts, { type, text }];
}

const withCall = (turn: ShownEntry, call: ShownCall): ShownEntry => ({
  ...turn,
  parts: [...turn.parts, { type: "call", id: call.id }],
  calls: [...turn.calls, call],
});

/** The written turn becomes an entry. Its time is known when the page is read again. */
function afterTurn(state: ThreadState, { entry, finish, tokens, model }: Of<"model_end">["data"]): ThreadState {
  const turn = state.live ?? newTurn(state);
  const saved: ShownEntry = {
    ...turn,
    ...(entry !== undefined && { entry }),
    finish,
    ...(tokens !== undefined && { tokens }),
    ...(model !== undefined && { model }),
  };
  const queued = state.entries.filter((each) => each.queued === true);
  return { ...state, entries: [...savedOf(state), saved, ...queued], live: undefined, discarded: [], isStale: true };
}

/** Changes a call of the written turn, or of the last entry that has it. */
function changeCall(state: ThreadState, id: string, change: (call: ShownCall) => ShownCall): ThreadState {
  const changed = (turn: ShownEntry): ShownEntry => ({
    ...turn,
    calls: turn.calls.map((call) => (call.id === id ? change(call) : call)),
  });
  const has = (turn: ShownEntry | undefined): boolean => turn?.calls.some((call) => call.id === id) === true;
  if (state.live !== undefined && has(state.live)) return { ...state, live: changed(state.live) };
  const place = state.entries.findLastIndex(has);
  if (place === -1) return state;
  return { ...state, entries: state.entries.map((entry, i) => (i === place ? changed(entry) : entry)) };
}

/** A pending call of a sub-agent lets the call of this thread wait. */
function afterPending(state: ThreadState, { id }: PendingCall): ThreadState {
  const [own = "", ...rest] = (state.path === "" ? id : id.slice(state.path.length + 1)).split("/");
  const call = state.path === "" ? own : `${state.path}/${own}`;
  const status = rest.length > 0 ? "delegated" : "awaiting";
  return changeCall(state, call, (known) => ({ ...known, status }));
}

function afterStart(state: ThreadState, data: Of<"tool_call_running">["data"]): ThreadState {
  const { id, name, attempt: _attempt, ...rest } = data;
  return changeCall(state, id, (call) => (isSettled(call) ? call : { ...call, name, ...rest, status: "running" }));
}

function afterEnd(state: ThreadState, data: Of<"tool_call_end">["data"]): ThreadState {
  const { id, success: _success, userRejected: _userRejected, ...rest } = data;
  return changeCall(state, id, ({ written, progress: _progress, ...call }) => ({
    ...call,
    ...(written !== undefined && { arguments: written }),
    ...rest,
  }));
}
