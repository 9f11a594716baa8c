import { answering, load } from "./stream-client.ts";
import type { StreamClient } from "./stream-client.ts";

/** AI SDK: streamText with its provider for compatible servers. The tools have no execute, so that only reading is measured. */
export async function loadAiSdk(toolName: string): Promise<StreamClient> {
  const { streamText, tool, jsonSchema } = (await load("ai")) as AiModule;
  const { createOpenAICompatible } = (await load("@ai-sdk/openai-compatible")) as CompatibleModule;
  const tools = { [toolName]: tool({ inputSchema: jsonSchema({ type: "object" }) }) };
  return async (body) => {
    const provider = createOpenAICompatible({ name: "bench", baseURL: "http://localhost/v1", fetch: answering(body) });
    const result = streamText({ model: provider("gpt-4.1"), prompt: "Go.", tools, maxRetries: 0 });
    await result.consumeStream();
    const calls = await result.toolCalls;
    return {
      text: await result.text,
      calls: calls.map(({ toolCallId: id, toolName: name, input }) => ({ id, name, arguments: input })),
    };
  };
}

interface AiModule {
  readonly streamText: (options: Readonly<Record<string, unknown>>) => {
    readonly text: PromiseLike<string>;
    readonly toolCalls: PromiseLike<
      readonly { readonly toolCallId: string; readonly toolName: string; readonly input: unknown }[]
    >;
    consumeStream(): PromiseLike<void>;
  };
  readonly tool: (definition: Readonly<Record<string, unknown>>) => unknown;
  readonly jsonSchema: (schema: unknown) => unknown;
}

interface CompatibleModule {
  readonly createOpenAICompatible: (options: Readonly<Record<string, unknown>>) => (model: string) => unknown;
}
