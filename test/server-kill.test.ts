/** The built server is killed while it serves a request with an Idempotency-Key, and the request is sent again to the next one. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

import { check } from "undangle";
import { createClient } from "undangle/client";
import { describe, expect, test } from "vitest";

import { project } from "./server/program.ts";
import type { Project, Serving } from "./server/program.ts";

/**
 * Its model charges what the message names, and reports. The process kills itself after as many writes as `kill-after.txt` says,
 * counted from the moment when that file is there.
 */
const config = `
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { tool } from "undangle/agent";
import { defineConfig } from "undangle/config";
import { sqliteStore } from "undangle/store/sqlite";
import { scriptedModel } from "undangle/testing";

const place = (name) => new URL(name, import.meta.url);
const note = (line) => appendFileSync(place("events.txt"), line + "\\n");
const charge = tool({
  name: "charge", description: "Charges.", input: { type: "object", properties: { token: { type: "string" } } },
  execute({ token }) {
    note("charged " + token);
    if (token.endsWith("tool")) process.kill(process.pid, "SIGKILL");
    return "charged " + token;
  },
});
const answer = ({ messages }) => {
  const last = messages.at(-1);
  if (last.role !== "user") return { text: "It is " + (JSON.stringify(last).includes("charged token") ? "charged." : "uncertain.") };
  const token = /token-\\w+/.exec(JSON.stringify(last))[0];
  return { text: "I charge it now.", calls: [{ name: "charge", arguments: { token } }], pace: token.endsWith("text") ? 50 : 0 };
};
let writes = 0;
const killing = (store) => {
  const counted = (write) => async (...values) => {
    const dieNow = () => {
      if (!existsSync(place("kill-after.txt"))) return;
      if (writes++ >= Number(readFileSync(place("kill-after.txt"), "utf8"))) process.kill(process.pid, "SIGKILL");
    };
    if (writes === 0) dieNow();
    const result = await write(...values);
    dieNow();
    return result;
  };
  return { ...store, commit: counted(store.commit.bind(store)), write: counted(store.write.bind(store)) };
};
export default defineConfig({
  server: { limits: { turn: 60_000 } }, // tests may share a busy machine
  store: () => killing(sqliteStore(fileURLToPath(place("threads.db")))),
  agents: { clerk: { model: scriptedModel([answer], { loop: true }), tools: [charge] } },
});
`;

interface Attempt {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** One way to send a message: to a new thread, or to one that exists. */
interface Way {
  readonly path: string;
  readonly body: (token: string) => object;
  /** What the response has before the outcome. */
  readonly first: string;
}

const chat = "/v1/chat/completions";
const said = (token: string): object[] => [{ role: "user", content: `Charge ${token}.` }];
const first = "I charge it now.\n\n";
const streamed: Way = { path: chat, body: (token) => ({ messages: said(token), stream: true }), first };
const ways: readonly [name: string, way: Way][] = [
  ["a chat", { path: chat, body: (token) => ({ messages: said(token) }), first }],
  ["a streamed chat", streamed],
  [
    "a message to a thread",
    { path: "/threads/t/messages?wait=true", body: (token) => ({ content: `Charge ${token}.` }), first: "" },
  ],
];

describe.each(ways)("%s with an Idempotency-Key", (name, way) => {
  test("takes effect once, wherever its server is killed", { timeout: 600_000 }, async () => {
    const place = project({ "undangle.config.ts": config });
    let server = await place.serve();
    await createClient({ url: server.url }).threads.create({ id: "t" });
    const statuses: number[] = [];
    for (let writes = 0; ; writes++) {
      const token = `token-${writes}x`;
      const send = (): Promise<Attempt> => sent(server, way, token);
      arm(place, writes);
      const isKilled = await send().then(
        () => false,
        () => true,
      );
      disarm(place);
      if (isKilled) {
        await server.end("SIGKILL");
        server = await place.serve();
      }
      const attempt = await settled(send);
      statuses.push(attempt.status);
      expect
        .soft(textIn(attempt.text), `${name}, killed after ${writes} writes: ${attempt.text}`)
        .toBeOneOf([`${way.first}It is charged.`, `${way.first}It is uncertain.`]);
      expect.soft((await send()).text, `sent a third time, killed after ${writes} writes`).toBe(attempt.text);
      await holdLaws(server, place, token);
      if (!isKilled) break;
    }
    expect(new Set(statuses)).toEqual(new Set([200]));
    expect(statuses.length).toBeGreaterThan(5);
  });
});

describe("a streamed chat with an Idempotency-Key", () => {
  test.each([
    ["in its tool", "token-tool", "uncertain."],
    ["in the middle of its text", "token-text", "charged."],
  ])("has one text after its server was killed %s", async (_, token, outcome) => {
    const place = project({ "undangle.config.ts": config });
    const dying = await place.serve();
    const response = await fetch(dying.url + chat, post(streamed, token));
    const read = async (): Promise<void> => {
      let text = "";
      for await (const chunk of response.body ?? []) {
        text += Buffer.from(chunk).toString();
        if (token === "token-text" && textIn(text).includes("I")) void dying.end("SIGKILL");
      }
    };
    await expect(read()).rejects.toThrow("terminated");
    const server = await place.serve();
    const attempt = await settled(() => sent(server, streamed, token));
    expect([attempt.status, textIn(attempt.text)]).toEqual([200, `${first}It is ${outcome}`]);
    expect((await sent(server, streamed, token)).text).toBe(attempt.text);
    await holdLaws(server, place, token);
  });
});

const file = ({ folder }: Project, name: string): string => join(folder, name);
const arm = (place: Project, writes: number): void => writeFileSync(file(place, "kill-after.txt"), String(writes));
const disarm = (place: Project): void => writeFileSync(file(place, "kill-after.txt"), "Infinity");

const post = ({ body }: Way, token: string): RequestInit => ({
  method: "POST",
  headers: { "content-type": "application/json", "idempotency-key": token },
  body: JSON.stringify(body(token)),
});

async function sent({ url }: Serving, way: Way, token: string): Promise<Attempt> {
  const response = await fetch(url + way.path, post(way, token));
  return { status: response.status, headers: response.headers, text: await response.text() };
}

/** Sends a request until it is not pending; an error names the thread, in the body and in a header. */
async function settled(send: () => Promise<Attempt>): Promise<Attempt> {
  for (;;) {
    const attempt = await send();
    const named = /"thread_id":"([^"]+)"/u.exec(attempt.text)?.[1];
    expect([named, attempt.status < 400 ? named : attempt.headers.get("x-undangle-thread")]).toEqual([
      expect.any(String),
      named,
    ]);
    if (!attempt.text.includes("idempotency-pending")) return attempt;
    await pause(100);
  }
}

/** One thread has the message, once; its tool ran at most once; the history is healthy. */
async function holdLaws({ url }: Serving, place: Project, token: string): Promise<void> {
  const { threads } = createClient({ url });
  const { data } = await threads.list({ limit: 200 });
  const all = await Promise.all(data.map(({ id }) => threads.get(id)));
  const own = all.filter(({ messages }) => JSON.stringify(messages).includes(token));
  expect(own).toHaveLength(1);
  const messages = own[0]?.messages ?? [];
  const users = (messages as readonly { role: string; content: unknown }[]).filter(
    ({ role, content }) => role === "user" && JSON.stringify(content).includes(token),
  );
  expect(users).toHaveLength(1);
  expect(check(messages, { format: "openai-chat" })).toEqual([]);
  expect(all.filter(({ id, entries }) => id !== "t" && entries === 0)).toEqual([]);
  const events = existsSync(file(place, "events.txt")) ? readFileSync(file(place, "events.txt"), "utf8") : "";
  expect(events.split("\n").filter((line) => line === `charged ${token}`).length).toBeLessThanOrEqual(1);
}

/** The text of a response, whole or streamed. */
const textIn = (body: string): string =>
  [...body.matchAll(/"(?:content|text)":("(?:[^"\\]|\\.)*")/gu)]
    .map(([, text = '""']) => String(JSON.parse(text)))
    .join("");
