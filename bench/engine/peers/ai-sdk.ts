import { load } from "../../contenders/stream-client.ts";
import { aiSdkBody } from "../../histories/ai-sdk.ts";
import { countingTool, cycle } from "../loop-client.ts";
import type { CountingTool, LoopClient } from "../loop-client.ts";
import type { ToolInput } from "../tool-input.ts";
import { finalText, question, stepsPerRun, tools } from "../workload.ts";
import type { Script } from "../workload.ts";

/** AI SDK: its two loops, with the messages in the program's hands. */
export async function loadAiSdkLoops(input: ToolInput): Promise<{
  readonly generateText: LoopClient;
  readonly streamText: LoopClient;
}> {
  const { generateText, streamText, tool, isStepCount } = (await load("ai")) as AiModule;
  const settingsOf = (script: Script, counting: CountingTool) => {
    const { execute } = counting;
    const definitions = tools.map(({ name, description }) => [
      name,
      tool({ description, inputSchema: input.schema, execute }),
    ]);
    const { messages: prior } = aiSdkBody(script.prior);
    const settings = {
      model: modelOf(script),
      tools: Object.fromEntries(definitions) as Readonly<Record<string, unknown>>, // by their names
      stopWhen: isStepCount(stepsPerRun + 1),
      maxRetries: 0,
    };
    return () => ({ ...settings, messages: [...prior, { role: "user", content: question }] });
  };
  const loopBy = (ask: (settings: Readonly<Record<string, unknown>>) => Promise<string>): LoopClient => ({
    start(script) {
      const counting = countingTool();
      const settings = settingsOf(script, counting);
      return (tally) => {
        counting.countFor(tally);
        return ask(settings());
      };
    },
  });
  return {
    generateText: loopBy(async (settings) => (await generateText(settings)).text),
    streamText: loopBy(async (settings) => {
      const result = streamText(settings);
      await result.consumeStream();
      return result.text;
    }),
  };
}

/** A language model that says what the script says, whichever way it is asked. */
function modelOf(script: Script): object {
  const next = cycle([...script.turns.map((calls) => ({ calls, text: "" })), { calls: [], text: finalText }]);
  const contentOf = (calls: Script["turns"][number]) =>
    calls.map(({ id, name, text }) => ({ type: "tool-call", toolCallId: id, toolName: name, input: text }));
  return {
    specificationVersion: "v4",
    provider: "bench",
    modelId: "bench",
    supportedUrls: {},
    async doGenerate() {
      const { calls, text } = next();
      const content = calls.length > 0 ? contentOf(calls) : [{ type: "text", text }];
      return { content, finishReason: finishOf(calls), usage, warnings: [] };
    },
    async doStream() {
      const { calls, text } = next();
      const said = [
        { type: "text-start", id: "0" },
        { type: "text-delta", id: "0", delta: text },
        { type: "text-end", id: "0" },
      ];
      return {
        stream: ReadableStream.from([
          { type: "stream-start", warnings: [] },
          ...(calls.length > 0 ? contentOf(calls) : said),
          { type: "finish", finishReason: finishOf(calls), usage },
        ]),
      };
    },
  };
}

const finishOf = (calls: readonly unknown[]) =>
  calls.length > 0 ? { unified: "tool-calls", raw: "tool_calls" } : { unified: "stop", raw: "stop" };

const usage = {
  inputTokens: { total: 100, noCache: 100, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 20, text: 20, reasoning: 0 },
};

type Settings = Readonly<Record<string, unknown>>;

interface AiModule {
  readonly generateText: (settings: Settings) => Promise<{ readonly text: string }>;
  readonly streamText: (settings: Settings) => {
    readonly text: PromiseLike<string>;
    consumeStream(): PromiseLike<void>;
  };
  readonly tool: (definition: Settings) => unknown;
  readonly isStepCount: (count: number) => unknown;
}
