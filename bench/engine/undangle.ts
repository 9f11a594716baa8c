import { createAgent, memoryStore, tool } from "undangle/agent";
import type { Agent, Middleware, Store } from "undangle/agent";
import { countingTool, cycle } from "./loop-client.ts";
import type { CountingTool, LoopClient } from "./loop-client.ts";
import { createRequestWriter } from "./request-text.ts";
import { answerOf } from "./scripted-stream.ts";
import type { Seed } from "./seed.ts";
import type { ToolInput } from "./tool-input.ts";
import { finalText, question, tools } from "./workload.ts";
import type { Script } from "./workload.ts";

export interface EngineOptions {
  readonly input: ToolInput;
  /** What was said before in the threads of a script; a script that is not there has new ones. */
  readonly seeds: ReadonlyMap<Script, Seed>;
  /** Gets the text of each request; left out, none is written. */
  readonly onRequest?: (text: string) => void;
  readonly middleware?: readonly Middleware[];
}

/** The engine with a store in memory. Each run has a thread of its own, which is read from the store first. */
export function engineLoop({ seeds, ...options }: EngineOptions): LoopClient {
  return {
    hold(script) {
      const agent = createScriptedAgent({
        ...options,
        script,
        store: memoryStore(),
        counting: countingTool(),
        isSilent: true,
      });
      return agent.thread("waits").send(question);
    },
    start(script, runs) {
      const store = memoryStore();
      const counting = countingTool();
      const agent = createScriptedAgent({ ...options, script, store, counting });
      const ids = Array.from({ length: runs }, (_, place) => `thread ${place}`);
      const seed = seeds.get(script);
      const seeded = seed === undefined ? undefined : Promise.all(ids.map((id) => store.commit(seed(id))));
      const nextId = cycle(ids);
      return async (tally) => {
        counting.countFor(tally);
        await seeded;
        const { text } = await agent.thread(nextId()).send(question).result;
        return text;
      };
    },
  };
}

export interface ScriptedAgentOptions extends Omit<EngineOptions, "seeds"> {
  readonly script: Script;
  readonly store: Store;
  readonly counting: CountingTool;
  /** Its model never answers. */
  readonly isSilent?: boolean;
}

/** An agent whose model says what the script says, run after run. */
export function createScriptedAgent({
  script,
  input,
  store,
  counting,
  onRequest,
  middleware = [],
  isSilent = false,
}: ScriptedAgentOptions): Agent {
  const nextAnswer = cycle([...script.turns.map((calls) => answerOf(calls, "")), answerOf([], finalText)]);
  const write = createRequestWriter(input);
  return createAgent({
    model: {
      name: "bench",
      stream(request) {
        onRequest?.(write(request));
        return isSilent ? silence : nextAnswer()();
      },
    },
    tools: tools.map((each) => tool({ ...each, input: input.schema, execute: counting.execute })),
    store,
    middleware,
  });
}

const never = new Promise<never>(() => undefined);

/** An answer that never comes. */
const silence = {
  turn: () => never,
  turns: () => never,
  async *[Symbol.asyncIterator]() {
    yield await never;
  },
};

/** Middleware with every hook, none of which does anything. */
export const emptyMiddleware = (count: number): readonly Middleware[] =>
  Array.from({ length: count }, (_, i) => ({
    name: `empty ${i}`,
    beforeAgent() {},
    beforeModel() {},
    wrapModelCall: (next) => (request) => next(request),
    wrapToolCall: (next) => (call) => next(call),
    afterModel() {},
    afterAgent() {},
  }));
