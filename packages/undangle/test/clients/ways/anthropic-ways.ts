import type Anthropic from "@anthropic-ai/sdk";
import { anthropicMajors } from "../official-sdks.ts";
import { looped, parameters, said, sky, structured, toolName } from "./way.ts";
import type { Script, Way } from "./way.ts";

const threaded: Script = { turns: [...said.turns, ...looped.turns], outcome: looped.outcome };

/** The ways of Anthropic's SDK: those that both majors have, and the threads of the current one. */
export const anthropicWays: readonly Way[] = anthropicMajors.flatMap(({ sdk, Anthropic: Client }) => {
  const way = (name: string, script: Script, ask: Ask): Way => ({
    name: `${sdk}, ${name}`,
    format: "anthropic",
    script,
    ask: ({ baseUrl: baseURL, fetch, middleware = [] }, isAnswered) =>
      ask(new Client({ baseURL, apiKey: "none", maxRetries: 0, fetch, middleware }), isAnswered),
  });
  const common: readonly Way[] = [
    way("messages.create", said, async ({ messages }, isAnswered) => textIn(await messages.create(asked(isAnswered)))),
    way("messages.create as a stream", said, async ({ messages }, isAnswered) => {
      let text = "";
      for await (const event of await messages.create({ ...asked(isAnswered), stream: true }))
        if (event.type === "content_block_delta" && event.delta.type === "text_delta") text += event.delta.text;
      return text;
    }),
    way("messages.stream", said, ({ messages }, isAnswered) => messages.stream(asked(isAnswered)).finalText()),
    way("messages.parse", structured, async ({ messages }, isAnswered) => {
      const answer = await messages.parse({ ...asked(isAnswered), output_config: { format } });
      return JSON.parse(textIn(answer)) as unknown; // a schema without a parser is not parsed by it
    }),
    way("beta.messages.create", said, async ({ beta }, isAnswered) =>
      textIn(await beta.messages.create({ ...asked(isAnswered), betas: ["context-1m-2025-08-07"] })),
    ),
    way("beta.messages.stream", said, ({ beta }, isAnswered) => beta.messages.stream(asked(isAnswered)).finalText()),
    way("beta.messages.toolRunner", looped, async ({ beta }, isAnswered) =>
      textIn(await beta.messages.toolRunner({ ...asked(isAnswered), tools: [runnable] }).runUntilDone()),
    ),
    way("beta.messages.toolRunner as a stream", looped, async ({ beta }, isAnswered) =>
      textIn(await beta.messages.toolRunner({ ...asked(isAnswered), tools: [runnable], stream: true }).runUntilDone()),
    ),
  ];
  if (sdk !== "@anthropic-ai/sdk 1") return common;
  return [
    ...common,
    way("beta.messages.thread", threaded, async ({ beta }, isAnswered) => {
      const thread = beta.messages.thread(asked(isAnswered));
      await thread.send();
      const { content } = await thread.send({ role: "user", content: "And in Bonn?" });
      const results = content.flatMap((block) =>
        block.type === "tool_use" ? { type: "tool_result" as const, tool_use_id: block.id, content: "Sun." } : [],
      );
      return textIn(await thread.send({ role: "user", content: results }));
    }),
    way("a thread's toolRunner", looped, async ({ beta }, isAnswered) =>
      textIn(
        await beta.messages
          .thread({ ...asked(isAnswered), tools: [runnable] })
          .toolRunner()
          .runUntilDone(),
      ),
    ),
    way("a thread's toolRunner as a stream", looped, async ({ beta }, isAnswered) => {
      const thread = beta.messages.thread({ ...asked(isAnswered), tools: [runnable] });
      return textIn(await thread.toolRunner({ stream: true }).runUntilDone());
    }),
  ];
});

type Ask = (client: Anthropic, isAnswered: boolean) => Promise<unknown>;

const textIn = ({ content }: { readonly content: readonly (object & { readonly text?: unknown })[] }): string =>
  content.map(({ text = "" }) => String(text)).join("");

const format = { type: "json_schema" as const, schema: sky };

const runnable = {
  name: toolName,
  type: "custom" as const,
  description: "",
  input_schema: parameters,
  run: () => "Sun.",
  parse: (input: unknown) => input,
};

const asked = (isAnswered: boolean) => ({
  model: "claude-opus-4-8",
  max_tokens: 99,
  tools: [{ name: toolName, input_schema: parameters }],
  messages: [
    { role: "user" as const, content: "Weather in Oslo?" },
    {
      role: "assistant" as const,
      content: [{ type: "tool_use" as const, id: "toolu_1", name: toolName, input: { city: "Oslo" } }],
    },
    ...(isAnswered
      ? [
          {
            role: "user" as const,
            content: [{ type: "tool_result" as const, tool_use_id: "toolu_1", content: "Rain." }],
          },
        ]
      : []),
    { role: "user" as const, content: "And in Rome?" },
  ],
});
