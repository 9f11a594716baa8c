import { mkdtempSync } from "node:fs";
import { request as httpRequest } from "node:http";
import type { IncomingMessage } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

import fc from "fast-check";
import { check } from "undangle";
import { memoryStore, tool } from "undangle/agent";
import type { Store } from "undangle/agent";
import { postgresStore } from "undangle/store/postgres";
import { sqliteStore } from "undangle/store/sqlite";
import { expect, onTestFinished, test } from "vitest";

import { freshDatabase, noPostgres } from "../../undangle/test/postgres/fresh-database.ts";
import { oddText, valueOf } from "./any-json.fixture.ts";
import { serve } from "./serve-fixture.ts";

/** One request, whatever is wrong with it. */
interface Shot {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | undefined;
}

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

interface Operation {
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly schema: unknown }[];
  readonly requestBody?: { readonly content: { readonly "application/json"?: { readonly schema: unknown } } };
}

const pay = tool({ name: "pay", description: "Pays.", approval: true, execute: () => "paid" });
const look = tool({ name: "look", description: "Looks.", execute: () => "seen" });

/** A server whose model does one thing after the other, and requests to all of its routes. */
async function target(store: Store) {
  const { app } = serve({
    agent: { tools: [pay, look] },
    turns: [
      { text: "I look.", calls: [{ name: "look" }] },
      { calls: [{ name: "pay" }, { name: "pay" }] },
      { text: "Well." },
      { calls: [{ name: "nothing", raw: '{"cut' }] },
      { text: "So." },
    ],
    options: { store, limits: { rate: 1_000_000, body: 300_000 } },
  });
  const url = await app.listen({ port: 0, host: "127.0.0.1" });
  const { paths } = (await app.inject("/openapi.json")).json<{ paths: Record<string, Record<string, Operation>> }>();
  const routes = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => shotAt(method.toUpperCase(), path, operation)),
  );
  return { app, url, shots: fc.array(fc.oneof(...routes), { minLength: 1, maxLength: 8 }) };
}

const ids = fc.oneof({ weight: 5, arbitrary: fc.constantFrom("a", "b", "漢") }, { weight: 1, arbitrary: oddText });

const filePaths = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom("a.txt", "notes/b.html", "%E6%BC%A2") },
  { weight: 1, arbitrary: fc.constantFrom("..", "a/%2e%2e/b", "a%2fb", "%00", "%ff", "", "/", "x".repeat(5000)) },
  { weight: 1, arbitrary: oddText.map((text) => encodeURIComponent(text.toWellFormed())) },
);

function shotAt(method: string, path: string, { parameters = [], requestBody }: Operation): fc.Arbitrary<Shot> {
  const schema = requestBody?.content["application/json"]?.schema;
  const query = parameters.filter((each) => each.in === "query");
  const queries = fc.record(Object.fromEntries(query.map(({ name, schema: own }) => [name, valueOf(own)])), {
    requiredKeys: [],
  });
  const bodies =
    schema === undefined
      ? fc.option(anyBytes, { nil: undefined })
      : fc.oneof(
          {
            weight: 8,
            arbitrary: valueOf(withKnownIds(schema)).map((value) => Buffer.from(JSON.stringify(value) ?? "")),
          },
          { weight: 1, arbitrary: anyBytes },
        );
  return fc
    .record({ id: ids, file: filePaths, search: queries, headers: anyHeaders, body: bodies })
    .map(({ id, file, search, headers, body }) => {
      const text = new URLSearchParams(
        Object.entries(search).map(([name, value]): [string, string] => [name, String(value)]),
      ).toString();
      return {
        method,
        path:
          path.replace("{id}", () => encodeURIComponent(id.toWellFormed())).replace("{path}", () => file) +
          (text === "" ? "" : `?${text}`),
        headers: { ...(body !== undefined && { "content-type": "application/json" }), ...headers },
        body: method === "GET" ? undefined : body,
      };
    });
}

/** Threads that are there are spoken of more often than others. */
function withKnownIds(schema: unknown): unknown {
  const { properties } = schema as { readonly properties?: Readonly<Record<string, unknown>> }; // of a body
  if (properties === undefined) return schema;
  const known = { anyOf: [{ enum: ["a", "b", "漢"] }, { type: "string" }] };
  return {
    ...(schema as object),
    properties: Object.fromEntries(
      Object.entries(properties).map(([name, own]) => [name, name === "thread_id" || name === "id" ? known : own]),
    ),
  };
}

const anyBytes = fc.oneof(
  fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
  fc
    .constantFrom("", "{", "null", "[]", "7", '"x"', "[".repeat(5000), '{"a":'.repeat(3000), "\ufeff{}")
    .map((text) => Buffer.from(text)),
  fc.constant(Buffer.alloc(400_000, "x")),
  fc.constant(gzipSync(Buffer.alloc(1_000_000))),
);

const strangeHeaders: fc.Arbitrary<Shot["headers"]> = fc.record(
  {
    "content-type": fc.constantFrom("application/json", "text/plain", "application/json; charset=utf-16", "x"),
    "content-encoding": fc.constantFrom("gzip", "br", "identity"),
    accept: fc.constantFrom("text/event-stream", "*/*", "application/xml"),
    "idempotency-key": fc.oneof(fc.constantFrom("k1", "k2"), fc.stringMatching(/^[ -~]{0,300}$/u)),
    "last-event-id": fc.oneof(fc.constantFrom("0", "1", "3:2", "999999999999"), fc.stringMatching(/^[!-~]{0,30}$/u)),
    authorization: fc.stringMatching(/^[ -~]{0,80}$/u),
    origin: fc.constantFrom("http://evil.example", "null", "http://localhost"),
    host: fc.constantFrom("localhost", "evil.example", "127.0.0.1:1"),
    "x-forwarded-for": fc.constantFrom("10.0.0.1"),
  },
  { requiredKeys: [] },
);

const anyHeaders: fc.Arbitrary<Shot["headers"]> = fc.oneof(
  { weight: 6, arbitrary: fc.constant({}) },
  { weight: 1, arbitrary: strangeHeaders },
  { weight: 1, arbitrary: fc.constant({ "idempotency-key": "k1" }) },
  { weight: 1, arbitrary: fc.constant({ accept: "text/event-stream" }) },
);

/** Asks, and reads the answer; of a stream without end only the beginning. */
function fire(url: string, { method, path, headers, body }: Shot): Promise<Answer> {
  const { port } = new URL(url);
  const allHeaders = { host: "localhost", ...headers, ...(body !== undefined && { "content-length": body.length }) };
  return new Promise((resolve, reject) => {
    const sent = httpRequest({ port, host: "127.0.0.1", method, path, headers: allHeaders, agent: false });
    const timer = setTimeout(() => sent.destroy(new Error(`${method} ${path} was never answered.`)), 10_000);
    sent.on("error", reject);
    sent.on("response", (response: IncomingMessage) => {
      const type = response.headers["content-type"] ?? "";
      let text = "";
      const end = (): void => {
        clearTimeout(timer);
        sent.destroy();
        resolve({ status: response.statusCode ?? 0, type, text });
      };
      response.on("error", end);
      response.on("end", end);
      response.on("data", (piece: Buffer) => {
        text += piece.toString();
        if (path.includes("/events")) end();
      });
    });
    sent.end(body);
  });
}

const inner = /\bat .+:\d+:\d+|node_modules|\/home\/|\/work\/|\/tmp\/|ECONN|SQLITE|TypeError|RangeError/u;

const stores: readonly [name: string, open: () => Promise<Store>, runs: number][] = [
  ["memory", () => Promise.resolve(memoryStore()), 150],
  ["SQLite", () => Promise.resolve(sqliteStore(join(mkdtempSync(join(tmpdir(), "undangle-")), "threads.db"))), 80],
  ["Postgres", openPostgres, 80],
];

async function openPostgres(): Promise<Store> {
  const database = await freshDatabase();
  onTestFinished(() => database.drop());
  return postgresStore(database.pool({ max: 8 }));
}

const isThere = (name: string): boolean => name !== "Postgres" || noPostgres === undefined;

test.each(stores.filter(([name]) => isThere(name)))(
  "whatever is sent to whichever route is answered, and leaves healthy threads (%s)",
  async (_, open, runs) => {
    const store = await open();
    const { app, url, shots } = await target(store);
    const seen = new Set<number>();
    for (const id of ["a", "b", "漢"]) await app.inject({ method: "POST", url: "/threads", payload: { id } });
    await fc.assert(
      fc.asyncProperty(shots, async (all) => {
        for (const shot of all) {
          const { status, type, text } = await fire(url, shot);
          seen.add(status);
          const isPage = type.startsWith("text/html");
          const { error } = status < 400 ? { error: { code: "none" } } : (JSON.parse(text) as { error?: object });
          expect([status < 500, !isPage && inner.test(text)], `${shot.method} ${shot.path}: ${text}`).toEqual([
            true,
            false,
          ]);
          expect(error).toHaveProperty("code");
        }
      }),
      { endOnFailure: false, ...(process.env["FUZZ"] === undefined && { numRuns: runs }) },
    );
    expect([200, 201, 400, 404].filter((status) => !seen.has(status))).toEqual([]);
    for (const { id } of await app.service.projectThreads.list("default", { limit: 999 })) {
      const { thread } = await app.service.projectThreads.open("default", id);
      await thread.stop();
      const problems = check(await thread.export("openai-chat"), { format: "openai-chat" });
      expect(problems.filter(({ rule }) => rule !== "no-messages")).toEqual([]); // nothing was said in some
    }
    await app.close();
    await store.close();
  },
);
