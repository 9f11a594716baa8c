import { answering, load } from "./stream-client.ts";
import type { StreamClient } from "./stream-client.ts";

/** LangChain: the chunks of ChatOpenAI put together with concat, as its documents show it. */
export async function loadLangChain(): Promise<StreamClient> {
  const { ChatOpenAI } = (await load("@langchain/openai")) as LangChainModule;
  return async (body) => {
    const model = new ChatOpenAI({
      model: "gpt-4.1",
      apiKey: "none",
      maxRetries: 0,
      configuration: { fetch: answering(body) },
    });
    let whole: Chunk | undefined;
    for await (const chunk of await model.stream("Go.")) whole = whole === undefined ? chunk : whole.concat(chunk);
    return {
      text: typeof whole?.content === "string" ? whole.content : "",
      calls: (whole?.tool_calls ?? []).map(({ id, name, args }) => ({ id: id ?? "", name, arguments: args })),
    };
  };
}

interface Chunk {
  readonly content: unknown;
  readonly tool_calls?: readonly { readonly id?: string; readonly name: string; readonly args: unknown }[];
  concat(chunk: Chunk): Chunk;
}

interface LangChainModule {
  readonly ChatOpenAI: new (options: Readonly<Record<string, unknown>>) => {
    stream(prompt: string): Promise<AsyncIterable<Chunk>>;
  };
}
