import { load } from "../../contenders/stream-client.ts";
import type { Conversation } from "../../histories/conversation.ts";
import { countingTool, cycle } from "../loop-client.ts";
import type { LoopClient } from "../loop-client.ts";
import type { ToolInput } from "../tool-input.ts";
import { finalText, question, scriptedCall, stepsPerRun, tools } from "../workload.ts";
import type { Script } from "../workload.ts";

/** LangChain's createAgent and createDeepAgent of deepagents, without a checkpointer: the messages are in the program's hands. */
export async function loadLangChainLoops(input: ToolInput): Promise<{
  readonly createAgent: LoopClient;
  readonly createDeepAgent: LoopClient;
}> {
  const { createAgent } = (await load("langchain")) as LangChainModule;
  const { createDeepAgent } = (await load("deepagents")) as DeepagentsModule;
  const { tool } = (await load("@langchain/core/tools")) as ToolsModule;
  const messages = (await load("@langchain/core/messages")) as MessagesModule;
  const modelOf = await loadModel(messages);
  const loopBy = (create: CreateAgent): LoopClient => ({
    start(script) {
      const counting = countingTool();
      const { schema } = input;
      const agent = create({
        model: modelOf(script),
        tools: tools.map((each) =>
          tool((args: Parameters<typeof counting.execute>[0]) => counting.execute(args), { ...each, schema }),
        ),
      });
      const prior = priorOf(script.prior, messages);
      return async (tally) => {
        counting.countFor(tally);
        const given = [...prior, new messages.HumanMessage({ content: question })];
        const { messages: said } = await agent.invoke({ messages: given }, { recursionLimit: 20 * stepsPerRun });
        return said.at(-1)?.content;
      };
    },
  });
  return { createAgent: loopBy(createAgent), createDeepAgent: loopBy(createDeepAgent) };
}

/** A chat model that says what the script says. */
async function loadModel({ AIMessage }: MessagesModule): Promise<(script: Script) => object> {
  const { BaseChatModel } = (await load("@langchain/core/language_models/chat_models")) as ChatModelsModule;
  class ScriptedChatModel extends BaseChatModel {
    readonly #next: () => Readonly<Record<string, unknown>>;
    constructor(script: Script) {
      super({});
      this.#next = cycle([...script.turns.map(callsOf), { content: finalText }]);
    }
    _llmType(): string {
      return "bench";
    }
    bindTools(): this {
      return this;
    }
    async _generate(): Promise<object> {
      const message = new AIMessage(this.#next());
      return { generations: [{ text: "", message }] };
    }
  }
  return (script) => new ScriptedChatModel(script);
}

const callsOf = (calls: Script["turns"][number]) => ({
  content: "",
  tool_calls: calls.map(({ id, name, arguments: args }) => ({ id, name, args, type: "tool_call" })),
});

function priorOf(
  { turns }: Conversation,
  { HumanMessage, AIMessage, ToolMessage }: MessagesModule,
): readonly Message[] {
  return turns.flatMap(({ question: content, calls, answer = "" }) => [
    new HumanMessage({ content }),
    new AIMessage(callsOf(calls.map(scriptedCall))),
    ...calls.map(
      (call) => new ToolMessage({ content: call.result, name: call.name, tool_call_id: scriptedCall(call).id }),
    ),
    new AIMessage({ content: answer }),
  ]);
}

interface Message {
  readonly content: unknown;
}

type MessageClass = new (fields: Readonly<Record<string, unknown>>) => Message;

interface MessagesModule {
  readonly HumanMessage: MessageClass;
  readonly AIMessage: MessageClass;
  readonly ToolMessage: MessageClass;
}

type CreateAgent = (options: { readonly model: object; readonly tools: readonly unknown[] }) => {
  invoke(
    input: { readonly messages: readonly Message[] },
    config: { readonly recursionLimit: number },
  ): Promise<{ readonly messages: readonly Message[] }>;
};

interface LangChainModule {
  readonly createAgent: CreateAgent;
}

interface DeepagentsModule {
  readonly createDeepAgent: CreateAgent;
}

interface ToolsModule {
  readonly tool: (execute: unknown, fields: Readonly<Record<string, unknown>>) => unknown;
}

interface ChatModelsModule {
  readonly BaseChatModel: new (fields: object) => object;
}
