import { createAgent, memoryStore, tool } from "undangle/agent";
import { openaiCompatible } from "undangle/models";
import { byHand } from "../contenders/stream-by-hand.ts";
import { load } from "../contenders/stream-client.ts";
import { finalText, question, stepsPerRun, toolName, toolResult } from "./workload.ts";
import type { ChatMessage, ToolArguments } from "./workload.ts";

/** A program with a model and a tool: one run, from the question to the final text. */
export type Run = () => Promise<unknown>;

export interface Setup {
  /** The address of the provider, up to `/v1`. */
  readonly url: string;
  readonly earlier: readonly ChatMessage[];
}

/** Makes a program for a number of runs, which is not measured. */
export type Start = (setup: Setup, runs: number) => Run | Promise<Run>;

export interface Entrant {
  readonly name: string;
  readonly start: Start;
  readonly atMostRounds?: number;
}

const description = "Reads a file of the repository.";

/** Loads every program that is compared. All validate the arguments of the tool with zod. */
export async function loadEntrants(isOwnOnly: boolean): Promise<readonly Entrant[]> {
  const { z } = (await load("zod")) as ZodModule;
  const schema = z.object({ path: z.string(), limit: z.number() });
  const { $schema: _draft, ...parameters } = z.toJSONSchema(schema);
  const own: readonly Entrant[] = [
    { name: "hand-written loop", start: handWritten(schema, parameters) },
    { name: "undangle createAgent()", start: undangle(schema) },
  ];
  return isOwnOnly ? own : [...own, ...(await loadPeers(schema))];
}

/** fetch, the hand-written stream loop, validation, and the whole request as JSON in every step. */
function handWritten(schema: Schema, parameters: object): Start {
  const tools = [{ type: "function", function: { name: toolName, description, parameters } }];
  return ({ url, earlier }) =>
    async () => {
      const messages: ChatMessage[] = [...earlier, { role: "user", content: question }];
      for (;;) {
        const body = JSON.stringify({ model: "bench", messages, tools, stream: true });
        const headers = { "content-type": "application/json" };
        const response = await fetch(`${url}/chat/completions`, { method: "POST", headers, body });
        if (!response.ok || response.body === null) throw new Error(`The status is ${response.status}.`);
        const { text, calls } = await byHand["openai-chat"](response.body as ReadableStream<Uint8Array>);
        if (calls.length === 0) return text;
        const tool_calls = calls.map(({ id, name, arguments: args }) => ({
          id,
          type: "function",
          function: { name, arguments: JSON.stringify(args) },
        }));
        messages.push({ role: "assistant", content: null, tool_calls });
        for (const { id, arguments: args } of calls)
          messages.push({ role: "tool", tool_call_id: id, content: toolResult(schema.parse(args)) });
      }
    };
}

/** Each run has a thread of its own in a store in memory. */
function undangle(schema: Schema): Start {
  return async ({ url, earlier }, runs) => {
    const model = openaiCompatible({ baseURL: url, name: "bench" })("bench");
    const execute = (args: ToolArguments): string => toolResult(args);
    const read = tool({ name: toolName, description, input: schema, execute });
    const agent = createAgent({ model, tools: [read], store: memoryStore(), limits: { steps: stepsPerRun + 1 } });
    const threads = Array.from({ length: runs }, (_, place) => agent.thread(`thread ${place}`));
    if (earlier.length > 0)
      for (const thread of threads) await thread.import({ messages: earlier }, { format: "openai-chat" });
    let next = 0;
    return async () => {
      const { text, status, error } = await (threads[next++ % runs] ?? agent.thread()).send(question).result;
      if (status !== "done") throw new Error(`The run ended with ${status}.`, { cause: error });
      return text;
    };
  };
}

async function loadPeers(schema: Schema): Promise<readonly Entrant[]> {
  const { generateText, streamText, tool: aiTool, isStepCount } = (await load("ai")) as AiModule;
  const { createOpenAICompatible } = (await load("@ai-sdk/openai-compatible")) as CompatibleModule;
  const { ChatOpenAI } = (await load("@langchain/openai")) as LangChainOpenAiModule;
  const { createAgent: createLangChainAgent, tool: langChainTool } = (await load("langchain")) as LangChainModule;
  const { default: OpenAI } = (await load("openai")) as OpenAiModule;
  const agents = (await load("@openai/agents")) as AgentsModule;
  agents.setTracingDisabled(true);

  const aiSettings = ({ url, earlier }: Setup) => ({
    model: createOpenAICompatible({ name: "bench", baseURL: url })("bench"),
    tools: { [toolName]: aiTool({ description, inputSchema: schema, execute: toolResult }) },
    stopWhen: isStepCount(stepsPerRun + 1),
    maxRetries: 0,
    messages: [...earlier.flatMap(toModelMessage), { role: "user", content: question }],
  });
  const atMostRounds = 3;
  return [
    {
      name: "AI SDK generateText()",
      start: (setup) => async () => (await generateText(aiSettings(setup))).text,
      atMostRounds,
    },
    {
      name: "AI SDK streamText()",
      start: (setup) => async () => {
        const result = streamText(aiSettings(setup));
        await result.consumeStream();
        return result.text;
      },
      atMostRounds,
    },
    {
      name: "@openai/agents run()",
      start: ({ url }) => {
        const client = new OpenAI({ apiKey: "none", baseURL: url, maxRetries: 0 });
        const agent = new agents.Agent({
          name: "bench",
          model: new agents.OpenAIChatCompletionsModel(client, "bench"),
          tools: [agents.tool({ name: toolName, description, parameters: schema, execute: toolResult })],
        });
        return async () => (await agents.run(agent, question, { maxTurns: stepsPerRun + 1 })).finalOutput;
      },
      atMostRounds,
    },
    {
      name: "langchain createAgent()",
      start: ({ url }) => {
        const model = new ChatOpenAI({
          model: "bench",
          apiKey: "none",
          maxRetries: 0,
          configuration: { baseURL: url },
        });
        const tools = [langChainTool(toolResult, { name: toolName, description, schema })];
        const agent = createLangChainAgent({ model, tools });
        return async () => {
          const { messages } = await agent.invoke(
            { messages: [{ role: "user", content: question }] },
            { recursionLimit: 4 * stepsPerRun },
          );
          return messages.at(-1)?.content;
        };
      },
      atMostRounds,
    },
  ];
}

/** A message of the chat format as one of the AI SDK. */
function toModelMessage({
  role,
  content,
  tool_call_id: toolCallId,
  tool_calls: calls,
}: ChatMessage): readonly object[] {
  if (role === "tool")
    return [
      {
        role,
        content: [{ type: "tool-result", toolCallId, toolName, output: { type: "text", value: content } }],
      },
    ];
  if (calls === undefined) return [{ role, content }];
  const parts = (calls as readonly ChatCall[]).map(({ id, function: called }) => ({
    type: "tool-call",
    toolCallId: id,
    toolName,
    input: JSON.parse(called.arguments) as unknown,
  }));
  return [{ role, content: parts }];
}

/** Runs once, and refuses a wrong end. */
export async function soundRun(name: string, run: Run): Promise<void> {
  const text = await run();
  if (text !== finalText) throw new Error(`${name}: the run ended with ${JSON.stringify(text)}.`);
}

interface ChatCall {
  readonly id: string;
  readonly function: { readonly arguments: string };
}

type Settings = Readonly<Record<string, unknown>>;

interface Schema {
  readonly parse: (value: unknown) => ToolArguments;
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => { readonly value: ToolArguments; readonly issues?: undefined };
    readonly types?: { readonly input: unknown; readonly output: ToolArguments };
  };
}

interface ZodModule {
  readonly z: {
    readonly string: () => unknown;
    readonly number: () => unknown;
    readonly object: (shape: Readonly<Record<keyof ToolArguments, unknown>>) => Schema;
    readonly toJSONSchema: (schema: Schema) => Settings;
  };
}

interface AiModule {
  readonly generateText: (settings: Settings) => Promise<{ readonly text: string }>;
  readonly streamText: (settings: Settings) => {
    readonly text: PromiseLike<string>;
    consumeStream(): PromiseLike<void>;
  };
  readonly tool: (definition: Settings) => unknown;
  readonly isStepCount: (count: number) => unknown;
}

interface CompatibleModule {
  readonly createOpenAICompatible: (options: Settings) => (model: string) => unknown;
}

interface LangChainOpenAiModule {
  readonly ChatOpenAI: new (options: Settings) => unknown;
}

interface LangChainModule {
  readonly createAgent: (options: Settings) => {
    invoke(
      input: Settings,
      options: Settings,
    ): Promise<{ readonly messages: readonly { readonly content: unknown }[] }>;
  };
  readonly tool: (execute: (args: ToolArguments) => string, options: Settings) => unknown;
}

interface OpenAiModule {
  readonly default: new (options: Settings) => unknown;
}

interface AgentsModule {
  readonly setTracingDisabled: (isDisabled: boolean) => void;
  readonly Agent: new (options: Settings) => unknown;
  readonly OpenAIChatCompletionsModel: new (client: unknown, model: string) => unknown;
  readonly tool: (options: Settings) => unknown;
  readonly run: (agent: unknown, input: string, options: Settings) => Promise<{ readonly finalOutput: unknown }>;
}
