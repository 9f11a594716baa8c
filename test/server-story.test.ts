/** The built server, as a person starts it: decided about, killed in the middle, started again, and gone on with. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

import { check } from "undangle";
import { createClient } from "undangle/client";
import type { Client } from "undangle/client";
import { describe, expect, onTestFinished, test } from "vitest";

import { freshDatabase, noPostgres } from "../packages/undangle/test/postgres/fresh-database.ts";
import { project } from "./server/program.ts";

/** Its model proposes three payments, then a report that takes long, and then it is content. */
const config = `
import { appendFileSync } from "node:fs";
import { tool } from "undangle/agent";
import { defineConfig } from "undangle/config";
import { scriptedModel } from "undangle/testing";

const input = { type: "object", properties: { invoice: { type: "integer" } } } as const;
const note = (line: string) => appendFileSync(new URL("done.txt", import.meta.url), line + "\\n");
const pay = tool({
  name: "pay", description: "Pays.", input, approval: true,
  execute({ invoice }) { note("paid " + invoice); return "paid"; },
});
const report = tool({
  name: "report", description: "Reports.",
  async execute() { note("report"); await new Promise((resolve) => setTimeout(resolve, 60_000)); return "reported"; },
});
const answer = ({ messages }) => {
  const results = messages.filter(({ role }) => role === "tool").length;
  if (messages.at(-1).role === "user" && results > 0) return { text: "Gladly." };
  if (results === 0) return { text: "I pay.", calls: [1, 2, 3].map((invoice) => ({ name: "pay", arguments: { invoice } })) };
  return results === 1 ? { calls: [{ name: "report" }] } : { text: "One was paid." };
};
export default defineConfig({ agents: { clerk: { model: scriptedModel([answer], { loop: true }), tools: [pay, report] } } });
`;

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await pause(20);
}

const typesUntilEnd = async (client: Client, id: string, after: string): Promise<readonly string[]> => {
  const types: string[] = [];
  for await (const { type } of client.threads.events(id, { after })) {
    types.push(type);
    if (type === "run_end" && (await client.threads.get(id)).status === "idle") break;
  }
  return types;
};

const stores: readonly [name: string, open: () => Promise<readonly string[]>][] = [
  ["SQLite", () => Promise.resolve([])],
  ["Postgres", openPostgres],
];

async function openPostgres(): Promise<readonly string[]> {
  const database = await freshDatabase();
  onTestFinished(() => database.drop());
  return ["--store", database.url];
}

describe.each(stores.filter(([name]) => name !== "Postgres" || noPostgres === undefined))("on %s", (_, open) => {
  test("one is approved, two are rejected, the process is killed in a slow tool, and the next goes on", async () => {
    const argv = await open();
    const { folder, serve } = project({ "undangle.config.ts": config });
    const first = await serve(...argv);
    const before = createClient({ url: first.url });
    const { id } = await before.threads.create({ title: "Bills" });
    const { status, pending } = await before.threads.send(id, "Pay my invoices.");
    expect([status, pending.map((call) => call.arguments)]).toEqual([
      "waiting",
      [{ invoice: 1 }, { invoice: 2 }, { invoice: 3 }],
    ]);
    const [one, two, three] = pending.map((call) => call.id);
    const reject = { type: "reject" as const, reason: "not now" };
    const decided = before.threads.decide(id, {
      [one ?? ""]: { type: "approve" },
      [two ?? ""]: reject,
      [three ?? ""]: reject,
    });
    const cut = decided.then(() => "nothing", String);
    await until(
      () => existsSync(join(folder, "done.txt")) && readFileSync(join(folder, "done.txt"), "utf8").includes("report"),
    );
    const { last_event: place } = await before.threads.get(id);
    expect((await first.end("SIGKILL")).status).toBeNull();
    expect(await cut).toMatch(/fetch failed|terminated/u);

    const second = await serve(...argv);
    const client = createClient({ url: second.url });
    expect(await typesUntilEnd(client, id, place)).toContain("tool_call_end");
    const { calls, messages, title } = await client.threads.get(id);
    expect([title, calls.map((call) => [call["name"], call["status"]])]).toEqual([
      "Bills",
      [
        ["pay", "succeeded"],
        ["pay", "rejected"],
        ["pay", "rejected"],
        ["report", "lost"],
      ],
    ]);
    expect(check(messages, { format: "openai-chat" })).toEqual([]);
    expect(readFileSync(join(folder, "done.txt"), "utf8")).toBe("paid 1\nreport\n");
    expect(await client.threads.send(id, "Thank you.")).toMatchObject({ status: "done", text: "Gladly." });
    const { status: code, stderr } = await second.end("SIGTERM");
    expect([code, stderr.includes("Stopping")]).toEqual([0, true]);
  });
});

describe("undangle serve", () => {
  test("starts with nothing, says what it runs on, and tells the time", async () => {
    const { serve } = project();
    const { url, message, end } = await serve();
    expect(message).toContain("health_assistant");
    expect(message).toContain(".undangle/threads.db");
    expect(message).toContain("curl -N");
    const answer = await fetch(`${url}/v1/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        messages: [{ role: "user", content: "现在几点钟？" }],
        personality_id: "health_assistant",
        use_tools: true,
        stream: true,
      }),
    });
    const text = await answer.text();
    expect([answer.status, text.trimEnd().endsWith("data: [DONE]")]).toEqual([200, true]);
    expect(text).toMatch(/\p{Script=Han}/u);
    const [thread] = (await createClient({ url }).threads.list()).data;
    const { calls } = await createClient({ url }).threads.get(thread?.id ?? "");
    expect(calls).toMatchObject([{ name: "gettime", status: "succeeded" }]);
    expect((await end("SIGINT")).status).toBe(0);
  });

  test("wants a key as soon as there is one, and only then serves other machines", async () => {
    const { run, serve } = project();
    const refused = await run("serve", "--port", "0", "--host", "0.0.0.0");
    expect([refused.status, refused.stderr]).toEqual([2, expect.stringContaining("undangle keys create")]);
    const { url, end } = await serve();
    expect((await fetch(`${url}/v1/models`)).status).toBe(200);
    const made = await run("keys", "create", "--name", "app", "--scopes", "chat", "--json");
    const { key, id } = JSON.parse(made.stdout) as { key: string; id: string };
    await until(async () => (await fetch(`${url}/v1/models`)).status === 401);
    const asked = (): Promise<Response> => fetch(`${url}/v1/models`, { headers: { authorization: `Bearer ${key}` } });
    expect((await asked()).status).toBe(200);
    expect((await run("keys", "list")).stdout).toContain(id);
    expect((await run("keys", "revoke", id)).status).toBe(0);
    await until(async () => (await asked()).status === 401);
    expect((await end("SIGTERM")).stderr).not.toContain(key);
    const everywhere = await serve("--host", "0.0.0.0");
    expect((await fetch(`${everywhere.url.replace("0.0.0.0", "127.0.0.1")}/v1/models`)).status).toBe(401);
    await everywhere.end("SIGTERM");
  });

  test("lets a turn that is running come to its end when it is told to stop, and takes nothing new", async () => {
    const slow = `
import { tool } from "undangle/agent";
import { scriptedModel } from "undangle/testing";
const wait = tool({ name: "wait", description: "Waits.", execute: () => new Promise((resolve) => setTimeout(() => resolve("waited"), 1000)) });
export default { agents: { slow: { model: scriptedModel([{ calls: [{ name: "wait" }] }, { text: "Done." }]), tools: [wait] } } };
`;
    const { serve } = project({ "undangle.config.ts": slow });
    const { url, end } = await serve();
    const client = createClient({ url });
    const { id } = await client.threads.create();
    const sent = client.threads.send(id, "Wait.");
    await until(async () => (await client.threads.get(id)).calls.length > 0);
    const ended = end("SIGTERM");
    expect(await sent).toMatchObject({ status: "done", text: "Done." });
    expect((await ended).status).toBe(0);
    await expect(client.threads.list()).rejects.toThrow(/fetch failed/u);
  });

  test("says what is wrong with a log that cannot be written", async () => {
    const { run, folder } = project();
    expect(await run("serve", "--port", "0", "--log", folder)).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("Choose another file with --log") as string,
    });
  });

  test.each([
    ["a port that is taken", "port", /Port \d+ is in use\. Choose another with --port/u],
    ["a port that is none", "none", /is not a port/u],
  ])("says what is wrong with %s", async (_, kind, message) => {
    const { run, serve } = project();
    const { url, end } = await serve();
    const { stderr, status } = await run("serve", "--port", kind === "port" ? new URL(url).port : "x");
    expect([status, message.test(stderr)]).toEqual([2, true]);
    await end("SIGTERM");
  });
});
