import type { AgentEvent, EventData, EventType } from "#engine";

import type { Face } from "./face.ts";
import { measureIn } from "./face.ts";
import { endedLines, innerLines } from "./call-lines.ts";
import type { EndedCall } from "./call-lines.ts";
import { flow, setText } from "./text-flow.ts";
import { isInside, numbered, pathTo, withCall, withoutCall } from "./view.ts";
import type { Block, OpenCall, View } from "./view.ts";

/** A view after an event, and the lines to print. */
export interface Step {
  readonly view: View;
  readonly lines: readonly string[];
}

/** Applies an event to a view. */
export function showEvent(view: View, event: AgentEvent, { face, at }: Pick<Moment, "face" | "at">): Step {
  const { path = [] } = event;
  const handlers = path.length === 0 ? shows : childShows;
  const show = handlers[event.type] as Show<EventType> | undefined; // the handler of this event type
  return show?.(view, event.data, { face, at, path }) ?? silently(view);
}

export interface Moment {
  readonly face: Face;
  readonly at: number;
  /** The calls that lead to the sub-agent of the event. Empty for an event of the agent. */
  readonly path: readonly string[];
}

/**
 * The view after lines of a block, with a blank line before a new kind of block. Open text is printed first, unless the
 * block only interrupts it; then the text continues below.
 */
export function printBlock(view: View, block: Block, lines: readonly string[], face: Face): Step {
  const isBetween = view.isRunning && (block === "remark" || block === "said");
  const closed = isBetween ? silently(view) : closeText(view, face);
  if (lines.length === 0) return closed;
  const gap = closed.view.last === undefined || closed.view.last === block ? [] : [""];
  return { view: { ...closed.view, last: block }, lines: [...closed.lines, ...gap, ...lines] };
}

/** Prints a message of the user, with an optional note below it. */
export function printSaid(view: View, text: string, face: Face, note?: string): Step {
  const { paint } = face;
  const room = measureIn(face) - 2;
  const marked = saidLines(text, face);
  const noted = note === undefined ? [] : setText(note, room).map((line) => `  ${paint("dim", line)}`);
  const step = printBlock(view, "said", [...marked, ...noted], face);
  return view.last === "said" ? { ...step, lines: ["", ...step.lines] } : step;
}

export const saidLines = (text: string, face: Face): readonly string[] =>
  setText(text, measureIn(face) - 2).map(
    (line, row) => (row === 0 ? face.paint("cyan", "› ") : "  ") + face.paint("bold", line),
  );

/** Prints a remark of the program. */
export const printRemark = (view: View, text: string, face: Face): Step =>
  printBlock(
    view,
    "remark",
    setText(text, measureIn(face)).map((line) => face.paint("dim", line)),
    face,
  );

/** Prints an error. */
export const printFault = (view: View, text: string, face: Face): Step =>
  printBlock(
    view,
    "remark",
    setText(text, measureIn(face) - 2).map((line, row) => face.paint("red", `${row === 0 ? "✗ " : "  "}${line}`)),
    face,
  );

/** Prints the open text. */
function closeText(view: View, face: Face): Step {
  const { open } = view;
  if (open === undefined) return { view, lines: [] };
  const closed = { ...view, open: undefined };
  if (open.text.trim() === "") return { view: closed, lines: [] };
  return printPiece(closed, open.block, setText(open.text.trimEnd(), measureIn(face)), face);
}

function printPiece(view: View, block: "answer" | "reasoning", lines: readonly string[], face: Face): Step {
  if (lines.length === 0) return { view, lines };
  const gap = view.last === undefined || view.last === block ? [] : [""];
  const painted = block === "answer" ? lines : lines.map((line) => face.paint("dim", line));
  return { view: { ...view, last: block }, lines: [...gap, ...painted] };
}

/** Adds a text delta. Its lines are printed as soon as they cannot change. */
function said(view: View, block: "answer" | "reasoning", { text, face }: { text: string; face: Face }): Step {
  const closed = view.open?.block === block ? { view, lines: [] } : closeText(view, face);
  const begun = closed.view.open?.text ?? "";
  const isFirst = begun === "" && closed.view.last !== block;
  const whole = isFirst ? text.replace(/^\s*\n/u, "") : begun + text;
  const { lines, rest } = flow(whole, measureIn(face));
  const step = printPiece({ ...closed.view, askedAt: undefined }, block, lines, face);
  return { view: { ...step.view, open: { block, text: rest } }, lines: [...closed.lines, ...step.lines] };
}

/** An open call, or one from before the thread was opened. */
export const callIn = (view: View, id: string): EndedCall["call"] =>
  view.calls.find((each) => each.id === id) ?? (view.earlier.has(id) ? { arguments: view.earlier.get(id) } : undefined);

type Show<Type extends EventType> = (view: View, data: EventData[Type], moment: Moment) => Step;

const silently = (view: View): Step => ({ view, lines: [] });

/** Calls of the agent and of sub-agents. */
const callShows = {
  tool_call_delta: (view, { id, text }) => {
    const call = view.calls.find((each) => each.id === id);
    return silently(call === undefined ? view : withCall(view, id, { ...call, received: call.received + text.length }));
  },
  tool_call_ready: (view, { id, name, arguments: args, allowance }, { at, path }) =>
    silently(
      withCall(numbered(view, id, path), id, {
        name,
        path,
        arguments: args,
        state: "ready",
        since: at,
        ...(allowance !== undefined && { allowance }),
      }),
    ),
  approval_required: (view, pending, { at }) => {
    const { id, name, arguments: args } = pending;
    const path = pathTo(pending); // the agent repeats the event of a sub-agent as its own
    return silently(
      withCall(numbered(view, id, path), id, { name, path, arguments: args, state: "waiting", since: at }),
    );
  },
  tool_call_running: (view, { id, name, progress, ...more }, { at, path }) => {
    if (progress !== undefined) return silently(withCall(view, id, { name, path, progress }));
    const args = "arguments" in more ? { arguments: more.arguments } : {};
    const allowance = more.allowance === undefined ? {} : { allowance: more.allowance };
    const running = { name, path, state: "running", since: at, ...args, ...allowance } as const;
    return silently(withCall(numbered(view, id, path), id, running));
  },
  repair: (view, { message }, { face }) => printRemark(view, `· ${message}`, face),
  warning: (view, { message }, { face }) => printRemark(view, `· ${message}`, face),
} satisfies { readonly [Type in EventType]?: Show<Type> };

/** Events of sub-agents. Their text is not shown: their last message is the result of the call that they run. */
const childShows: { readonly [Type in EventType]?: Show<Type> } = {
  ...callShows,
  tool_call_start: (view, { id, name }, { at, path }) => silently(withCall(view, id, { name, path, since: at })),
  tool_call_end: (view, end, { face, at, path }) => {
    const call = callIn(view, end.id);
    const ended = { name: end.name, path, state: "ended", end: { event: end, call, at } } as const;
    const isHeld = view.calls.some(({ id }) => id === path[0]); // it is printed when that call ends
    if (isHeld) return silently(withCall(view, end.id, ended));
    return printBlock(withoutCall(view, end.id), "tools", innerLines(ended, face), face);
  },
  model_discarded: (view, _, { path }) =>
    silently({
      ...view,
      calls: view.calls.filter((call) => call.state !== "coming" || call.path.join("/") !== path.join("/")),
    }),
};

const shows: { readonly [Type in EventType]: Show<Type> } = {
  ...callShows,
  // Another window may have started it without a message, for example with /retry. A gap separates its response from the one before.
  run_start: (view) => silently({ ...view, isRunning: true, last: view.last === "answer" ? "said" : view.last }),
  model_start: (view, { purpose }, { at }) =>
    silently(purpose === undefined ? { ...view, askedAt: at, askedAgain: undefined } : view),
  text_delta: (view, { text }, { face }) => said(view, "answer", { text, face }),
  reasoning_delta: (view, { text }, { face }) => said(view, "reasoning", { text, face }),
  tool_call_start: (view, { id, name }, { face, at }) => {
    const { view: closed, lines } = closeText(view, face);
    return { view: withCall({ ...closed, askedAt: undefined }, id, { name, since: at }), lines };
  },
  tool_call_end: (view, end, { face, at }) => {
    const known = numbered(view, end.id);
    const call = callIn(view, end.id);
    const inner = view.calls.filter((each) => isInside(each, end.id));
    const lines = endedLines(end, { call, number: known.numbers.get(end.id) ?? 0, at, inner }, face);
    return printBlock(withoutCall(known, end.id), "tools", lines, face);
  },
  model_discarded: (view, { reason }, { face, at }) => {
    if (view.askedAt !== undefined) return silently({ ...view, askedAgain: reason }); // none of it was shown
    const coming = view.calls.filter(({ state, path }) => state === "coming" && path.length === 0);
    const { view: closed, lines } = closeText(view, face);
    const without = coming.reduce<View>((each, { id }) => withoutCall(each, id), { ...closed, askedAt: at });
    const step = printRemark(without, face.texts.discarded(reason), face);
    return { view: step.view, lines: [...lines, ...step.lines] };
  },
  model_end: (view, { purpose }, { face }) => {
    if (purpose !== undefined) return silently(view); // a summary, for example: the response is still to come
    const { view: closed, lines } = closeText(view, face);
    return { view: { ...closed, askedAt: undefined }, lines };
  },
  run_end: (view, { status, error }, { face }) => {
    const { view: closed, lines } = closeText(view, face);
    const over: View = {
      ...closed,
      isRunning: false,
      askedAt: undefined,
      calls: waitingCalls(closed),
    };
    const isCrash = error?.code === "run/crashed"; // the run of a dead process: its resumption follows
    const step = isCrash
      ? printRemark(over, face.texts.recovered, face)
      : runEnd(over, { status, error: error?.message }, face);
    return { view: step.view, lines: [...lines, ...step.lines] };
  },
};

/** The calls that wait after a run, and those whose sub-agents wait with what these have done. */
function waitingCalls({ calls }: View): readonly OpenCall[] {
  const waiting = calls.filter(({ state }) => state === "waiting");
  const roots = new Set(waiting.map(({ id, path }) => path[0] ?? id));
  return calls.flatMap((call): readonly OpenCall[] => {
    if (call.state === "waiting") return [call];
    if (call.state === "ended") return roots.has(call.path[0] ?? "") ? [call] : [];
    return waiting.some((each) => isInside(each, call.id)) ? [{ ...call, state: "delegated" }] : [];
  });
}

function runEnd(
  view: View,
  { status, error }: { readonly status: string; readonly error: string | undefined },
  face: Face,
): Step {
  if (status === "failed") return printFault(view, `${error ?? ""}\n${face.texts.afterFailure}`.trim(), face);
  if (status !== "stopped") return silently(view);
  return error === undefined ? printRemark(view, face.texts.stopped, face) : printFault(view, error, face);
}
