import type { Message } from "#codecs";
import type { HookContext } from "#engine";
import type { ModelRequest } from "#model";

import { clipMessage } from "./clip-results.ts";
import type { Boundary, SummaryState, SummaryUpdate } from "./summary-state.ts";
import { summaryTexts } from "./summary-texts.ts";

export type SummaryContext = HookContext<SummaryState, SummaryUpdate>;

/** A request as the model gets it. */
export interface SummaryView {
  /** The same request if nothing is replaced. */
  readonly request: ModelRequest;
  readonly boundary: Boundary | undefined;
  /** The messages that a further summary can replace: all but the message of the last summary and what is before it. */
  readonly rest: readonly Message[];
}

/** Creates views of requests. The messages of a view are the same objects in each request until something changes. */
export function createViews(): (request: ModelRequest, context: SummaryContext) => SummaryView {
  const beginnings = new WeakMap<Message, Beginning>(); // by the message that follows
  const clips = new WeakMap<Message, { readonly key: string; readonly message: Message }>();

  const clippedRest = (
    rest: readonly Message[],
    { clipped = {} }: SummaryState,
    { entryOf, language }: SummaryContext,
  ): readonly Message[] => {
    if (Object.keys(clipped).length === 0) return rest;
    let before: Message | undefined;
    return rest.map((message) => {
      const turn = before;
      before = message;
      const number = entryOf(message)?.number;
      if (message.role !== "tool" || number === undefined) return message;
      const places = message.results.map((_, place) => clipped[`${number}.${place}`]);
      if (places.every((path) => path === undefined)) return message;
      const key = JSON.stringify(places);
      const known = clips.get(message);
      if (known?.key === key) return known.message;
      const clip = clipMessage(message, turn, { paths: places, texts: summaryTexts[language] });
      clips.set(message, { key, message: clip });
      return clip;
    });
  };

  return (request, context) => {
    const { messages } = request;
    const state = context.state.get();
    const { boundary } = state;
    if (boundary !== undefined && !context.hasEntry(boundary.after)) {
      context.state.update({ type: "forget" });
      return { request, boundary: undefined, rest: messages };
    }
    if (boundary === undefined) {
      const rest = clippedRest(messages, state, context);
      return { request: rest === messages ? request : { ...request, messages: rest }, boundary, rest };
    }
    const start = startOf(messages, boundary, context);
    const first = messages[start];
    const text = boundaryText(boundary, context.language);
    const known = first === undefined ? undefined : beginnings.get(first);
    const beginning = known?.text === text ? known : beginningOf(messages, { start, text, boundary, context });
    if (first !== undefined) beginnings.set(first, beginning);
    const { head, summary, user } = beginning;
    const kept = user === undefined ? messages.slice(start) : [user, ...messages.slice(start)];
    const rest = clippedRest(kept, state, context);
    return { request: { ...request, messages: [...head, summary, ...rest] }, boundary, rest };
  };
}

/** What a view starts with. */
interface Beginning {
  readonly text: string;
  readonly head: readonly Message[];
  readonly summary: Message;
  readonly user: Message | undefined;
}

/** The index of the first message after the boundary. A message that a hook added belongs to the one before it. */
function startOf(messages: readonly Message[], { after }: Boundary, { entryOf }: SummaryContext): number {
  let start = messages.length;
  let isAtEnd = true;
  for (let i = messages.length - 1; i >= 0; i--) {
    const message = messages[i];
    const entry = message === undefined ? undefined : entryOf(message);
    if (entry === undefined) {
      if (isAtEnd && message?.role === "user") start = i;
      continue;
    }
    if (entry.number <= after.number) break;
    isAtEnd = false;
    start = i;
  }
  return start;
}

function beginningOf(
  messages: readonly Message[],
  {
    start,
    text,
    boundary,
    context: { entryOf },
  }: {
    readonly start: number;
    readonly text: string;
    readonly boundary: Boundary;
    readonly context: SummaryContext;
  },
): Beginning {
  const isOfThread = (message: Message): boolean => message.role !== "system" && entryOf(message) !== undefined;
  const end = messages.findIndex(isOfThread);
  const head = messages.slice(0, end === -1 ? start : Math.min(end, start));
  const number = boundary.user?.number;
  const user =
    number === undefined ? undefined : messages.slice(0, start).find((each) => entryOf(each)?.number === number);
  const summary: Message = { role: "user", path: "", name: undefined, parts: [{ type: "text", path: "", text }] };
  return { text, head, summary, user };
}

/** The text in place of older messages. The same until the next summary. */
function boundaryText({ summary, files, notes, user }: Boundary, language: SummaryContext["language"]): string {
  const texts = summaryTexts[language];
  const about = { hasSummary: summary !== undefined, hasUser: user !== undefined };
  const gap = language === "zh" ? "" : " ";
  const where = files.length > 0 ? texts.inFile(files.map(({ path }) => path)) : texts.inThread;
  const sections = [`${texts.introduction(about)}${gap}${where}`];
  if (summary !== undefined) sections.push(`# ${texts.headings.summary}\n\n${summary}`);
  if (notes.length > 0) sections.push(`# ${texts.headings.state}\n\n${texts.stillValid}\n\n${notes.join("\n\n")}`);
  return sections.join("\n\n");
}
