import { isRecord, languages, UndangleError } from "#core";
import { runModes } from "#engine";

import { checkRecord, demand, shownKey } from "./check-record.ts";
import type { Check, PlaceOf } from "./check-record.ts";
import { checkServer } from "./check-server.ts";
import type { AgentConfig, Config, PersonaConfig } from "./config.ts";
import { showKey } from "./find-key.ts";
import type { KeyPath } from "./find-key.ts";

/** Refuses unknown keys and invalid values, each with its line. */
export function checkConfig(value: unknown, placeOf: PlaceOf): asserts value is Config {
  checkRecord(value, [], { checks: configChecks, placeOf });
  for (const [name, agent] of Object.entries(recordOf(value["agents"]))) checkAgent(agent, ["agents", name], placeOf);
  listOf(value["personas"]).forEach((persona, i) => checkPersona(persona, ["personas", i], placeOf));
  listOf(value["tools"]).forEach((tool, i) => checkTool(tool, ["tools", i], { placeOf, canBeName: false }));
  for (const [name, model] of Object.entries(recordOf(value["models"])))
    demand(isModel(model) || isText(model), model, { key: ["models", name], allowed: modelWords, placeOf });
  if (value["server"] !== undefined) checkServer(value["server"], placeOf);
  refuseTwins(value, placeOf);
}

/** The same for one agent at a path of the config. */
export function checkAgent(value: unknown, at: KeyPath, placeOf: PlaceOf): asserts value is AgentConfig {
  if (isRecord(value) && typeof value["thread"] === "function")
    throw refused(at, placeOf, "This is the result of createAgent(). Remove the call, and write its options.");
  checkRecord(value, at, { checks: agentChecks, placeOf });
  listOf(value["tools"]).forEach((tool, i) => checkTool(tool, [...at, "tools", i], { placeOf, canBeName: true }));
}

function checkPersona(value: unknown, at: KeyPath, placeOf: PlaceOf): asserts value is PersonaConfig {
  checkRecord(value, at, { checks: personaChecks, placeOf });
  for (const key of ["id", "name", "instructions"])
    demand(isText(value[key]), value[key], { key: [...at, key], allowed: ["a non-empty string"], placeOf });
  listOf(value["tools"]).forEach((tool, i) => checkTool(tool, [...at, "tools", i], { placeOf, canBeName: true }));
}

const isText = (value: unknown): value is string => typeof value === "string" && value !== "";
const isModel = (value: unknown): boolean => isRecord(value) && typeof value["stream"] === "function";
const isStore = (value: unknown): boolean => isRecord(value) && typeof value["commit"] === "function";
const isFunction = (value: unknown): boolean => typeof value === "function";

const modelWords = [
  'the name of a model, such as "openai/gpt-5.1"',
  "the result of openai() or another provider function",
];

const text: Check = [(value) => typeof value === "string", ["a string"]];
const name: Check = [isText, ["a non-empty string"]];
const list: Check = [Array.isArray, ["a list"]];
const table: Check = [isRecord, ["an object"]];
const language: Check = [(value) => languages.some((each) => each === value), languages];
const model: Check = [(value) => isText(value) || isModel(value), modelWords];

const configChecks: Readonly<Record<keyof Config, Check>> = {
  agents: table,
  personas: list,
  tools: list,
  models: table,
  store: [
    (value) => isText(value) || isStore(value) || isFunction(value),
    ["memory", "a path", "sqlite:PATH", "postgres://…", "a store", "a function that opens a store"],
  ],
  agent: name,
  language,
  server: table,
};

const agentChecks: Readonly<Record<keyof AgentConfig, Check>> = {
  model,
  instructions: text,
  tools: list,
  approvals: list,
  middleware: list,
  name,
  limits: table,
  onInput: [isText, ["supersede", "queue", "refuse"]],
  mode: [isText, runModes],
  output: [(value) => isRecord(value) || isFunction(value), ["a schema"]],
  language,
};

const personaChecks: Readonly<Record<keyof PersonaConfig, Check>> = {
  id: name,
  name,
  instructions: name,
  model,
  tools: list,
  approvals: list,
  language,
};

const refused = (key: KeyPath, placeOf: PlaceOf, reason: string): UndangleError =>
  new UndangleError("config/refused", { place: placeOf(key), key: shownKey(key), reason });

function checkTool(
  value: unknown,
  key: KeyPath,
  { placeOf, canBeName }: { readonly placeOf: PlaceOf; readonly canBeName: boolean },
): void {
  const isTool = isRecord(value) && (isFunction(value["execute"]) || isFunction(value["tools"]));
  const allowed = ["the result of tool()", "the result of mcpTools()", ...(canBeName ? ["the name of a tool"] : [])];
  demand(isTool || (canBeName && isText(value)), value, { key, allowed, placeOf });
}

/** Refuses duplicate names, which would be ambiguous. */
function refuseTwins({ agents = {}, personas = [], tools = [] }: Config, placeOf: PlaceOf): void {
  const known = new Map(Object.keys(agents).map((each): [string, string] => [each, showKey(["agents", each])]));
  personas.forEach(({ id }, i) =>
    refuseTwin(known, { kind: "persona", name: id, key: ["personas", i, "id"], placeOf }),
  );
  const toolNames = new Map<string, string>();
  tools.forEach((tool, i) => {
    if ("name" in tool) refuseTwin(toolNames, { kind: "tool", name: tool.name, key: ["tools", i], placeOf });
  });
}

interface Twin {
  readonly kind: "persona" | "tool";
  readonly name: string;
  readonly key: KeyPath;
  readonly placeOf: PlaceOf;
}

function refuseTwin(known: Map<string, string>, { kind, name: own, key, placeOf }: Twin): void {
  const first = known.get(own);
  if (first !== undefined)
    throw new UndangleError("config/duplicate", { place: placeOf(key), key: showKey(key), kind, name: own, first });
  known.set(own, showKey(key));
}

const recordOf = (value: unknown): Readonly<Record<string, unknown>> => (isRecord(value) ? value : {});

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
