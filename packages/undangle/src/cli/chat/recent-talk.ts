import { settledStates } from "#engine";
import type { CallView, HistoryMessages, LedgerCall, Thread } from "#engine";
import type { Store } from "#store";

import { endedLines } from "./view/call-lines.ts";
import { measureIn } from "./view/face.ts";
import type { Face } from "./view/face.ts";
import { printBlock, printRemark, printSaid } from "./view/show-event.ts";
import type { Step } from "./view/show-event.ts";
import { setText } from "./view/text-flow.ts";
import type { View } from "./view/view.ts";

/** The last exchanges of a thread, shown when it is opened. */
export interface RecentTalk {
  readonly items: readonly TalkItem[];
  /** The number of earlier messages. */
  readonly earlier: number;
}

type TalkItem =
  | { readonly type: "person" | "model"; readonly text: string }
  | { readonly type: "call"; readonly call: CallView; readonly number: number };

const mostExchanges = 3;

/**
 * Reads the last exchanges: messages, and calls that are settled in the store. Events report what a recovery settles.
 */
export async function recentTalk(thread: Thread, store: Store, calls: readonly CallView[]): Promise<RecentTalk> {
  const stored = (await store.calls(thread.id)).map(({ value }) => value as LedgerCall); // the engine writes this type
  const byId = new Map(calls.map((call, index) => [call.id, { type: "call" as const, call, number: index + 1 }]));
  const byProviderId = Map.groupBy(stored, ({ providerId }) => providerId); // a provider may repeat an id
  const lastOf = (providerId: string): TalkItem | undefined => {
    const { id, state } = byProviderId.get(providerId)?.pop() ?? {};
    const item = id === undefined ? undefined : byId.get(id);
    return item?.call.status === state ? item : undefined;
  };
  const messages = await thread.history("openai-chat");
  const items = messages
    .toReversed()
    .flatMap((message) => itemsOf(message, lastOf))
    .toReversed();
  const starts = items.flatMap(({ type }, index) => (type === "person" ? [index] : []));
  const first = starts.at(-mostExchanges) ?? 0;
  return { items: items.slice(first), earlier: items.slice(0, first).filter(({ type }) => type !== "call").length };
}

/** Prints the exchanges. `command` shows the whole thread. */
export function talkStep(view: View, face: Face, { talk, command }: { talk: RecentTalk; command: string }): Step {
  const { earlier, items } = talk;
  const note = printRemark(view, face.texts.start.earlier(earlier, command), face);
  const gap = view.last === "remark" ? [""] : []; // the welcome text is a remark too
  const start: Step = earlier === 0 ? { view, lines: [] } : { view: note.view, lines: [...gap, ...note.lines] };
  return items.reduce((step, item): Step => {
    const next = itemStep(step.view, face, item);
    return { view: next.view, lines: [...step.lines, ...next.lines] };
  }, start);
}

function itemStep(view: View, face: Face, item: TalkItem): Step {
  if (item.type === "person") return printSaid(view, item.text.trimEnd(), face);
  if (item.type === "call") return printBlock(view, "tools", settledLines(item, face), face);
  const lines = setText(item.text.trim(), measureIn(face));
  const shown = lines.length > mostLines ? ["…", ...lines.slice(-mostLines)] : lines;
  const step = printBlock(view, "answer", shown, face);
  return view.last === "answer" ? { ...step, lines: ["", ...step.lines] } : step; // another turn
}

/** A long response is shown by its last lines. */
const mostLines = 12;

/** Open calls are shown below while they are open. */
function settledLines({ call, number }: Extract<TalkItem, { readonly type: "call" }>, face: Face): readonly string[] {
  const status = settledStates.find((state) => state === call.status);
  if (status === undefined) return [];
  return endedLines({ ...call, status, success: status === "succeeded" }, { call, number, at: 0 }, face);
}

/** The items of a message, last first. */
function itemsOf(message: ChatMessage, lastOf: (providerId: string) => TalkItem | undefined): readonly TalkItem[] {
  const { role, content, tool_calls: called = [] } = message;
  if (role !== "user" && role !== "assistant") return [];
  const text = textOf(content);
  return [
    ...called.toReversed().flatMap(({ id }) => lastOf(id) ?? []),
    ...(text.trim() === "" ? [] : [{ type: role === "user" ? ("person" as const) : ("model" as const), text }]),
  ];
}

type ChatMessage = HistoryMessages["openai-chat"];

function textOf(content: ChatMessage["content"]): string {
  if (typeof content === "string") return content;
  return (content ?? []).map(({ text }) => (typeof text === "string" ? text : "")).join("");
}
