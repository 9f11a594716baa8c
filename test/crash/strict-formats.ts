import { encode } from "../../packages/undangle/src/codecs/index.ts";
import type { Conversation, Format, Message } from "../../packages/undangle/src/codecs/index.ts";
import { wireServer } from "../../packages/undangle/src/testing/index.ts";
import type { ToolDescription } from "../../packages/undangle/src/model/index.ts";

/** Takes histories as the providers do. */
export interface StrictFormats {
  /** What is wrong with a history, and what any provider has against it; nothing is the hope. */
  readonly complaints: (messages: readonly Message[], tools: readonly ToolDescription[]) => Promise<readonly string[]>;
  readonly close: () => Promise<void>;
}

export async function openStrictFormats(): Promise<StrictFormats> {
  const server = await wireServer({ turns: () => ({ text: "Yes." }) });
  const refusal = async (path: string, body: unknown): Promise<string | undefined> => {
    const response = await fetch(server.url + path, { method: "POST", body: JSON.stringify(body) });
    const text = await response.text();
    return response.status === 200 ? undefined : `${response.status} ${text}`;
  };
  return {
    async complaints(messages, tools) {
      const found = [...unpaired(messages)];
      for (const { format, model, path } of wires) {
        const body = encode({ messages, setting: settingOf(model, tools) }, { to: format, model });
        const words = await refusal(path, body);
        if (words !== undefined) found.push(`${format} refuses the history: ${words}`);
      }
      return found;
    },
    close: () => server.close(),
  };
}

/** What `encode` would have to mend before it is sent: calls without just one result behind them, in their order. */
function* unpaired(messages: readonly Message[]): Generator<string> {
  for (const [index, message] of messages.entries()) {
    const before = messages[index - 1];
    const called =
      message.role === "assistant" ? message.parts.flatMap((part) => (part.type === "call" ? [part.id] : [])) : [];
    const next = messages[index + 1];
    const answered = next?.role === "tool" ? next.results.map(({ id }) => id) : [];
    if (called.join() !== answered.join() && message.role === "assistant")
      yield `message ${index} has calls without results`;
    if (message.role === "tool" && before?.role !== "assistant") yield `message ${index} has results of no call`;
  }
  const ids = messages.flatMap((message) => (message.role === "tool" ? message.results.map(({ id }) => id) : []));
  if (new Set(ids).size < ids.length) yield "two calls have the same id";
}

const settingOf = (model: string, tools: readonly ToolDescription[]): Conversation["setting"] => ({
  model,
  isStreamed: false,
  tools: tools.map((tool) => ({ ...tool, path: "", isCustom: false, isStrict: false })),
  toolChoice: undefined,
  isParallel: undefined,
  sampling: { maxTokens: { path: "", value: 99 } },
});

const wires: readonly { readonly format: Format; readonly model: string; readonly path: string }[] = [
  { format: "openai-chat", model: "gpt-4o", path: "/v1/chat/completions" },
  { format: "openai-responses", model: "gpt-5.1", path: "/v1/responses" },
  { format: "anthropic", model: "claude-sonnet-4-5", path: "/v1/messages" },
  { format: "gemini", model: "gemini-2.5-pro", path: "/v1beta/models/gemini-2.5-pro:generateContent" },
  { format: "bedrock", model: "amazon.nova-pro-v1:0", path: "/model/amazon.nova-pro-v1%3A0/converse" },
  { format: "ollama", model: "qwen3", path: "/api/chat" },
];
