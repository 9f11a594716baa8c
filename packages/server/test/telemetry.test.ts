import { request } from "node:http";
import { setTimeout as pause } from "node:timers/promises";

import * as api from "@opentelemetry/api";
import type { ReadableSpan } from "@opentelemetry/sdk-trace-base";
import { pino } from "pino";
import { telemetry, tool } from "undangle/agent";
import { describe, expect, test } from "vitest";

import { recordSpans } from "../../undangle/test/telemetry/recorded-spans.ts";
import { loadTelemetry } from "../src/telemetry/load-telemetry.ts";
import type { ServerOptions } from "../src/index.ts";
import { serve } from "./serve-fixture.ts";
import type { Stage } from "./serve-fixture.ts";

const pay = tool({ name: "pay", description: "Pays.", approval: true, execute: () => "paid" });
const look = tool({ name: "look", description: "Looks.", execute: async () => Promise.resolve("seen") });
const traceId = "0af7651916cd43dd8448eb211c80319c";
const traceparent = `00-${traceId}-b7ad6b7169203331-01`;
const question = { messages: [{ role: "user", content: "A secret." }] };

interface Line {
  readonly msg: string;
  readonly reqId?: string;
  readonly trace_id?: string;
}

/** A server on a port, its spans, and what it logs. */
async function listening(stage: Stage) {
  const spans = recordSpans();
  const lines: Line[] = [];
  const logger = pino({ level: "info" }, { write: (line: string) => void lines.push(JSON.parse(line) as Line) });
  const { app } = serve({ ...stage, options: { logger, ...stage.options } });
  const url = await app.listen({ port: 0, host: "127.0.0.1" });
  const post = async (path: string, body: object, headers: Readonly<Record<string, string>> = {}) => {
    const answer = await fetch(url + path, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
    });
    return { id: String(answer.headers.get("x-request-id")), text: await answer.text(), status: answer.status };
  };
  return { spans, lines, post, url };
}

/** The names of spans, each with that of the one that it is inside of. */
function tree(spans: readonly ReadableSpan[]): readonly string[] {
  const names = new Map(spans.map((span) => [span.spanContext().spanId, span.name]));
  return spans.map(({ name, parentSpanContext: outer }) => `${names.get(outer?.spanId ?? "") ?? "?"} > ${name}`).sort();
}

const story = [{ calls: [{ name: "look" }] }, { text: "Well." }];

describe("a chat", () => {
  test.each([true, false])("is one trace, that of the request (streamed: %s)", async (stream) => {
    const { spans, lines, post } = await listening({ agent: { tools: [look] }, turns: story });
    const { id, text } = await post("/v1/chat/completions", { ...question, stream }, { traceparent });
    expect(text).toContain("Well.");
    await expect.poll(() => spans().length).toBe(5);
    expect(new Set(spans().map((span) => span.spanContext().traceId))).toEqual(new Set([traceId]));
    expect(tree(spans())).toEqual([
      "? > POST /v1/chat/completions",
      "POST /v1/chat/completions > invoke_agent helper",
      "invoke_agent helper > chat scripted",
      "invoke_agent helper > chat scripted",
      "invoke_agent helper > execute_tool look",
    ]);
    const named = (name: string) => spans().find((span) => span.name === name)?.attributes;
    expect(named("POST /v1/chat/completions")).toMatchObject({
      "http.response.status_code": 200,
      "http.response.header.x-request-id": [id],
    });
    expect(named("invoke_agent helper")).toMatchObject({ "undangle.request.id": id });
    const told = ["Run started", "Tool started", "First byte", "Request completed"];
    const own = lines.filter(({ msg }) => told.includes(msg));
    expect(new Set(own.map(({ msg }) => msg))).toEqual(new Set(told));
    expect(own.map(({ trace_id: trace, reqId }) => [trace, reqId])).toEqual(own.map(() => [traceId, id]));
  });

  test.each<[ServerOptions, boolean]>([
    [{}, false],
    [{ telemetry: { content: true } }, true],
    [{ env: { OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: "true" } }, true],
    [{ telemetry: true }, false],
  ])("has what was said in its spans only where that is wanted: %j", async (options, isWanted) => {
    const { spans, post } = await listening({ turns: [{ text: "Well." }], options });
    await post("/v1/chat/completions", question);
    await expect.poll(() => spans().length).toBe(3);
    expect(JSON.stringify(spans().map(({ attributes }) => attributes)).includes("A secret.")).toBe(isWanted);
  });

  test("is one trace also where its body comes slowly", async () => {
    const { spans, lines, url } = await listening({ agent: { tools: [look] }, turns: story });
    const headers = { "content-type": "application/json", "transfer-encoding": "chunked" };
    const sent = request(`${url}/v1/chat/completions`, { method: "POST", headers });
    for (const piece of JSON.stringify(question).match(/.{1,30}/gu) ?? []) {
      sent.write(piece);
      await pause(20);
    }
    sent.end();
    sent.on("response", (answer) => answer.resume());
    await expect.poll(() => spans().length).toBe(5);
    expect(tree(spans())).toContain("POST /v1/chat/completions > invoke_agent helper");
    expect(lines.find(({ msg }) => msg === "Tool started")?.reqId).toBeTypeOf("string");
  });

  test("is inside of the span that the program has for the request", async () => {
    const spans = recordSpans();
    const { call } = serve({ turns: [{ text: "Well." }] });
    await api.trace.getTracer("test").startActiveSpan("GET of an instrumentation", async (span) => {
      await call("POST", "/v1/chat/completions", question, { traceparent });
      span.end();
    });
    expect(tree(spans())).toEqual([
      "? > GET of an instrumentation",
      "GET of an instrumentation > invoke_agent helper",
      "invoke_agent helper > chat scripted",
    ]);
  });
});

test("a decision goes on in the trace of its own request, linked to the run that waited", async () => {
  const { spans, post } = await listening({
    agent: { tools: [pay] },
    turns: [{ calls: [{ name: "pay" }] }, { text: "Paid." }],
  });
  await post("/threads", { id: "t" });
  await post("/threads/t/messages?wait=true", { content: "Pay." });
  await post("/threads/t/decisions?wait=true", { all: "approve" }, { traceparent });
  await expect.poll(() => spans().filter(({ name }) => name.startsWith("POST")).length).toBe(3);
  const [waiting, going] = spans().filter(({ name }) => name === "invoke_agent helper");
  expect(waiting?.attributes["undangle.run.status"]).toBe("waiting");
  expect(going?.attributes["undangle.run.status"]).toBe("done");
  expect(going?.spanContext().traceId).toBe(traceId);
  expect(going?.links.map(({ context }) => context.spanId)).toEqual([waiting?.spanContext().spanId]);
});

test("what goes wrong stands in the span of the request", async () => {
  const { spans, post } = await listening({ turns: [{ error: { status: 400, message: "no" } }] });
  const { status } = await post("/v1/chat/completions", question);
  expect(status).toBe(502);
  await expect.poll(() => spans().length).toBe(3);
  const failed = spans().map(({ name, status: { code }, attributes }) => [name, code, attributes["error.type"]]);
  expect(failed).toContainEqual(["POST /v1/chat/completions", 2, "502"]);
  expect(failed).toContainEqual(["invoke_agent helper", 2, "model/failed"]);
});

describe("spans", () => {
  test("are not made where they are not wanted", async () => {
    const { spans, post } = await listening({ turns: [{ text: "Well." }], options: { telemetry: false } });
    await post("/v1/chat/completions", question);
    expect(spans()).toEqual([]);
  });

  test("are not recorded of a trace that is not", async () => {
    const { spans, post } = await listening({ agent: { tools: [look] }, turns: story });
    const { text } = await post("/v1/chat/completions", question, { traceparent: traceparent.replace(/1$/u, "0") });
    expect(text).toContain("Well.");
    expect(spans()).toEqual([]);
  });

  test("of an agent that has its own middleware for them are made once", async () => {
    const middleware = [telemetry({ api, attributes: () => ({ own: true }) })];
    const { spans, post } = await listening({ turns: [{ text: "Well." }], agent: { middleware } });
    await post("/v1/chat/completions", question);
    await expect.poll(() => spans().length).toBe(3);
    expect(spans().filter(({ attributes }) => attributes["own"] === true)).toHaveLength(1);
  });

  test("need no package: without it there are none, unless they are demanded", async () => {
    const missing = () => Promise.reject(Object.assign(new Error("no such package"), { code: "ERR_MODULE_NOT_FOUND" }));
    expect(await loadTelemetry(undefined, {}, missing)).toBeUndefined();
    await expect(loadTelemetry(true, {}, missing)).rejects.toThrow("npm install @opentelemetry/api");
    await expect(loadTelemetry(undefined, {}, () => Promise.reject(new Error("broken")))).rejects.toThrow("broken");
  });

  test.each([["yes"], [{ contents: true }], [{ content: 1 }]])(
    "are not made in a way that means nothing: %j",
    (wish) => {
      expect(() => serve({ options: { telemetry: wish as unknown as boolean } })).toThrow("telemetry");
    },
  );
});
