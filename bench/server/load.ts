import { mkdtempSync, rmSync } from "node:fs";
import { Agent } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

import { check } from "undangle";
import { createClient } from "undangle/client";

import { askChat } from "./ask-chat.ts";
import { startChild } from "./child.ts";

/** What came of many conversations at a time, and of a process that was killed in the middle of them. */
export interface LoadReport {
  readonly turns: number;
  /** Turns that the kill has cut off, and those that failed without one. */
  readonly cut: number;
  readonly failed: readonly string[];
  /** Milliseconds: the middle, the 99th of a hundred, and the longest. */
  readonly first: Spread;
  readonly whole: Spread;
  /** Bytes of the server, one number a few seconds. */
  readonly memory: readonly number[];
  /** Milliseconds from the start of the second process until it answered. */
  readonly restart: number;
  readonly threads: number;
  /** Threads whose history is not healthy, or that did not go on. */
  readonly broken: readonly string[];
}

export type Spread = readonly [middle: number, late: number, longest: number];

export interface LoadOptions {
  readonly conversations: number;
  readonly seconds: number;
}

/** In how many milliseconds all of them come, at the beginning and after the kill. */
const arrival = 10_000;

/** Holds conversations with tools over streams, on SQLite, kills the server halfway, starts it again, and looks at every thread. */
export async function measureLoad({ conversations, seconds }: LoadOptions): Promise<LoadReport> {
  const folder = mkdtempSync(join(tmpdir(), "undangle-bench-"));
  const place = join(folder, "threads.db");
  const agent = new Agent({ keepAlive: true, maxSockets: conversations + 10 });
  const first: number[] = [];
  const whole: number[] = [];
  const failed: string[] = [];
  const threads: (string | undefined)[] = Array.from({ length: conversations });
  let cut = 0;
  const state = { isDown: false, isOver: false };
  let child = await startChild("paced", place);

  const talk = async (i: number): Promise<void> => {
    await pause((i / conversations) * arrival);
    while (!state.isOver) {
      const server = child;
      try {
        const asked = await askChat(server.url, agent, threads[i]);
        threads[i] = asked.threadId;
        first.push(asked.first);
        whole.push(asked.whole);
        await pause(2000); // a person reads
      } catch (error) {
        if (state.isDown || server !== child) cut++;
        else failed.push(String(error));
        while (state.isDown) await pause(100);
        await pause(Math.random() * arrival); // as clients do that wait a while before they try again
      }
    }
  };
  const talking = Array.from({ length: conversations }, (_, i) => talk(i));
  const memory: number[] = [];
  const watch = async (until: number): Promise<void> => {
    while (performance.now() < until) {
      memory.push((await child.used()).memory);
      await pause(5000);
    }
  };
  const begin = performance.now();
  await watch(begin + seconds * 500);
  state.isDown = true;
  await child.kill();
  const restarting = performance.now();
  child = await startChild("paced", place);
  const restart = performance.now() - restarting;
  state.isDown = false;
  await watch(begin + seconds * 1000);
  state.isOver = true;
  await Promise.all(talking);

  const broken = await brokenThreads(child.url);
  const count = (await allThreads(child.url)).length;
  await child.kill();
  agent.destroy();
  rmSync(folder, { recursive: true, force: true });
  return {
    turns: whole.length,
    cut,
    failed,
    first: spread(first),
    whole: spread(whole),
    memory,
    restart,
    threads: count,
    broken,
  };
}

async function allThreads(url: string): Promise<readonly string[]> {
  const client = createClient({ url });
  const ids: string[] = [];
  for (let cursor: string | undefined; ;) {
    const { data, next_cursor: next } = await client.threads.list({ limit: 200, cursor });
    ids.push(...data.map(({ id }) => id));
    if (next === null) return ids;
    cursor = next;
  }
}

/** The threads that are not as they should be: at rest, healthy, and able to go on. */
async function brokenThreads(url: string): Promise<readonly string[]> {
  const client = createClient({ url });
  const broken: string[] = [];
  const look = async (id: string): Promise<void> => {
    const { status, messages, calls } = await client.threads.get(id);
    const problems = check([...messages], { format: "openai-chat" });
    const open = calls.filter(
      (call) => !["succeeded", "lost", "stopped", "superseded"].includes(String(call["status"])),
    );
    const { status: end } = await client.threads.send(id, "And now?");
    if (status !== "idle" || problems.length > 0 || open.length > 0 || end !== "done")
      broken.push(`${id}: ${status}, ${problems.map(({ rule }) => rule).join(" ")}, ${open.length} open, ${end}`);
  };
  const ids = [...(await allThreads(url))];
  const work = async (): Promise<void> => {
    for (let id = ids.pop(); id !== undefined; id = ids.pop()) await look(id);
  };
  await Promise.all(Array.from({ length: 100 }, work));
  return broken;
}

function spread(values: readonly number[]): Spread {
  const sorted = values.toSorted((one, other) => one - other);
  const at = (part: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
  return [at(0.5), at(0.99), at(1)];
}
