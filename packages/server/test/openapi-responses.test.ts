import { subagents, tool } from "undangle/agent";
import type { ModelRequest } from "undangle/agent";
import type { ScriptedTurn } from "undangle/testing";
import { expect, test } from "vitest";

import type { Scope, ServerOptions } from "../src/index.ts";
import { checkAgainst } from "./described-response.ts";
import type { Answer, Description, DescriptionCheck } from "./described-response.ts";
import { serve } from "./serve-fixture.ts";
import type { Answered, Method } from "./serve-fixture.ts";

const pay = tool({
  name: "pay",
  title: "Pay",
  description: "Pays.",
  input: { type: "object", properties: { to: { type: "string" } } },
  approval: { decisions: ["approve", "reject", "edit", "respond"], always: true, expiresAfter: 60_000 },
  annotations: { destructive: true },
  render: () => ({ type: "table", columns: ["to"], rows: [["Ann"]] }),
  execute: () => "paid",
});
const look = tool({ name: "look", description: "Looks.", execute: () => "seen" });

/** Calls what the last message names, and responds to the results. */
function answer({ messages }: ModelRequest): ScriptedTurn {
  const last = messages.at(-1);
  const text = last?.role === "user" ? last.parts.map((part) => (part.type === "text" ? part.text : "")).join("") : "";
  if (text.includes("delegate"))
    return { calls: [{ name: "task", arguments: { description: "look", subagent_type: "general-purpose" } }] };
  if (text.includes("pay both"))
    return {
      text: "I pay.",
      reasoning: "Two calls.",
      calls: [
        { name: "pay", arguments: { to: "Ann" } },
        { name: "pay", raw: '{"to":"Bob","n":12345678901234567890}' },
        { name: "look" },
      ],
    };
  if (text.includes("pay")) return { calls: [{ name: "pay", arguments: { to: "Ann" } }] };
  if (text.includes("look")) return { calls: [{ name: "look" }] };
  return { text: "Done.", usage: { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 } };
}

interface Checking {
  readonly call: (
    method: Method,
    url: string,
    payload?: unknown,
    headers?: Readonly<Record<string, string>>,
  ) => Promise<Answered>;
  /** Reads a stream up to a text. */
  readonly follow: (url: string, last: string) => Promise<void>;
  readonly check: DescriptionCheck;
  readonly description: Description;
  readonly key: (...scopes: readonly Scope[]) => Promise<Readonly<Record<string, string>>>;
}

/** A server whose every response is compared with its description. */
async function checking(options: ServerOptions = {}): Promise<Checking> {
  const { app, call } = serve({
    turns: [answer],
    agent: {
      tools: [pay, look],
      middleware: [subagents()],
      instructions: "Be brief.",
      approvals: [{ tools: "look", when: () => false }],
    },
    options,
  });
  const description = (await app.inject("/openapi.json")).json<Description>();
  const check = checkAgainst(description);
  let base: string | undefined;
  const demand = (answer: Answer): void => {
    const faults = check.faults(answer);
    const { method, url, status, text } = answer;
    if (faults.length > 0) throw new Error(`${method} ${url} ${status}: ${faults.join("; ")} in ${text.slice(0, 500)}`);
  };
  return {
    check,
    description,
    async key(...scopes) {
      const { text } = await app.service.keys.create({ name: "k", scopes, project: "p" });
      return { authorization: `Bearer ${text}` };
    },
    async call(method, url, payload, headers) {
      const answered = await call(method, url, payload, headers);
      const type = answered.headers["content-type"];
      demand({
        method,
        url,
        sent: payload,
        status: answered.status,
        type: typeof type === "string" ? type : "",
        text: answered.text,
      });
      return answered;
    },
    async follow(url, last) {
      base ??= await app.listen();
      const { body, status, headers } = await fetch(base + url);
      let text = "";
      const decoder = new TextDecoder();
      const pieces: AsyncIterable<Uint8Array> | null = body; // Node's streams can be iterated
      for await (const piece of pieces ?? []) {
        text += decoder.decode(piece, { stream: true });
        if (text.includes(last)) break; // the stream does not end by itself
      }
      const complete = text.slice(0, text.lastIndexOf("\n\n"));
      demand({ method: "GET", url, status, type: headers.get("content-type") ?? "", text: complete });
    },
  };
}

const broken = [
  { role: "user", content: "Pay." },
  {
    role: "assistant",
    content: null,
    tool_calls: [{ id: "a", type: "function", function: { name: "pay", arguments: "{}" } }],
  },
  { role: "user", content: "Well?" },
];
const stream = { accept: "text/event-stream" };

test("the requests and the responses of every route fit the description", async () => {
  const { call, follow, check, description, key } = await checking({ record: true });
  for (const path of [
    "/healthz",
    "/readyz",
    "/openapi.json",
    "/metrics",
    "/personas",
    "/v1/models",
    "/v1/models/helper",
  ])
    expect((await call("GET", path)).status).toBe(200);

  const said = { messages: [{ role: "user", content: "Hi." }] };
  await call("POST", "/v1/chat/completions", said);
  await call("POST", "/v1/chat/completions", { ...said, stream: true, stream_options: { include_usage: true } });
  await call("POST", "/v1/chat/completions", { messages: [{ role: "user", content: "pay" }] });
  const own = { type: "function", function: { name: "pay_there", parameters: { type: "object" } } };
  await call("POST", "/v1/chat/completions", { ...said, tools: [own], stream: true });
  await call("POST", "/v1/chat/completions", { messages: "Hi." });
  const rich = await call("POST", "/v1/chat/completions", {
    messages: [
      { role: "developer", content: "Be brief." },
      { role: "user", content: [{ type: "text", text: "Hi." }] },
    ],
    tools: [own],
    tool_choice: { type: "function", function: { name: "pay_there" } },
    response_format: { type: "json_schema", json_schema: { name: "answer", schema: { type: "object" } } },
    stop: ["END"],
  });
  expect(rich.status).toBe(200);

  await call(
    "POST",
    "/threads",
    { id: "t", metadata: { a: 1 }, files: { "/in.txt": "x" } },
    { "idempotency-key": "1" },
  );
  await call(
    "POST",
    "/threads",
    { id: "t", metadata: { a: 1 }, files: { "/in.txt": "x" } },
    { "idempotency-key": "1" },
  );
  expect((await call("POST", "/threads", { id: "t" })).status).toBe(409);
  const waiting = await call("POST", "/threads/t/messages?wait=true", { content: "pay both" });
  expect(waiting.body).toMatchObject({ status: "waiting", pending: [{ id: "call_1" }, { id: "call_2" }] });
  await call("GET", "/threads?limit=1");
  await call("GET", "/threads/t");
  await call("GET", "/threads/t?contents=pending");
  expect((await call("GET", "/queue")).body["data"]).toHaveLength(2);
  await follow("/queue/events", '"call_2"');
  expect((await call("POST", "/threads/t/decisions", { decisions: { call_9: { type: "approve" } } })).status).toBe(409);
  await call("POST", "/threads/t/decisions?wait=true", {
    decisions: { call_1: { type: "edit", arguments: { to: "Eve" }, always: { scope: "thread", match: "arguments" } } },
  });
  await call("POST", "/threads/t/decisions", { decisions: { call_2: { type: "approve", digest: "old" } } });
  await call("POST", "/threads/t/decisions", { decisions: { call_2: { type: "reject", reason: "No." } } }, stream);
  await call("POST", "/threads/t/decisions", { decisions: { call_1: { type: "approve" } } });
  await call("POST", "/threads/t/messages", { content: "delegate" }, stream);
  await call("POST", "/threads/t/messages?wait=true", { content: "pay" });
  await call("POST", "/threads/t/decisions?wait=true", {
    decisions: { call_5: { type: "approve", always: { scope: "agent", match: "tool" } } },
  });
  await call("POST", "/threads/t/messages", { content: "pay" }, stream);
  await call("POST", "/threads/t/regenerate?wait=true");
  expect((await call("POST", "/threads/t/messages", { content: "Hi." })).status).toBe(202);
  await call("POST", "/threads/t/stop");
  await follow("/threads/t/events", "event: run_end");
  await follow("/threads/t/events?path=call_4", "event: tool_call_end");
  await call("GET", "/threads/t");

  const { data } = (await call("GET", "/threads/t/allowances")).body as {
    readonly data: readonly { readonly id: string }[];
  };
  expect(data).toHaveLength(2);
  await call("DELETE", `/threads/t/allowances/${data[0]?.id ?? ""}`);
  await call("DELETE", "/threads/t/allowances/x");

  await call("POST", "/threads/t/fork", { id: "u" });
  await call("PATCH", "/threads/u", { title: "New" });
  expect((await call("PATCH", "/threads/u", { model: "x" })).status).toBe(404);
  for (const format of ["", "?format=openai-chat", "?format=anthropic", "?format=original", "?format=x"])
    await call("GET", `/threads/u/export${format}`);
  await call("POST", "/threads/import", { id: "i", history: broken });
  expect((await call("GET", "/threads/i/repairs")).body["data"]).toHaveLength(1);
  await call("GET", "/threads/t/entries");
  await call("GET", "/threads/t/entries?limit=1");
  await call("GET", "/threads/i/entries");
  await call("GET", "/threads/t/state");
  await call("GET", "/threads/t/trace");
  for (const side of ["request", "response"]) {
    await call("GET", `/threads/t/responses/1/${side}`);
    await call("GET", `/threads/t/responses/0/${side}`);
    expect((await call("GET", `/threads/t/responses/2/${side}?path=call_4`)).status).toBe(200);
    expect((await call("GET", `/threads/t/responses/2/${side}?path=call_9`)).status).toBe(400);
  }

  expect((await call("PUT", "/threads/u/files/a.txt", "hello", { "content-type": "text/plain" })).status).toBe(201);
  await call("PUT", "/threads/u/files/a.txt", "hello", { "content-type": "text/plain" });
  const file = await call("GET", "/threads/u/files/a.txt");
  await call("GET", "/threads/u/files/a.txt", undefined, { "if-none-match": String(file.headers["etag"]) });
  await call("GET", "/threads/u/files/none.txt");
  await call("GET", "/threads/u/files");
  await call("DELETE", "/threads/u/files/a.txt");

  await call("POST", "/check", broken);
  await call("POST", "/repair", { history: broken });
  await call("POST", "/convert", { history: broken, to: "anthropic" });
  await call("POST", "/convert", { history: broken, to: "nothing" });
  await call("POST", "/explain", { text: "tool_use ids were found without tool_result blocks" });

  await call("DELETE", "/threads/u");
  await call("GET", "/threads/u");
  await call("GET", "/threads/none");
  await call("GET", "/threads?limit=x");

  await call("GET", "/allowances");
  await call("GET", "/session");
  const made = (await call("POST", "/keys", { name: "a", scopes: ["admin"] })).body;
  const admin = { authorization: `Bearer ${String(made["text"])}` };
  await call("GET", "/keys", undefined, admin);
  await call("GET", "/key-names", undefined, admin);
  await call("DELETE", "/keys/none", undefined, admin);
  await call("DELETE", "/allowances/none", undefined, admin);
  const chat = await key("chat");
  await call("POST", "/session", { key: String(chat["authorization"]).slice("Bearer ".length) });
  await call("POST", "/session", { key: "ud_wrong" });
  await call("GET", "/threads", undefined, chat);
  await call("GET", "/threads");
  await call("DELETE", "/session", undefined, chat);

  const described = Object.entries(description.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { responses }]) => {
      const types = Object.entries(responses).flatMap(([, { content = {} }]) => Object.keys(content));
      return types.some((type) => type === "application/json" || type === "text/event-stream")
        ? [`${method.toUpperCase()} ${path}`]
        : [];
    }),
  );
  expect(described.length).toBeGreaterThan(25);
  expect(described.filter((route) => !check.checked.has(route))).toStrictEqual([]);
}, 60_000); // a hundred requests

test("a response that does not fit is reported", async () => {
  const { check } = await checking();
  const type = "application/json";
  const faults = (url: string, status: number, body: unknown): string =>
    check.faults({ method: "GET", url, status, type, text: JSON.stringify(body) }).join("; ");
  expect(faults("/healthz", 200, { status: "ok" })).toBe("");
  expect(faults("/healthz", 200, { status: "ok", more: 1 })).toContain("must NOT have additional properties");
  expect(faults("/healthz", 200, {})).toContain("must have required property 'status'");
  expect(faults("/healthz", 418, { status: "ok" })).toBe("the status 418 is not described");
  expect(faults("/nowhere", 200, {})).toBe("GET /nowhere is not described");
  const thread = "/threads/t/repairs";
  const repair = { id: "1", source: "import", at: 1, rule: "x", message: "x" };
  expect(faults(thread, 200, { data: [repair] })).toBe("");
  expect(faults(thread, 200, { data: [{ ...repair, edit: { rule: "x" } }] })).toContain("/data/0/edit");
});
