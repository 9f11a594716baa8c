import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { createAgent, tool } from "#engine";
import { scriptedModel } from "#testing";

import { createTerminal } from "./chat/terminal.fixture.ts";
import { runIn } from "./memory-io.fixture.ts";
import type { World } from "./memory-io.fixture.ts";
import { makeBench } from "./threads/threads.fixture.ts";
import type { Bench } from "./threads/threads.fixture.ts";

/** Colours, a title, an erased screen, C1 controls, a bell, a return to the start of the line, and overrides of direction. */
const evil = "\u001B[31mred\u001B]0;title\u0007\u001B[2J\u009B2J\u0085\rover\bx\u202Egnp\u2066\u200F\u001B[39m";
const name = `x${evil}`;
// oxlint-disable-next-line no-control-regex -- no path contains them
const evilPath = `/${evil.replaceAll(/[\u0000-\u001f]/gu, "")}`;
const isServerBuilt = existsSync(new URL("../../../server/dist/index.js", import.meta.url));

/** What a terminal obeys, other than the colours that this program writes; and colours that it did not write. */
const steering = new RegExp(
  String.raw`\u001B\[31mred|\u001B(?!\[(?:[127]|2[27]|3[12369])m)|[[\p{Cc}--[\n\t\u001B]]\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]`,
  "gv",
);
const steeringIn = (output: string): readonly string[] => output.match(steering) ?? [];

const call = (id: string, tool: string, args: unknown) => ({
  id,
  type: "function",
  function: { name: tool, arguments: JSON.stringify(args) },
});
const history = [
  { role: "system", content: evil },
  { role: "user", content: evil, name: evil, [evil]: evil },
  { role: "assistant", content: evil, tool_calls: [call(evil, evil, { [evil]: evil }), call("b", evil, { a: 1 })] },
  { role: "tool", tool_call_id: evil, content: evil },
  { role: "tool", tool_call_id: `${evil}2`, content: evil },
  { role: evil, content: evil },
];
const files = {
  [name]: JSON.stringify(history),
  [`${name}.lines`]: `${JSON.stringify(history)}\n${JSON.stringify({ messages: history, model: evil })}\n{"${evil}\n`,
  [`${name}.broken`]: `[{"role": ${evil}`,
  [`${name}.stream`]: `data: ${JSON.stringify({
    id: evil,
    model: evil,
    choices: [
      { index: 0, delta: { content: evil, tool_calls: [{ ...call(evil, evil, { [evil]: evil }), index: 0 }] } },
    ],
  })}\n\ndata: {"error":{"message":${JSON.stringify(evil)},"code":${JSON.stringify(evil)}}}\n\n`,
};

const commands: readonly (readonly string[])[] = [
  ...["check", "doctor"].flatMap((command) =>
    [name, `${name}.lines`, `${name}.broken`, `${name}.missing`].flatMap((file) => [
      [command, file],
      [command, file, "--json"],
      [command, file, "--at", evil],
    ]),
  ),
  ["repair", name, "-o", `${name}.out`],
  ["repair", `${name}.lines`, "--json"],
  ["repair", name, "--in-place"],
  ["repair", `${name}.broken`],
  ["convert", name, "--to", "anthropic"],
  ["convert", name, "--to", "anthropic", "--json"],
  ["convert", name, "--to", "gemini", "-o", `${name}.out`],
  ["assemble", `${name}.stream`],
  ["assemble", `${name}.stream`, "--json"],
  ["assemble", `${name}.stream`, "--trace"],
  ["assemble", `${name}.broken`],
  ["explain", evil],
  ["explain", `tool_call_id ${evil} not found`],
  [evil],
  ["check", `--${evil}`],
  ["check", name, "--provider", evil],
];

describe.each<readonly [title: string, world: World]>([
  ["in a pipe", {}],
  ["at a terminal", { isTTY: true }],
])("a history and its file name %s", (_, world) => {
  test.each(commands.map((argv) => [argv]))("%j", async (argv) => {
    const { stdout, stderr } = await runIn({ ...world, files }, ...argv);
    expect(steeringIn(stdout + stderr)).toEqual([]);
  });

  test("a document keeps its value", async () => {
    const healthy = JSON.stringify([{ role: "user", content: evil }]);
    const { stdout } = await runIn({ ...world, files: { [name]: healthy } }, "convert", name, "--to", "gemini");
    expect(steeringIn(stdout)).toEqual([]);
    expect(JSON.parse(stdout)).toEqual([{ role: "user", parts: [{ text: evil }] }]);
  });
});

test("repair writes the bytes of a document unchanged into a pipe, and not to a terminal", async () => {
  const healthy = JSON.stringify([{ role: "user", content: "\u009B2J\u202E" }]);
  const inPipe = await runIn({ files: { "a.json": healthy } }, "repair", "a.json");
  expect(inPipe.stdout).toBe(healthy);
  const shown = await runIn({ files: { "a.json": healthy }, isTTY: true }, "repair", "a.json");
  expect(shown.stdout).toBe(String.raw`[{"role":"user","content":"\u009b2J\u202e"}]`);
});

describe("a stored thread", () => {
  let bench: Bench;
  const pay = tool({
    name: "pay_invoice",
    description: "Pays.",
    approval: true,
    input: { type: "object" },
    title: evil,
    render: () => ({ type: "diff", path: evil, text: `@@ ${evil}\n-${evil}\n+${evil}` }),
    execute: () => evil,
  });
  const look = tool({
    name: "look",
    description: "Looks, and writes files.",
    input: { type: "object" },
    async execute(_, { files: own }) {
      const data = Buffer.from(evil);
      await own.write([evilPath, "/content.txt"].map((path) => ({ path, data })));
      return evil;
    },
  });

  beforeAll(async () => {
    bench = makeBench();
    await bench.inStore(async (store) => {
      const args = { [evil]: evil };
      const calls = [
        { id: `${evil}1`, name: "look", arguments: args },
        { id: `${evil}2`, name: "pay_invoice", arguments: args },
        { id: `${evil}3`, name: "pay_invoice", arguments: args },
      ];
      const model = { ...scriptedModel([{ text: evil, calls }], { loop: true }), name: evil };
      const agent = createAgent({ model, store, tools: [look, pay] });
      for (const id of [evil, `${evil}gone`, `${evil}plain`, `${evil}chat`]) {
        const thread = agent.thread(id);
        await thread.send(evil).result;
        await thread.describe({ title: evil, meta: { agent: evil } });
      }
      await agent.delete(`${evil}gone`);
      await agent.thread(`${evil}imported`).import(history.slice(0, 4));
      await agent.close();
    });
    writeFileSync(join(bench.folder, "history.json"), JSON.stringify(history));
  });
  afterAll(() => bench.remove());

  const actions: readonly (readonly string[])[] = [
    ["list"],
    ["list", "--json"],
    ["list", "--deleted"],
    ["list", "--search", evil],
    ["show", evil],
    ["show", evil, "--full"],
    ["show", evil, "--json"],
    ["show", `${evil}imported`],
    ["show", "nothing"],
    ["show", `${evil}none`],
    ["export", evil],
    ["export", evil, "--format", "anthropic"],
    ["export", evil, "--format", "openai-chat", "-o", evil],
    ["import", evil],
    ["files", `${evil}plain`],
    ["files", `${evil}plain`, "--json"],
    ["files", `${evil}plain`, "/content.txt", "--json"],
    ["files", `${evil}plain`, "/content.txt", "-o", evil],
    ["files", `${evil}plain`, `/${evil}`],
    ["files", `${evil}plain`, "/content"],
    ["files", `${evil}plain`, `/\u202E${"x".repeat(40)}`],
    ["files", `${evil}plain`, `/\u202Egnp`, "--put", name],
    ["files", `${evil}plain`, "/new.txt", "--put", evil],
    ["files", `${evil}plain`, "/missing", "--delete"],
    ["recover", "--dry-run"],
    ["recover", "--json"],
    ["decide", evil],
    ["decide", evil, "--approve", "none"],
    ["decide", evil, "--reject", `${evil}2=${evil}`],
    ["decide", evil, "--reject", `all=${evil}`, "--json"],
    ["delete", `${evil}imported`, "--yes"],
    ["delete", evil, "--json", "--yes"],
    ["restore", evil],
    ["restore", `${evil}imported`],
    [evil],
    ["list", "--status", evil],
  ];
  test.each(actions.flatMap((argv) => [[false, argv] as const, [true, argv] as const]))(
    "threads, at a terminal: %s, %j",
    async (isTTY, argv) => {
      const { stdout, stderr } = await bench.runAs({ isTTY, files }, ...argv);
      expect(steeringIn(stdout + stderr)).toEqual([]);
    },
  );

  test("threads files writes the bytes of a file unchanged into a pipe, and not to a terminal", async () => {
    const argv = ["files", `${evil}plain`, "/content.txt"];
    expect((await bench.run(...argv)).stdout).toBe(evil);
    for (const env of [{}, { FORCE_COLOR: "1" }]) {
      const { stdout } = await bench.runAs({ isTTY: true, env }, ...argv);
      expect(stdout).toContain(String.raw`\x1b[31mred`);
      expect(steeringIn(stdout)).toEqual([]);
    }
  });

  test("threads import", async () => {
    const file = JSON.stringify(history);
    const { stdout, stderr } = await bench.runAs({ isTTY: true, files: { [name]: file } }, "import", name);
    expect(steeringIn(stdout + stderr)).toEqual([]);
  });

  // The command loads the built server, which `npm run check` does not build.
  test.skipIf(!isServerBuilt)("keys", async () => {
    const keys = (...argv: readonly string[]) => runIn({ isTTY: true, folder: bench.folder }, "keys", ...argv);
    const made = await keys("create", "--name", evil, "--json");
    expect(JSON.parse(made.stdout)).toMatchObject({ name: evil });
    const all = [made, await keys("list"), await keys("list", "--json"), await keys("revoke", evil), await keys(evil)];
    expect(all.flatMap(({ stdout, stderr }) => steeringIn(stdout + stderr))).toEqual([]);
  });

  test.each([[[]], [["--json"]], [["--quiet"]]])("a chat without a keyboard %j", async (flags) => {
    const argv = ["chat", "--thread", `${evil}plain`, ...flags, "--approve", "none", evil];
    const { stdout, stderr } = await runIn({ stdin: "", folder: bench.folder, isTTY: true }, ...argv);
    expect(steeringIn(stdout + stderr)).toEqual([]);
    expect(steeringIn((await runIn({ stdin: "", folder: bench.folder }, ...argv)).stderr)).toEqual([]);
  });

  test("the chat: last exchange, question, /threads, /show, /allow, what is typed and what is edited", async () => {
    const edited: string[] = [];
    const editor = (text: string): string => {
      edited.push(text);
      return text;
    };
    const terminal = createTerminal({ columns: 100, rows: 60, editor });
    const outcome = runIn({ terminal, isTTY: true, folder: bench.folder }, "chat", "--thread", `${evil}chat`);
    await terminal.until("later");
    await pause(500); // a question that nobody has asked for ignores the first keys
    terminal.type("l");
    await terminal.until("/pending");
    const steps: readonly (readonly [typed: string, until: string])[] = [
      ["/threads\r", "opens one"],
      ["/show 1\r", "Result"],
      ["/allow\r", "Nothing is always allowed"],
      ["/thread nothing\r", "no thread nothing"],
      [`\u001B[200~typed ${evil}\u001B[201~`, "› typed"],
      ["\u0003/pending\r", "w always allow"],
      ["e", "Nothing was changed or decided."],
      ["w", "only with these arguments"],
      ["t", "is allowed from now on"],
    ];
    for (const [typed, until] of steps) {
      terminal.type(typed);
      await terminal.until(until);
    }
    terminal.type("\u0004");
    await outcome;
    expect(edited.map((text) => [JSON.parse(text) as unknown, steeringIn(text)])).toEqual([[{ [evil]: evil }, []]]);
    const own = new RegExp(String.raw`\x1b\[(?:\?25[lh]|\d*[ACJKH])|\r`, "gu");
    expect(steeringIn(terminal.written().replaceAll(own, ""))).toEqual([]);
  });
});

test("a config whose agent and model have such names", async () => {
  const folder = mkdtempSync(join(tmpdir(), "undangle-foreign-"));
  const text = JSON.stringify(evil);
  writeFileSync(join(folder, "undangle.config.mjs"), `export default { agents: { [${text}]: { model: ${text} } } };`);
  for (const argv of [["chat", "hello"], ["serve"], ["threads", "list"]]) {
    const { stdout, stderr } = await runIn({ folder, isTTY: true }, ...argv);
    expect(steeringIn(stdout + stderr)).toEqual([]);
  }
  rmSync(folder, { recursive: true });
});
