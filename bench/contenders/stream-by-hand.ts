import type { StreamClient, StreamOutcome } from "./stream-client.ts";

/** What a person writes who needs no library: cut at blank lines, parse, append by index. It knows no stream but a perfect one. */
export const chatByHand: StreamClient = (body) => readByHand(body, chatFold());

export const anthropicByHand: StreamClient = (body) => readByHand(body, anthropicFold());

/** What is done with one event, and what came of all of them. */
export interface Fold {
  readonly add: (data: string) => void;
  readonly outcome: () => StreamOutcome;
}

async function readByHand(body: ReadableStream<Uint8Array>, { add, outcome }: Fold): Promise<StreamOutcome> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const bytes of body) {
    rest += decoder.decode(bytes, { stream: true });
    let start = 0;
    for (let end = rest.indexOf("\n\n"); end >= 0; end = rest.indexOf("\n\n", start)) {
      const at = rest.startsWith("data: ", start) ? start : rest.indexOf("\ndata: ", start) + 1;
      add(rest.slice(at + 6, end));
      start = end + 2;
    }
    rest = rest.slice(start);
  }
  return outcome();
}

interface HeldCall {
  readonly id: string;
  readonly name: string;
  text: string;
}

const callsOf = (calls: Iterable<HeldCall>): StreamOutcome["calls"] =>
  Array.from(calls, ({ id, name, text }) => ({ id, name, arguments: JSON.parse(text) as unknown }));

/** Of a chunk, what is read. */
interface Chunk {
  readonly choices: readonly {
    readonly delta: {
      readonly content?: string | null;
      readonly tool_calls?: readonly {
        readonly index: number;
        readonly id?: string;
        readonly function: { readonly name?: string; readonly arguments: string };
      }[];
    };
  }[];
}

export function chatFold(): Fold {
  let text = "";
  const calls: HeldCall[] = [];
  return {
    add(data) {
      if (data === "[DONE]") return;
      const { choices } = JSON.parse(data) as Chunk;
      const delta = choices[0]?.delta;
      if (delta === undefined) return;
      if (typeof delta.content === "string") text += delta.content;
      if (delta.tool_calls === undefined) return;
      for (const { index, id, function: called } of delta.tool_calls) {
        const held = (calls[index] ??= { id: id ?? "", name: called.name ?? "", text: "" });
        held.text += called.arguments;
      }
    },
    outcome: () => ({ text, calls: callsOf(calls) }),
  };
}

/** Of an event, what is read. */
interface Event {
  readonly type: string;
  readonly index: number;
  readonly content_block?: { readonly type: string; readonly id: string; readonly name: string };
  readonly delta?: { readonly text?: string; readonly partial_json?: string };
}

export function anthropicFold(): Fold {
  let text = "";
  const calls = new Map<number, HeldCall>();
  return {
    add(data) {
      const event = JSON.parse(data) as Event;
      if (event.type === "content_block_delta") {
        const { text: said, partial_json: json } = event.delta ?? {};
        if (said !== undefined) text += said;
        const held = json === undefined ? undefined : calls.get(event.index);
        if (held !== undefined && json !== undefined) held.text += json;
      } else if (event.type === "content_block_start" && event.content_block?.type === "tool_use") {
        const { id, name } = event.content_block;
        calls.set(event.index, { id, name, text: "" });
      }
    },
    outcome: () => ({ text, calls: callsOf(calls.values()) }),
  };
}
