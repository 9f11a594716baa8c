import { pairingFloor } from "../contenders/pairing-floor.ts";
import { openaiChatBody } from "../histories/openai-chat.ts";
import type { ToolInput } from "./tool-input.ts";
import { countingTool, cycle } from "./loop-client.ts";
import type { LoopClient } from "./loop-client.ts";
import { finalText, question } from "./workload.ts";
import type { Script, ToolArguments } from "./workload.ts";

/** A message of the chat format, as far as a loop by hand looks at it. */
export interface ChatMessage {
  readonly role: string;
  readonly content: string | null;
  readonly tool_call_id?: string;
  readonly tool_calls?: readonly {
    readonly id: string;
    readonly type: "function";
    readonly function: { readonly name: string; readonly arguments: string };
  }[];
}

/** What a loop by hand does beside looping. */
interface Care {
  /** Reads the text of arguments. */
  readonly read: (text: string) => ToolArguments;
  /** Makes the request of the messages, for as long as one run goes on. */
  readonly begin: () => (messages: readonly ChatMessage[]) => void;
}

/** Nothing but the loop: nothing is checked, and nobody gets a request. */
export const bareLoop: LoopClient = loopBy({
  read: (text) => JSON.parse(text) as ToolArguments, // nothing is checked
  begin: () => () => undefined,
});

/**
 * What a step has to do at least: arguments are validated, the whole history is looked through for calls without a result, and
 * the whole request is written.
 */
export function loopWithJson({ schema, chatTools }: ToolInput, onRequest: (text: string) => void): LoopClient {
  const isWhole = pairingFloor["openai-chat"];
  return loopBy({
    read: (text) => schema.parse(JSON.parse(text)),
    begin: () => (messages) => {
      if (isWhole?.(messages) !== messages) throw new Error("A call has no result.");
      onRequest(JSON.stringify({ model: "bench", messages, tools: chatTools }));
    },
  });
}

/** The same promises, each kept once for each message: it is looked at and written when it comes, and then remembered. */
export function loopWithMemory({ schema, chatTools }: ToolInput, onRequest: (text: string) => void): LoopClient {
  const toolsText = JSON.stringify(chatTools);
  return loopBy({
    read: (text) => schema.parse(JSON.parse(text)),
    begin() {
      const texts: string[] = [];
      const open = new Set<string>();
      return (messages) => {
        for (const message of messages.slice(texts.length)) {
          for (const { id } of message.tool_calls ?? []) open.add(id);
          if (message.tool_call_id !== undefined) open.delete(message.tool_call_id);
          texts.push(JSON.stringify(message));
        }
        if (open.size > 0) throw new Error("A call has no result.");
        onRequest(`{"model":"bench","messages":[${texts.join(",")}],"tools":${toolsText}}`);
      };
    },
  });
}

function loopBy({ read, begin }: Care): LoopClient {
  return {
    start(script) {
      const tool = countingTool();
      const nextAnswer = cycle(answersOf(script));
      const prior = priorOf(script);
      return async (tally) => {
        tool.countFor(tally);
        const write = begin();
        const model = async (given: readonly ChatMessage[]): Promise<ChatMessage> => {
          write(given);
          return nextAnswer();
        };
        const messages: ChatMessage[] = [...prior, { role: "user", content: question }];
        for (;;) {
          const answer = await model(messages);
          messages.push(answer);
          if (answer.tool_calls === undefined) return answer.content;
          const results = answer.tool_calls.map(async (call) => ({
            role: "tool",
            tool_call_id: call.id,
            content: tool.execute(read(call.function.arguments)),
          }));
          messages.push(...(await Promise.all(results)));
        }
      };
    },
  };
}

/** The answers of one run, as a provider of the chat format gives them. */
function answersOf({ turns }: Script): readonly ChatMessage[] {
  return [
    ...turns.map((calls) => ({
      role: "assistant",
      content: null,
      tool_calls: calls.map(({ id, name, text }) => ({
        id,
        type: "function" as const,
        function: { name, arguments: text },
      })),
    })),
    { role: "assistant", content: finalText },
  ];
}

function priorOf({ prior }: Script): readonly ChatMessage[] {
  const messages = openaiChatBody(prior).messages as ChatMessage[]; // the benchmark makes them
  return prior.turns.length === 0 ? [] : messages.slice(0, -1); // without its own next question
}
