import { answering, load } from "./stream-client.ts";
import type { StreamClient } from "./stream-client.ts";

/** The helper of OpenAI's SDK that gives the finished message. */
export async function loadOpenAiSdk(): Promise<StreamClient> {
  const { default: OpenAI } = (await load("openai")) as OpenAiModule;
  return async (body) => {
    const client = new OpenAI({ apiKey: "none", maxRetries: 0, fetch: answering(body) });
    const request = { model: "gpt-4.1", messages: [{ role: "user", content: "Go." }] };
    const { content, tool_calls: calls } = await client.chat.completions.stream(request).finalMessage();
    return {
      text: content ?? "",
      calls: (calls ?? []).map(({ id, function: called }) => ({
        id,
        name: called.name,
        arguments: JSON.parse(called.arguments) as unknown,
      })),
    };
  };
}

interface OpenAiModule {
  readonly default: new (options: Readonly<Record<string, unknown>>) => {
    readonly chat: {
      readonly completions: { readonly stream: (request: unknown) => { finalMessage(): Promise<Message> } };
    };
  };
}

interface Message {
  readonly content: string | null;
  readonly tool_calls?: readonly {
    readonly id: string;
    readonly function: { readonly name: string; readonly arguments: string };
  }[];
}
