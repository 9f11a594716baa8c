import { tool } from "undangle/agent";
import type { ModelRequest } from "undangle/agent";

import { serve } from "./serve-fixture.ts";
import type { Answered, Served, Stage } from "./serve-fixture.ts";

export const chat = "/v1/chat/completions";

export interface Message {
  readonly role: string;
  readonly content?: unknown;
  readonly tool_calls?: readonly Call[] | undefined;
  readonly tool_call_id?: string;
}

export interface Call {
  readonly id: string;
  readonly type: string;
  readonly function: { readonly name: string; readonly arguments: string };
}

export const user = (content: string): Message => ({ role: "user", content });
export const assistant = (content: string): Message => ({ role: "assistant", content });
export const theirs = { type: "function", function: { name: "weather", parameters: { type: "object" } } };
const look = tool({ name: "look", description: "Looks.", execute: () => "a blue house" });
export const pay = tool({ name: "pay", description: "Pays.", approval: true, execute: () => "paid" });

export const threadOf = ({ headers }: Answered): string => String(headers["x-undangle-thread"]);
export const messageOf = ({ body }: Answered): Message =>
  (body["choices"] as readonly { message: Message }[] | undefined)?.[0]?.message ?? { role: "none" };

/** What the model was told by persons, in its last request. */
export const saidIn = (request: ModelRequest | undefined): string =>
  JSON.stringify((request?.messages ?? []).filter(({ role }) => role === "user"));

export type Habit = (messages: readonly Message[]) => readonly Message[];

const eachOf =
  (change: (message: Message) => Message): Habit =>
  (messages) =>
    messages.map(change);

/** How clients change a history before they send it again. */
export const habits: Readonly<Record<string, Habit>> = {
  "as it was": (messages) => messages,
  "with content null beside calls": eachOf((each) =>
    each.tool_calls === undefined ? each : { ...each, content: null },
  ),
  "without content beside calls": eachOf(({ content, ...each }) =>
    each.tool_calls === undefined ? { ...each, content } : each,
  ),
  "with an empty list of calls": eachOf((each) => (each.role === "assistant" ? { tool_calls: [], ...each } : each)),
  "with texts as parts": eachOf((each) =>
    typeof each.content === "string" ? { ...each, content: [{ type: "text", text: each.content }] } : each,
  ),
  "with other blanks": eachOf((each) =>
    typeof each.content === "string" ? { ...each, content: ` ${each.content.replaceAll(" ", "  ")}\n` } : each,
  ),
  "with instructions that change": (messages) => [
    { role: "system", content: `It is ${performance.now()} o'clock.` },
    ...messages,
  ],
  "with ids of its own": (messages) => messages.map((each) => withIds(each, (id) => `own-${id.slice(-3)}`)),
  "with ids of its own each time": (messages) => {
    const now = String(performance.now());
    return messages.map((each) => withIds(each, (id) => `${now}-${id.slice(-3)}`));
  },
  "with arguments written anew": eachOf((each) =>
    each.tool_calls === undefined ? each : { ...each, tool_calls: each.tool_calls.map(rewritten) },
  ),
  "with results in another order": (messages) => {
    const all: Message[] = [];
    for (const each of messages) {
      const isSecond = each.role === "tool" && all.at(-1)?.role === "tool";
      all.splice(isSecond ? -1 : all.length, 0, each);
    }
    return all;
  },
  "in decomposed letters": eachOf((each) =>
    typeof each.content === "string" ? { ...each, content: each.content.normalize("NFD") } : each,
  ),
  "with reasoning and names besides": eachOf((each) => ({ ...each, reasoning_content: "Hm.", name: "somebody" })),
};

function withIds(message: Message, own: (id: string) => string): Message {
  if (message.tool_call_id !== undefined) return { ...message, tool_call_id: own(message.tool_call_id) };
  if (message.tool_calls === undefined) return message;
  return { ...message, tool_calls: message.tool_calls.map((call) => ({ ...call, id: own(call.id) })) };
}

const rewritten = (call: Call): Call => ({
  ...call,
  function: { ...call.function, arguments: JSON.stringify(JSON.parse(call.function.arguments), undefined, 2) },
});

/** A client that keeps the whole conversation, knows nothing of threads, and runs the tool `weather`. */
export function client({ call }: Pick<Served, "call">, habit: Habit = (all) => all, more: object = {}, headers = {}) {
  const kept: Message[] = [];
  const post = (): Promise<Answered> => call("POST", chat, { messages: habit(kept), ...more }, headers);
  const say = async (content: string): Promise<Answered> => {
    kept.push(user(content));
    for (;;) {
      const answer = await post();
      const message = messageOf(answer);
      kept.push(message);
      if (message.tool_calls === undefined) return answer;
      for (const { id, function: made } of message.tool_calls)
        kept.push({ role: "tool", tool_call_id: id, content: `30 degrees for ${made.arguments}` });
    }
  };
  return { kept, post, say };
}

export const threadsIn = async ({ call }: Pick<Served, "call">): Promise<number> =>
  ((await call("GET", "/threads")).body["data"] as readonly unknown[]).length;

/** The model says how many things it was told, and calls the tool that it is told to. */
export const counting = ({ messages }: ModelRequest) => {
  const last = messages.at(-1);
  const text = JSON.stringify(last);
  const said = messages.filter(({ role }) => role === "user").length;
  const weather = (city: string) => ({ name: "weather", arguments: { city, day: 1 } });
  if (last?.role === "user" && text.includes("cities"))
    return { text: "I ask twice.", calls: [weather("Rome"), weather("Zürich")] };
  if (last?.role === "user" && text.includes("weather")) return { text: "I ask.", calls: [weather("Rome")] };
  if (last?.role === "user" && text.includes("look")) return { text: "I look.", calls: [{ name: "look" }] };
  if (last?.role === "user" && text.includes("pay")) return { text: "I pay.", calls: [{ name: "pay" }] };
  return { text: `That was number ${said}.` };
};

export const stage = (more: Stage = {}): Served => serve({ turns: [counting], agent: { tools: [look, pay] }, ...more });
