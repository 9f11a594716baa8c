import { mkdtempSync } from "node:fs";
import { request as httpRequest } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

import fc from "fast-check";
import { tool } from "undangle/agent";
import { canonicalPath } from "undangle/files";
import { sqliteStore } from "undangle/store/sqlite";
import { describe, expect, test } from "vitest";

import { createKeeper } from "../src/projects/retention.ts";
import { serve } from "./serve-fixture.ts";
import type { Served, Stage } from "./serve-fixture.ts";

const bytes = { "content-type": "application/octet-stream" };

/** A server with a thread `t`. */
async function served(stage: Stage = {}): Promise<Served> {
  const server = serve(stage);
  await server.call("POST", "/threads", { id: "t" });
  return server;
}

const pathsIn = async ({ call }: Pick<Served, "call">, query = ""): Promise<readonly string[]> => {
  const { data } = (await call("GET", `/threads/t/files${query}`)).body as { data: readonly { path: string }[] };
  return data.map(({ path }) => path);
};

describe("the files of a thread", () => {
  test("are written, listed, read, replaced and deleted", async () => {
    const { app, call } = await served();
    const made = await call("PUT", "/threads/t/files/notes/a%20b.txt", "one", { "content-type": "text/plain" });
    expect([made.status, made.headers["location"], made.text]).toEqual([201, "/threads/t/files/notes/a%20b.txt", ""]);
    const payload = Buffer.from([0, 255, 10]);
    const put = { method: "PUT", url: "/threads/t/files/bin", payload, headers: bytes } as const;
    expect((await app.inject(put)).statusCode).toBe(201);
    expect((await call("PUT", "/threads/t/files/notes/a%20b.txt", '{"a":1}', { "content-type": "x/y" })).status).toBe(
      204,
    );
    const { body } = await call("GET", "/threads/t/files");
    const time = expect.stringMatching(/^\d{4}-.*Z$/u) as string;
    expect(body).toEqual({
      data: [
        { path: "/bin", size: 3, createdAt: time, modifiedAt: time },
        { path: "/notes/a b.txt", size: 7, createdAt: time, modifiedAt: time },
      ],
    });
    expect((await call("GET", "/threads/t/files/notes/a%20b.txt")).text).toBe('{"a":1}');
    expect((await app.inject("/threads/t/files/bin")).rawPayload).toEqual(payload);
    expect(await pathsIn({ call }, "?prefix=/notes/")).toEqual(["/notes/a b.txt"]);
    expect(await pathsIn({ call }, "?prefix=no")).toEqual(["/notes/a b.txt"]);
    expect((await call("DELETE", "/threads/t/files/bin")).status).toBe(204);
    for (const method of ["GET", "DELETE"] as const)
      expect(await call(method, "/threads/t/files/bin")).toMatchObject({
        status: 404,
        body: { error: { code: "file/missing", param: "path", type: "invalid_request_error" } },
      });
    expect(await pathsIn({ call })).toEqual(["/notes/a b.txt"]);
  });

  test("a body may be empty, and have no type", async () => {
    const { app, call } = await served();
    expect((await call("PUT", "/threads/t/files/empty")).status).toBe(201);
    const url = await app.listen({ port: 0, host: "127.0.0.1" });
    const put = { method: "PUT", body: new Uint8Array([1, 2]) };
    expect((await fetch(`${url}/threads/t/files/untyped`, put)).status).toBe(201);
    expect((await call("GET", "/threads/t/files")).body).toMatchObject({
      data: [
        { path: "/empty", size: 0 },
        { path: "/untyped", size: 2 },
      ],
    });
  });

  test.each([
    ["a.txt", "text/plain; charset=utf-8", "inline"],
    ["a.PNG", "image/png", "inline"],
    ["a.json", "application/json; charset=utf-8", "inline"],
    ["a.html", "text/html; charset=utf-8", "attachment"],
    ["a.svg", "image/svg+xml", "attachment"],
    ["a.xml", "application/xml", "attachment"],
    ["a.js", "text/plain; charset=utf-8", "attachment"],
    ["a.exe", "application/octet-stream", "attachment"],
    ["constructor", "application/octet-stream", "attachment"],
    ["dir.html/plain", "application/octet-stream", "attachment"],
  ])("%s has the type %s and is for %s", async (name, type, disposition) => {
    const { call } = await served();
    await call("PUT", `/threads/t/files/${name}`, '"<script>alert(1)</script>"', bytes);
    const { headers } = await call("GET", `/threads/t/files/${name}`);
    expect([headers["content-type"], String(headers["content-disposition"]).split(";")[0]]).toEqual([
      type,
      disposition,
    ]);
    expect(headers).toMatchObject({
      "x-content-type-options": "nosniff",
      "content-security-policy": "sandbox; default-src 'none'",
      "cross-origin-resource-policy": "same-origin",
    });
  });

  test("a name with quotes, line ends and other scripts cannot add a header", async () => {
    const { call } = await served();
    const name = encodeURIComponent(`"'(*)漢;x=1.txt`);
    await call("PUT", `/threads/t/files/${name}`, "x", bytes);
    const { headers } = await call("GET", `/threads/t/files/${name}`);
    expect(headers["content-disposition"]).toBe("inline; filename*=UTF-8''%22%27%28%2A%29%E6%BC%A2%3Bx%3D1.txt");
  });

  test("an unchanged file is not sent again", async () => {
    const { call } = await served();
    await call("PUT", "/threads/t/files/a", "one", bytes);
    const etag = String((await call("GET", "/threads/t/files/a")).headers["etag"]);
    const again = (tag: string) => call("GET", "/threads/t/files/a", undefined, { "if-none-match": tag });
    expect([(await again(etag)).status, (await again(`"x", W/${etag}`)).status]).toEqual([304, 304]);
    await call("PUT", "/threads/t/files/a", "two", bytes);
    expect(await again(etag)).toMatchObject({ status: 200, text: "two" });
  });

  test("what cannot be stored as it is sent is refused", async () => {
    const { call } = await served({ options: { limits: { body: 1000 } } });
    const put = (body: string, headers: Readonly<Record<string, string>>) =>
      call("PUT", "/threads/t/files/a", body, { ...bytes, ...headers });
    expect((await put("x".repeat(1001), {})).status).toBe(413);
    expect((await put("x", { "content-encoding": "gzip" })).body).toMatchObject({
      error: { code: "encoding-unknown" },
    });
    expect((await put("x", { "content-range": "bytes 0-0/2" })).status).toBe(400);
    expect(await pathsIn({ call })).toEqual([]);
  });

  test("a method that is not supported gets the allowed ones, and a page of an allowed origin may PUT", async () => {
    const origin = "http://localhost:3000";
    const { call, app } = await served({ options: { origins: [origin] } });
    expect(await call("PATCH", "/threads/t/files/a", {})).toMatchObject({
      status: 405,
      headers: { allow: "DELETE, GET, HEAD, PUT, OPTIONS" },
    });
    const headers = { origin, "access-control-request-method": "PUT" };
    const preflight = await app.inject({ method: "OPTIONS", url: "/threads/t/files/a", headers });
    expect(preflight.headers["access-control-allow-methods"]).toContain("PUT");
    expect((await call("PUT", "/threads/t/files/a", "x", { ...bytes, origin: "http://evil.example" })).status).toBe(
      403,
    );
    expect((await call("PUT", "/threads/t/files/a", "x", { ...bytes, host: "evil.example" })).status).toBe(403);
    expect(await pathsIn({ call })).toEqual([]);
  });

  test("are described by OpenAPI", async () => {
    const { call } = serve();
    const { paths } = (await call("GET", "/openapi.json")).body as { paths: Record<string, Record<string, object>> };
    expect(Object.keys(paths["/threads/{id}/files/{path}"] ?? {}).sort()).toEqual(["delete", "get", "put"]);
    expect(paths["/threads/{id}/files/{path}"]?.["put"]).toMatchObject({
      operationId: "writeFile",
      parameters: [{ name: "id" }, { name: "path", in: "path" }],
      requestBody: { content: { "application/octet-stream": {} } },
    });
  });
});

describe("a thread that a caller may not use", () => {
  const requests = [
    ["GET", "/threads/t/files"],
    ["GET", "/threads/t/files/a"],
    ["PUT", "/threads/t/files/a"],
    ["DELETE", "/threads/t/files/a"],
  ] as const;

  test.each(requests)("%s %s: unknown and deleted threads have no files, and none is created", async (method, url) => {
    const { call } = await served();
    await call("PUT", "/threads/t/files/a", "x", bytes);
    expect((await call(method, url.replace("/t/", "/none/"))).status).toBe(404);
    expect((await call("GET", "/threads/none")).status).toBe(404);
    await call("DELETE", "/threads/t");
    expect((await call(method, url)).status).toBe(410);
    await call("PATCH", "/threads/t", { deleted: false });
    expect(await pathsIn({ call })).toEqual(["/a"]);
  });

  test.each(requests)("%s %s: other projects, other scopes and no key", async (method, url) => {
    const { app, call } = await served();
    await call("PUT", "/threads/t/files/a", "x", bytes);
    const keyOf = async (scopes: readonly ("chat" | "threads" | "approve")[], project: string) => ({
      authorization: `Bearer ${(await app.service.keys.create({ name: "k", scopes, project })).text}`,
    });
    const own = await keyOf(["threads"], "default");
    expect((await call(method, url, undefined, await keyOf(["threads"], "other"))).status).toBe(404);
    expect((await call(method, url, undefined, await keyOf(["chat", "approve"], "default"))).status).toBe(403);
    expect((await call(method, url)).status).toBe(401);
    expect((await call("GET", "/threads/t/files/a", undefined, own)).text).toBe("x");
    expect((await call(method, url, undefined, own)).status).toBeLessThan(300);
  });
});

describe("paths in URLs", () => {
  interface Answer {
    readonly status: number;
    readonly text: string;
  }

  /** Sends a target as it is. `fetch` and `inject` resolve dots first. */
  const send = (port: number, method: string, path: string): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const sent = httpRequest({ port, host: "127.0.0.1", method, path, agent: false }, (response) => {
        let text = "";
        response.on("data", (chunk: Buffer) => (text += chunk.toString()));
        response.on("end", () => resolve({ status: response.statusCode ?? 0, text }));
      });
      sent.on("error", reject);
      sent.end();
    });

  const listening = async (): Promise<Served & { readonly port: number }> => {
    const server = await served({ options: { limits: { rate: 1_000_000 } } });
    const port = Number(new URL(await server.app.listen({ port: 0, host: "127.0.0.1" })).port);
    return { ...server, port };
  };

  const refused = [
    "..",
    "a/../b",
    "../../other/files/x",
    "%2e%2e/x",
    "a/.%2E/b",
    "a%2fb",
    "a%2Fb",
    "%2f..%2fetc",
    "a%5cb",
    "a\\b",
    "a%00b",
    "a%0ab",
    "a%7fb",
    "%252e%252e/x",
    "a%252fb",
    "a%255cb",
    "a%2500",
    "a%25252e",
    "%ff",
    "%c0%ae%c0%ae/x",
    "%ed%a0%80",
    "%zz",
    "%",
    "",
    "/",
    ".",
    "%2e",
    "x".repeat(256),
    "%E6%BC%A2".repeat(86),
    "a/".repeat(2049),
    "a/".repeat(2100),
    "x".repeat(5000),
  ];
  test("what could leave the files, or be read in two ways, is refused", async () => {
    const { port, call } = await listening();
    for (const path of refused)
      for (const method of ["GET", "PUT", "DELETE"]) {
        const { status, text } = await send(port, method, `/threads/t/files/${path}`);
        const { error } = JSON.parse(text) as { error: { code: string; message: string } };
        expect([status, error.message.endsWith(".")], `${method} ${path}: ${text}`).toEqual([400, true]);
      }
    expect(await pathsIn({ call })).toEqual([]);
  });

  test.each([
    ["a//b/./c/", "/a/b/c"],
    ["%61%2E", "/a."],
    ["%e6%bc%a2%20%3F%23%26", "/漢 ?#&"],
    ["...", "/..."],
    ["~root", "/~root"],
    ["a+b;c=d", "/a+b;c=d"],
    ["100%25", "/100%"],
    ["a%2541", "/a%41"],
    ["a?x=/../b", "/a"],
  ])("%s is %s", async (text, path) => {
    const { port, call } = await listening();
    expect((await send(port, "PUT", `/threads/t/files/${text}`)).status).toBe(201);
    expect(await pathsIn({ call })).toEqual([path]);
    expect((await send(port, "GET", `/threads/t/files/${text}`)).status).toBe(200);
  });

  test("a path may be longer than an id", async () => {
    const { port, call } = await listening();
    const long = `/${"x".repeat(255)}`.repeat(15);
    expect((await send(port, "PUT", `/threads/t/files${long}`)).status).toBe(201);
    expect(await pathsIn({ call })).toEqual([long]);
  });

  test("whatever is sent, a stored path is canonical, and nothing outside changes", async () => {
    const { port, call } = await listening();
    await call("POST", "/threads", { id: "u" });
    const parts = fc.constantFrom(
      "a",
      "b.",
      "/",
      ".",
      "..",
      "%2e",
      "%2E",
      "%2f",
      "%5c",
      "\\",
      "%25",
      "2e",
      "%00",
      "~",
      "%",
      "%E6%BC%A2",
      "files",
      "threads",
      ";",
      "%3F",
    );
    const texts = fc.array(parts, { maxLength: 10 }).map((all) => all.join(""));
    await fc.assert(
      fc.asyncProperty(texts, async (text) => {
        const { status } = await send(port, "PUT", `/threads/t/files/${text}`);
        expect([201, 204, 400]).toContain(status);
      }),
      { numRuns: 300 },
    );
    const stored = await pathsIn({ call });
    expect(stored.length).toBeGreaterThan(5);
    expect(stored.map((path) => canonicalPath(path).path)).toEqual(stored);
    const { data } = (await call("GET", "/threads")).body as { data: readonly { id: string }[] };
    expect(data.map(({ id }) => id).sort()).toEqual(["t", "u"]);
    expect((await call("GET", "/threads/u/files")).body).toEqual({ data: [] });
  });
});

describe("files with a message", () => {
  const read = tool({
    name: "read",
    description: "Reads.",
    async execute(_, { files }) {
      const file = await files.read("/in.txt");
      return file === undefined ? "none" : new TextDecoder().decode(file.data);
    },
  });
  const stage = { agent: { tools: [read] }, turns: [{ calls: [{ name: "read" }] }, { text: "Done." }] };
  const message = "/threads/t/messages?wait=true";

  test("are there when the tools run; null deletes one", async () => {
    const { call } = await served(stage);
    await call("PUT", "/threads/t/files/old", "x", bytes);
    const files = { "in.txt": "given", "/old": null };
    expect((await call("POST", message, { content: "Go.", files })).body).toMatchObject({ status: "done" });
    expect((await call("GET", "/threads/t")).body).toMatchObject({ calls: [{ result: "given" }] });
    expect(await pathsIn({ call })).toEqual(["/in.txt"]);
  });

  test.each([
    ["a path that leaves the files", { "../x": "y" }],
    ["the root", { "/": "y" }],
    ["a content that is not text", { "/x": 5 }],
    ["a list", ["/x"]],
  ])("%s is refused, and nothing is sent", async (_, files) => {
    const { call, model } = await served(stage);
    const { status, body } = await call("POST", message, { content: "Go.", files });
    expect([status, (body["error"] as { param: string }).param]).toEqual([400, expect.stringMatching(/^files/u)]);
    expect(model.requests).toEqual([]);
    expect((await call("GET", "/threads/t")).body).toMatchObject({ entries: 0 });
    expect(await pathsIn({ call })).toEqual([]);
  });
});

test("a file can be written while a tool runs, and what the tool writes is read when it has ended", async () => {
  const { promise: untilEnd, resolve: end } = Promise.withResolvers<void>();
  const { promise: untilWritten, resolve: written } = Promise.withResolvers<void>();
  const slow = tool({
    name: "slow",
    description: "Writes slowly.",
    async execute(_, { files }) {
      await files.write([{ path: "/tool.txt", data: Buffer.from("x") }]);
      written();
      await untilEnd;
      return "done";
    },
  });
  const { call } = await served({
    agent: { tools: [slow] },
    turns: [{ calls: [{ name: "slow" }] }, { text: "Done." }],
  });
  const run = call("POST", "/threads/t/messages?wait=true", { content: "Go." });
  await untilWritten;
  expect((await call("PUT", "/threads/t/files/host.txt", "y", bytes)).status).toBe(201);
  expect(await pathsIn({ call })).toEqual(["/host.txt"]);
  end();
  expect((await run).body).toMatchObject({ status: "done", text: "Done." });
  expect(await pathsIn({ call })).toEqual(["/host.txt", "/tool.txt"]);
});

describe("files of a new thread", () => {
  test("are saved in the commit that creates it, once for an Idempotency-Key", async () => {
    const { app, call } = serve({ turns: [{ text: "Yes." }] });
    const key = { "idempotency-key": "k" };
    const wanted = { id: "t", title: "Bills", metadata: { a: 1 }, files: { "/in/a.txt": "文", "b.txt": "" } };
    const made = await call("POST", "/threads", wanted, key);
    expect(made).toMatchObject({ status: 201, body: { title: "Bills", metadata: { a: 1 }, entries: 0 } });
    expect((await call("POST", "/threads", wanted, key)).body).toEqual(made.body);
    expect(await pathsIn({ call })).toEqual(["/b.txt", "/in/a.txt"]);
    expect((await call("GET", "/threads/t/files/in/a.txt")).text).toBe("文");
    expect((await app.service.store.load("t"))?.version).toBe(1);
    expect((await call("POST", "/threads/t/messages?wait=true", { content: "Hello." })).body).toMatchObject({
      text: "Yes.",
    });
    expect((await call("POST", "/threads", { id: "plain", files: {} })).status).toBe(201);
  });

  test.each([
    ["POST /threads", (path: string) => ({ id: "t", files: { "/ok": "x", [path]: "x" } })],
    [
      "POST /threads/import",
      (path: string) => ({ id: "t", history: { undangle: 1, entries: [], files: [{ path, text: "x" }] } }),
    ],
  ])("%s refuses a path that leaves the files, and creates no thread", async (route, bodyOf) => {
    const { call } = serve();
    for (const path of ["/../x", "a\u0000", "/", "~/x"])
      expect(await call("POST", route.slice(5), bodyOf(path))).toMatchObject({
        status: 400,
        body: { error: { code: "file/path", param: "files" } },
      });
    expect((await call("GET", "/threads/t")).status).toBe(404);
  });
});

describe("in SQLite", () => {
  const opened = async () => {
    const file = join(mkdtempSync(join(tmpdir(), "undangle-")), "threads.db");
    const store = sqliteStore(file);
    const server = await served({ turns: [{ text: "Yes." }], options: { store } });
    await server.call("PUT", "/threads/t/files/secret.txt", "a secret of the thread", bytes);
    const rows = (): number => {
      const database = new DatabaseSync(file, { readOnly: true });
      const { count } = database.prepare("SELECT count(*) AS count FROM undangle_files").get() as { count: number };
      database.close();
      return count;
    };
    return { ...server, store, rows };
  };

  test("a deleted thread keeps its files, a purged one does not, and a new one under its id has none", async () => {
    const { call, rows, app, store } = await opened();
    await call("DELETE", "/threads/t");
    expect(rows()).toBe(1);
    await call("DELETE", "/threads/t?purge=true");
    expect(rows()).toBe(0);
    await call("POST", "/threads", { id: "t" });
    expect(await pathsIn({ call })).toEqual([]);
    await app.close();
    await store.close();
  });

  test("the files of a deleted thread are removed when its time is over", async () => {
    const { call, rows, app, store } = await opened();
    await call("DELETE", "/threads/t");
    const logger = { info: () => undefined, warn: () => undefined, error: () => undefined };
    const now = (): number => Date.now() + 8 * 24 * 60 * 60 * 1000;
    const keeper = createKeeper(
      { chats: 30, deleted: 7 },
      { projectThreads: app.service.projectThreads, store, logger, now },
    );
    await keeper.sweep();
    expect(rows()).toBe(0);
    keeper.close();
    await app.close();
    await store.close();
  });

  test("a fork has its own copy, and so has an import of an export", async () => {
    const { call, app, store } = await opened();
    await call("POST", "/threads/t/messages?wait=true", { content: "Hello." });
    expect((await call("POST", "/threads/t/fork", { id: "fork" })).status).toBe(201);
    const history = (await call("GET", "/threads/t/export")).body;
    expect((await call("POST", "/threads/import", { id: "copy", history })).status).toBe(201);
    await call("DELETE", "/threads/t?purge=true");
    for (const id of ["fork", "copy"])
      expect((await call("GET", `/threads/${id}/files/secret.txt`)).text).toBe("a secret of the thread");
    await app.close();
    await store.close();
  });
});
