import { expect } from "vitest";

import type { LoadTask } from "./load-program.fixture.ts";

/** A folder with files in it, and what is to be done there. */
export interface LoadCase {
  readonly title: string;
  readonly files: Readonly<Record<string, string>>;
  readonly task?: Omit<LoadTask, "folder">;
  readonly answer: object;
}

const config = "undangle.config.ts";
/** A tool without the package, which a fresh checkout may not have built. */
const ls = `const ls = { name: "ls", description: "", schema: {}, approval: false, idempotent: false, timeout: undefined,
  retries: { times: 0, delay: 0 }, validate: (value: unknown) => ({ ok: true, value }), execute: () => "" };`;

const told = (code: string, message: string): object => ({ code, message });
const contains = (code: string, part: string): object => ({ code, message: expect.stringContaining(part) as unknown });

/** Faults of the section `server`, in line 3, and the column and the words of their errors. */
const serverCases: readonly (readonly [title: string, section: string, column: number, message: string])[] = [
  [
    "a key that does not exist",
    `orgins: []`,
    5,
    "Unknown key orgins. Did you mean origins? Known: hosts, origins, webhook, limits, keep, record, prices, timeZone, studio.",
  ],
  ["origins that are no list", `origins: "*"`, 5, `origins cannot be "*". Allowed: a list.`],
  [
    "an origin with a path",
    `origins: ["https://a.example", "https://b.example/page"]`,
    36,
    `origins[1] cannot be "https://b.example/page". Allowed: an origin without a path, such as https://app.example.com.`,
  ],
  [
    "a host with a port",
    `hosts: ["example.com:80"]`,
    13,
    `hosts[0] cannot be "example.com:80". Allowed: a host name without a port, such as example.com.`,
  ],
  [
    "a limit that does not exist",
    `limits: { rates: 5 }`,
    15,
    "Unknown key limits.rates. Did you mean rate? Known: body, requestTime, connections, rate, runs, turn.",
  ],
  ["a limit of nothing", `limits: { rate: 0 }`, 15, "limits.rate cannot be 0. Allowed: a number above 0."],
  [
    "a time zone that does not exist",
    `timeZone: "Mars/Olympus"`,
    5,
    `timeZone cannot be "Mars/Olympus". Allowed: a time zone, such as Europe/Berlin.`,
  ],
  [
    "a price without its output",
    `prices: { models: { "openai/gpt-5.1": { input: 1 } } }`,
    25,
    'prices.models["openai/gpt-5.1"].output cannot be undefined. Allowed: the price of a million tokens.',
  ],
  [
    "a price that is a text",
    `prices: { models: { m: { input: "1", output: 2 } } }`,
    30,
    'prices.models.m.input cannot be "1". Allowed: the price of a million tokens.',
  ],
  [
    "a currency that is a sign",
    `prices: { currency: "$", models: {} }`,
    15,
    'prices.currency cannot be "$". Allowed: the code of a currency, such as EUR.',
  ],
  ["prices without models", `prices: {}`, 5, "prices.models cannot be undefined. Allowed: an object."],
  ["a studio that is a number", `studio: 1`, 5, "studio cannot be 1. Allowed: true, false, the folder of a build."],
  [
    "a webhook without an address",
    `webhook: { secret: "s" }`,
    5,
    "webhook.url cannot be undefined. Allowed: an address that begins with https:// or http://.",
  ],
  [
    "a webhook that is a file",
    `webhook: { url: "file:///etc/passwd" }`,
    16,
    `webhook.url cannot be "file:///etc/passwd". Allowed: an address that begins with https:// or http://.`,
  ],
  [
    "a webhook with a password",
    `webhook: { url: "https://me:hunter2@example.com/" }`,
    16,
    `webhook.url cannot be "https://me@example.com/". Allowed: an address without a user name and a password (use secret, which signs the request).`,
  ],
  ["days that are none", `keep: { chats: 0 }`, 13, "keep.chats cannot be 0. Allowed: a number of days above 0, false."],
  [
    "a secret that is empty",
    `webhook: { url: "https://example.com", secret: "" }`,
    44,
    `webhook.secret cannot be "". Allowed: a non-empty string.`,
  ],
];

/** Configs, and what comes of loading each and opening its agent. */
export const loadCases: readonly LoadCase[] = [
  { title: "a folder without a config has none", files: {}, answer: { none: true } },
  {
    title: "an agent of the config, its tools and its model",
    files: { [config]: `${ls}\nexport default { tools: [ls], agents: { mail: { instructions: "Be kind." } } };` },
    answer: { name: "mail", model: "demo", origin: "demo", tools: ["ls"] },
  },
  {
    title: "an empty file is no config",
    files: { [config]: `// nothing yet\n` },
    answer: contains("config/no-export", "undangle.config.ts: there is no default export."),
  },
  {
    title: "an empty file in a package of modules is no config either",
    files: { "package.json": `{ "type": "module" }`, [config]: "" },
    answer: contains("config/no-export", "undangle.config.ts: there is no default export."),
  },
  {
    title: "a config that says nothing is one",
    files: { [config]: `export default {};` },
    answer: { origin: "demo" },
  },
  {
    title: "a getter that throws",
    files: { [config]: `export default {\n  get agents() {\n    throw new Error("no agents today");\n  },\n};` },
    answer: told("config/load", "undangle.config.ts:3:11: no agents today."),
  },
  {
    title: "a getter that throws in the file of an agent",
    files: { "mail.ts": `export default {\n  get instructions() {\n    throw new Error("no words");\n  },\n};` },
    task: { agentFile: "mail.ts" },
    answer: told("config/load", "mail.ts:3:11: no words."),
  },
  {
    title: "the types of TypeScript",
    files: {
      [config]: `interface Wish { text: string }\nconst wish: Wish = { text: "Be kind." };\nexport default { agents: { a: { instructions: wish.text satisfies string } } };`,
    },
    answer: { name: "a", model: "demo" },
  },
  ...["undangle.config.mts", "undangle.config.js", "undangle.config.mjs"].map((name) => ({
    title: `a config that is called ${name}`,
    files: { [name]: `export default { agents: { a: {} } };` },
    answer: { name: "a" },
  })),
  {
    title: "a config in a package of CommonJS, which imports another file",
    files: {
      "package.json": `{ "type": "commonjs" }`,
      "words.ts": `export const words: string = "Be kind.";`,
      [config]: `import { words } from "./words.ts";\nexport default { agents: { a: { instructions: words } } };`,
    },
    answer: { name: "a" },
  },
  {
    title: "a config of CommonJS",
    files: {
      "package.json": `{ "type": "commonjs" }`,
      "undangle.config.js": `module.exports = { agents: { a: {} } };`,
    },
    answer: { name: "a" },
  },
  {
    title: "a persona in place of an agent",
    files: {
      [config]: `${ls}\nexport default { tools: [ls], personas: [{ id: "nurse", name: "Nurse", instructions: "Help.", tools: ["ls"] }] };`,
    },
    task: { agent: "nurse" },
    answer: { name: "nurse", tools: ["ls"] },
  },
  {
    title: "the agent that the config says",
    files: { [config]: `export default { agent: "b", agents: { a: {}, b: {} } };` },
    answer: { name: "b" },
  },
  {
    title: "a model by a name of the config's own",
    files: {
      [config]: `export default { models: { fast: "quick", quick: "openai/gpt-5.1-mini" }, agents: { a: { model: "fast" } } };`,
    },
    answer: { model: expect.stringContaining("gpt-5.1-mini") as unknown, origin: "config" },
  },
  {
    title: "a model that is asked for before that of the config",
    files: { [config]: `export default { agents: { a: { model: "openai/gpt-5.1" } } };` },
    task: { model: "anthropic/claude-sonnet-4-5" },
    answer: { model: expect.stringContaining("claude-sonnet-4-5") as unknown, origin: "option" },
  },
  {
    title: "the model of the environment where the config says none",
    files: { [config]: `export default { agents: { a: {} } };` },
    task: { env: { UNDANGLE_MODEL: "ollama/qwen3:8b" } },
    answer: { model: expect.stringContaining("qwen3:8b") as unknown, origin: "environment" },
  },
  {
    title: "a file of one agent",
    files: { "mail.ts": `export default { instructions: "Be kind." };` },
    task: { agentFile: "mail.ts" },
    answer: { name: "mail" },
  },
  {
    title: "a whole config in place of the file of an agent",
    files: { "mine.ts": `export default { agents: { a: {} } };` },
    task: { agentFile: "mine.ts" },
    answer: { name: "a" },
  },

  {
    title: "a config that is not there",
    files: {},
    task: { path: "other.ts" },
    answer: contains("config/missing", "other.ts"),
  },
  {
    title: "says of a folder that it is one",
    files: { "inner/undangle.config.ts": "export default {};" },
    task: { path: "inner" },
    answer: contains("config/load", "inner: It is a folder. Give the path of a file."),
  },
  {
    title: "two configs side by side",
    files: { [config]: "export default {};", "undangle.config.js": "export default {};" },
    answer: contains("config/load", "undangle.config.js is beside it"),
  },
  {
    title: "a mistake in the grammar of TypeScript",
    files: { [config]: `const n: number = 1;\nexport default {\n  agents: { a b },\n};` },
    answer: contains("config/load", "undangle.config.ts:3:15: "),
  },
  {
    title: "a mistake in the grammar of JavaScript",
    files: { "undangle.config.mjs": `export default {\n  agents: { a b },\n};` },
    answer: told("config/load", "undangle.config.mjs:2:15: Unexpected identifier 'b'."),
  },
  {
    title: "a mistake in the grammar of an imported file",
    files: { "other.ts": `export const = 1;`, [config]: `import "./other.ts";\nexport default {};` },
    answer: contains("config/load", "other.ts:1:"),
  },
  {
    title: "TypeScript that is more than types",
    files: { [config]: `enum Color { Red }\nexport default {};` },
    answer: contains("config/load", "undangle.config.ts:1:1: TypeScript enum is not supported"),
  },
  {
    title: "something that is thrown while it runs",
    files: {
      [config]: `const fail = (): never => {\n  throw new Error("no luck");\n};\nexport default { x: fail() };`,
    },
    answer: told("config/load", "undangle.config.ts:2:9: no luck."),
  },
  {
    title: "something thrown that is no error",
    files: { [config]: `throw "no luck";` },
    answer: told("config/load", "undangle.config.ts: it threw no luck."),
  },
  {
    title: "a name that does not exist",
    files: { [config]: `export default {\n  agents: agents,\n};` },
    answer: told("config/load", "undangle.config.ts:2:11: ReferenceError: agents is not defined."),
  },
  {
    title: "a file that is imported and not there",
    files: { [config]: `// first\nimport words from "./wrods.ts";\nexport default { words };` },
    answer: told("config/load", "undangle.config.ts:2:19: there is no file wrods.ts."),
  },
  {
    title: "a package that is not installed",
    files: { [config]: `import { z } from "no-such-package-here";\nexport default { z };` },
    answer: told(
      "config/load",
      "undangle.config.ts:1:19: the package no-such-package-here cannot be found. Install it beside the file: npm install no-such-package-here",
    ),
  },
  {
    title: "a package that is installed and too old",
    files: {
      "node_modules/old/package.json": `{ "name": "old", "exports": {} }`,
      [config]: `import { x } from "old/new";\nexport default { x };`,
    },
    answer: told(
      "config/load",
      "undangle.config.ts:1:19: the package old that is installed here has no old/new. Install it beside the file: npm install old@latest",
    ),
  },
  {
    title: "JSON that is imported without saying so",
    files: { "words.json": "{}", [config]: `import words from "./words.json";\nexport default words;` },
    answer: told("config/load", `undangle.config.ts:1:19: write: with { type: "json" } after the import.`),
  },
  {
    title: "a name that a module does not export",
    files: { [config]: `import { nope } from "node:fs";\nexport default {};` },
    answer: contains("config/load", "undangle.config.ts:1:10: "),
  },
  {
    title: "no default export",
    files: { [config]: `export const config = {};` },
    answer: contains("config/no-export", "undangle.config.ts: there is no default export"),
  },
  {
    title: "a default export that is no object",
    files: { [config]: `\nexport default () => ({});` },
    answer: contains("config/value", "undangle.config.ts:2:1: the default export cannot be"),
  },
  {
    title: "a promise",
    files: { [config]: `\nexport default Promise.resolve({});` },
    answer: told("config/load", "undangle.config.ts:2:1: It exports a promise. Write: export default await …"),
  },
  {
    title: "an error in a folder with a strange name",
    files: { "a b #1 (ü%20)/mine.ts": `export default {\n  x: fail(),\n};` },
    task: { path: "a b #1 (ü%20)/mine.ts" },
    answer: contains("config/load", "a b #1 (ü%20)/mine.ts:2:6: ReferenceError"),
  },
  {
    title: "a mistake in the grammar in a folder with a strange name",
    files: { "a b #1 (ü%20)/mine.mjs": `export default {\n  x y,\n};` },
    task: { path: "a b #1 (ü%20)/mine.mjs" },
    answer: contains("config/load", "a b #1 (ü%20)/mine.mjs:2:5: "),
  },
  {
    title: "a config with a mark of the byte order, and lines of Windows",
    files: { [config]: `\uFEFFexport default {\r\n  agnets: {},\r\n};\r\n` },
    answer: contains("config/key", "undangle.config.ts:2:3: Unknown key agnets"),
  },
  {
    title: "a key that does not exist",
    files: { [config]: `export default {\n  agents: {\n    mail: { modle: "x" },\n  },\n};` },
    answer: contains("config/key", "undangle.config.ts:3:13: Unknown key agents.mail.modle. Did you mean model?"),
  },
  {
    title: "a value that means nothing",
    files: { [config]: `export default {\n  language: "fr",\n};` },
    answer: told("config/value", `undangle.config.ts:2:3: language cannot be "fr". Allowed: en, zh.`),
  },
  ...serverCases.map(([title, section, place, message]) => ({
    title: `server: ${title}`,
    files: { [config]: `export default {\n  server: {\n    ${section},\n  },\n};` },
    answer: { message: `undangle.config.ts:3:${place}: ${message.replace(/^(Unknown key )?/u, "$1server.")}` },
  })),
  {
    title: "a section server that fits",
    files: {
      [config]: `export default { server: { origins: ["http://localhost:3000"], hosts: ["example.com"], timeZone: "Europe/Berlin", webhook: { url: "https://example.com/hook", secret: "s" }, limits: { rate: 60, body: 1024 }, prices: { currency: "EUR", models: { "openai/gpt-5.1": { input: 1.25, output: 10, cached: 0.1 } } } } };`,
    },
    answer: { origin: "demo" },
  },
  {
    title: "a tool that there is not",
    files: { [config]: `${ls}\nexport default {\n  tools: [ls],\n  agents: { a: { tools: ["ls", "lss"] } },\n};` },
    answer: told(
      "config/name",
      `undangle.config.ts:5:32: agents.a.tools[1]: there is no tool "lss". Did you mean ls? Known: ls.`,
    ),
  },
  {
    title: "a tool that there is not, in a rule for approvals, which would guard nothing",
    files: {
      [config]: `${ls}\nexport default {\n  tools: [ls],\n  agents: { a: { approvals: [{ tools: ["rm_*", "lss"] }] } },\n};`,
    },
    answer: told(
      "config/name",
      `undangle.config.ts:5:32: agents.a.approvals[0].tools: there is no tool "lss". Did you mean ls? Known: ls.`,
    ),
  },
  {
    title: "a rule for approvals that names a tool of another agent",
    files: {
      [config]: `${ls}\nexport default { agents: { a: { approvals: [{ tools: "ls" }] }, b: { tools: [ls] } } };`,
    },
    answer: { name: "a", tools: [] },
  },
  {
    title: "an agent that there is not, in the config",
    files: { [config]: `export default {\n  agents: { mail: {} },\n  agent: "mial",\n};` },
    answer: told(
      "config/name",
      `undangle.config.ts:3:3: agent: there is no agent "mial". Did you mean mail? Known: mail.`,
    ),
  },
  {
    title: "an agent that there is not, on the command line",
    files: { [config]: `export default { agents: { mail: {} } };` },
    task: { agent: "mial" },
    answer: told("config/name", `--agent: there is no agent "mial". Did you mean mail? Known: mail.`),
  },
  {
    title: "a model that there is not",
    files: {
      [config]: `export default {\n  models: { fast: "openai/gpt-5.1" },\n  agents: { a: { model: "fats" } },\n};`,
    },
    answer: told(
      "config/name",
      `undangle.config.ts:3:18: agents.a.model: there is no model "fats". Did you mean fast? Known: fast.`,
    ),
  },
  {
    title: "a provider that there is not, behind a name of one's own",
    files: {
      [config]: `export default {\n  models: { fast: "opneai/gpt-5.1" },\n  agents: { a: { model: "fast" } },\n};`,
    },
    answer: contains(
      "config/refused",
      `undangle.config.ts:2:13: models.fast: There is no model "opneai/gpt-5.1". Did you mean openai/gpt-5.1?`,
    ),
  },
  {
    title: "names of models that lead in a circle",
    files: { [config]: `export default { models: { a: "b", b: "a" }, agents: { x: { model: "a" } } };` },
    answer: contains("config/refused", "refers to itself: a → b"),
  },
  {
    title: "two personas of one id",
    files: {
      [config]: `const one = { id: "a", name: "A", instructions: "x" };\nexport default { personas: [one, one] };`,
    },
    answer: contains(
      "config/duplicate",
      `undangle.config.ts:2:34: personas[1].id: the persona name "a" is already used by personas[0].id.`,
    ),
  },
  {
    title: "two tools of one name",
    files: { [config]: `${ls}\nexport default {\n  tools: [ls, ls],\n};` },
    answer: contains(
      "config/duplicate",
      `undangle.config.ts:4:15: tools[1]: the tool name "ls" is already used by tools[0].`,
    ),
  },
  {
    title: "a persona without instructions",
    files: { [config]: `export default { personas: [\n  { id: "a", name: "A" },\n] };` },
    answer: contains("config/value", "undangle.config.ts:2:3: personas[0].instructions cannot be undefined."),
  },
  {
    title: "an agent that is made already",
    files: { [config]: `export default { agents: { a: { thread() {} } } };` },
    answer: contains("config/refused", "agents.a: This is the result of createAgent()."),
  },
  {
    title: "an option of an agent that createAgent refuses",
    files: { [config]: `export default {\n  agents: {\n    a: { approvals: [{ tool: "ls" }] },\n  },\n};` },
    answer: contains("config/refused", "undangle.config.ts:3:24: agents.a.approvals[0].tool: Unknown option"),
  },
  {
    title: "a mistake in the file of an agent",
    files: { "mail.ts": `export default {\n  instructions: "Be kind.",\n  modle: "x",\n};` },
    task: { agentFile: "mail.ts" },
    answer: contains("config/key", "mail.ts:3:3: Unknown key modle. Did you mean model?"),
  },
];
