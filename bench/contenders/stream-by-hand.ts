import type { WireFormat } from "../streams/wire.ts";
import type { StreamClient, StreamOutcome } from "./stream-client.ts";

/** The code of a program without a library: split at blank lines, parse, append by index. It reads only perfect streams. */
export const byHand: Readonly<Record<WireFormat, StreamClient>> = {
  "openai-chat": (body) => readByHand(body, chatFold()),
  "openai-responses": (body) => readByHand(body, responsesFold()),
  anthropic: (body) => readByHand(body, anthropicFold()),
};

/** What is done with one event, and what came of all of them. */
export interface Fold {
  readonly add: (data: string) => void;
  readonly outcome: () => StreamOutcome;
}

async function readByHand(body: ReadableStream<Uint8Array>, { add, outcome }: Fold): Promise<StreamOutcome> {
  const decoder = new TextDecoder();
  let rest = "";
  let held: string[] = []; // of an event that is much longer than a read, so that it is not copied with every read
  for await (const bytes of body) {
    const text = decoder.decode(bytes, { stream: true });
    held.push(text);
    if (!text.includes("\n")) continue;
    rest += held.join("");
    held = [];
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

function chatFold(): Fold {
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

function anthropicFold(): Fold {
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

/** Of an event of the Responses API, what is read. */
interface ResponseEvent {
  readonly type: string;
  readonly output_index: number;
  readonly delta?: string;
  readonly item?: { readonly type: string; readonly call_id: string; readonly name: string };
}

function responsesFold(): Fold {
  let text = "";
  const calls = new Map<number, HeldCall>();
  return {
    add(data) {
      const { type, output_index: index, delta = "", item } = JSON.parse(data) as ResponseEvent;
      if (type === "response.output_text.delta") text += delta;
      else if (type === "response.function_call_arguments.delta") {
        const held = calls.get(index);
        if (held !== undefined) held.text += delta;
      } else if (type === "response.output_item.added" && item?.type === "function_call") {
        calls.set(index, { id: item.call_id, name: item.name, text: "" });
      }
    },
    outcome: () => ({ text, calls: callsOf(calls.values()) }),
  };
}

export const folds: Readonly<Record<WireFormat, () => Fold>> = {
  "openai-chat": chatFold,
  "openai-responses": responsesFold,
  anthropic: anthropicFold,
};
