import type OpenAI from "openai";
import { ResponsesToolRunner } from "openai/helpers/responses-tool-runner";
import type { WireFormat } from "undangle/testing";
import { openaiMajors } from "../official-sdks.ts";
import { looped, parameters, said, sky, structured, toolName } from "./way.ts";
import type { Script, Way } from "./way.ts";

/** The ways of OpenAI's SDK, in both majors. */
export const openaiWays: readonly Way[] = openaiMajors.flatMap(({ sdk, OpenAI: Client }) => {
  const way = (format: WireFormat, name: string, script: Script, ask: Ask): Way => ({
    name: `${sdk}, ${name}`,
    format,
    script,
    ask: ({ baseUrl: baseURL, fetch }, isAnswered) =>
      ask(new Client({ baseURL, apiKey: "none", maxRetries: 0, fetch }), isAnswered),
  });
  const responses = way.bind(undefined, "openai-responses");
  const chat = way.bind(undefined, "openai-chat");
  return [
    chat("chat.completions.create", said, async ({ chat: { completions } }, isAnswered) => {
      const { choices } = await completions.create(chatRequest(isAnswered));
      return choices[0]?.message.content;
    }),
    chat("chat.completions.create as a stream", said, async ({ chat: { completions } }, isAnswered) => {
      let text = "";
      for await (const { choices } of await completions.create({ ...chatRequest(isAnswered), stream: true }))
        text += choices[0]?.delta.content ?? "";
      return text;
    }),
    chat("chat.completions.stream", said, ({ chat: { completions } }, isAnswered) =>
      completions.stream(chatRequest(isAnswered)).finalContent(),
    ),
    chat("chat.completions.parse", structured, async ({ chat: { completions } }, isAnswered) => {
      const { tools: _, ...request } = chatRequest(isAnswered); // it parses the calls of strict tools only
      const { choices } = await completions.parse({ ...request, response_format: chatFormat });
      return choices[0]?.message.parsed;
    }),
    chat("chat.completions.runTools", looped, ({ chat: { completions } }, isAnswered) =>
      completions.runTools({ ...chatRequest(isAnswered), tools: [runnable] }).finalContent(),
    ),
    chat("chat.completions.runTools as a stream", looped, ({ chat: { completions } }, isAnswered) =>
      completions.runTools({ ...chatRequest(isAnswered), tools: [runnable], stream: true }).finalContent(),
    ),
    responses("responses.create", said, async (client, isAnswered) => {
      const { output_text: text } = await client.responses.create(responsesRequest(isAnswered));
      return text;
    }),
    responses("responses.create as a stream", said, async (client, isAnswered) => {
      let text = "";
      for await (const event of await client.responses.create({ ...responsesRequest(isAnswered), stream: true }))
        if (event.type === "response.output_text.delta") text += event.delta;
      return text;
    }),
    responses("responses.stream", said, async (client, isAnswered) => {
      const { output_text: text } = await client.responses.stream(responsesRequest(isAnswered)).finalResponse();
      return text;
    }),
    responses("responses.parse", structured, async (client, isAnswered) => {
      const { output_parsed: parsed } = await client.responses.parse({
        ...responsesRequest(isAnswered),
        text: responsesFormat,
      });
      return parsed;
    }),
    responses("beta.responses.create", said, async (client, isAnswered) => {
      const { output } = await client.beta.responses.create(responsesRequest(isAnswered));
      return output
        .flatMap((item) => (item.type === "message" ? item.content : []))
        .map((part) => (part.type === "output_text" ? part.text : ""))
        .join("");
    }),
    ...(sdk === "openai 7" ? [false, true] : []).map((stream) =>
      responses(`ResponsesToolRunner${stream ? " as an eager stream" : ""}`, looped, async (client, isAnswered) => {
        const runner = new ResponsesToolRunner({ functions: [{ tool: responsesTool, execute: () => "Sun." }] });
        const { tools: _, ...request } = responsesRequest(isAnswered);
        const { output_text: text } = await runner.run(client, request, { stream, eager: stream });
        return text;
      }),
    ),
  ];
});

type Ask = (client: OpenAI, isAnswered: boolean) => Promise<unknown>;

const chatTool = { type: "function" as const, function: { name: toolName, parameters } };
const runnable = {
  type: "function" as const,
  function: { name: toolName, parameters, description: "", parse: JSON.parse, function: async () => "Sun." },
};
const responsesTool = { type: "function" as const, name: toolName, parameters, strict: false };
const chatFormat = { type: "json_schema" as const, json_schema: { name: "weather", schema: sky, strict: true } };
const responsesFormat = { format: { type: "json_schema" as const, name: "weather", schema: sky, strict: true } };

const chatRequest = (isAnswered: boolean) => ({
  model: "gpt-4.1",
  tools: [chatTool],
  messages: [
    { role: "user" as const, content: "Weather in Oslo?" },
    {
      role: "assistant" as const,
      content: null,
      tool_calls: [
        { id: "call_1", type: "function" as const, function: { name: toolName, arguments: '{"city":"Oslo"}' } },
      ],
    },
    ...(isAnswered ? [{ role: "tool" as const, tool_call_id: "call_1", content: "Rain." }] : []),
    { role: "user" as const, content: "And in Rome?" },
  ],
});

const responsesRequest = (isAnswered: boolean) => ({
  model: "gpt-4.1",
  tools: [responsesTool],
  input: [
    { role: "user" as const, content: "Weather in Oslo?" },
    { type: "function_call" as const, call_id: "call_1", name: toolName, arguments: '{"city":"Oslo"}' },
    ...(isAnswered ? [{ type: "function_call_output" as const, call_id: "call_1", output: "Rain." }] : []),
    { role: "user" as const, content: "And in Rome?" },
  ],
});
