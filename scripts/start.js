// What `npm start` does: a server on port 4111, and, where a person sits at a terminal, the chat beside it on the same threads.
// The demo model answers until another is named, and needs no key.
import { fork, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import process from "node:process";
import { parseArgs } from "node:util";
import { languageFor } from "undangle/config";
import { endWithNpm } from "./end-with-npm.js";
import { inRoot } from "./run.js";
import { startTexts } from "./start-texts.js";

const program = inRoot("bin/undangle.js");

/** Which command takes which options. */
const forServer = ["port", "host", "config", "store", "model", "language", "log"];
const forChat = ["config", "store", "model", "language", "agent", "thread"];

const { given, isServeOnly, message } = readArguments();
const hasPerson = process.stdin.isTTY && process.stdout.isTTY && !isInBackground();
process.chdir(inRoot("."));
if (isServeOnly || !hasPerson) {
  refuseWordsOfChat();
  endWithNpm();
  await undangle(["serve", ...chosen(forServer)]);
} else await openBoth();

/** The server in a process of its own, which ends with this one, and the chat in this one. */
async function openBoth() {
  const { last, next } = startTexts[language()];
  const hasThreads = existsSync(".undangle/threads.db");
  for (const line of await startServer()) console.log(line);
  if (hasThreads && !given.has("thread")) console.log(last);
  console.log();
  process.once("exit", (code) => {
    if (code === 0) console.log(["", ...next, ""].join("\n"));
  });
  await undangle(["chat", ...chosen(forChat), ...message]);
}

/** Starts a server, and tells what a person should know of it, or why there is none. */
function startServer() {
  const { serves, log, without } = startTexts[language()];
  if (!given.has("log")) given.set("log", ".undangle/server.log"); // the screen is the chat's
  // Not in the group of the terminal: a Ctrl-C there is for the chat, or for an editor that it has opened.
  const server = fork(program, ["serve", ...chosen(forServer)], {
    stdio: ["ignore", "pipe", "pipe", "ipc"],
    detached: true,
    windowsHide: true,
  });
  const [said, complaint] = [gathered(server.stdout), gathered(server.stderr)];
  return new Promise((/** @type {(lines: readonly string[]) => void} */ resolve) => {
    server.once("close", () => resolve([complaint().trimEnd(), without]));
    server.stdout?.on("data", () => {
      const [url = ""] = /https?:\/\/\S+/u.exec(said()) ?? [];
      const [curl] = /^ +curl [^]*?\}'\n/mu.exec(said()) ?? [];
      if (curl !== undefined) resolve([serves(url), curl.trimEnd(), log(given.get("log") ?? "")]);
    });
  });
}

/** What a stream has said so far. */
function gathered(/** @type {import("node:stream").Readable | null} */ stream) {
  let text = "";
  stream?.setEncoding("utf8").on("data", (more) => (text += String(more)));
  return () => text;
}

/** Runs a command line of the program in this process, which ends with it. */
async function undangle(/** @type {readonly string[]} */ args) {
  process.argv.splice(1, Infinity, program, ...args);
  await import("../bin/undangle.js");
}

/** In the background of a shell, `npm start &`, nobody can type, although there is a terminal. */
function isInBackground() {
  const { stdout } = spawnSync("ps", ["-o", "pgid=", "-o", "tpgid=", "-p", String(process.pid)], { encoding: "utf8" });
  const [own, foreground] = (stdout ?? "").trim().split(/\s+/u);
  return foreground !== undefined && own !== foreground; // a machine without such a `ps` does not tell
}

function readArguments() {
  const names = new Set([...forServer, ...forChat]);
  try {
    const { values, positionals } = parseArgs({
      options: {
        ...Object.fromEntries([...names].map((name) => [name, { type: /** @type {const} */ ("string") }])),
        "no-chat": { type: /** @type {const} */ ("boolean") },
      },
      allowPositionals: true,
    });
    const texts = Object.entries(values).flatMap(([name, value]) => (typeof value === "string" ? [[name, value]] : []));
    const isServe = positionals[0] === "serve";
    return {
      given: new Map(/** @type {[string, string][]} */ (texts)),
      isServeOnly: isServe || values["no-chat"] === true,
      message: isServe ? positionals.slice(1) : positionals,
    };
  } catch (error) {
    const [problem] = String(error instanceof Error ? error.message : error).split(/\.\s/u); // what follows is advice for positional arguments
    console.error(`npm start: ${problem}.`);
    console.error(`Options: ${[...names, "no-chat"].map((name) => `--${name}`).join(", ")}, after npm start --`);
    process.exit(2);
  }
}

/** Fails on options and messages that only the chat reads, instead of ignoring them. */
function refuseWordsOfChat() {
  const options = [...given.keys()].filter((name) => !forServer.includes(name)).map((name) => `--${name}`);
  const words = [...options, ...message];
  if (words.length === 0) return;
  console.error(
    `npm start: ${words.join(" ")} applies only to the chat, which does not open without a terminal or with --no-chat.`,
  );
  process.exit(2);
}

/** The options that were given, of those that a command takes. */
function chosen(/** @type {readonly string[]} */ names) {
  return names.flatMap((name) => {
    const value = given.get(name);
    return value === undefined ? [] : [`--${name}`, value];
  });
}

function language() {
  const asked = given.get("language");
  return languageFor(asked === "zh" || asked === "en" ? asked : undefined, process.env);
}
