import type { Contender } from "../measure/cpu-rounds.ts";
import { bareLoop, loopWithJson, loopWithMemory } from "./by-hand.ts";
import { soundRun } from "./loop-client.ts";
import type { LoopClient } from "./loop-client.ts";
import { loadAiSdkLoops } from "./peers/ai-sdk.ts";
import { loadLangChainLoops } from "./peers/langchain.ts";
import { loadOpenAiAgentsLoop } from "./peers/openai-agents.ts";
import type { Seed } from "./seed.ts";
import type { ToolInput } from "./tool-input.ts";
import { emptyMiddleware, engineLoop } from "./undangle.ts";
import { stepsPerRun } from "./workload.ts";
import type { Script } from "./workload.ts";

/** The row that all others are compared with. */
export const baseline = "loop by hand, JSON, validation";

/** The row that the figures are about: it does what the baseline does. */
export const engineRow = "undangle, requests written";

/** The same with hooks that do nothing. */
export const middlewareRow = "undangle, ten empty middleware";

/** A loop in the tables. */
export interface Entrant {
  readonly name: string;
  readonly client: LoopClient;
  /** For those that take milliseconds: so many rounds are enough. */
  readonly atMostRounds?: number;
}

/** The text of the last request, of the entrants that write theirs. */
export interface LastRequest {
  text: string;
}

export interface EntrantOptions {
  readonly input: ToolInput;
  readonly seeds: ReadonlyMap<Script, Seed>;
  readonly lastRequest: LastRequest;
  /** Without the other libraries. */
  readonly isOwnOnly: boolean;
}

/** Loads everybody who takes part. */
export async function loadEntrants({
  input,
  seeds,
  lastRequest,
  isOwnOnly,
}: EntrantOptions): Promise<readonly Entrant[]> {
  const onRequest = (text: string): void => {
    lastRequest.text = text;
  };
  return [
    { name: "loop by hand", client: bareLoop },
    { name: baseline, client: loopWithJson(input, onRequest) },
    { name: "loop by hand, all remembered", client: loopWithMemory(input, onRequest) },
    { name: "undangle", client: engineLoop({ input, seeds }) },
    { name: engineRow, client: engineLoop({ input, seeds, onRequest }) },
    { name: middlewareRow, client: engineLoop({ input, seeds, onRequest, middleware: emptyMiddleware(10) }) },
    ...(isOwnOnly ? [] : await loadPeers(input)),
  ];
}

async function loadPeers(input: ToolInput): Promise<readonly Entrant[]> {
  const { generateText, streamText } = await loadAiSdkLoops(input);
  const { createAgent, createDeepAgent } = await loadLangChainLoops(input);
  const atMostRounds = 3;
  return [
    { name: "AI SDK, generateText()", client: generateText, atMostRounds },
    { name: "AI SDK, streamText()", client: streamText, atMostRounds },
    { name: "@openai/agents, Runner", client: await loadOpenAiAgentsLoop(input), atMostRounds },
    { name: "langchain, createAgent()", client: createAgent, atMostRounds },
    { name: "deepagents, createDeepAgent()", client: createDeepAgent, atMostRounds },
  ];
}

/** So many runs share an agent and a store, so that neither grows without end. */
const runsPerAgent = 50;

/** An entrant at one script, for the stop-watch, which is given the cost of a step. */
export function contenderOf({ name, client, atMostRounds }: Entrant, script: Script, runs: number): Contender {
  return {
    name,
    ...(atMostRounds !== undefined && { atMostRounds }),
    prepare: () => {
      const agents = Array.from({ length: Math.ceil(runs / runsPerAgent) }, () =>
        client.start(script, Math.min(runs, runsPerAgent)),
      );
      const run = async (): Promise<void> => {
        for (let done = 0; done < runs; done++) {
          const agent = agents[Math.floor(done / runsPerAgent)];
          if (agent !== undefined) await soundRun(name, agent, script);
        }
      };
      return { times: runs * stepsPerRun, run };
    },
  };
}
