/** What a model says in a benchmark: text in so many deltas, or calls with so many bytes of arguments in deltas of 20. */
export interface Script {
  readonly textDeltas: number;
  readonly calls: number;
  /** Of each call. */
  readonly argumentBytes: number;
}

export type WireFormat = "openai-chat" | "anthropic";

/** A stream as it comes from a server, and what has to be made of it. */
export interface Wire {
  /** What it was written from. */
  readonly asked: { readonly script: Script; readonly format: WireFormat; readonly delivery: Delivery };
  readonly format: WireFormat;
  /** The body in the pieces in which it arrives. */
  readonly pieces: readonly Uint8Array[];
  readonly bytes: number;
  readonly events: number;
  readonly text: string;
  readonly calls: readonly { readonly id: string; readonly name: string; readonly arguments: string }[];
}

export const toolName = "write_file";

/** How a body is cut: about as much as one read of a socket gives, or each event alone, as servers send them. */
export type Delivery = "reads of 16 kB" | "an event at a time";

/** Writes the stream of a script. */
export function wireOf(script: Script, format: WireFormat, delivery: Delivery): Wire {
  const texts = Array.from({ length: script.textDeltas }, (_, i) => `word ${i % 1000} and so `);
  const calls = Array.from({ length: script.calls }, (_, i) => ({
    id: `call_${String(i).padStart(20, "0")}`,
    name: toolName,
    arguments: argumentsOf(script.argumentBytes, i),
  }));
  const events = [...writers[format](texts, calls)];
  const pieces = delivery === "an event at a time" ? events.map((event) => encode(event)) : cut(events);
  const bytes = pieces.reduce((sum, piece) => sum + piece.length, 0);
  return {
    asked: { script, format, delivery },
    format,
    pieces,
    bytes,
    events: events.length,
    text: texts.join(""),
    calls,
  };
}

/** The events of a stream, parsed. */
export function framesOf({ pieces }: Wire): readonly unknown[] {
  const decoder = new TextDecoder();
  const text = pieces.map((piece) => decoder.decode(piece, { stream: true })).join("");
  return Array.from(text.matchAll(/^data: (\{.*)$/gmu), ([, data = ""]): unknown => JSON.parse(data));
}

type Call = Wire["calls"][number];

/** A file to be written: source code, with the quotes and line breaks that have to be escaped twice on the way. */
function argumentsOf(bytes: number, seed: number): string {
  const line = `  if (values[${seed}] !== "none") total += Number(values[${seed}]);\n`;
  const written = JSON.stringify(line).length - 2;
  return JSON.stringify({ path: `src/file-${seed}.ts`, content: line.repeat(Math.ceil(bytes / written)) });
}

const deltaBytes = 20;

function* deltasOf(text: string): Generator<string, void, undefined> {
  for (let at = 0; at < text.length; at += deltaBytes) yield text.slice(at, at + deltaBytes);
}

type Write = (texts: readonly string[], calls: readonly Call[]) => Generator<string, void, undefined>;

const writers: Readonly<Record<WireFormat, Write>> = {
  *"openai-chat"(texts, calls) {
    const chunk = (delta: unknown, finish: string | null = null): string =>
      `data: ${JSON.stringify({
        id: "chatcmpl-CkNvt0xUeQ1dJHyZgWq7rB3mA5fLs",
        object: "chat.completion.chunk",
        created: 1_767_225_600,
        model: "gpt-4.1-2025-04-14",
        service_tier: "default",
        system_fingerprint: "fp_51e1070cf2",
        choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
      })}\n\n`;
    yield chunk({ role: "assistant", content: texts.length > 0 ? "" : null });
    for (const content of texts) yield chunk({ content });
    for (const [index, { id, name, arguments: args }] of calls.entries()) {
      yield chunk({ tool_calls: [{ index, id, type: "function", function: { name, arguments: "" } }] });
      for (const delta of deltasOf(args)) yield chunk({ tool_calls: [{ index, function: { arguments: delta } }] });
    }
    yield chunk({}, calls.length > 0 ? "tool_calls" : "stop");
    yield "data: [DONE]\n\n";
  },
  *anthropic(texts, calls) {
    const event = (type: string, data: Readonly<Record<string, unknown>> = {}): string =>
      `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`;
    const usage = { input_tokens: 25, output_tokens: 1 };
    const message = {
      id: "msg_01",
      type: "message",
      role: "assistant",
      model: "claude-sonnet-4-5",
      content: [],
      usage,
    };
    yield event("message_start", { message });
    let index = 0;
    if (texts.length > 0) {
      yield event("content_block_start", { index, content_block: { type: "text", text: "" } });
      for (const text of texts) yield event("content_block_delta", { index, delta: { type: "text_delta", text } });
      yield event("content_block_stop", { index });
      index++;
    }
    for (const { id, name, arguments: args } of calls) {
      yield event("content_block_start", { index, content_block: { type: "tool_use", id, name, input: {} } });
      for (const json of deltasOf(args))
        yield event("content_block_delta", { index, delta: { type: "input_json_delta", partial_json: json } });
      yield event("content_block_stop", { index });
      index++;
    }
    const reason = calls.length > 0 ? "tool_use" : "end_turn";
    yield event("message_delta", { delta: { stop_reason: reason, stop_sequence: null }, usage: { output_tokens: 9 } });
    yield event("message_stop");
  },
};

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

const readBytes = 16_384;

/** Cuts events anywhere, as a socket does. They are gathered first: one text of all could be too long for a string. */
function cut(events: readonly string[]): readonly Uint8Array[] {
  const pieces: Uint8Array[] = [];
  let held = "";
  const flush = (isLast: boolean): void => {
    const bytes = encode(held);
    const whole = isLast ? bytes.length : bytes.length - (bytes.length % readBytes);
    for (let at = 0; at < whole; at += readBytes) pieces.push(bytes.slice(at, Math.min(at + readBytes, whole)));
    held = new TextDecoder().decode(bytes.subarray(whole)); // everything is ASCII
  };
  for (const event of events) {
    held += event;
    if (held.length > 64 * readBytes) flush(false);
  }
  flush(true);
  return pieces;
}
