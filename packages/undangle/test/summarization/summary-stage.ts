import type { Message } from "#codecs";
import { createAgent, tool } from "#engine";
import type { Agent, AgentEvent, AgentOptions, Thread } from "#engine";
import { summarization } from "#middleware";
import type { SummarizationOptions } from "#middleware";
import type { ModelRequest } from "#model";
import { memoryStore } from "#store";
import type { Store } from "#store";
import { scriptedModel } from "#testing";
import type { ScriptedModel, ScriptedTurn } from "#testing";

/** An agent with `summarization`, and everything its models were asked. */
export interface SummaryStage {
  readonly agent: Agent;
  readonly thread: Thread;
  /** What the agent was asked, in order. */
  readonly requests: readonly ModelRequest[];
  /** What was asked for summaries. */
  readonly summaries: readonly ModelRequest[];
  readonly events: AgentEvent[];
  /** Sends a message, and gives the final text. */
  readonly say: (text: string) => Promise<string>;
  readonly warnings: () => readonly string[];
  readonly store: Store;
}

export interface StageOptions extends SummarizationOptions {
  /** The turns of the agent; its last one repeats. By default one line of text. */
  readonly turns?: readonly (ScriptedTurn | ((request: ModelRequest) => ScriptedTurn))[];
  /** The summaries; the last one repeats. */
  readonly answers?: readonly (ScriptedTurn | ((request: ModelRequest) => ScriptedTurn))[];
  readonly agentOptions?: Partial<AgentOptions>;
  readonly store?: Store;
  readonly threadId?: string;
}

const from = (
  turns: NonNullable<StageOptions["turns"]>,
  seen: ModelRequest[],
): ((request: ModelRequest) => ScriptedTurn) => {
  return (request) => {
    const turn = turns[Math.min(seen.push(request), turns.length) - 1] ?? { text: "Yes." };
    return typeof turn === "function" ? turn(request) : turn;
  };
};

/** A tool that returns as many characters as it is asked for. */
export const longTool = tool({
  name: "long",
  description: "Returns a long text.",
  input: { type: "object", properties: { length: { type: "number" } }, required: ["length"] },
  execute: ({ length }: { readonly length: number }) => "x".repeat(length),
});

/** A tool that returns its text. */
const echoTool = tool({
  name: "echo",
  description: "Returns its text.",
  input: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
  execute: ({ text }: { readonly text: string }) => text,
});

export function summaryStage({
  turns = [{ text: "Yes." }],
  answers = [{ text: "They talked." }],
  agentOptions = {},
  store = memoryStore(),
  threadId = "t",
  ...options
}: StageOptions = {}): SummaryStage {
  const requests: ModelRequest[] = [];
  const summaries: ModelRequest[] = [];
  const events: AgentEvent[] = [];
  const many = <Answer>(answer: Answer): readonly Answer[] => Array.from({ length: 2_000 }, () => answer);
  const model: ScriptedModel = scriptedModel(many(from(turns, requests)));
  const summarizer = scriptedModel(many(from(answers, summaries)), { name: "summarizer" });
  const agent = createAgent({
    model,
    tools: [longTool, echoTool],
    store,
    limits: { steps: 1_000 },
    ...agentOptions,
    middleware: [summarization({ model: summarizer, ...options }), ...(agentOptions.middleware ?? [])],
  });
  const thread = agent.thread(threadId);
  return {
    agent,
    thread,
    requests,
    summaries,
    events,
    store,
    warnings: () => events.flatMap(({ type, data }) => (type === "warning" ? [data.message] : [])),
    async say(text) {
      const run = thread.send(text);
      for await (const event of run) events.push(event);
      const { text: said, error } = await run.result;
      if (error !== undefined) throw error;
      return said;
    },
  };
}

/** The text of a message, with its calls and results. */
export function textIn(message: Message | undefined): string {
  if (message === undefined) return "";
  if (message.role === "tool") return message.results.flatMap(({ parts }) => parts.map(partText)).join("\n");
  return message.parts.map(partText).join("\n");
}

const partText = (part: { readonly type: string; readonly text?: string; readonly name?: string }): string =>
  part.type === "call" ? `call ${part.name}` : (part.text ?? part.type);

/** The roles and texts of a request, one line for each message. */
export const linesOf = (request: ModelRequest | undefined): readonly string[] =>
  (request?.messages ?? []).map((message) => `${message.role}: ${textIn(message).slice(0, 60)}`);
