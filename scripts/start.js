// `npm start`: runs a server on port 4111, opens its page in a browser and, in a terminal, the chat on the same threads.
// The default model is the demo model, which needs no key.
import { fork, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import process from "node:process";
import { parseArgs } from "node:util";
import { languageFor } from "undangle/config";
import { endWithNpm } from "./end-with-npm.js";
import { openInBrowser } from "./open-browser.js";
import { inRoot } from "./run.js";
import { startTexts } from "./start-texts.js";

const program = inRoot("bin/undangle.js");

/** The options of each command. */
const forServer = ["port", "host", "config", "store", "model", "language", "log"];
const forChat = ["config", "store", "model", "language", "agent", "thread", "files", "deep"];
/** Options without a value. */
const switches = ["deep"];

const { given, isServeOnly, isQuiet, message } = readArguments();
const hasPerson = process.stdin.isTTY && process.stdout.isTTY && !isInBackground();
process.chdir(inRoot("."));
if (isServeOnly || !hasPerson) {
  refuseWordsOfChat();
  endWithNpm();
  await undangle(["serve", ...chosen(forServer)]);
} else await openBoth();

/** Runs the server in a child process, which ends with this one, and the chat in this process. */
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

/** Starts a server. Resolves with the lines to show: its address, or why it failed. */
function startServer() {
  const { serves, opened, log, without } = startTexts[language()];
  if (!given.has("log")) given.set("log", ".undangle/server.log"); // the terminal belongs to the chat
  // Detached from the terminal's process group, because Ctrl-C is for the chat or for an editor that it has opened.
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
      if (curl === undefined) return;
      const isOpened = !isQuiet && openInBrowser(url);
      resolve([isOpened ? opened(url) : serves(url), curl.trimEnd(), log(given.get("log") ?? "")]);
    });
  });
}

/** The output of a stream so far. */
function gathered(/** @type {import("node:stream").Readable | null} */ stream) {
  let text = "";
  stream?.setEncoding("utf8").on("data", (more) => (text += String(more)));
  return () => text;
}

/** Runs a command of the program in this process, and exits with it. */
async function undangle(/** @type {readonly string[]} */ args) {
  process.argv.splice(1, Infinity, program, ...args);
  await import("../bin/undangle.js");
}

/** True in the background of a shell (`npm start &`), where there is a terminal but no input. */
function isInBackground() {
  const { stdout } = spawnSync("ps", ["-o", "pgid=", "-o", "tpgid=", "-p", String(process.pid)], { encoding: "utf8" });
  const [own, foreground] = (stdout ?? "").trim().split(/\s+/u);
  return foreground !== undefined && own !== foreground; // unknown on a machine without such a `ps`
}

function readArguments() {
  const names = new Set([...forServer, ...forChat]);
  const yesOrNo = /** @type {const} */ ("boolean");
  try {
    const { values, positionals } = parseArgs({
      options: {
        ...Object.fromEntries(
          [...names].map((name) => [
            name,
            { type: switches.includes(name) ? yesOrNo : /** @type {const} */ ("string") },
          ]),
        ),
        "no-chat": { type: yesOrNo },
        "no-open": { type: yesOrNo },
      },
      allowPositionals: true,
    });
    const texts = Object.entries(values).flatMap(([name, value]) =>
      typeof value === "string" ? [[name, value]] : switches.includes(name) ? [[name, ""]] : [],
    );
    const isServe = positionals[0] === "serve";
    return {
      given: new Map(/** @type {[string, string][]} */ (texts)),
      isQuiet: values["no-open"] === true,
      isServeOnly: isServe || values["no-chat"] === true,
      message: isServe ? positionals.slice(1) : positionals,
    };
  } catch (error) {
    const [problem] = String(error instanceof Error ? error.message : error).split(/\.\s/u); // the rest is advice about positional arguments
    console.error(`npm start: ${problem}.`);
    console.error(
      `Options: ${[...names, "no-chat", "no-open"].map((name) => `--${name}`).join(", ")}, after npm start --`,
    );
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

/** The given options that a command accepts. */
function chosen(/** @type {readonly string[]} */ names) {
  return names.flatMap((name) => {
    const value = given.get(name);
    if (value === undefined) return [];
    return switches.includes(name) ? [`--${name}`] : [`--${name}`, value];
  });
}

function language() {
  const asked = given.get("language");
  return languageFor(asked === "zh" || asked === "en" ? asked : undefined, process.env);
}
