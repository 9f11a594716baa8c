import { isRecord } from "#core";
import type { AssembledTurn, Finish, JsonObject } from "#core";

import { usualWriter } from "../../stream/response-writer.ts";
import { reasonIn } from "../../stream/decoder.ts";
import type {
  RequestFacts,
  ResponseWriter,
  ClientTurn,
  FrameContent,
  TextDelta,
  Frame,
  StreamWriter,
} from "../../stream/response-writer.ts";
import { anthropicBody, blocksIn } from "./write-body.ts";
import { createEventWriter, replay } from "./event-writer.ts";
import type { EventWriter, UnsentEvent } from "./event-writer.ts";
import { clientAfter, isStopFor, initialClient } from "./strict-client.ts";
import type { ClientState } from "./strict-client.ts";

/** Writes messages in Anthropic's form. */
export const anthropicWriter: ResponseWriter = {
  stream: createStreamWriter,
  body: {
    ...anthropicBody,
    stream: writeBody,
  },
};

function createStreamWriter(facts?: RequestFacts): StreamWriter {
  let client = initialClient();
  let ahead: ClientState | undefined = client; // including held frames
  const endings: JsonObject[] = []; // end events that were not sent yet
  const unsent = ({ value }: Frame): UnsentEvent => ({ type: typeOf(value), value });
  return {
    ...usualWriter,
    isValid: (frame, reading) =>
      (endings.length === 0 || typeOf(frame.value) !== "message_delta") && isSound(client, frame, reading),
    emitted(frame) {
      client = clientAfter(client, frame) ?? client;
      ahead = client;
    },
    held(frame) {
      ahead &&= clientAfter(ahead, frame);
    },
    released() {
      client = ahead ?? client;
    },
    clientTurns: () => ahead && plainTurns(ahead),
    isRejected: () => ahead === undefined,
    live: {
      begin({ id, name, extras }) {
        const writer = createEventWriter(client);
        writer.open({ ...extras, type: "tool_use", id, name, input: {} });
        return writer.frames;
      },
      more({ id }, text) {
        if (client.call?.id !== id) return [];
        const delta = { type: "input_json_delta", partial_json: text };
        const type = "content_block_delta";
        return [{ event: type, value: { type, index: client.blocks - 1, delta } }];
      },
      isSequential: true,
      hasSplitNames: false,
    },
    hasFinishReason: ({ value: { delta } }) => isRecord(delta) && reasonIn(delta["stop_reason"]) !== undefined,
    endsCall: ({ value, event }) => (value["type"] ?? event) === "content_block_stop",
    confirmsCall: ({ value }) => typeOf(value)?.startsWith("content_block_") === true, // a finish reason may report truncation
    isEnded: () => client.stop !== undefined,
    hasIndexedParts: true,
    misreads: () => isTolerant(facts),
    writeText(readTexts, template) {
      const writer = createEventWriter(client);
      const type = typeOf(template);
      if (type === "message_delta") endings.push(template);
      else if (type === "message_stop") end(writer, { endings, calls: client.calls.length, finish: "stop" });
      else sayAgain(writer, type, readTexts, template);
      return writer.frames;
    },
    writeRemainder(turn) {
      const writer = createEventWriter(client);
      if (client.call === undefined) writeRest(writer, { ...turn, calls: [] }, client, []); // otherwise it would end
      return writer.frames;
    },
    writeTurns(turns, waiting) {
      const left = waiting.map(({ value }) => value);
      const begun = (): EventWriter => {
        const writer = createEventWriter(client);
        writer.start(left.find((value) => typeOf(value) === "message_start")?.["message"]);
        return writer;
      };
      let writer = begun();
      for (const turn of turns.slice(0, 1)) {
        if (!replay(writer, turn, waiting.map(unsent), client)) {
          writer = begun();
          writeRest(writer, turn, client, left);
        }
        const calls = client.calls.length + Number(client.call !== undefined) + turn.calls.length;
        const sent = [...endings, ...left.filter((value) => typeOf(value) === "message_delta")];
        end(writer, { endings: sent, calls, finish: turn.finish });
      }
      return writer.frames;
    },
  };
}

/** True for `Anthropic/JS 1.8.0`. The AI SDK has another name, and parses strictly. */
const isTolerant = (facts: RequestFacts | undefined): boolean => /\/JS\b/u.test(facts?.agent ?? "");

/** The events of a message body: its blocks, with the assembled calls. */
function writeBody([turn]: readonly AssembledTurn[], body: JsonObject): readonly Frame[] {
  const { stop_reason: reason, stop_sequence: sequence = null, usage, content, ...message } = body;
  const writer = createEventWriter(initialClient());
  const calls = [...(turn?.calls ?? [])];
  writer.start({ ...message, usage });
  for (const block of blocksIn(content)) {
    const { type, text, thinking, signature } = block;
    const call = type === "tool_use" ? calls.shift() : undefined;
    if (call !== undefined) writer.call(call, block);
    else if (type === "text") writer.say({ type: "text", text: String(text) });
    else if (type === "thinking") {
      writer.say({ type: "reasoning", text: String(thinking) });
      writer.more({ type: "signature_delta", signature });
    } else if (typeof type === "string" && type !== "tool_use") writer.open(block);
  }
  for (const call of calls) writer.call(call, undefined);
  const ending = { delta: { stop_reason: reason, stop_sequence: sequence }, usage };
  end(writer, { endings: [ending], calls: turn?.calls.length ?? 0, finish: turn?.finish ?? null });
  return writer.frames;
}

/** True if a client reads the decoded text from a frame, and no call. */
function isSound(client: ClientState, frame: Frame, { texts: readTexts }: FrameContent): boolean {
  const next = clientAfter(client, frame);
  return (
    next !== undefined &&
    next.calls === client.calls &&
    next.call === client.call &&
    next.text - client.text === lengthOf(readTexts, "text") &&
    next.reasoning - client.reasoning === lengthOf(readTexts, "reasoning")
  );
}

const lengthOf = (readTexts: readonly TextDelta[], type: TextDelta["type"]): number =>
  readTexts.reduce((sum, each) => (each.type === type ? sum + each.text.length : sum), 0);

/** The turn as the client reads it. Undefined while a call is open or may be truncated. */
function plainTurns(client: ClientState): readonly ClientTurn[] | undefined {
  const { calls, isEnded, isFilled, isBare } = client;
  if (client.call !== undefined || !client.isNamed || (isBare && !isEnded)) return undefined;
  const none = isEnded ? "{}" : ""; // more may arrive, even after the end of the block
  const withText = (call: ClientState["calls"][number]): ClientTurn["calls"][number] =>
    hasText(call) ? call : { ...call, arguments: call.arguments === undefined ? none : "{}" };
  return [{ calls: haveText(calls, isFilled) ? calls : calls.map(withText), isEnded }];
}

/** Uses the cached result for all calls. */
const haveText = (calls: ClientState["calls"], isFilled: boolean): calls is ClientTurn["calls"] =>
  isFilled || calls.length === 0;

const hasText = (call: ClientState["calls"][number]): call is ClientTurn["calls"][number] => Boolean(call.arguments);

/** The type of an event; inferred from its fields if missing. */
function typeOf({ type, message, content_block: block, delta, index }: JsonObject): string | undefined {
  if (typeof type === "string" && type !== "") return type;
  if (isRecord(message)) return "message_start";
  if (isRecord(block)) return "content_block_start";
  if (isRecord(delta)) return "stop_reason" in delta ? "message_delta" : "content_block_delta";
  return index === undefined ? undefined : "content_block_stop";
}

/** Repeats an event of a block that is not a call, or of its start. */
function sayAgain(
  writer: EventWriter,
  type: string | undefined,
  readTexts: readonly TextDelta[],
  template: JsonObject,
): void {
  const { message, content_block: block, delta } = template;
  if (type === "message_start") writer.start(message);
  else if (type === "content_block_stop") writer.close();
  else if (type === "content_block_start" && isRecord(block) && typeof block["type"] === "string") {
    const kind = block["type"];
    const hasOwnText = kind === "text" || kind === "thinking";
    if (kind !== "tool_use") writer.open(hasOwnText ? { ...block, [kind]: "" } : block);
  } else if (readTexts.length === 0 && isRecord(delta) && typeof delta["type"] === "string" && !isTextDelta(delta)) {
    writer.more(delta);
  }
  for (const each of readTexts) writer.say(each);
}

/** True for a delta that contains only text. */
const isTextDelta = ({ type }: JsonObject): boolean => type === "text_delta" || type === "thinking_delta";

/** Writes the part of a turn that the client has not received, in order. */
function writeRest(
  writer: EventWriter,
  turn: Pick<AssembledTurn, "parts" | "calls">,
  client: ClientState,
  left: readonly JsonObject[],
): void {
  const known = { text: client.text, reasoning: client.reasoning };
  const blocks = left.map((value) => value["content_block"]).filter(isRecord);
  for (const part of turn.parts) {
    if (part.type === "call") {
      const { call } = part;
      if (turn.calls.includes(call))
        writer.call(
          call,
          blocks.find(({ id }) => id === call.id),
        ); // others were discarded
      continue;
    }
    if (part.type === "media") continue; // this format has none
    const text = part.text.slice(known[part.type]);
    known[part.type] -= part.text.length - text.length;
    if (text !== "") writer.say({ type: part.type, text });
  }
}

interface End {
  /** The received end events. */
  readonly endings: readonly JsonObject[];
  readonly calls: number;
  readonly finish: Finish;
}

/** Ends the message with a reason that matches its content. */
function end(writer: EventWriter, { endings, calls, finish }: End): void {
  const delta = merged(endings.map((value) => value["delta"]));
  const given = delta["stop_reason"];
  const isFine = typeof given === "string" && given !== "tool_use" && isStopFor(given, calls);
  const reason = isFine ? given : calls > 0 ? "tool_use" : stopReasons[finish ?? "stop"];
  const { type: _type, delta: _delta, usage: _usage, ...rest } = merged(endings);
  writer.end({
    ...rest,
    delta: { ...delta, stop_reason: reason },
    usage: merged(endings.map((value) => value["usage"])),
  });
}

const merged = (wires: readonly unknown[]): JsonObject => Object.assign({}, ...wires.filter(isRecord)) as JsonObject; // of records

const stopReasons: Readonly<Record<Exclude<Finish, null>, string>> = {
  stop: "end_turn",
  tool_calls: "tool_use",
  length: "max_tokens",
  content_filter: "refusal",
  error: "end_turn",
};
