import { cleanName, isRecord } from "#core";
import type { AssembledCall, AssembledTurn, JsonObject } from "#core";

import { argumentsValue, hasIds, isId, hasSameTexts, usualWriter } from "../../stream/response-writer.ts";
import type {
  ResponseWriter,
  ClientTurn,
  FrameContent,
  TextDelta,
  Frame,
  StreamWriter,
} from "../../stream/response-writer.ts";

/** Writes /api/chat responses in Ollama's form. */
export const ollamaWriter: ResponseWriter = {
  stream: createStreamWriter,
  body: {
    isTextVisible: () => true,
    clientTurns(body) {
      const reader = createLineReader();
      reader.take(body);
      return reader.turns();
    },
    stream: (_turns, body) => [{ value: body }], // it is a line
    write(turns, body) {
      const [turn] = turns;
      if (turn === undefined) return body;
      const { tool_calls: _calls, ...message } = messageIn(body);
      const calls = turn.calls.map((call) => wireOf(call, turn));
      return {
        ...body,
        message: { role: "assistant", ...message, content: turn.text, tool_calls: calls },
        done: true,
        done_reason: "stop",
      };
    },
  },
};

function createStreamWriter(): StreamWriter {
  let hasCalls = false; // the client has received calls
  let waitsWithCalls = false;
  const reader = createLineReader();
  return {
    ...usualWriter,
    // Clients stop reading at the end, so an end with doubtful calls must wait.
    isValid: ({ value }, reading) => isSoundLine(value, reading) && !(hasCalls && isCutOff(value)),
    emitted({ value }) {
      hasCalls ||= callsIn(value).length > 0;
    },
    held({ value }) {
      waitsWithCalls ||= callsIn(value).length > 0;
      reader.take(value);
    },
    released() {
      hasCalls ||= waitsWithCalls;
    },
    clientTurns: reader.turns,
    isRejected: () => reader.turns() === undefined,
    endsCall: ({ value }) => callsIn(value).length > 0,
    writeText: (readTexts, template) =>
      readTexts.map(({ type, text }) =>
        lineOf(template, type === "text" ? { content: text } : { content: "", thinking: text }),
      ),
    writeTurns(turns, waiting, template) {
      const calls = turns.flatMap((turn) =>
        turn.calls.map((call) => lineOf(template, { content: "", tool_calls: [wireOf(call, turn)] })),
      );
      const end = waiting.findLast(({ value }) => value["done"] === true)?.value ?? template;
      const message = { role: "assistant", content: "" };
      const reason = turns[0]?.finish === "length" ? "length" : "stop";
      return [...calls, { value: { ...end, message, done: true, done_reason: reason } }];
    },
    serialize: ({ value }) => `${JSON.stringify(value)}\n`,
  };
}

/** A line of the same response before its end. */
function lineOf({ model, created_at: time }: JsonObject, message: JsonObject): Frame {
  return { value: { model, created_at: time, message: { role: "assistant", ...message }, done: false } };
}

function wireOf(call: AssembledCall, turn: AssembledTurn): JsonObject {
  const called = { function: { name: call.name, arguments: argumentsValue(call) } };
  return hasIds(turn) ? { id: call.id, ...called } : called;
}

const messageIn = ({ message }: JsonObject): JsonObject => (isRecord(message) ? message : {});

function callsIn(line: JsonObject): readonly unknown[] {
  const calls = messageIn(line)["tool_calls"];
  return Array.isArray(calls) ? calls : [];
}

function isSoundLine(line: JsonObject, { texts: readTexts, hasEnd }: FrameContent): boolean {
  if (!isPlainLine(line) || callsIn(line).length > 0 || (line["done"] === true) !== hasEnd) return false;
  return hasSameTexts(textsIn(line), readTexts);
}

/** True for a line that every client can read, apart from its calls. */
function isPlainLine({ message, done, error }: JsonObject): boolean {
  if (!isRecord(message) || typeof done !== "boolean" || error !== undefined) return false;
  const { content, thinking = "", tool_calls: calls = [] } = message;
  return typeof content === "string" && typeof thinking === "string" && Array.isArray(calls);
}

const isCutOff = ({ done, done_reason: reason }: JsonObject): boolean => done === true && reason === "length";

function textsIn(line: JsonObject): readonly TextDelta[] {
  const { content, thinking } = messageIn(line);
  return [
    { type: "reasoning" as const, text: thinking },
    { type: "text" as const, text: content },
  ].flatMap(({ type, text }) => (typeof text === "string" && text !== "" ? [{ type, choice: 0, text }] : []));
}

/** Reads the calls of lines as clients do, and stops at the first deviation from Ollama's form. */
function createLineReader(): {
  readonly take: (line: JsonObject) => void;
  readonly turns: StreamWriter["clientTurns"];
} {
  const calls: ClientTurn["calls"][number][] = [];
  const ids = new Set<string>();
  let isEnded = false;
  let hasTripped = false;

  const takeLine = (line: JsonObject): boolean => {
    if (isEnded || !isPlainLine(line)) return false;
    for (const wire of callsIn(line)) {
      const call = callOf(wire);
      if (call === undefined || ids.has(call.id)) return false;
      if (call.id !== "") ids.add(call.id);
      calls.push(call);
    }
    isEnded = line["done"] === true;
    return !isCutOff(line);
  };

  return {
    take(line) {
      if (!hasTripped) hasTripped = !takeLine(line);
    },
    turns: () => (hasTripped ? undefined : [{ calls: calls.slice(), isEnded }]),
  };
}

/** Undefined for a call that clients would not recognize. */
function callOf(wire: unknown): ClientTurn["calls"][number] | undefined {
  if (!isRecord(wire) || !isRecord(wire["function"])) return undefined;
  const { id } = wire;
  const { name, arguments: args } = wire["function"];
  if (typeof name !== "string" || name === "" || cleanName(name, undefined) !== name) return undefined;
  if (!isRecord(args) || (id !== undefined && !isId(id))) return undefined;
  return { id: id ?? "", name, arguments: JSON.stringify(args) };
}
