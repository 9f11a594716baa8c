/** What a model says in a benchmark: text in so many deltas, or calls with so many bytes of arguments in deltas of 20. */
export interface Script {
  readonly textDeltas: number;
  readonly calls: number;
  /** Of each call. */
  readonly argumentBytes: number;
}

export type WireFormat = "openai-chat" | "openai-responses" | "anthropic";

/**
 * What is around each delta. `provider`: as the API sends it, with a random `obfuscation` and `sequence_number` (OpenAI) or a random
 * number of blanks (Anthropic). `constant`: the same bytes around every delta, which no provider sends.
 */
export type Envelope = "provider" | "constant";

/** A stream as it comes from a server, and what has to be made of it. */
export interface Wire {
  /** What it was written from. */
  readonly asked: WireOptions;
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

export interface WireOptions {
  readonly script: Script;
  readonly format: WireFormat;
  readonly delivery: Delivery;
  readonly envelope: Envelope;
}

/** Writes the stream of a script. */
export function wireOf(asked: WireOptions): Wire {
  const { script, format, delivery, envelope } = asked;
  const texts = Array.from({ length: script.textDeltas }, (_, i) => `word ${i % 1000} and so `);
  const calls = Array.from({ length: script.calls }, (_, i) => ({
    id: `call_${String(i).padStart(20, "0")}`,
    name: toolName,
    arguments: argumentsOf(script.argumentBytes, i),
  }));
  const events = [...writers[format](texts, calls, envelope === "provider" ? randomText(1) : () => undefined)];
  const pieces = delivery === "an event at a time" ? events.map((event) => encode(event)) : cut(events);
  const bytes = pieces.reduce((sum, piece) => sum + piece.length, 0);
  return {
    asked,
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

/** Writes events. `noise` is up to 16 random characters; undefined where envelopes are constant. */
type Write = (
  texts: readonly string[],
  calls: readonly Call[],
  noise: () => string | undefined,
) => Generator<string, void, undefined>;

const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/** Texts of 0 to 16 letters, at random but the same on every run. */
function randomText(seed: number): () => string {
  let state = seed;
  const next = (): number => (state = (state * 48_271) % 2_147_483_647);
  return () => {
    let text = "";
    for (let left = next() % 17; left > 0; left--) text += letters[next() % letters.length] ?? "";
    return text;
  };
}

const writers: Readonly<Record<WireFormat, Write>> = {
  *"openai-chat"(texts, calls, noise) {
    const chunk = (delta: unknown, finish: string | null = null): string =>
      `data: ${JSON.stringify({
        id: "chatcmpl-CkNvt0xUeQ1dJHyZgWq7rB3mA5fLs",
        object: "chat.completion.chunk",
        created: 1_767_225_600,
        model: "gpt-4.1-2025-04-14",
        service_tier: "default",
        system_fingerprint: "fp_51e1070cf2",
        choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
        obfuscation: noise(),
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
  *"openai-responses"(texts, calls, noise) {
    let sequence = 0;
    const event = (type: string, data: Readonly<Record<string, unknown>>): string => {
      const numbers = { sequence_number: sequence++, obfuscation: type.endsWith(".delta") ? noise() : undefined };
      return `event: ${type}\ndata: ${JSON.stringify({ type, ...data, ...numbers })}\n\n`;
    };
    const response = { id: "resp_01", object: "response", status: "in_progress", model: "gpt-5.1", output: [] };
    yield event("response.created", { response });
    const output: object[] = [];
    if (texts.length > 0) {
      const at = { output_index: 0, item_id: "msg_01", content_index: 0 };
      const message = { id: "msg_01", type: "message", status: "in_progress", role: "assistant" };
      const part = { type: "output_text", annotations: [], text: texts.join("") };
      yield event("response.output_item.added", { output_index: 0, item: { ...message, content: [] } });
      yield event("response.content_part.added", { ...at, part: { ...part, text: "" } });
      for (const delta of texts) yield event("response.output_text.delta", { ...at, logprobs: [], delta });
      yield event("response.output_text.done", { ...at, text: part.text });
      yield event("response.content_part.done", { ...at, part });
      output.push({ ...message, status: "completed", content: [part] });
      yield event("response.output_item.done", { output_index: 0, item: output[0] });
    }
    for (const { id, name, arguments: args } of calls) {
      const at = { output_index: output.length, item_id: `fc_${output.length}` };
      const item = { id: at.item_id, type: "function_call", status: "in_progress", call_id: id, name, arguments: "" };
      yield event("response.output_item.added", { output_index: at.output_index, item });
      for (const delta of deltasOf(args)) yield event("response.function_call_arguments.delta", { ...at, delta });
      yield event("response.function_call_arguments.done", { ...at, arguments: args });
      output.push({ ...item, status: "completed", arguments: args });
      yield event("response.output_item.done", { output_index: at.output_index, item: output.at(-1) });
    }
    yield event("response.completed", { response: { ...response, status: "completed", output } });
  },
  *anthropic(texts, calls, noise) {
    const event = (type: string, data: Readonly<Record<string, unknown>> = {}): string =>
      `event: ${type}\ndata: ${JSON.stringify({ type, ...data }).slice(0, -1)}${" ".repeat(noise()?.length ?? 0)}}\n\n`;
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
