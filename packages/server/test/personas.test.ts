import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { memoryStore, tool } from "undangle/agent";
import type { RemotePersona } from "undangle/client";
import type { Config } from "undangle/config";
import { expect, onTestFinished, test } from "vitest";

import { createServer } from "../src/index.ts";

const pay = tool({ name: "pay", description: "Pays.", execute: () => "paid" });
const look = tool({ name: "look", description: "Looks.", execute: () => "seen" });

/** A server in a folder with files of personas. */
function serveIn(files: Readonly<Record<string, string>>, config?: Config) {
  const folder = mkdtempSync(join(tmpdir(), "undangle-"));
  mkdirSync(join(folder, "personas"));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, "personas", name), text);
  const app = createServer({ folder, store: memoryStore(), env: {}, ...(config !== undefined && { config }) });
  onTestFinished(async () => {
    await app.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return app;
}

const persona = (fields: string): string => `---\n${fields}\n---\nBe brief.`;

test("personas of the folder and of the config can be talked to, each with its own tools", async () => {
  const app = serveIn(
    {
      "clerk.md": persona("id: clerk\nname: The clerk\ntools: [pay]\napprovals: [pay]"),
      "notes.txt": "not one of them",
    },
    { tools: [pay, look], agents: { helper: { onInput: "queue" } } },
  );
  const { data } = (await app.inject("/personas")).json<{ data: RemotePersona[] }>();
  expect(data.map(({ id, name, tools, onInput }) => [id, name, tools, onInput])).toEqual([
    ["helper", "helper", ["pay", "look"], "queue"],
    ["clerk", "The clerk", ["pay"], "supersede"],
  ]);
  await app.inject({ method: "POST", url: "/threads", payload: { id: "t", persona: "clerk" } });
  const sent = await app.inject({
    method: "POST",
    url: "/threads/t/messages?wait=true",
    payload: { content: "Please pay." },
  });
  expect(sent.json()).toMatchObject({ status: "waiting", pending: [{ name: "pay" }] });
});

test("without a config a persona has the tools of the first start", async () => {
  const app = serveIn({ "a.md": persona("id: a") });
  expect((await app.inject("/personas")).json()).toMatchObject({ data: [{ id: "a", tools: ["gettime"] }] });
});

test.each([
  ["a tool that is not there", { "a.md": persona("id: a\ntools: [payy]") }, /^personas\/a\.md:3:\d+: .*payy.*pay/su],
  ["an approval of no tool", { "a.md": persona("id: a\napprovals: [payy]") }, /^personas\/a\.md:3:\d+: .*payy/su],
  ["a model that is not there", { "a.md": persona("id: a\nmodel: opneai/x") }, /^personas\/a\.md:3:\d+: .*opneai/su],
  [
    "an id twice",
    { "a.md": persona("id: a"), "b.md": persona("id: a") },
    /^personas\/b\.md:2:1: .*personas\/a\.md:2:1/su,
  ],
  ["an id of the config", { "a.md": persona("id: helper") }, /^personas\/a\.md:2:1: .*the config/su],
  ["no fields", { "a.md": "Hello." }, /^personas\/a\.md:1:1: /u],
])("%s is told with its file and line when the server starts", async (_, files, message) => {
  const app = serveIn(files, { tools: [pay], agents: { helper: {} } });
  await expect(app.ready()).rejects.toThrow(message);
});

test.each([
  ["without its tools", { use_tools: false }],
  ["with a tool of the client", { tools: [{ type: "function", function: { name: "theirs" } }] }],
  ["with only a tool of the client", { use_tools: false, tools: [{ type: "function", function: { name: "theirs" } }] }],
])("a persona whose rules name its tools, and those of others, can be talked to %s", async (_, fields) => {
  const brings = { name: "brings", tools: [tool({ name: "mend", description: "Repairs.", execute: () => "done" })] };
  const approvals = [{ tools: ["pay", "mend"] }, { tools: "look" }];
  const app = serveIn(
    { "a.md": persona("id: a\ntools: [pay]\napprovals: [pay, look]") },
    { tools: [pay, look], agents: { main: { tools: [pay], approvals, middleware: [brings] } } },
  );
  for (const personality_id of ["main", "a"]) {
    const payload = { personality_id, messages: [{ role: "user", content: "Hello." }], ...fields };
    const sent = await app.inject({ method: "POST", url: "/v1/chat/completions", payload });
    expect(sent.statusCode).toBe(200);
  }
});
