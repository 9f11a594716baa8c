/** What `npm start` does: it serves, and opens the chat where a person sits at a terminal. */
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";

import { createClient } from "undangle/client";
import { describe, expect, onTestFinished, test, vi } from "vitest";

import { browserCommand } from "../scripts/open-browser.js";
import { launch, serving } from "./server/program.ts";
import { hasTmux, openWindow } from "./terminal/tmux.ts";
import type { Window } from "./terminal/tmux.ts";

const script = fileURLToPath(new URL("../scripts/start.js", import.meta.url));

/** The words for a start that leaves the checkout as it is. */
function place() {
  const folder = mkdtempSync(join(tmpdir(), "undangle-start-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const log = join(folder, "server.log");
  const words = [script, "--store", join(folder, "threads.db")];
  return { folder, log, words, chatWords: [...words, "--log", log] };
}

/** A port that somebody else has. */
async function takenPort(): Promise<string> {
  const other = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => other.once("listening", resolve));
  onTestFinished(() => void other.close());
  return String((other.address() as AddressInfo).port); // it listens at a port
}

/** A question that comes up by itself does not hear what is typed in its first moment. */
const moment = 700;

const isServed = (url: string): Promise<boolean> =>
  fetch(`${url}/healthz`).then(
    ({ ok }) => ok,
    () => false,
  );

async function untilNotServed(url: string): Promise<void> {
  while (await isServed(url)) await pause(50);
}

describe("without a terminal", () => {
  test("it serves until it is told to stop, says what it runs on, and has an agent whose calls are decided about", async () => {
    const { folder, words } = place();
    const { url, message, end } = await serving([...words, "--port", "0"], folder);
    expect(message).toContain("health_assistant");
    expect(message).toContain("curl -N");
    const client = createClient({ url });
    const { id } = await client.threads.create({ persona: "demo" });
    const bills = "Pay invoice 12 (300 euros), pay invoice 13 (80 euros) and delete all mail.";
    const { pending } = await client.threads.send(id, bills);
    expect(pending.map(({ name }) => name)).toEqual(["pay_invoice", "pay_invoice", "delete_mail"]);
    const [pay = "", ...others] = pending.map((call) => call.id);
    const rejected = others.map((each) => [each, { type: "reject", reason: "Not now" }] as const);
    const { text } = await client.threads.decide(id, { [pay]: { type: "approve" }, ...Object.fromEntries(rejected) });
    expect(text).toContain("Invoice 12 is paid: 300 euros.");
    expect((await end("SIGTERM")).status).toBe(0);
    expect(await isServed(url)).toBe(false);
  });

  test.runIf(process.platform === "linux")("it ends with npm, also where that is killed", async () => {
    const { words } = place();
    const argv = ["start", "--", ...words.slice(1), "--port", "0"];
    const npm = spawn("npm", argv, { cwd: dirname(dirname(script)), stdio: ["ignore", "pipe", "ignore"] });
    let said = "";
    const url = await vi.waitUntil(
      () => {
        said += String(npm.stdout.read() ?? "");
        return /runs at (http:\S+)/u.exec(said)?.[1];
      },
      { timeout: 60_000 },
    );
    expect(await isServed(url)).toBe(true);
    npm.kill("SIGKILL");
    await untilNotServed(url);
  });

  test.each([
    ["a port that is taken", async () => ["--port", await takenPort()], /is in use\. Choose another with --port/u],
    ["a port that is none", () => Promise.resolve(["--port", "x"]), /x is not a port\. Use a number/u],
    [
      "an option that there is not",
      () => Promise.resolve(["--prot", "4"]),
      /^npm start: Unknown option '--prot'\.\nOptions: --port/u,
    ],
    ["words for a chat", () => Promise.resolve(["--thread", "last"]), /--thread applies only to the chat/u],
  ])("it says what is wrong with %s", async (_, argv, complaint) => {
    const { folder, words } = place();
    const { status, stderr } = await launch([...words, ...(await argv())], folder).ended;
    expect([status, stderr]).toEqual([2, expect.stringMatching(complaint)]);
  });
});

test.each([
  ["a Mac", {}, "darwin", ["open"]],
  ["Windows", {}, "win32", ["cmd", "/c", "start", ""]],
  ["a desktop", { WAYLAND_DISPLAY: "wayland-0" }, "linux", ["xdg-open"]],
  ["a machine without a screen", {}, "linux", undefined],
  ["a remote shell", { SSH_CONNECTION: "1", DISPLAY: ":10" }, "linux", undefined],
  ["CI", { CI: "true", DISPLAY: ":0" }, "linux", undefined],
  ["a person who wants none", { BROWSER: "none" }, "darwin", undefined],
  ["a person with another browser", { BROWSER: "lynx" }, "linux", ["lynx"]],
] as const)("on %s the page opens where a person can see it", (_, env, platform, command) => {
  expect(browserCommand(env, platform)).toEqual(command);
});

describe.runIf(hasTmux)("in a terminal (skipped where there is no tmux)", () => {
  async function open(argv: readonly string[], folder: string, browser = "none"): Promise<Window> {
    const env = { BROWSER: browser, CI: "" };
    const window = openWindow([process.execPath, ...argv], { folder, columns: 100, rows: 40, env });
    onTestFinished(() => window.close());
    await window.until(/^›/mu);
    return window;
  }
  const urlIn = (window: Window): string => /Also serving at (\S+):/u.exec(window.screen())?.[1] ?? "";

  test("one call of the chat is approved over HTTP, the other rejected in the chat, with which the server ends", async () => {
    const { folder, log, chatWords } = place();
    const window = await open([...chatWords, "--port", "0"], folder);
    const url = urlIn(window);
    expect(window.screen()).toContain(`curl -N ${url}/v1/chat/completions`);
    window.type("Read my mail, pay invoice 12 (300 euros) and delete all mail.", "Enter");
    await window.until("? pay_invoice waits for your decision (1/2)");
    const { threads } = createClient({ url });
    const thread = await vi.waitUntil(async () => (await threads.list({ status: "waiting" })).data[0], {
      timeout: 10_000,
    });
    expect(thread.persona).toBe("demo");
    await threads.decide(thread.id, { call_2: { type: "approve" } });
    await window.until("Invoice 12 is paid: 300 euros.");
    await window.until("? delete_mail waits for your decision");
    await pause(moment);
    window.type("r");
    await window.until("Reason (optional):");
    window.type("I keep my mail", "Enter");
    await window.until("You rejected `delete_mail` (“I keep my mail”)");
    window.type("", "C-d");
    await window.until("Try next:");
    expect(await window.exit()).toBe(0);
    await untilNotServed(url);
    expect(readFileSync(log, "utf8")).toContain('"path":"/threads"');
  });

  test("the page opens in the browser of the person, unless they do not want it", async () => {
    const { folder, chatWords } = place();
    const browser = join(folder, "browser");
    writeFileSync(browser, `#!/bin/sh\necho "$1" > '${folder}/opened'\n`, { mode: 0o755 });
    const quiet = await open([...chatWords, "--port", "0", "--no-open"], folder, browser);
    expect(quiet.screen()).toContain("Also serving at");
    quiet.type("", "C-d");
    await quiet.exit();
    expect(existsSync(join(folder, "opened"))).toBe(false);
    const window = await open([...chatWords, "--port", "0"], folder, browser);
    const url = /open in your browser: (http:\S+)\. /u.exec(window.screen())?.[1];
    await vi.waitUntil(() => existsSync(join(folder, "opened")), { timeout: 10_000 });
    expect(readFileSync(join(folder, "opened"), "utf8").trim()).toBe(url);
    window.type("", "C-d");
    await window.exit();
  });

  test("nothing is left behind by a chat that is killed", async () => {
    const { folder, chatWords } = place();
    const window = await open([...chatWords, "--port", "0"], folder);
    const url = urlIn(window);
    expect(await isServed(url)).toBe(true);
    process.kill(window.pid(), "SIGKILL");
    await untilNotServed(url);
  });

  test("the chat opens also where the port is taken, and says so", async () => {
    const { folder, chatWords } = place();
    const window = await open([...chatWords, "--port", await takenPort()], folder);
    expect(window.screen()).toContain("The chat opens without a server.");
    window.type("", "C-d");
    expect(await window.exit()).toBe(0);
  });
});
