import { tool } from "undangle/agent";
import { describe, expect, test } from "vitest";

import { serve } from "./serve-fixture.ts";
import type { Method } from "./serve-fixture.ts";

const pay = tool({ name: "pay", description: "Pays.", approval: true, execute: () => "paid" });

/** A server with a thread `t`, in which `call_1` waits. */
async function serveThread() {
  const served = serve({ agent: { tools: [pay] }, turns: [{ calls: [{ name: "pay" }] }] });
  await served.call("POST", "/threads", { id: "t" });
  await served.call("POST", "/threads/t/messages?wait=true", { content: "Pay." });
  return served;
}

type Case = readonly [request: string, body: unknown, param: string, message: string];

const long = "x".repeat(201);
const shownLong = `"${"x".repeat(60)}…"`;
const known = (names: string): string => `is not a parameter of this route. Known: ${names}.`;
const wait = 'wait must be "true" or "false", but it is "yes".';
const threadId = 'The id of a thread must have 1 to 200 characters and no slash (/). It cannot be "." or "..".';

/** Every route with parameters, and what it says of wrong ones. */
const cases: readonly Case[] = [
  ["POST /threads", undefined, "body", "body must be an object, but it is null."],
  ["POST /threads", [], "body", "body must be an object, but it is an empty list."],
  ["POST /threads", { name: "x" }, "name", `name ${known("id, persona, model, title, metadata, files")}`],
  ["POST /threads", { id: 7 }, "id", "id must be a string of 1 to 200 characters, but it is 7."],
  ["POST /threads", { id: long }, "id", `id must be a string of 1 to 200 characters, but it is ${shownLong}.`],
  ["POST /threads", { id: "a/b" }, "thread_id", threadId],
  ["POST /threads", { persona: "" }, "persona", 'persona must be a non-empty string, but it is "".'],
  ["POST /threads", { title: "" }, "title", 'title must be a string of 1 to 200 characters, but it is "".'],
  ["POST /threads", { metadata: "x" }, "metadata", 'metadata must be an object, but it is "x".'],
  ["GET /threads?limit=0", undefined, "limit", 'limit must be a whole number from 1 to 200, but it is "0".'],
  ["GET /threads?limit=201", undefined, "limit", 'limit must be a whole number from 1 to 200, but it is "201".'],
  ["GET /threads?limit=1&limit=2", undefined, "limit", "limit must be a whole number from 1 to 200, but it is a list."],
  ["GET /threads?status=done", undefined, "status", 'status must be "idle", "running" or "waiting", but it is "done".'],
  ["GET /threads?deleted=1", undefined, "deleted", 'deleted must be "true" or "false", but it is "1".'],
  ["GET /threads?cursor=x", undefined, "cursor", 'cursor must be the next_cursor of an earlier page, but it is "x".'],
  ["GET /threads?page=2", undefined, "page", `page ${known("q, status, deleted, limit, cursor")}`],
  [
    `GET /threads?q=${"x".repeat(1001)}`,
    undefined,
    "q",
    `q must be a string of 0 to 1000 characters, but it is ${shownLong}.`,
  ],
  ["GET /threads/t?contents=some", undefined, "contents", 'contents must be "all" or "pending", but it is "some".'],
  ["GET /threads/t/entries?limit=0", undefined, "limit", 'limit must be a whole number from 1 to 500, but it is "0".'],
  ["GET /threads/t/entries?before=x", undefined, "before", 'before must be the number of an entry, but it is "x".'],
  ["GET /threads/t/entries?path=", undefined, "path", 'path must be ids of calls, separated by /, but it is "".'],
  ["GET /threads/t/responses/x/request", undefined, "n", 'n must be the number of an entry, but it is "x".'],
  [
    "GET /threads/t/responses/1/request?path=",
    undefined,
    "path",
    'path must be ids of calls, separated by /, but it is "".',
  ],
  ["GET /threads/t/responses/1/response?after=1", undefined, "after", `after ${known("path")}`],
  ["POST /session", {}, "key", "key is missing: it must be a string of 1 to 200 characters."],
  ["POST /keys", {}, "name", "name is missing: it must be a string of 1 to 100 characters."],
  [
    "POST /keys",
    { name: "a", scopes: ["root"] },
    "scopes[0]",
    'scopes[0] must be "chat", "threads", "approve" or "admin", but it is "root".',
  ],
  ["GET /queue?limit=x", undefined, "limit", 'limit must be a whole number from 1 to 200, but it is "x".'],
  ["GET /queue?status=waiting", undefined, "status", `status ${known("limit, cursor")}`],
  [
    "PATCH /threads/t",
    {},
    "body",
    "body must be an object with at least one of: title, persona, model, metadata, deleted, but it is an empty object.",
  ],
  ["PATCH /threads/t", { deleted: true }, "deleted", "deleted must be false, but it is true."],
  ["PATCH /threads/t", { status: "idle" }, "status", `status ${known("title, persona, model, metadata, deleted")}`],
  ["POST /threads/t/messages", {}, "content", "content is missing: it must be a non-empty string or a non-empty list."],
  [
    "POST /threads/t/messages",
    { content: "" },
    "content",
    'content must be a non-empty string or a non-empty list, but it is "".',
  ],
  [
    "POST /threads/t/messages",
    { content: [] },
    "content",
    "content must be a non-empty string or a non-empty list, but it is an empty list.",
  ],
  ["POST /threads/t/messages", { content: [1] }, "content[0]", "content[0] must be an object, but it is 1."],
  [
    "POST /threads/t/messages",
    { content: [{ type: "smell" }] },
    "content[0].type",
    'content[0].type must be text, image_url, input_audio or file, but it is "smell".',
  ],
  [
    "POST /threads/t/messages",
    { content: "x", onInput: "stop" },
    "onInput",
    'onInput must be "supersede", "queue" or "refuse", but it is "stop".',
  ],
  [
    "POST /threads/t/messages",
    { content: "x", mode: "yolo" },
    "mode",
    'mode must be "ask", "accept-edits", "plan" or "read-only", but it is "yolo".',
  ],
  ["POST /threads/t/messages?wait=yes", { content: "x" }, "wait", wait],
  [
    "POST /threads/t/decisions",
    {},
    "body",
    "body must be an object with exactly one of: decisions, all, but it is an empty object.",
  ],
  [
    "POST /threads/t/decisions",
    { all: "approve", decisions: { call_1: { type: "approve" } } },
    "body",
    "body must be an object with exactly one of: decisions, all, but it is an object with all, decisions.",
  ],
  [
    "POST /threads/t/decisions",
    { decisions: {} },
    "decisions",
    "decisions must be an object with 1 to 500 decisions by call id, but it is an empty object.",
  ],
  [
    "POST /threads/t/decisions",
    { decisions: { call_1: "approve" } },
    "decisions.call_1",
    'decisions.call_1 must be an object with type, but it is "approve".',
  ],
  [
    "POST /threads/t/decisions",
    { decisions: { call_1: {} } },
    "decisions.call_1.type",
    'decisions.call_1.type is missing: it must be "approve", "reject", "edit" or "respond".',
  ],
  [
    "POST /threads/t/decisions",
    { decisions: { "a/b c": { type: "yes" } } },
    'decisions["a/b c"].type',
    'decisions["a/b c"].type must be "approve", "reject", "edit" or "respond", but it is "yes".',
  ],
  ["POST /threads/t/decisions", { all: "maybe" }, "all", 'all must be "approve" or "reject", but it is "maybe".'],
  ["POST /threads/t/decisions", { all: "reject", reason: 7 }, "reason", "reason must be a string, but it is 7."],
  ["POST /threads/t/decisions?wait=yes", { all: "reject" }, "wait", wait],
  ["POST /threads/t/regenerate?wait=yes", undefined, "wait", wait],
  ["DELETE /threads/t?purge=1", undefined, "purge", 'purge must be "true" or "false", but it is "1".'],
  ["POST /threads/t/fork", { at: -1 }, "at", "at must be a whole number of at least 0, but it is -1."],
  ["POST /threads/t/fork", { at: 1.5 }, "at", "at must be a whole number of at least 0, but it is 1.5."],
  ["POST /threads/t/fork", { from: 1 }, "from", `from ${known("at, id, title")}`],
  ["POST /threads/t/fork", "x", "body", 'body must be an object or null, but it is "x".'],
  ["POST /threads/import", {}, "history", "history is missing: it must be an object or a list."],
  ["POST /threads/import", { history: "x" }, "history", 'history must be an object or a list, but it is "x".'],
  ["POST /threads/import", { history: [], format: 1 }, "format", "format must be a non-empty string, but it is 1."],
  ["GET /threads/t/export?format=", undefined, "format", 'format must be a non-empty string, but it is "".'],
  ["GET /threads/t/export?form=x", undefined, "form", `form ${known("format")}`],
  ["GET /threads/t/files?path=x", undefined, "path", `path ${known("prefix")}`],
  [
    "POST /threads/t/messages",
    { content: "x", files: [] },
    "files",
    "files must be an object, but it is an empty list.",
  ],
  [
    "POST /threads/t/messages",
    { content: "x", files: { "/a.txt": 7 } },
    'files["/a.txt"]',
    'files["/a.txt"] must be a string or null, but it is 7.',
  ],
  ["GET /threads/t/events?after=", undefined, "after", 'after must be a non-empty string, but it is "".'],
  ["GET /threads/t/events?since=1", undefined, "since", `since ${known("after, path")}`],
  ["POST /v1/chat/completions", {}, "messages", "messages is missing: it must be a list with at least one message."],
  [
    "POST /v1/chat/completions",
    { messages: [{ role: "x" }] },
    "messages[0].role",
    'messages[0].role must be system, developer, user, assistant, tool, function, but it is "x".',
  ],
  ["POST /check", { history: "x" }, "history", 'history must be an object or a list, but it is "x".'],
  ["POST /repair", { history: 7 }, "history", "history must be an object or a list, but it is 7."],
  ["POST /convert?to=anthropic", 7, "history", "history must be an object or a list, but it is 7."],
  ["POST /explain", {}, "text", "text is missing: it must be the text of an error."],
];

const json = { "content-type": "application/json" };

test.each(cases)("%s %j is refused by the name of its parameter", async (request, body, param, message) => {
  const [method = "", url = ""] = request.split(" ");
  const { app } = await serveThread();
  const answer = await app.inject({
    method: method as Method, // as the table has it
    url,
    ...(body !== undefined && { payload: JSON.stringify(body), headers: json }),
  });
  const { error } = answer.json<{ error: unknown }>();
  expect([answer.statusCode, error]).toMatchObject([400, { param, message, type: "invalid_request_error" }]);
});

interface Operation {
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
  readonly requestBody?: { readonly content: { readonly "application/json"?: { readonly schema: BodySchema } } };
}

interface BodySchema {
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly anyOf?: readonly BodySchema[];
}

const fieldsIn = ({ properties = {}, anyOf = [] }: BodySchema): readonly string[] => [
  ...Object.keys(properties),
  ...anyOf.flatMap(fieldsIn),
];

describe("no route repeats the words of its validator", async () => {
  const raw = /must NOT|must match|must be equal|additional properties|querystring|schema in anyOf|\/\w+ must/u;
  const { paths } = (await serve().app.inject("/openapi.json")).json<{
    paths: Record<string, Record<string, Operation>>;
  }>();
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
  const taking = operations.filter(
    ({ operation: { parameters = [], requestBody } }) =>
      requestBody?.content["application/json"] !== undefined || parameters.some((each) => each.in === "query"),
  );

  test("the table has every route that takes something", () => {
    const listed = new Set(cases.map(([request]) => request.split("?")[0]));
    const missing = taking.map(({ method, path }) => `${method} ${path.replace("{id}", "t").replace("{n}", "1")}`);
    expect(missing.filter((each) => !listed.has(each))).toEqual([]);
  });

  test.each(taking)("$method $path", async ({ method, path, operation: { parameters = [], requestBody } }) => {
    const { app } = await serveThread();
    const url = path.replace("{id}", "t").replace("{n}", "1");
    const ask = async (target: string, body: unknown): Promise<string> => {
      const payload = requestBody === undefined ? {} : { payload: JSON.stringify(body), headers: json };
      const answer = await app.inject({ method: method as Method, url: target, ...payload }); // as it is described
      return answer.body;
    };
    const names = fieldsIn(requestBody?.content["application/json"]?.schema ?? {});
    if (url.endsWith("/events")) return; // its one parameter is in the table, and what is right is a stream without end
    for (const wrong of [7, "", "x", [], {}, null, true, [1], { a: 1 }]) {
      expect(await ask(url, wrong)).not.toMatch(raw);
      for (const name of [...names, "strange"]) expect(await ask(url, { [name]: wrong })).not.toMatch(raw);
    }
    for (const { name } of parameters.filter((each) => each.in === "query"))
      expect(await ask(`${url}?${name}=%00x&${name}=`, {})).not.toMatch(raw);
  });
});
