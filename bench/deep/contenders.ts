import { createAgent, createDeepAgent, memoryStore, summarization, tool } from "undangle/agent";
import type { Agent, AgentOptions, Model } from "undangle/agent";
import { openaiCompatible } from "undangle/models";
import { load } from "../contenders/stream-client.ts";
import { cyclingModel } from "../engine/cycling-model.ts";
import { question, stepsPerRun, toolName, toolResult } from "../engine/workload.ts";
import type { ChatMessage } from "../engine/workload.ts";

/** One run, from the question to the final text. */
export type Run = () => Promise<unknown>;

export interface Setup {
  /** The address of the provider, up to `/v1`. Undefined for a model without a network. */
  readonly url: string | undefined;
  readonly earlier: readonly ChatMessage[];
}

export interface Entrant {
  readonly name: string;
  /** Makes a program whose runs take turns on a number of threads. */
  readonly start: (setup: Setup, threads: number) => Run | Promise<Run>;
  readonly takesPart: (setup: Setup) => boolean;
  readonly atMostRounds?: number;
}

export const baseName = "createAgent()";

/** The agents that are compared: bare, with the whole default stack, and the deep agent of deepagents. */
export async function loadEntrants(isOwnOnly: boolean): Promise<readonly Entrant[]> {
  const own: readonly Entrant[] = [
    { name: baseName, start: undangle(createAgent), takesPart: () => true },
    { name: "createDeepAgent()", start: undangle(deepAgent), takesPart: () => true },
  ];
  return isOwnOnly ? own : [...own, await loadDeepagents()];
}

/** The default stack. Its files are in the thread. Long threads are not summarized: every run has the same requests. */
const deepAgent = (options: AgentOptions): Agent =>
  createDeepAgent({ ...options, middleware: [summarization({ trigger: { tokens: 1_000_000_000 } })] });

const description = "Reads a file of the repository.";

/** The threads are in a store in memory. */
function undangle(create: (options: AgentOptions) => Agent): Entrant["start"] {
  const read = tool({
    name: toolName,
    description,
    input: {
      type: "object",
      properties: { path: { type: "string" }, limit: { type: "number" } },
      required: ["path", "limit"],
    } as const,
    execute: ({ path, limit }) => toolResult({ path, limit }),
  });
  return async ({ url, earlier }, count) => {
    const model: Model =
      url === undefined ? cyclingModel() : openaiCompatible({ baseURL: url, name: "bench" })("bench");
    const agent = create({ model, tools: [read], store: memoryStore(), limits: { steps: stepsPerRun + 1 } });
    const threads = Array.from({ length: count }, (_, place) => agent.thread(`thread ${place}`));
    for (const thread of threads) {
      if (earlier.length > 0) await thread.import({ messages: earlier }, { format: "openai-chat" });
      await thread.pending(); // a thread is read once, before its first step
    }
    let next = 0;
    return async () => {
      const { text, status, error } = await (threads[next++ % count] ?? agent.thread()).send(question).result;
      if (status !== "done") throw new Error(`The run ended with ${status}.`, { cause: error });
      return text;
    };
  };
}

/** deepagents summarizes threads of this workload with 5,000 messages, and needs a model of LangChain. */
async function loadDeepagents(): Promise<Entrant> {
  const { z } = (await load("zod")) as ZodModule;
  const { ChatOpenAI } = (await load("@langchain/openai")) as LangChainOpenAiModule;
  const { tool: langChainTool } = (await load("langchain")) as LangChainModule;
  const { createDeepAgent: createPeer } = (await load("deepagents")) as DeepagentsModule;
  const schema = z.object({ path: z.string(), limit: z.number() });
  return {
    name: "deepagents createDeepAgent()",
    atMostRounds: 3,
    takesPart: ({ url, earlier }) => url !== undefined && earlier.length <= 1000,
    start({ url, earlier }) {
      const model = new ChatOpenAI({ model: "bench", apiKey: "none", maxRetries: 0, configuration: { baseURL: url } });
      const tools = [langChainTool(toolResult, { name: toolName, description, schema })];
      const agent = createPeer({ model, tools });
      return async () => {
        const { messages } = await agent.invoke(
          { messages: [...earlier, { role: "user", content: question }] },
          { recursionLimit: 20 * stepsPerRun },
        );
        return messages.at(-1)?.content;
      };
    },
  };
}

type Settings = Readonly<Record<string, unknown>>;

interface ZodModule {
  readonly z: {
    readonly string: () => unknown;
    readonly number: () => unknown;
    readonly object: (shape: Settings) => unknown;
  };
}

interface LangChainOpenAiModule {
  readonly ChatOpenAI: new (options: Settings) => unknown;
}

interface LangChainModule {
  readonly tool: (execute: typeof toolResult, options: Settings) => unknown;
}

interface DeepagentsModule {
  readonly createDeepAgent: (options: Settings) => {
    invoke(
      input: Settings,
      options: Settings,
    ): Promise<{ readonly messages: readonly { readonly content: unknown }[] }>;
  };
}
