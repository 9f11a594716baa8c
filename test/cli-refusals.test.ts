/** Whatever a command is given that it cannot use: one error that says what to do, and no trace of a stack. */
import { execFile } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const program = fileURLToPath(new URL("../packages/undangle/bin/undangle.js", import.meta.url));
const { OPENAI_API_KEY: _key, PORT: _port, ...inherited } = process.env;
const env = { ...inherited, LANG: "C.UTF-8", LC_ALL: "", NO_COLOR: "1", FORCE_COLOR: undefined };
let folder = "";

interface Ended {
  readonly status: unknown;
  readonly stdout: string;
  readonly stderr: string;
}

const undangle = (args: readonly string[]): Promise<Ended> =>
  new Promise((resolve) => {
    const child = execFile(process.execPath, [program, ...args], { cwd: folder, env }, (error, stdout, stderr) => {
      resolve({ status: error === null ? 0 : error.code, stdout, stderr });
    });
    child.stdin?.on("error", () => undefined); // it may end before it has read
    child.stdin?.end();
  });

/** How a program ended that was to refuse, and its error; what must not be in one is `odd`. */
async function refusal(args: readonly string[]) {
  const { status, stdout, stderr } = await undangle(args);
  const odd = [...stderr.matchAll(/\n\s+at |\bE[A-Z]{4,}: |node:internal|^(?!undangle: )/gu)].map(String);
  return { ended: { status, stdout, odd }, stderr };
}

const refused = { status: 2, stdout: "", odd: [] };

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "undangle-refusals-"));
  const file = (name: string, content: string | Uint8Array) => writeFileSync(join(folder, name), content);
  file("ok.json", '{"messages":[{"role":"user","content":"Hi."}]}');
  file("empty", "");
  file("blank", "  \n");
  file(
    "binary",
    Uint8Array.from({ length: 4096 }, (_, index) => (index * 197 + 128) % 256),
  );
  file("cut.json", '{"messages":[');
  file("text.json", '"text"');
  file("null.json", "null");
  file("object.json", "{}");
  file("prose.txt", "hello there");
  file("unreadable", "{}");
  chmodSync(join(folder, "unreadable"), 0);
  mkdirSync(join(folder, "dir"));
  symlinkSync("loop", join(folder, "loop"));
  file("broken.config.ts", "export default {");
  file("wrong.config.ts", "export default { agents: 7 }");
  file("throws.config.ts", 'throw new Error("first\\n\\n  second")');
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Nothing is unreadable for root. */
const isRoot = process.getuid?.() === 0;

const inputs: readonly (readonly [name: string, said: RegExp])[] = [
  ["missing.json", /: missing\.json: no such file or directory; check the path\n$/u],
  ["empty", /: empty:1:1: not JSON: the input is empty; it must be a request body or an array of messages\n$/u],
  ["blank", /: blank:1:1: not JSON: the input is empty; it must be/u],
  ["binary", /: binary:1: not UTF-8 text; .* Save it as UTF-8 first\n$/u],
  ["dir", /: dir: this is a directory; name a file\n$/u],
  ["loop", /: loop: the symbolic links form a loop; use the path of the file itself\n$/u],
  ["ok.json/x", /: a part of the path is not a directory; check the path\n$/u],
  ["cut.json", /: cut\.json:1:14: not JSON: the text ends in the middle of a value; was the file cut off\?\n/u],
  ["text.json", /: The input must be a request body or an array of messages, but it is string\.\n$/u],
  ["null.json", /: The input must be a request body or an array of messages, but it is null\.\n$/u],
  ["object.json", /: There is no message list in the input: expected an array of messages, or/u],
  ["prose.txt", /: prose\.txt:1:1: not JSON: a value is missing here\n/u],
  ...(isRoot ? [] : [["unreadable", /: unreadable: permission denied; change its permissions/u] as const]),
];

describe.concurrent.each([["check"], ["repair"], ["doctor"], ["convert", "--to", "anthropic"], ["threads", "import"]])(
  "%s",
  (...command) => {
    test.each(inputs)(`%s`, async (name, said) => {
      const { ended, stderr } = await refusal([...command, name]);
      expect(stderr).toMatch(said);
      expect(ended).toEqual({ ...refused, status: command[0] === "threads" ? 1 : 2 });
    });
  },
);

test.concurrent.each<readonly [args: readonly string[], said: RegExp]>([
  [["assemble", "empty"], /: empty: the input is empty; it must be a captured stream\n$/u],
  [["assemble", "binary"], /it contains no frame of a known stream format\n {2}Choose one with --format: openai-chat/u],
  [["assemble", "dir"], /: dir: this is a directory; name a file\n$/u],
  [["assemble", "missing"], /no such file or directory; check the path\n$/u],
  [["explain"], /: nothing to explain: give the error text as TEXT, or pipe it in\. More: undangle explain --help\n$/u],
  [["explain", " "], /: nothing to explain: give the error text as TEXT/u],
  [
    ["repair", "ok.json", "-o", "missing/out.json"],
    /missing\/out\.json: no such file or directory; check the path\n$/u,
  ],
  [["repair", "ok.json", "-o", "dir"], /: dir: this is a directory; name a file\n$/u],
  [["repair", "--in-place"], /: --in-place needs a FILE/u],
  [["convert", "ok.json"], /: --to is required: --to openai-chat\|/u],
  [["check", "--format", "x", "ok.json"], /: Unknown value of --format "x"\.\nKnown: openai-chat/u],
  [["check", "--at", "a.b", "ok.json"], /: there is no a\.b in it; the outermost value has the keys messages\n$/u],
  [["chek"], /: Unknown command "chek"\. Did you mean check\?\nCommands: check/u],
  [
    ["chat"],
    /^undangle: no message: give a MESSAGE, or pipe one message per line into stdin\. See undangle chat --help\n$/u,
  ],
  [["chat", ""], /^undangle: no message: give a MESSAGE/u],
  [["chat", "hi", "--agent", "nobody"], /there is no agent "nobody"\. There are none: define one in the config, or/u],
  [["chat", "hi", "--model", "nothing"], /: There is no model "nothing"\. A model is named PROVIDER\/ID/u],
  [["chat", "hi", "--model", "openai/gpt-5.1"], /: There is no key for the model .*: set OPENAI_API_KEY/u],
  [["chat", "hi", "--store", "prose.txt"], /prose\.txt is not a database [^.]*\. .+\.\n$/u],
  [["chat", "hi", "--store", "dir"], /it is a folder\. .+\.\n$/u],
  [["chat", "hi", "--store", "missing/a.db"], /missing\/a\.db cannot be used: .+\. .+\.\n$/u],
  [["chat", "hi", "--store", "mysql://x"], /Allowed: memory, a path/u],
  [["chat", "hi", "--config", "missing.ts"], /There is no config file .*missing\.ts\. .+\.\n$/u],
  [["chat", "hi", "--config", "dir"], /: dir: It is a folder\. Give the path of a file\.\n$/u],
  [["chat", "hi", "--config", "empty"], /: empty: there is no default export\. Write: export default defineConfig/u],
  [["chat", "hi", "--config", "binary"], /^undangle: binary:1: .*\n$/u],
  [["chat", "hi", "--config", "broken.config.ts"], /^undangle: broken\.config\.ts:1: .*\n$/u],
  [
    ["chat", "hi", "--config", "wrong.config.ts"],
    /: wrong\.config\.ts:1:18: agents cannot be 7\. Allowed: an object\.\n$/u,
  ],
  [["chat", "hi", "--config", "throws.config.ts"], /^undangle: throws\.config\.ts:1:7: first second\.\n$/u],
  [["threads"], /: No action given\.\nActions: list, show/u],
  [
    ["threads", "show", "nope", "--store", "memory"],
    /: There is no thread "nope"\. undangle threads list shows all threads/u,
  ],
  [["threads", "list", "--limit", "x"], /: --limit must be a whole number/u],
  [["threads", "list", "--store", "dir"], /it is a folder\. .+\.\n$/u],
  [["serve", "--port", "x"], /: x is not a port\. Use a number from 0 to 65535\.\n$/u],
  [["serve", "now"], /: serve takes only options; remove "now"\.\nMore: undangle serve --help\n$/u],
  [["serve", "--config", "missing.ts"], /There is no config file/u],
  [["serve", "--store", "dir"], /it is a folder\. .+\.\n$/u],
  [["serve", "--webhook", "x"], /: --webhook x cannot be used\. Allowed: an address that begins with/u],
  [["keys"], /: Give an action: create, list, revoke\.\n$/u],
  [["keys", "list", "all"], /: keys list takes only options; remove "all"\.\n$/u],
  [["keys", "create", "--scopes", "x"], /: Unknown scope x\. Known: chat/u],
  [["keys", "revoke"], /: Give the id of a key: undangle keys revoke ID\n$/u],
  [["keys", "list", "--store", "dir"], /it is a folder\. .+\.\n$/u],
])("%j", async (args, said) => {
  const { ended, stderr } = await refusal(args);
  expect(stderr).toMatch(said);
  expect(ended).toEqual(refused);
});

test.skipIf(isRoot).each([["chat", "hi"], ["serve"], ["threads", "list"], ["keys", "list"]])(
  "%s: a config that cannot be read",
  async (...command) => {
    const { ended, stderr } = await refusal([...command, "--config", "unreadable"]);
    expect(stderr).toMatch(
      /: unreadable: It cannot be read \(EACCES\)\. Change its permissions, or name another file\.\n$/u,
    );
    expect(ended).toEqual(refused);
  },
);

test("keys list makes no store", async () => {
  expect(await undangle(["keys", "list", "--store", "none.db"])).toMatchObject({ status: 0, stdout: "" });
  const { status, stderr } = await undangle(["keys", "revoke", "k", "--store", "none.db"]);
  expect([status, stderr]).toEqual([2, expect.stringContaining("none.db does not exist")]);
});
