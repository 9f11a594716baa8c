import { idOf } from "../histories/conversation.ts";
import type { Conversation } from "../histories/conversation.ts";

/** A LangChain message, of which only the instance matters here. */
export type LangChainMessage = object;

/** deepagents' middleware that answers dangling calls, called as the agent calls it before every request to the model. */
export interface Patcher {
  readonly messagesOf: (conversation: Conversation) => readonly LangChainMessage[];
  readonly patch: (messages: readonly LangChainMessage[]) => Promise<readonly LangChainMessage[]>;
}

/** Loads deepagents and LangChain. */
export async function loadPatcher(): Promise<Patcher> {
  const { HumanMessage, AIMessage, ToolMessage } = (await load("@langchain/core/messages")) as MessagesModule;
  const { createPatchToolCallsMiddleware } = (await load("deepagents")) as DeepagentsModule;
  const { wrapModelCall } = createPatchToolCallsMiddleware();
  return {
    messagesOf: ({ turns }) =>
      turns.flatMap(({ question, calls, results, answer }) => [
        new HumanMessage({ content: question }),
        new AIMessage({
          content: "",
          tool_calls: calls.map((call) => ({
            id: idOf(call),
            name: call.name,
            args: call.arguments,
            type: "tool_call",
          })),
        }),
        ...results.map(
          (result) => new ToolMessage({ content: result.text, name: result.name, tool_call_id: idOf(result) }),
        ),
        new AIMessage({ content: answer }),
      ]),
    patch: async (messages) => (await wrapModelCall({ messages }, (request) => request)).messages,
  };
}

/** The packages are not there when the types are checked: only `npm run bench` installs them. */
const load = (name: string): Promise<unknown> => import(name);

type MessageClass = new (fields: Readonly<Record<string, unknown>>) => LangChainMessage;

interface MessagesModule {
  readonly HumanMessage: MessageClass;
  readonly AIMessage: MessageClass;
  readonly ToolMessage: MessageClass;
}

interface ModelRequest {
  readonly messages: readonly LangChainMessage[];
}

interface DeepagentsModule {
  readonly createPatchToolCallsMiddleware: () => {
    readonly wrapModelCall: (
      request: ModelRequest,
      handler: (request: ModelRequest) => ModelRequest,
    ) => Promise<ModelRequest>;
  };
}
