import type { PendingCall, QueuedThread } from "undangle/client";

import { callKey } from "../api/call-key.ts";
import { requestersOf } from "../card/contents/card-details.tsx";

const risks = ["destructive", "edits", "read-only", "other"] as const;

export type Risk = (typeof risks)[number];

/** A pending call of a thread, as a line of the inbox. */
export interface InboxLine {
  /** Of the call, whatever its arguments are. */
  readonly key: string;
  readonly threadId: string;
  readonly threadTitle: string | null;
  readonly call: PendingCall;
  readonly agents: readonly string[];
  readonly risk: Risk;
  /** Since when it waits. */
  readonly since: number;
}

export interface InboxFilter {
  readonly agent?: string | undefined;
  readonly tool?: string | undefined;
  readonly risk?: Risk | undefined;
}

/** Milliseconds: a call that expires within this time comes before older ones. */
export const soon = 10 * 60_000;

/** The lines of the inbox in their order. */
export const linesOf = (threads: readonly QueuedThread[], now: number): readonly InboxLine[] =>
  threads.flatMap(linesOfThread).sort(inboxOrder(now));

/** A thread that did not change keeps its lines, so that they are not rendered again. */
const known = new WeakMap<QueuedThread, readonly InboxLine[]>();

function linesOfThread(thread: QueuedThread): readonly InboxLine[] {
  const lines = known.get(thread) ?? thread.pending.map((call) => lineOf(thread, call));
  known.set(thread, lines);
  return lines;
}

function lineOf({ id, title, persona, updated_at: updated }: QueuedThread, call: PendingCall): InboxLine {
  const agents = requestersOf(call);
  return {
    key: callKey(id, call.id),
    threadId: id,
    threadTitle: title,
    call,
    agents: agents.length === 0 ? [persona] : agents,
    risk: riskOf(call),
    since: call.since ?? Date.parse(updated),
  };
}

/** Of the call with the arguments that were shown. A selection and a guarded button hold only for them. */
export const versionOf = ({ key, call }: InboxLine): string => `${key} ${call.digest}`;

export function riskOf({ annotations = {} }: Pick<PendingCall, "annotations">): Risk {
  if (annotations.destructive === true) return "destructive";
  if (annotations.edits === true) return "edits";
  return annotations.readOnly === true ? "read-only" : "other";
}

/**
 * First the calls that expire soon, the soonest first. Then the others, the oldest first. Calls of the same age stay
 * together by thread, in the order of the model.
 */
const inboxOrder =
  (now: number) =>
  (one: InboxLine, other: InboxLine): number => {
    const [first, second] = [urgency(one, now), urgency(other, now)];
    if (first !== second) return first - second; // `Infinity - Infinity` is not a number
    return one.since - other.since || compareTexts(one.threadId, other.threadId) || compareIds(one.call, other.call);
  };

const urgency = ({ call: { deadline } }: InboxLine, now: number): number =>
  deadline !== undefined && deadline - now <= soon ? deadline : Infinity;

const compareTexts = (one: string, other: string): number => (one === other ? 0 : one < other ? -1 : 1);

/** `call_2` comes before `call_10`. */
const compareIds = ({ id: one }: PendingCall, { id: other }: PendingCall): number =>
  one.length - other.length || compareTexts(one, other);

export const isShown = (line: InboxLine, { agent, tool, risk }: InboxFilter): boolean =>
  (agent === undefined || line.agents.includes(agent)) &&
  (tool === undefined || line.call.name === tool) &&
  (risk === undefined || line.risk === risk);

const filterNames = ["agent", "tool", "risk"] as const;

/** The filter that an address contains, so that it survives a reload and can be linked. */
export function filterIn(search: URLSearchParams): InboxFilter {
  const [agent, tool, risk] = filterNames.map((name) => search.get(name) ?? undefined);
  return { agent, tool, risk: risks.find((each) => each === risk) };
}

export const searchOf = (filter: InboxFilter): URLSearchParams =>
  new URLSearchParams(
    filterNames.flatMap((name) => {
      const value = filter[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );

/** What can be chosen in the filters: only what occurs. */
export function filterChoices(lines: readonly InboxLine[]): {
  readonly agents: readonly string[];
  readonly tools: readonly string[];
  readonly risks: readonly Risk[];
} {
  const found = new Set(lines.map(({ risk }) => risk));
  return {
    agents: [...new Set(lines.flatMap(({ agents }) => agents))].sort(),
    tools: [...new Set(lines.map(({ call }) => call.name))].sort(),
    risks: risks.filter((risk) => found.has(risk)),
  };
}
