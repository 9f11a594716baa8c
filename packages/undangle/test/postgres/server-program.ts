/**
 * A Postgres for tests, in a temporary folder. It prints its address as a line of JSON, then reads commands from its input:
 * `restart` kills the server without a shutdown and starts it again, `stop` and `start` do one half of that. When the input
 * ends, also because the parent process was killed, it removes everything.
 */
import { execFileSync, spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

import { preparePrograms } from "./programs.ts";

const password = "a secret of tests";
const settings = {
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  max_connections: "150",
  // The machine does not lose power during a test.
  fsync: "off",
  full_page_writes: "off",
};

const folder = mkdtempSync(join(tmpdir(), "undangle-postgres-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
process.stdout.on("error", () => undefined); // the parent process is gone; the input ends too
const log: string[] = [];

try {
  const port = await freePort();
  const start = prepare(port);
  let server = await start();
  say({ url: `postgres://postgres:${encodeURIComponent(password)}@127.0.0.1:${port}/postgres` });
  for await (const line of createInterface({ input: process.stdin })) {
    if (line === "restart" || line === "stop") await end(server, "SIGQUIT"); // immediate: like a crash
    if (line === "restart" || line === "start") server = await start();
    say({ done: line });
  }
  await end(server, "SIGINT"); // fast, but in order
} catch (error) {
  say({ problem: `Postgres does not start: ${String(error)}\n${log.slice(-20).join("")}` });
}
process.exit();

/** Creates the database files. The function that it returns starts a server on them. */
function prepare(port: number): () => Promise<ChildProcess> {
  const data = join(folder, "data");
  const passwordFile = join(folder, "password");
  writeFileSync(passwordFile, password);
  // Postgres refuses to run as root. The user that it runs as instead may not be able to enter the checkout.
  const isRoot = process.getuid?.() === 0;
  const programs = preparePrograms(isRoot ? { copyTo: folder } : {});
  const user = isRoot ? { uid: idOf("-u"), gid: idOf("-g") } : {};
  if (isRoot) execFileSync("chown", ["-R", `${user.uid}:${user.gid}`, folder]);

  const initialise = ["-D", data, "-U", "postgres", "--auth=password", `--pwfile=${passwordFile}`];
  const options = { ...user, cwd: folder };
  execFileSync(join(programs, "initdb"), [...initialise, "--no-sync", "--encoding=UTF8", "--locale=C"], options);
  const flags = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  return async () => {
    const server = spawn(join(programs, "postgres"), ["-D", data, "-p", String(port), ...flags], options);
    await untilReady(server);
    return server;
  };
}

/** The user or group id of `nobody`. */
function idOf(flag: "-u" | "-g"): number {
  return Number(execFileSync("id", [flag, "nobody"], { encoding: "utf8" }));
}

function untilReady(server: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    server.on("error", reject);
    server.on("exit", (code) => reject(new Error(`It ended with code ${code}.`)));
    server.stderr?.on("data", (data: Buffer) => {
      log.push(data.toString());
      if (log.slice(-2).join("").includes("ready to accept connections")) resolve();
    });
  });
}

async function end(server: ChildProcess, signal: "SIGQUIT" | "SIGINT"): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const ended = once(server, "exit");
  server.kill(signal);
  await ended;
}

function say(value: object): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
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
