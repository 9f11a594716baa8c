import { createAgent, tool } from "undangle/agent";
import { aiSdkModel, openai } from "undangle/models";
import type { HttpModelOptions } from "undangle/models";
import { memoryStore } from "undangle/store/memory";
import { createOpenAI } from "@ai-sdk/openai";
import { wireServer } from "undangle/testing";
import type { ScriptedTurn, WireServer } from "undangle/testing";
import { describe, expect, test } from "vitest";
import { z } from "zod";

const add = tool({ name: "add", description: "Adds.", input: z.object({ a: z.number() }), execute: ({ a }) => a + 1 });

const usual: HttpModelOptions = { apiKey: "none", retryDelay: 1, env: {} };

/** Servers of the Responses format, each of which has sealed its thoughts in its own way. */
const thinking = (seal: string): ScriptedTurn => ({
  reasoning: "Hm.",
  seal,
  calls: [{ name: "add", arguments: { a: 1 } }],
});

const sealsIn = ({ requests }: WireServer): readonly unknown[] =>
  requests.map(({ body }) =>
    (body["input"] as readonly Record<string, unknown>[]).flatMap(({ encrypted_content: value }) => value ?? []),
  ); // the input of the format

/** OpenAI's own address, behind which a test server answers. */
const atOpenAi = (server: WireServer): HttpModelOptions => ({
  ...usual,
  fetch: (url, init) => fetch(url.replace("https://api.openai.com/v1", server.baseUrl("openai-responses")), init),
});

describe("what a server of the Responses format has encrypted", () => {
  test("goes back to it, however it looks, and to no other", async () => {
    const [xai, gateway, own] = await Promise.all([
      wireServer({ provider: "xai", turns: [thinking("ENC-of-xai"), { text: "Two." }, { text: "Sure." }] }),
      wireServer({ provider: "openrouter", turns: [thinking("gAAAAABgateway"), { text: "Two." }] }),
      wireServer({ turns: [thinking("gAAAAABopenai"), { text: "Two." }, { text: "Sure." }] }),
    ]);
    const at = (server: WireServer) => openai("gpt-5.1", { ...usual, baseURL: server.baseUrl("openai-responses") });
    const store = memoryStore();
    const models = [at(xai), at(gateway), openai("gpt-5.1", atOpenAi(own)), at(xai), openai("gpt-5.1", atOpenAi(own))];
    for (const model of models) {
      const end = await createAgent({ model, tools: [add], store })
        .thread("t")
        .send("And?").result;
      expect([end.status, end.error?.message]).toEqual(["done", undefined]);
    }
    await Promise.all([xai, gateway, own].map((server) => server.close()));
    expect(sealsIn(xai)).toEqual([[], ["ENC-of-xai"], ["ENC-of-xai"]]);
    expect(sealsIn(gateway)).toEqual([[], ["gAAAAABgateway"]]);
    expect(sealsIn(own)).toEqual([[], ["gAAAAABopenai"], ["gAAAAABopenai"]]);
  });

  test("does not go to OpenAI through a package of the AI SDK", async () => {
    const xai = await wireServer({ provider: "xai", turns: [thinking("ENC-of-xai"), { text: "Two." }] });
    const own = await wireServer({ turns: [{ text: "Three." }] });
    const store = memoryStore();
    const first = openai("gpt-5.1", { ...usual, baseURL: xai.baseUrl("openai-responses") });
    await createAgent({ model: first, tools: [add], store })
      .thread("t")
      .send("1 + 1?").result;
    const model = aiSdkModel(createOpenAI({ baseURL: own.baseUrl("openai-responses"), apiKey: "none" })("gpt-5.1"));
    const end = await createAgent({ model, tools: [add], store })
      .thread("t")
      .send("And?").result;
    await Promise.all([xai.close(), own.close()]);
    expect([end.status, end.text]).toEqual(["done", "Three."]);
    expect(JSON.stringify(own.requests[0]?.body)).not.toContain("ENC-of-xai");
  });
});

const phased = (id: string, phase: string, text: string) => ({
  id,
  type: "message",
  role: "assistant",
  status: "completed",
  phase,
  content: [{ type: "output_text", text, annotations: [] }],
});

/** A stream of items, as OpenAI sends them when it keeps nothing. */
function streamOf(...items: readonly Readonly<Record<string, unknown>>[]): string {
  const usage = { input_tokens: 1, output_tokens: 1 };
  const head = { id: "r", object: "response", created_at: 1, model: "gpt-5.4", store: false, usage };
  const response = { ...head, status: "completed", output: items };
  const events = [
    { type: "response.created", response: { ...response, status: "in_progress", output: [] } },
    ...items.flatMap((item, output_index) => [
      {
        type: "response.output_item.added",
        output_index,
        item: { ...item, ...("content" in item && { content: [] }) },
      },
      ...(item["type"] === "message" ? [deltaOf(item, output_index)] : []),
      { type: "response.output_item.done", output_index, item: { ...item, status: "completed" } },
    ]),
    { type: "response.completed", response },
  ];
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");
}

function deltaOf({ id, content }: Readonly<Record<string, unknown>>, output_index: number) {
  const [part] = content as readonly { readonly text: string }[]; // made above
  return { type: "response.output_text.delta", item_id: id, output_index, content_index: 0, delta: part?.text ?? "" };
}

interface Body {
  readonly input: readonly Readonly<Record<string, unknown>>[];
}

describe("the phase of a message", () => {
  const call = { id: "fc_1", type: "function_call", call_id: "call_1", name: "add", arguments: '{"a":1}' };
  const answers = [
    streamOf(phased("msg_1", "commentary", "I add."), call),
    streamOf(phased("msg_2", "commentary", "So."), phased("msg_3", "final_answer", "Two.")),
    streamOf(phased("msg_4", "final_answer", "Sure.")),
  ];

  /** The messages of the assistant in the last request, when each answer comes as above. */
  async function said(make: (fetch: typeof globalThis.fetch) => Parameters<typeof createAgent>[0]["model"]) {
    const bodies: Body[] = [];
    const model = make((_url, init) => {
      bodies.push(JSON.parse(typeof init?.body === "string" ? init.body : "") as Body); // what a client writes
      const headers = { "content-type": "text/event-stream" };
      return Promise.resolve(new Response(answers[bodies.length - 1] ?? "", { headers }));
    });
    const thread = createAgent({ model, tools: [add] }).thread("t");
    for (const words of ["1 + 1?", "Sure?"]) expect((await thread.send(words).result).status).toBe("done");
    return bodies.at(-1)?.input.filter(({ role }) => role === "assistant") ?? [];
  }

  const expected = [
    ["commentary", "I add."],
    ["commentary", "So."],
    ["final_answer", "Two."],
  ];

  test.each<[string, Parameters<typeof said>[0]]>([
    ["", (fetch) => openai("gpt-5.4", { ...usual, fetch })],
    [
      ", also through a package of the AI SDK",
      (fetch) => aiSdkModel(createOpenAI({ apiKey: "none", fetch })("gpt-5.4")),
    ],
  ])("goes back with it%s", async (_way, make) => {
    const messages = await said(make);
    expect(messages.map(({ phase, content }) => [phase, content])).toEqual(expected);
  });
});
