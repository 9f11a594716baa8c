import type { StreamFormat } from "undangle";

import { events, named, responseOf } from "../clients/passed-through.ts";
import type { Typed } from "../clients/passed-through.ts";

/** A stream that was made to be slow to read, of as many events, or of as many signs, as asked for. */
export interface HostileStream {
  readonly format: Exclude<StreamFormat, "bedrock">;
  readonly make: (size: number) => string;
}

const many = (size: number, make: (index: number) => string): string =>
  Array.from({ length: size }, (_, index) => make(index)).join("");

const chunk = (delta: object, finish: string | null = null): string =>
  events({
    id: "x",
    object: "chat.completion.chunk",
    created: 1,
    model: "m",
    choices: [{ index: 0, delta, finish_reason: finish }],
  });
const role = chunk({ role: "assistant", content: null });
const done = `${chunk({}, "tool_calls")}data: [DONE]\n\n`;

/** A chat stream with one entry of `tool_calls` in each chunk. */
const chatCalls = (entry: (index: number) => object): HostileStream => ({
  format: "openai-chat",
  make: (size) => role + many(size, (index) => chunk({ tool_calls: [entry(index)] })) + done,
});
const called = (given: object = { name: "f", arguments: "{}" }) => ({ type: "function", function: given });

/** A chat stream whose call has these arguments in one piece. */
const chatArguments = (text: (size: number) => string): HostileStream => ({
  format: "openai-chat",
  make: (size) =>
    role + chunk({ tool_calls: [{ index: 0, id: "c", ...called({ name: "f", arguments: text(size * 20) }) }] }) + done,
});

/** A chat stream with one event that is no chunk, written as it is. */
const chatEvent = (text: (size: number) => string): HostileStream => ({
  format: "openai-chat",
  make: (size) => role + text(size * 20) + chunk({ content: "a" }) + done,
});

const block = (index: number, content: object, ...deltas: readonly object[]): string =>
  named(
    { type: "content_block_start", index, content_block: content },
    ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
    { type: "content_block_stop", index },
  );

const anthropic = (make: (size: number) => string): HostileStream => ({
  format: "anthropic",
  make: (size) =>
    named({
      type: "message_start",
      message: { id: "m", type: "message", role: "assistant", model: "c", content: [], usage: { input_tokens: 1 } },
    }) +
    make(size) +
    named(
      { type: "message_delta", delta: { stop_reason: "tool_use", stop_sequence: null }, usage: { output_tokens: 1 } },
      { type: "message_stop" },
    ),
});

const responses = (make: (index: number) => readonly Typed[]): HostileStream => ({
  format: "openai-responses",
  make: (size) =>
    named({ type: "response.created", response: responseOf("in_progress") }) +
    many(size, (index) => named(...make(index))) +
    named({ type: "response.completed", response: responseOf("completed") }),
});
const item = (index: number, given: object = {}): object => ({
  type: "function_call",
  id: `fc_${index}`,
  call_id: `call_${index}`,
  name: "f",
  arguments: "{}",
  status: "completed",
  ...given,
});

const gemini = (make: (size: number) => readonly object[], finish: object = {}): HostileStream => ({
  format: "gemini",
  make: (size) =>
    events(...make(size).map((part) => ({ candidates: [{ index: 0, content: { role: "model", parts: [part] } }] })), {
      candidates: [{ index: 0, content: { role: "model", parts: [] }, finishReason: "STOP", ...finish }],
    }),
});

const ollama = (message: (index: number) => object): HostileStream => ({
  format: "ollama",
  make: (size) =>
    many(size, (index) => `${JSON.stringify({ model: "m", message: message(index), done: false })}\n`) +
    `${JSON.stringify({ model: "m", message: { role: "assistant", content: "" }, done: true, done_reason: "stop" })}\n`,
});

const list = <One>(size: number, make: (index: number) => One): One[] =>
  Array.from({ length: size }, (_, i) => make(i));

export const hostileStreams: Readonly<Record<string, HostileStream>> = {
  "chat: calls": chatCalls((index) => ({ index, id: `c${index}`, ...called() })),
  "chat: calls with one id": chatCalls((index) => ({ index, id: "c", ...called() })),
  "chat: calls with one id and one index": chatCalls((index) => ({
    index: 0,
    id: "c",
    ...called({ name: "f", arguments: `{"a":${index}}` }),
  })),
  "chat: calls with one index": chatCalls((index) => ({ index: 0, id: `c${index}`, ...called() })),
  "chat: calls without ids": chatCalls((index) => ({ index, ...called() })),
  "chat: calls without indexes": chatCalls((index) => ({ id: `c${index}`, ...called() })),
  "chat: calls without ids and indexes": chatCalls((index) => ({
    ...called({ name: `f${index}`, arguments: `{"a":${index}}` }),
  })),
  "chat: calls without anything but a name": chatCalls(() => ({ ...called() })),
  "chat: calls that are not named": chatCalls((index) => ({ index, id: `c${index}`, ...called({ arguments: "{}" }) })),
  "chat: calls that are named only": chatCalls((index) => ({ id: null, ...called({ name: `f${index}` }) })),
  "chat: calls under indexes that come by turns": chatCalls((index) => ({
    index: index % 2 === 0 ? index : index - 1,
    id: index % 2 === 0 ? `c${index}` : `d${index}`,
    ...called(index % 2 === 0 ? { name: "f", arguments: "" } : { arguments: '{"a":1}' }),
  })),
  "chat: calls with indexes far back": chatCalls((index) => ({
    index: index % 1000,
    ...(index < 1000 ? { id: `c${index}`, ...called({ name: "f", arguments: "" }) } : called({ arguments: " " })),
  })),
  "chat: calls of which ids change": chatCalls((index) => ({
    index: index >> 1,
    id: `c${index}`,
    ...called(index % 2 === 0 ? { name: "f", arguments: "{" } : { arguments: "}" }),
  })),
  "chat: names again and again": chatCalls(() => ({ index: 0, id: "c", ...called({ name: "f", arguments: " " }) })),
  "chat: arguments that come again and again": chatCalls((index) => ({
    index: 0,
    ...called({ name: "f", arguments: `{"a":${index}}` }),
  })),
  "chat: names behind their arguments": chatCalls((index) =>
    called(index % 2 === 0 ? { arguments: '{"a":1}' } : { name: "f" }),
  ),
  "chat: ids behind their names": chatCalls((index) =>
    index % 2 === 0 ? called({ name: "f" }) : { id: `c${index}`, ...called({}) },
  ),
  "chat: the same call again": chatCalls(() => ({ index: 0, ...called({ name: "f", arguments: '{"a":1}' }) })),
  "chat: the same call again without an index": chatCalls(() => called({ name: "f", arguments: '{"a":1}' })),
  "chat: placeholders again": chatCalls(() => ({ index: 0, ...called({ name: "f", arguments: "{}" }) })),
  "chat: arguments that grow": {
    format: "openai-chat",
    make: (size) =>
      role +
      many(Math.floor(Math.sqrt(size * 100)), (index) =>
        chunk({
          tool_calls: [{ index: 0, id: "c", ...called({ name: "f", arguments: `{"a":"${"a".repeat(index * 2)}` }) }],
        }),
      ) +
      done,
  },
  "chat: choices": {
    format: "openai-chat",
    make: (size) =>
      many(size, (index) =>
        events({
          id: "x",
          object: "chat.completion.chunk",
          choices: [{ index: index % 2000, delta: { content: "a" }, finish_reason: null }],
        }),
      ) + done,
  },
  "chat: deltas of text between deltas of a call": {
    format: "openai-chat",
    make: (size) =>
      role +
      chunk({ tool_calls: [{ index: 0, id: "c", ...called({ name: "f", arguments: "{" }) }] }) +
      many(size, (index) =>
        index % 2 === 0
          ? chunk({ content: "a" })
          : chunk({ tool_calls: [{ index: 0, ...called({ arguments: " " }) }] }),
      ) +
      done,
  },
  "chat: text behind the end": {
    format: "openai-chat",
    make: (size) => role + done + many(size, () => chunk({ content: "a" })),
  },
  "chat: reasons": { format: "openai-chat", make: (size) => role + many(size, () => chunk({}, "stop")) + done },
  "chat: events of others": {
    format: "openai-chat",
    make: (size) => role + many(size, (index) => events({ other: index })) + done,
  },
  "chat: events of others before the first chunk": {
    format: "openai-chat",
    make: (size) => many(size, () => events({ other: 1 })) + role + done,
  },
  "chat: comments": { format: "openai-chat", make: (size) => role + many(size, () => ": PROCESSING\n\n") + done },
  "chat: pings": {
    format: "openai-chat",
    make: (size) =>
      role + many(size, () => "event: ping\ndata: {}\n\n") + done + many(size, () => "event: ping\ndata: {}\n\n"),
  },
  "chat: end markers": { format: "openai-chat", make: (size) => role + done + many(size, () => "data: [DONE]\n\n") },
  "chat: events that cannot be read": {
    format: "openai-chat",
    make: (size) => role + many(size, () => 'data: {"choices":[{"delta":{"cont\n\n') + done,
  },
  "chat: details of reasoning": {
    format: "openai-chat",
    make: (size) =>
      role +
      many(size, (index) =>
        chunk({ reasoning_details: [{ type: "reasoning.text", text: "a", id: `r${index}`, index }] }),
      ) +
      done,
  },
  "chat: blanks before arguments": chatArguments((size) => `${" ".repeat(size)}{`),
  "chat: blanks after arguments": chatArguments((size) => `{"a":1${" ".repeat(size)}`),
  "chat: objects one after the other": chatArguments((size) => '{"a":1}'.repeat(size / 7)),
  "chat: empty objects": chatArguments((size) => "{}".repeat(size / 2)),
  "chat: nulls": chatArguments((size) => "null".repeat(size / 4)),
  "chat: nested arguments": chatArguments((size) => `{"a":${"[".repeat(size)}`),
  "chat: quotes in arguments": chatArguments((size) => `{"a":"${'\\"'.repeat(size / 2)}`),
  "chat: a name that is long": {
    format: "openai-chat",
    make: (size) =>
      role +
      chunk({ tool_calls: [{ index: 0, id: "c", ...called({ name: "f ".repeat(size * 10), arguments: "{}" }) }] }) +
      done,
  },
  "chat: a reason that is long": {
    format: "openai-chat",
    make: (size) => role + chunk({}, "max".repeat(size * 7)) + done,
  },
  "chat: an event that is half JSON": chatEvent(
    (size) => `data: {"choices":[{"delta":{"content":"${'\\"'.repeat(size / 2)}\n\n`,
  ),
  "chat: an event with brackets": chatEvent((size) => `data: ${"{".repeat(size)}\n\n`),
  "chat: an event with keys": chatEvent((size) => `data: {${'"delta":{'.repeat(size / 9)}\n\n`),
  "chat: an event of blanks": chatEvent((size) => `data:${" ".repeat(size)}x\n\n`),
  "chat: an event of values": chatEvent((size) => `data: ${"{} ".repeat(size / 3)}\n\n`),
  "chat: lines without an end": chatEvent((size) => `${"data: {\n".repeat(size / 8)}\n`),
  "chat: fields of data": chatEvent((size) => `${"data: 1\n".repeat(size / 8)}\n`),
  "chat: blank lines": chatEvent((size) => "\n".repeat(size)),
  "chat: returns": chatEvent((size) => "\r".repeat(size)),
  "chat: a comment": chatEvent((size) => `:${":".repeat(size)}\n\n`),
  "chat: bare JSON": chatEvent((size) => `${'{"a":1}\n'.repeat(size / 8)}\n`),
  "chat: bare JSON that is not whole": chatEvent((size) => `${'{"a":\n'.repeat(size / 6)}\n`),
  "anthropic: calls": anthropic((size) =>
    many(size, (index) =>
      block(
        index,
        { type: "tool_use", id: `t${index}`, name: "f", input: {} },
        { type: "input_json_delta", partial_json: "{}" },
      ),
    ),
  ),
  "anthropic: calls with one id": anthropic((size) =>
    many(size, (index) =>
      block(
        index,
        { type: "tool_use", id: "t", name: "f", input: {} },
        { type: "input_json_delta", partial_json: "{}" },
      ),
    ),
  ),
  "anthropic: calls with one index": anthropic((size) =>
    many(size, (index) =>
      block(
        0,
        { type: "tool_use", id: `t${index}`, name: "f", input: {} },
        { type: "input_json_delta", partial_json: "{}" },
      ),
    ),
  ),
  "anthropic: blocks of text": anthropic((size) =>
    many(size, (index) => block(index, { type: "text", text: "" }, { type: "text_delta", text: "a" })),
  ),
  "anthropic: blocks that are not closed": anthropic((size) =>
    many(size, (index) =>
      named({
        type: "content_block_start",
        index,
        content_block: { type: "tool_use", id: `t${index}`, name: "f", input: {} },
      }),
    ),
  ),
  "anthropic: blocks that nobody knows": anthropic((size) =>
    many(size, (index) => block(index, { type: "other" }, { type: "other_delta" })),
  ),
  "anthropic: pings": anthropic((size) => many(size, () => named({ type: "ping" }))),
  "anthropic: deltas without a block": anthropic((size) =>
    many(size, (index) =>
      named({ type: "content_block_delta", index, delta: { type: "input_json_delta", partial_json: "{" } }),
    ),
  ),
  "responses: calls": responses((index) => [
    { type: "response.output_item.added", output_index: index, item: item(index, { arguments: "" }) },
    { type: "response.function_call_arguments.done", output_index: index, item_id: `fc_${index}`, arguments: "{}" },
    { type: "response.output_item.done", output_index: index, item: item(index) },
  ]),
  "responses: calls with one id": responses((index) => [
    { type: "response.output_item.added", output_index: index, item: item(index, { call_id: "c", arguments: "" }) },
    { type: "response.output_item.done", output_index: index, item: item(index, { call_id: "c" }) },
  ]),
  "responses: calls with one item id": responses((index) => [
    { type: "response.output_item.added", output_index: index, item: item(index, { id: "c", arguments: "" }) },
    { type: "response.output_item.done", output_index: index, item: item(index, { id: "c" }) },
  ]),
  "responses: calls with one index": responses((index) => [
    { type: "response.output_item.added", output_index: 0, item: item(index, { arguments: "" }) },
    { type: "response.output_item.done", output_index: 0, item: item(index) },
  ]),
  "responses: calls without indexes and ids": responses((index) => [
    { type: "response.output_item.added", item: item(index, { id: undefined, arguments: "" }) },
    { type: "response.function_call_arguments.delta", delta: "{}" },
    { type: "response.function_call_arguments.done", arguments: "{}" },
  ]),
  "responses: messages": responses((index) => [
    {
      type: "response.output_item.added",
      output_index: index,
      item: { type: "message", id: `m${index}`, role: "assistant", content: [] },
    },
    { type: "response.output_text.delta", output_index: index, item_id: `m${index}`, content_index: 0, delta: "a" },
  ]),
  "responses: parts": responses((index) => [
    {
      type: "response.content_part.added",
      output_index: 0,
      item_id: "m",
      content_index: index,
      part: { type: "output_text", text: "" },
    },
    { type: "response.output_text.delta", output_index: 0, item_id: "m", content_index: index, delta: "a" },
  ]),
  "responses: a whole output": {
    format: "openai-responses",
    make: (size) =>
      many(size, (index) =>
        named({ type: "response.output_item.added", output_index: index, item: item(index, { arguments: "" }) }),
      ) +
      named({
        type: "response.completed",
        response: responseOf("completed", ...list(size, (index) => item(size - index) as Typed)),
      }),
  },
  "gemini: calls": gemini((size) => list(size, (i) => ({ functionCall: { name: "f", args: { i } } }))),
  "gemini: calls with ids": gemini((size) =>
    list(size, (i) => ({ functionCall: { id: `c${i}`, name: "f", args: { i } } })),
  ),
  "gemini: calls with one id": gemini((size) =>
    list(size, (i) => ({ functionCall: { id: "c", name: "f", args: { i } } })),
  ),
  "gemini: the same call": gemini((size) => list(size, () => ({ functionCall: { name: "f", args: {} } }))),
  "gemini: texts": gemini((size) => list(size, () => ({ text: "a" }))),
  "gemini: thoughts": gemini((size) => list(size, () => ({ text: "a", thought: true, thoughtSignature: "s" }))),
  "gemini: partial arguments": gemini((size) =>
    list(size, (i) => ({
      functionCall: {
        ...(i === 0 && { name: "f" }),
        partialArgs: [{ jsonPath: `$.a[${i}]`, stringValue: "a" }],
        willContinue: i < size - 1,
      },
    })),
  ),
  "gemini: a partial path that is long": gemini((size) => [
    {
      functionCall: {
        name: "f",
        partialArgs: [{ jsonPath: `$${".a".repeat(size * 10)}`, stringValue: "a" }],
        willContinue: true,
      },
    },
    { functionCall: { name: "f", willContinue: false } },
  ]),
  "gemini: arguments as a text of blanks": gemini((size) => [
    { functionCall: { name: "f", args: `${" ".repeat(size * 20)}x` } },
  ]),
  "ollama: calls": ollama((index) => ({
    role: "assistant",
    content: "",
    tool_calls: [{ function: { name: "f", arguments: { index } } }],
  })),
  "ollama: calls with ids": ollama((index) => ({
    role: "assistant",
    content: "",
    tool_calls: [{ id: `c${index}`, function: { name: "f", arguments: { index } } }],
  })),
  "ollama: calls with one id": ollama((index) => ({
    role: "assistant",
    content: "",
    tool_calls: [{ id: "c", function: { name: "f", arguments: { index } } }],
  })),
  "ollama: texts": ollama(() => ({ role: "assistant", content: "a" })),
};
