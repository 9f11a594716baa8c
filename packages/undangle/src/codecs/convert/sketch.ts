import type { Edit } from "#core";

import type { AssistantMessage, Call, Media, Message, Result, ResultPart, Text, ToolMessage } from "./conversation.ts";
import { inputText } from "./input-text.ts";

/** The chat form of a message: its calls and results unchanged, and a token for all other content. */
interface Drawn {
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly content: string | null;
  readonly tool_calls?: readonly DrawnCall[];
  readonly tool_call_id?: string;
  readonly name?: string;
}

interface DrawnCall {
  readonly id: string;
  readonly type: "function";
  readonly function: { readonly name: string; readonly arguments: string };
}

/** Messages in a chat form for the rules, without content that the rules do not need. */
export interface Sketch {
  readonly list: readonly Drawn[];
  /** The messages of a repaired sketch; unchanged messages are the same objects. */
  readonly finish: (list: readonly Drawn[]) => readonly Message[];
  /** An edit with texts in place of tokens. */
  readonly shown: (edit: Edit) => Edit;
}

const signOf = (place: number | string): string => `\u27e6${place}\u27e7`;
const signs = /\u27e6(\d+(?:\.\d+)?)\u27e7/gu;

export function createSketch(messages: readonly Message[]): Sketch {
  const results = new Map<string, Result>();
  const homes = new Map<Result, ToolMessage>();
  const list: Drawn[] = [];
  messages.forEach((message, i) => {
    if (message.role === "tool") {
      message.results.forEach((result, j) => {
        const { id = "", name } = result;
        results.set(`${i}.${j}`, result);
        homes.set(result, message);
        list.push({
          role: "tool",
          tool_call_id: id,
          ...(name !== undefined && { name }),
          content: signOf(`${i}.${j}`),
        });
      });
    } else {
      const calls = message.role === "assistant" ? callsOf(message).map(drawCall) : [];
      list.push({ role: message.role, content: signOf(i), ...(calls.length > 0 && { tool_calls: calls }) });
    }
  });

  /** The message of a token, if the content is only that token. */
  const originalOf = (content: string | null): Message | undefined => {
    const [, place] = content === null ? [] : (/^\u27e6(\d+)\u27e7$/u.exec(content) ?? []);
    return place === undefined ? undefined : messages[Number(place)];
  };

  /** Text that the rules inserted, with the results that it quotes. */
  const partsOf = (content: string): readonly ResultPart[] => {
    const parts: ResultPart[] = [];
    let end = 0;
    const say = (text: string): void => {
      if (text.trim() !== "") parts.push(textOf(text.trim()));
    };
    for (const { index, 0: sign, 1: place = "" } of content.matchAll(signs)) {
      say(content.slice(end, index));
      for (const part of results.get(place)?.parts ?? []) parts.push(part);
      end = index + sign.length;
    }
    say(content.slice(end));
    return parts;
  };

  const resultOf = ({ tool_call_id: id = "", name, content }: Drawn): Result => {
    const [, place = ""] = /^\u27e6(\d+\.\d+)\u27e7$/u.exec(content ?? "") ?? [];
    const known = results.get(place);
    if (known !== undefined) return known.id === id ? known : { ...known, id };
    const several = [...(content ?? "").matchAll(signs)].map(([, each = ""]) => results.get(each));
    const isError = several.every((each) => each?.isError === true);
    return {
      path: "",
      id,
      name,
      parts: partsOf(content ?? ""),
      isError,
      ...(several.length === 0 && { saysError: true }),
    };
  };

  const finish = (mended: readonly Drawn[]): readonly Message[] => {
    const written: Message[] = [];
    for (let i = 0; i < mended.length; i++) {
      const each = mended[i];
      if (each === undefined) break;
      if (each.role === "tool") {
        const block: Drawn[] = [each];
        for (let next = mended[i + 1]; next?.role === "tool"; next = mended[++i + 1]) block.push(next);
        written.push(toolMessage(block.map(resultOf), homes));
        continue;
      }
      const original = originalOf(each.content);
      if (each.role === "assistant") written.push(answerOf(each, original));
      else
        written.push(
          original ?? { role: "user", path: "", name: undefined, parts: partsOf(each.content ?? "").map(sayable) },
        );
    }
    return written;
  };
  const textAt = (place: string): string => {
    const message = messages[Number(place)];
    const parts = results.get(place)?.parts ?? (message === undefined || "results" in message ? [] : message.parts);
    return parts.map(partText).join("\n");
  };
  /** The text of a token, or of a value that contains some. */
  const readable = (value: unknown): unknown => {
    if (typeof value === "string") return value.replaceAll(signs, (_sign, place: string) => textAt(place));
    if (Array.isArray(value)) return value.map(readable);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, readable(each)]));
  };
  const shown = (edit: Edit): Edit => ({
    ...edit,
    ...(edit.before !== undefined && { before: readable(edit.before) }),
    ...(edit.after !== undefined && { after: readable(edit.after) }),
  });
  return { list, finish, shown };
}

/** The text of a part for people. Other parts are named by their type. */
function partText(part: AssistantMessage["parts"][number] | ResultPart): string {
  if (part.type === "text" || part.type === "reasoning") return part.text;
  if (part.type === "value") return JSON.stringify(part.value);
  return part.type === "call" ? "" : `[${part.kind}]`;
}

const callsOf = ({ parts }: AssistantMessage): readonly Call[] => parts.filter((part) => part.type === "call");

const drawCall = (call: Call): DrawnCall => ({
  id: call.id ?? "",
  type: "function",
  function: { name: call.name, arguments: call.isCustom ? "{}" : inputText(call) }, // the rules do not read free text
});

/** An assistant message with its current calls. One with only reconstructed calls has no original. */
function answerOf({ tool_calls: calls = [] }: Drawn, original: Message | undefined): AssistantMessage {
  if (original?.role !== "assistant") return { role: "assistant", path: "", parts: calls.map((call) => callOf(call)) };
  let used = 0;
  let isSame = true;
  const parts = original.parts.flatMap((part): readonly AssistantMessage["parts"][number][] => {
    if (part.type !== "call") return [part];
    const next = calls[used++];
    const now = next === undefined ? undefined : callOf(next, part);
    isSame &&= now === part;
    return now === undefined ? [] : [now];
  });
  if (isSame && used >= calls.length) return original;
  return { ...original, parts: [...parts, ...calls.slice(used).map((call) => callOf(call))] };
}

function callOf({ id, function: { name, arguments: text } }: DrawnCall, original?: Call): Call {
  if (original === undefined) return { type: "call", path: "", id, name, input: { text }, isCustom: false };
  const hasSameInput = original.isCustom || inputText(original) === text;
  const hasName = original.name !== ""; // the writer of the target fits names that a chat would refuse
  if (original.id === id && hasName && hasSameInput) return original;
  return { ...original, id, ...(!hasName && { name }), ...(!hasSameInput && { input: { text } }) };
}

/** The results as one message. The original message is reused if it contains exactly these results. */
function toolMessage(results: readonly Result[], homes: ReadonlyMap<Result, ToolMessage>): ToolMessage {
  const [first] = results;
  const home = first === undefined ? undefined : homes.get(first);
  const isWhole = home?.results.length === results.length && home.results.every((each, i) => each === results[i]);
  return isWhole && home !== undefined ? home : { role: "tool", path: "", results };
}

const textOf = (text: string): Text => ({ type: "text", path: "", text });

/** The user content of a part; values become JSON. */
const sayable = (part: ResultPart): Text | Media => (part.type === "value" ? textOf(JSON.stringify(part.value)) : part);
