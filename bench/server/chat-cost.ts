import { mkdtempSync, rmSync } from "node:fs";
import { Agent } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { askChat } from "./ask-chat.ts";
import { startChild } from "./child.ts";
import type { Child } from "./child.ts";

/** What one request costs: of all rounds the least CPU time of the server, and the most requests a second. */
export interface ChatCost {
  readonly name: string;
  readonly cpu: number;
  readonly perSecond: number;
  /** Bytes, at the end. */
  readonly memory: number;
}

export interface ChatCostOptions {
  readonly rounds: number;
  readonly requests: number;
  /** Requests at the same time. */
  readonly parallel: number;
}

/** Measures the chat endpoint beside handlers that only stream, in turns, each in a process of its own. */
export async function measureChat({ rounds, requests, parallel }: ChatCostOptions): Promise<readonly ChatCost[]> {
  const folder = mkdtempSync(join(tmpdir(), "undangle-bench-"));
  const plain = await startChild("plain");
  const chunks = JSON.stringify(await chunksOf(plain.url));
  const subjects: readonly [name: string, child: Child][] = [
    ["node:http, the same chunks", await startChild("http", chunks)],
    ["Fastify, the same chunks", await startChild("fastify", chunks)],
    ["undangle, in memory", plain],
    ["undangle, in memory, with a tool", await startChild("tools")],
    ["undangle, on SQLite", await startChild("plain", join(folder, "plain.db"))],
    ["undangle, on SQLite, with a tool", await startChild("tools", join(folder, "tools.db"))],
  ];
  const costs = new Map<string, ChatCost>();
  try {
    for (let round = 0; round <= rounds; round++) {
      for (const [name, child] of subjects) {
        const cost = await costOf(child, requests, parallel);
        const known = costs.get(name);
        if (round === 0) continue; // it gets warm
        costs.set(name, {
          name,
          cpu: Math.min(cost.cpu, known?.cpu ?? Infinity),
          perSecond: Math.max(cost.perSecond, known?.perSecond ?? 0),
          memory: cost.memory,
        });
      }
    }
    return [...costs.values()];
  } finally {
    for (const [, child] of subjects) await child.kill();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function costOf(child: Child, requests: number, parallel: number): Promise<Omit<ChatCost, "name">> {
  const agent = new Agent({ keepAlive: true, maxSockets: parallel });
  const before = await child.used();
  const begin = performance.now();
  let left = requests;
  const work = async (): Promise<void> => {
    while (left-- > 0) await askChat(child.url, agent);
  };
  await Promise.all(Array.from({ length: parallel }, work));
  const seconds = (performance.now() - begin) / 1000;
  const after = await child.used();
  agent.destroy();
  return { cpu: (after.cpu - before.cpu) / requests, perSecond: requests / seconds, memory: after.memory };
}

/** The chunks of the server's own answer, for the other one to stream the same. */
async function chunksOf(url: string): Promise<readonly string[]> {
  const answer = await fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ messages: [{ role: "user", content: "What do you see?" }], stream: true }),
  });
  return (await answer.text()).split(/(?<=\n\n)/u);
}
