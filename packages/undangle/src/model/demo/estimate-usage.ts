import type { Message } from "#codecs";

import type { ModelRequest } from "../model.ts";
import type { CutReply } from "./cut-reply.ts";

/** How many tokens a model would have counted, roughly: a Chinese character is one, of other signs four are. */
export function estimateUsage(
  { system, messages, tools }: ModelRequest,
  { text, calls, written }: CutReply,
): Readonly<Record<string, unknown>> {
  const asked = [...system.map((part) => tokensIn(part.text)), ...messages.map(tokensOf), ...tools.map(tokensOf)];
  const prompt = asked.reduce((sum, tokens) => sum + tokens, 0);
  const called = calls.map(({ name }, i) => tokensIn(name) + tokensIn(written[i] ?? ""));
  const completion = called.reduce((sum, tokens) => sum + tokens, tokensIn(text));
  return { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion };
}

/** Messages and tools are the same objects from one request to the next: each is counted once. */
const counted = new WeakMap<object, number>();

function tokensOf(value: Message | ModelRequest["tools"][number]): number {
  const tokens = counted.get(value) ?? tokensIn(JSON.stringify(value, withoutBytes));
  counted.set(value, tokens);
  return tokens;
}

/** Pictures and files are not counted by their letters. */
const withoutBytes = (key: string, value: unknown): unknown => (key === "source" ? undefined : value);

/** A Chinese character is one, of other signs four are. */
export function tokensIn(text: string): number {
  const chinese = text.match(/\p{Script=Han}/gu)?.length ?? 0;
  return chinese + Math.ceil((text.length - chinese) / 4);
}
