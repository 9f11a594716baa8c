import { AzureChatOpenAI } from "@langchain/openai";
import { wrapFetch } from "undangle";
import { describe, expect, test } from "vitest";

import { chunk, done, events, passedThrough, ways } from "../clients/passed-through.ts";
import { sdks } from "../clients/sdks.ts";

/** LangChain reads a number that is not all there as one: `{"n":-}` was presented as a call with `{"n":0}`. */
const chat = { url: "https://host.example/v1/chat/completions", request: { model: "m", stream: true, messages: [] } };
const agent = "langchainjs-openai/1.0.0 ((node/v24.0.0; linux; x64))";

const halves = ['{"n":-}', '{"n":1.}', '{"n":-.5}', '{"n":[2e]}', '{"s":"-1.","n":{"m":3E+}}', '{"s":"a\nb","n":-}'];
const others = ['{"n":01}', '{"n":.5}', '{"n":1-}', '{"all":True}', '{"a":1,}', '{"a":1}}', '{"s":"\\x","n":-}'];
const why = /the arguments of the tool call find_book \(a\) are not a JSON object/u;

const callWith = (args: string): object => ({
  index: 0,
  id: "a",
  type: "function",
  function: { name: "find_book", arguments: args },
});
const chatBody = (args: string): string =>
  events(
    chunk({ role: "assistant", content: "Hé" }),
    chunk({ tool_calls: [callWith(args)] }),
    chunk({}, "tool_calls"),
    done,
  );

function responsesBody(args: string): string {
  const response = { id: "r", object: "response", created_at: 1, model: "m", status: "in_progress", output: [] };
  const call = {
    type: "function_call",
    id: "fc",
    call_id: "a",
    name: "find_book",
    arguments: args,
    status: "completed",
  };
  const place = { output_index: 0, item_id: "fc" };
  return [
    { type: "response.created", response },
    { type: "response.output_item.added", ...place, item: { ...call, arguments: "", status: "in_progress" } },
    { type: "response.function_call_arguments.delta", ...place, delta: args },
    { type: "response.function_call_arguments.done", ...place, arguments: args },
    { type: "response.output_item.done", ...place, item: call },
    { type: "response.completed", response: { ...response, status: "completed", output: [call] } },
  ]
    .map((event, i) => `event: ${event.type}\n${events({ ...event, sequence_number: i })}`)
    .join("");
}

const bodies = { "openai-chat": chatBody, "openai-responses": responsesBody } as const;
const fetchOf = (body: string, toolCalls: "hold" | "stream", type = "text/event-stream") =>
  wrapFetch({
    logger: false,
    toolCalls,
    fetch: async () => new Response(body, { headers: { "content-type": type } }),
  });

const clients = sdks.flatMap(({ name, format, hear }) =>
  name.startsWith("@langchain/openai") && (format === "openai-chat" || format === "openai-responses")
    ? (["hold", "stream"] as const).map((toolCalls) => ({ name, toolCalls, bodyOf: bodies[format], hear }))
    : [],
);

describe.each(clients)("$name, calls: $toolCalls", ({ toolCalls, bodyOf, hear }) => {
  test.each(halves)("%j is never a call", async (given) => {
    await expect(hear("https://host.example/v1", fetchOf(bodyOf(given), toolCalls))).rejects.toThrow(why);
  });

  test.each(others)("%j is told as what it is", async (given) => {
    const { calls } = await hear("https://host.example/v1", fetchOf(bodyOf(given), toolCalls));
    expect(calls).toEqual([{ id: "a", name: "find_book", arguments: "no JSON" }]);
  });

  test("line breaks in a text are read as they stand there", async () => {
    const { calls } = await hear("https://host.example/v1", fetchOf(bodyOf('{"s":"a\nb"}'), toolCalls));
    expect(calls).toMatchObject([{ arguments: { s: "a\nb" } }]);
  });
});

describe.each(ways)("in pieces of $size, calls: $toolCalls", (way) => {
  test.each(halves)("%j ends in an error behind the text", async (given) => {
    const { text, error, told } = await passedThrough({ ...chat, ...way, agent, body: chatBody(given) });
    expect(error).toMatch(why);
    expect(text).toContain("Hé");
    expect(text).not.toContain('"finish_reason":"tool_calls"');
    expect(told).toHaveLength(1);
  });

  test.each(halves)("%j passes to others as it was sent", async (given) => {
    const { text, error } = await passedThrough({ ...chat, ...way, agent: "OpenAI/JS 7.53.0", body: chatBody(given) });
    expect(error).toBeUndefined();
    expect(text).toContain(JSON.stringify(given));
  });

  test("what is healthy passes as it came", async () => {
    const body = chatBody('{"n":-1.5e3,"s":"-"}');
    const passed = await passedThrough({ ...chat, ...way, agent, body });
    expect(passed).toEqual({ text: body, error: undefined, told: [] });
  });
});

test("a whole answer in place of a stream is none then", async () => {
  const message = { role: "assistant", content: null, tool_calls: [callWith('{"n":-}')] };
  const body = JSON.stringify({ id: "x", choices: [{ index: 0, message, finish_reason: "tool_calls" }] });
  expect((await passedThrough({ ...chat, agent, type: "application/json", body })).text).toBe(body);
});

test("LangChain is known at Azure too, and where a program has a name of its own", async () => {
  const model = new AzureChatOpenAI({
    azureOpenAIApiKey: "none",
    azureOpenAIEndpoint: "https://mine.openai.azure.com",
    azureOpenAIApiDeploymentName: "gpt",
    azureOpenAIApiVersion: "2025-01-01",
    maxRetries: 0,
    configuration: {
      fetch: fetchOf(chatBody('{"n":-}'), "hold"),
      defaultHeaders: { "User-Agent": "mine/1.0" },
    },
  });
  const heard = async (): Promise<void> => {
    for await (const _ of await model.stream("Hi."));
  };
  await expect(heard()).rejects.toThrow(why);
});
