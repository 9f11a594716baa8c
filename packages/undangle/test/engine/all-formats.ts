import { Agent as HttpAgent, request } from "node:http";

import { check, encode, formats } from "#codecs";
import type { Conversation, Format, Message, SystemText } from "#codecs";
import type { ToolDescription } from "#model";
import { wireServer } from "#testing";
import type { WireServer } from "#testing";

import { judge } from "../judge/judge.ts";

/** What a model is asked, as far as formats differ about it. */
export interface Asked {
  readonly messages: readonly Message[];
  readonly system?: readonly SystemText[];
  readonly tools?: readonly ToolDescription[];
}

/** Models by format that the strictest rules hold for. */
const models: Readonly<Record<Format, string>> = {
  "openai-chat": "gpt-4o",
  "openai-responses": "gpt-5.1",
  anthropic: "claude-sonnet-4-5",
  gemini: "gemini-2.5-pro",
  bedrock: "anthropic.claude-sonnet-4-5-20250929-v1:0",
  ollama: "qwen3",
  "ai-sdk": "any",
  langchain: "any",
};

/** The body of a request in a format. */
function bodyOf({ messages, system = [], tools = [] }: Asked, to: Format): unknown {
  const model = models[to];
  const first: readonly Message[] =
    system.length === 0 ? [] : [{ role: "system", path: "", parts: system, isDeveloper: false }];
  const setting: Conversation["setting"] = {
    model,
    isStreamed: undefined,
    tools: tools.map((tool) => ({ path: "", ...tool, isCustom: false, isStrict: false })),
    toolChoice: undefined,
    isParallel: undefined,
    sampling: {},
  };
  return encode({ messages: [...first, ...messages], setting }, { to, model });
}

/** What is wrong with messages by themselves: every call has one result, behind it and in its order. */
export function unpaired(messages: readonly Message[]): readonly string[] {
  const wrong: string[] = [];
  const seen = new Set<string>();
  messages.forEach((message, i) => {
    if (message.role !== "assistant") {
      if (message.role === "tool" && messages[i - 1]?.role !== "assistant") wrong.push(`${i}: results of nothing`);
      return;
    }
    const calls = message.parts.flatMap((part) => (part.type === "call" ? [part.id ?? ""] : []));
    const next = messages[i + 1];
    const results = next?.role === "tool" ? next.results.map(({ id }) => id ?? "") : [];
    if (calls.join() !== results.join()) wrong.push(`${i}: calls ${calls.join()}, results ${results.join()}`);
    for (const id of calls) {
      if (seen.has(id)) wrong.push(`${i}: the id ${id} for a second time`);
      seen.add(id);
    }
  });
  return wrong;
}

/** Everything for which some provider would refuse a request, in any format. */
export function refusals(asked: Asked): readonly string[] {
  return [
    ...unpaired(asked.messages),
    ...formats.flatMap((format) => {
      const body = bodyOf(asked, format);
      return [
        ...check(body, { format }).map(({ rule, path }) => `${format}: ${rule} at ${path}`),
        ...judge(body, { format }).map(({ id, path }) => `${format}: ${id} at ${path}, says the judge`),
      ];
    }),
  ];
}

const paths: ReadonlyMap<Format, string> = new Map([
  ["openai-chat", "/v1/chat/completions"],
  ["openai-responses", "/v1/responses"],
  ["anthropic", "/v1/messages"],
  ["gemini", `/v1beta/models/${models.gemini}:generateContent`],
  ["bedrock", `/model/${encodeURIComponent(models.bedrock)}/converse`],
  ["ollama", "/api/chat"],
]);

/** A strict server that is asked in every format. */
export interface AllProviders {
  /** Why a request is refused: one line for each format that does. */
  readonly refusals: (asked: Asked) => Promise<readonly string[]>;
  /** How many bodies were sent; one that was sent before is not sent again. */
  readonly sent: () => number;
  readonly close: () => Promise<void>;
}

export async function allProviders(): Promise<AllProviders> {
  const server: WireServer = await wireServer({ turns: () => ({ text: "Yes." }) });
  const answers = new Map<string, Promise<readonly string[]>>();
  let sent = 0;
  const ask = async (format: Format, path: string, asked: Asked): Promise<string | undefined> => {
    sent++;
    const { status, text } = await post(server.url + path, JSON.stringify(bodyOf(asked, format)));
    return status === 200 ? undefined : `${format}: ${status} ${text}`;
  };
  const askAll = async (asked: Asked): Promise<readonly string[]> => {
    const wrong = await Promise.all([...paths].map(([format, path]) => ask(format, path, asked)));
    return [...unpaired(asked.messages), ...wrong.filter((each) => each !== undefined)];
  };
  return {
    refusals(asked) {
      const key = JSON.stringify([asked.system, asked.messages, asked.tools]);
      const known = answers.get(key) ?? askAll(asked);
      answers.set(key, known);
      return known;
    },
    sent: () => sent,
    close: () => server.close(),
  };
}

/** Connections that are used again: `fetch` takes three times as long, and there are thousands of requests. */
const connections = new HttpAgent({ keepAlive: true, maxSockets: 8 });

async function post(url: string, body: string): Promise<{ readonly status: number; readonly text: string }> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: "POST", agent: connections }, (response) => {
      const pieces: Buffer[] = [];
      response.on("data", (piece: Buffer) => pieces.push(piece));
      response.on("end", () =>
        resolve({ status: response.statusCode ?? 0, text: Buffer.concat(pieces).toString("utf8") }),
      );
    });
    sent.on("error", reject);
    sent.end(body);
  });
}
