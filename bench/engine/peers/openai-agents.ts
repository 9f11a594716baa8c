import { load } from "../../contenders/stream-client.ts";
import type { Conversation } from "../../histories/conversation.ts";
import { countingTool, cycle } from "../loop-client.ts";
import type { LoopClient } from "../loop-client.ts";
import type { ToolInput } from "../tool-input.ts";
import { finalText, question, scriptedCall, stepsPerRun, tools } from "../workload.ts";
import type { Script } from "../workload.ts";

/** The Runner of @openai/agents, with its tracing off and the history in the program's hands. */
export async function loadOpenAiAgentsLoop(input: ToolInput): Promise<LoopClient> {
  const { Agent, Runner, Usage, tool } = (await load("@openai/agents")) as AgentsModule;
  return {
    start(script) {
      const counting = countingTool();
      const next = cycle(outputsOf(script));
      const model = {
        getResponse: async () => ({
          usage: new Usage({ requests: 1, inputTokens: 100, outputTokens: 20, totalTokens: 120 }),
          output: next(),
        }),
      };
      const agent = new Agent({
        name: "bench",
        model,
        tools: tools.map((each) => tool({ ...each, parameters: input.schema, execute: counting.execute })),
      });
      const runner = new Runner({ tracingDisabled: true });
      const prior = priorOf(script.prior);
      return async (tally) => {
        counting.countFor(tally);
        const { finalOutput } = await runner.run(agent, [...prior, asked(question)], { maxTurns: stepsPerRun + 1 });
        return finalOutput;
      };
    },
  };
}

const outputsOf = ({ turns }: Script): readonly (readonly object[])[] => [
  ...turns.map((calls) => calls.map(called)),
  [said(finalText)],
];

const asked = (content: string) => ({ type: "message", role: "user", content });

const said = (text: string) => ({
  type: "message",
  role: "assistant",
  status: "completed",
  content: [{ type: "output_text", text }],
});

const called = ({ id, name, text }: Script["turns"][number][number]) => ({
  type: "function_call",
  callId: id,
  name,
  status: "completed",
  arguments: text,
});

function priorOf({ turns }: Conversation): readonly object[] {
  return turns.flatMap(({ question: content, calls, answer = "" }) => [
    asked(content),
    ...calls.map((call) => called(scriptedCall(call))),
    ...calls.map((call) => ({
      type: "function_call_result",
      callId: scriptedCall(call).id,
      name: call.name,
      status: "completed",
      output: { type: "text", text: call.result },
    })),
    said(answer),
  ]);
}

type Options = Readonly<Record<string, unknown>>;

interface AgentsModule {
  readonly Agent: new (options: Options) => object;
  readonly Runner: new (options: Options) => {
    run(agent: object, input: readonly object[], options: Options): Promise<{ readonly finalOutput: unknown }>;
  };
  readonly Usage: new (usage: Options) => object;
  readonly tool: (options: Options) => unknown;
}
