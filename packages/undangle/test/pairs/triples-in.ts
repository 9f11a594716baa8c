/** Reads calls and their results from the wire, with the pairing of each API and none of ours. */
import type { Message } from "../../src/codecs/index.ts";
import { listOf, recordOf } from "../../src/testing/judge/loose.ts";
import type { Loose } from "../../src/testing/judge/loose.ts";
import type { Triple } from "./story.ts";
import type { PairFormat } from "./write-story.ts";

interface Call {
  readonly kind: "call";
  readonly id: string;
  readonly name: string;
  readonly argument: number | undefined;
  result: number | undefined;
}

interface Result {
  readonly kind: "result";
  readonly id: string;
  readonly name: string;
  readonly number: number | undefined;
}

/** The calls of a history in their order, with the numbers in their arguments and results. */
export function triplesIn(list: unknown, format: PairFormat): readonly Triple[] {
  const events = listOf(list).flatMap((message) => readers[format](recordOf(message)));
  const calls: Call[] = [];
  const open = new Map<string, Call>();
  let round: Call[] = [];
  let isAnswered = false;
  for (const event of events) {
    if (event.kind === "call") {
      if (isAnswered) round = [];
      isAnswered = false;
      calls.push(event);
      round.push(event);
      if (event.id !== "") open.set(event.id, event);
      continue;
    }
    isAnswered = true;
    const byId = event.id === "" ? undefined : open.get(event.id);
    const call = byId ?? round.find(({ name, result }) => result === undefined && name === event.name);
    if (call === undefined) throw new Error(`A result of no call: ${JSON.stringify(event)}`);
    if (call.result !== undefined) throw new Error(`A second result of a call: ${JSON.stringify(event)}`);
    call.result = event.number;
    open.delete(call.id); // in a later round the same id is that of another call
  }
  return calls.map(({ name, argument, result }) => ({ name, argument, result }));
}

/** Triples as lines to compare. */
export const shown = (triples: readonly Triple[]): readonly string[] =>
  triples.map(({ name, argument, result }) => `${name}(${argument}) = ${result}`);

/** The calls of a request to a model, each with the result that has its id in the message right after it. */
export function sentTriples(messages: readonly Message[]): readonly Triple[] {
  return messages.flatMap((message, i) => {
    const next = messages[i + 1];
    const results = next?.role === "tool" ? next.results : [];
    const parts = message.role === "assistant" ? message.parts : [];
    return parts.flatMap((part) => {
      if (part.type !== "call") return [];
      const [found, ...others] = results.filter(({ id }) => id === part.id);
      if (found === undefined || others.length > 0) throw new Error(`Not one result for ${part.id}`);
      const input = "text" in part.input ? part.input.text : part.input.value;
      const { name, argument, result: number } = call(part.id, part.name, input, found.parts);
      return [{ name, argument, result: number }];
    });
  });
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

function call(id: unknown, name: unknown, args: unknown, result?: unknown): Call {
  const value = recordOf(typeof args === "string" ? (JSON.parse(args) as unknown) : args)["n"];
  const argument = typeof value === "number" ? value : undefined;
  return { kind: "call", id: textOf(id), name: textOf(name), argument, result: numberIn(result) };
}

const result = (id: unknown, name: unknown, content: unknown): Result => ({
  kind: "result",
  id: textOf(id),
  name: textOf(name),
  number: numberIn(content),
});

function numberIn(content: unknown): number | undefined {
  const [, digits] = /\bresult (\d+)\b/.exec(JSON.stringify(content) ?? "") ?? [];
  return digits === undefined ? undefined : Number(digits);
}

const partsOf = (message: Loose, key: string): readonly Loose[] => listOf(message[key]).map(recordOf);

const readers: Readonly<Record<PairFormat, (message: Loose) => readonly (Call | Result)[]>> = {
  "openai-chat": (message) =>
    message["role"] === "tool"
      ? [result(message["tool_call_id"], "", message["content"])]
      : partsOf(message, "tool_calls").map((each) => {
          const { name, arguments: args } = recordOf(each["function"]);
          return call(each["id"], name, args);
        }),
  "openai-responses": (item) => {
    if (item["type"] === "function_call") return [call(item["call_id"], item["name"], item["arguments"])];
    return item["type"] === "function_call_output" ? [result(item["call_id"], "", item["output"])] : [];
  },
  anthropic: (message) =>
    partsOf(message, "content").flatMap((block): readonly (Call | Result)[] => {
      if (block["type"] === "tool_use") return [call(block["id"], block["name"], block["input"])];
      return block["type"] === "tool_result" ? [result(block["tool_use_id"], "", block["content"])] : [];
    }),
  bedrock: (message) =>
    partsOf(message, "content").flatMap(({ toolUse, toolResult }): readonly (Call | Result)[] => {
      const [use, back] = [recordOf(toolUse), recordOf(toolResult)];
      if (toolUse !== undefined) return [call(use["toolUseId"], use["name"], use["input"])];
      return toolResult === undefined ? [] : [result(back["toolUseId"], "", back["content"])];
    }),
  gemini: (content) =>
    partsOf(content, "parts").flatMap(({ functionCall, functionResponse }): readonly (Call | Result)[] => {
      const [use, back] = [recordOf(functionCall), recordOf(functionResponse)];
      if (functionCall !== undefined) return [call(use["id"], use["name"], use["args"])];
      return functionResponse === undefined ? [] : [result(back["id"], back["name"], back["response"])];
    }),
  ollama: (message) =>
    message["role"] === "tool"
      ? [result(message["tool_call_id"], message["tool_name"] ?? message["name"], message["content"])]
      : partsOf(message, "tool_calls").map((each) => {
          const { name, arguments: args } = recordOf(each["function"]);
          return call(each["id"], name, args);
        }),
  "ai-sdk": (message) =>
    partsOf(message, "content").flatMap((part): readonly (Call | Result)[] => {
      if (part["type"] === "tool-call") return [call(part["toolCallId"], part["toolName"], part["input"])];
      return part["type"] === "tool-result" ? [result(part["toolCallId"], "", part["output"])] : [];
    }),
  "ui-messages": (message) =>
    partsOf(message, "parts").flatMap((part) => {
      const type = textOf(part["type"]);
      return type.startsWith("tool-") ? [call("", type.slice("tool-".length), part["input"], part["output"])] : [];
    }),
  langchain: (message) => {
    const { type, data } = message;
    const inner = data === undefined ? message : recordOf(data);
    return type === "tool"
      ? [result(inner["tool_call_id"], "", inner["content"])]
      : partsOf(inner, "tool_calls").map((each) => call(each["id"], each["name"], each["args"]));
  },
};
