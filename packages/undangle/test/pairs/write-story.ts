import { streamFormats } from "#codecs";

import { cut, orderByName } from "./story.ts";
import type { Round, Story, StoryCall } from "./story.ts";

export type PairFormat = (typeof pairFormats)[number];

export const pairFormats = [...streamFormats, "ai-sdk", "ui-messages", "langchain"] as const;

type Wire = Readonly<Record<string, unknown>>;

/** A story as a history of a format, with the freedom that the format gives. */
export function writeStory(story: Story, format: PairFormat): readonly Wire[] {
  const write = writers[format];
  return story.flatMap(({ user, rounds, reply }, exchange) => {
    const written = rounds.map((round, i) => write.round(numbered(round, `${exchange}_${i}`)));
    const late = written.flatMap((each) => each.late ?? []);
    return [
      write.user(user),
      ...written.flatMap((each) => each.now),
      ...(reply === undefined ? [] : [write.reply(reply)]),
      ...late,
    ];
  });
}

interface Writer {
  readonly user: (text: string) => Wire;
  readonly reply: (text: string) => Wire;
  readonly round: (round: Written) => { readonly now: readonly Wire[]; readonly late?: readonly Wire[] };
}

/** A round with ids: `one` is unique in the history, `again` restarts in every round. */
interface Written extends Round {
  readonly one: (place: number) => string;
  readonly again: (place: number) => string;
}

const numbered = (round: Round, key: string): Written => ({
  ...round,
  one: (place) => `call_${key}_${place}`,
  again: (place) => (round.restarts ? `functions.x:${place}` : `call_${key}_${place}`),
});

const answerTo = ({ n }: StoryCall): string => `result ${n}`;

const inOrder = ({ calls, order }: Round): readonly (readonly [StoryCall, number])[] =>
  order.flatMap((place) => {
    const call = calls[place];
    return call === undefined ? [] : [[call, place] as const];
  });

const said = (text: string | undefined): readonly string[] => (text === undefined ? [] : [text]);

/** Ids of both sides in formats where they are optional; without them the order of the results is what tells. */
function optionalIds(
  round: Written,
  orderWithout: readonly number[],
): {
  readonly areBoth: boolean;
  readonly call: (place: number) => Wire;
  readonly result: (place: number) => Wire;
  readonly order: readonly (readonly [StoryCall, number])[];
} {
  const { ids, again } = round;
  const areBoth = ids === "both";
  const order = areBoth ? round.order : orderWithout;
  return {
    areBoth,
    call: (place) => (areBoth || ids === "calls" ? { id: again(place) } : {}),
    result: (place) => (areBoth || ids === "results" ? { id: again(place) } : {}),
    order: inOrder({ ...round, order }),
  };
}

const blocks = (
  make: {
    readonly text: (text: string) => Wire;
    readonly call: (call: StoryCall, id: string) => Wire;
    readonly result: (call: StoryCall, id: string) => Wire;
  },
  id: (round: Written, place: number) => string,
): Writer => ({
  user: (text) => ({ role: "user", content: [make.text(text)] }),
  reply: (text) => ({ role: "assistant", content: [make.text(text)] }),
  round(round) {
    const calls = round.calls.map((call, i) => make.call(call, id(round, i)));
    const first = said(round.text).map(make.text);
    const assistants = cut(calls, round.cutCalls).map((part, i) => ({
      role: "assistant",
      content: i === 0 ? [...first, ...part] : part,
    }));
    const results = inOrder(round).map(([call, place]) => make.result(call, id(round, place)));
    return { now: [...assistants, ...cut(results, round.cutResults).map((content) => ({ role: "user", content }))] };
  },
});

const writers: Readonly<Record<PairFormat, Writer>> = {
  "openai-chat": {
    user: (content) => ({ role: "user", content }),
    reply: (content) => ({ role: "assistant", content }),
    round(round) {
      const tool_calls = round.calls.map(({ name, n }, i) => ({
        id: round.again(i),
        type: "function",
        function: { name, arguments: JSON.stringify({ n }) },
      }));
      const results = inOrder(round).map(([call, place]) => ({
        role: "tool",
        tool_call_id: round.again(place),
        content: answerTo(call),
      }));
      const assistants = cut(tool_calls, round.cutCalls).map((calls, i) => ({
        role: "assistant",
        content: i === 0 ? (round.text ?? null) : null,
        tool_calls: calls,
      }));
      return { now: [...assistants, ...results] };
    },
  },
  "openai-responses": {
    user: (content) => ({ role: "user", content }),
    reply: (content) => ({ role: "assistant", content }),
    round(round) {
      const { placement, one, text } = round;
      const before = said(text).map((content) => ({ role: "assistant", content }));
      const call = ({ name, n }: StoryCall, i: number): Wire => ({
        type: "function_call",
        call_id: one(i),
        name,
        arguments: JSON.stringify({ n }),
      });
      const output = (each: StoryCall, i: number): Wire => ({
        type: "function_call_output",
        call_id: one(i),
        output: answerTo(each),
      });
      if (placement === "directly")
        return { now: [...before, ...round.calls.flatMap((each, i) => [call(each, i), output(each, i)])] };
      const calls = [...before, ...round.calls.map(call)];
      const outputs = inOrder(round).map(([each, place]) => output(each, place));
      if (placement === "after") return { now: [...calls, ...outputs] };
      return { now: [...calls, ...outputs.slice(1)], late: outputs.slice(0, 1) };
    },
  },
  anthropic: blocks(
    {
      text: (text) => ({ type: "text", text }),
      call: ({ name, n }, id) => ({ type: "tool_use", id, name, input: { n } }),
      result: (call, id) => ({ type: "tool_result", tool_use_id: id, content: answerTo(call) }),
    },
    ({ one }, place) => one(place),
  ),
  bedrock: blocks(
    {
      text: (text) => ({ text }),
      call: ({ name, n }, toolUseId) => ({ toolUse: { toolUseId, name, input: { n } } }),
      result: (call, toolUseId) => ({ toolResult: { toolUseId, content: [{ text: answerTo(call) }] } }),
    },
    ({ again }, place) => again(place),
  ),
  gemini: {
    user: (text) => ({ role: "user", parts: [{ text }] }),
    reply: (text) => ({ role: "model", parts: [{ text }] }),
    round(round) {
      const ids = optionalIds(
        round,
        round.calls.map((_, place) => place),
      );
      const calls = round.calls.map(({ name, n }, i) => ({ functionCall: { ...ids.call(i), name, args: { n } } }));
      const first = said(round.text).map((text) => ({ text }));
      const results = ids.order.map(([call, place]) => ({
        functionResponse: { ...ids.result(place), name: call.name, response: { result: answerTo(call) } },
      }));
      return {
        now: [
          ...cut(calls, round.cutCalls).map((part, i) => ({
            role: "model",
            parts: i === 0 ? [...first, ...part] : part,
          })),
          ...cut(results, round.cutResults).map((parts) => ({ role: "user", parts })),
        ],
      };
    },
  },
  ollama: {
    user: (content) => ({ role: "user", content }),
    reply: (content) => ({ role: "assistant", content }),
    round(round) {
      const ids = optionalIds(round, orderByName(round));
      const tool_calls = round.calls.map(({ name, n }, i) => ({
        ...ids.call(i),
        function: { name, arguments: { n } },
      }));
      const results = ids.order.map(([call, place]) => {
        const { id } = ids.result(place);
        return {
          role: "tool",
          ...(id === undefined ? {} : { tool_call_id: id }),
          tool_name: call.name,
          content: answerTo(call),
        };
      });
      const assistants = cut(tool_calls, ids.areBoth ? round.cutCalls : []).map((calls, i) => ({
        role: "assistant",
        content: i === 0 ? (round.text ?? "") : "",
        tool_calls: calls,
      }));
      return { now: [...assistants, ...results] };
    },
  },
  "ai-sdk": {
    user: (text) => ({ role: "user", content: [{ type: "text", text }] }),
    reply: (text) => ({ role: "assistant", content: [{ type: "text", text }] }),
    round(round) {
      const calls = round.calls.map(({ name, n }, i) => ({
        type: "tool-call",
        toolCallId: round.again(i),
        toolName: name,
        input: { n },
      }));
      const results = inOrder(round).map(([call, place]) => ({
        type: "tool-result",
        toolCallId: round.again(place),
        toolName: call.name,
        output: { type: "text", value: answerTo(call) },
      }));
      return {
        now: [
          ...cut(calls, round.cutCalls).map((part, i) => ({
            role: "assistant",
            content: i === 0 ? [...said(round.text).map((text) => ({ type: "text", text })), ...part] : part,
          })),
          ...cut(results, round.cutResults).map((content) => ({ role: "tool", content })),
        ],
      };
    },
  },
  "ui-messages": {
    user: (text) => ({ id: "u", role: "user", parts: [{ type: "text", text }] }),
    reply: (text) => ({ id: "a", role: "assistant", parts: [{ type: "step-start" }, { type: "text", text }] }),
    round(round) {
      const calls = round.calls.map((call, i) => ({
        type: `tool-${call.name}`,
        toolCallId: round.one(i),
        state: "output-available",
        input: { n: call.n },
        output: answerTo(call),
      }));
      const texts = said(round.text).map((text) => ({ type: "text", text }));
      return { now: [{ id: "a", role: "assistant", parts: [{ type: "step-start" }, ...texts, ...calls] }] };
    },
  },
  langchain: {
    user: (content) => ({ type: "human", content }),
    reply: (content) => ({ type: "ai", content }),
    round(round) {
      const tool_calls = round.calls.map(({ name, n }, i) => ({ id: round.again(i), name, args: { n } }));
      const results = inOrder(round).map(([call, place]) => ({
        type: "tool",
        tool_call_id: round.again(place),
        content: answerTo(call),
      }));
      const assistants = cut(tool_calls, round.cutCalls).map((calls, i) => ({
        type: "ai",
        content: i === 0 ? (round.text ?? "") : "",
        tool_calls: calls,
      }));
      return { now: [...assistants, ...results] };
    },
  },
};
