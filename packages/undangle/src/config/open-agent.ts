import { suggest, UndangleError } from "#core";
import type { Language } from "#core";
import { createAgent } from "#engine";
import type { Agent, AgentOptions, Logger } from "#engine";
import type { Model } from "#model";
import type { Store } from "#store";

import type { AgentConfig, Config, PersonaConfig } from "./config.ts";
import { showKey } from "./find-key.ts";
import type { KeyPath } from "./find-key.ts";
import type { LoadedConfig } from "./load-config.ts";
import { chooseModel } from "./open-model.ts";
import type { ModelOrigin } from "./open-model.ts";
import { everyTool, rulesOf, toolsOf } from "./resolve-tools.ts";

/** The requested agent and its environment. */
export interface AgentChoice {
  /** The name of an agent or the id of a persona (default: that of the config, or the first). */
  readonly agent?: string | undefined;
  /** A model that takes precedence over that of the config. */
  readonly model?: string | undefined;
  readonly store: Store;
  readonly language?: Language | undefined;
  readonly logger?: Logger | undefined;
  /** Contains provider keys and UNDANGLE_MODEL. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The agent without a config, or without agents in it. */
  readonly fallback?: AgentConfig | undefined;
  /** Middleware in addition to that of the agent. One with the same name replaces that of the agent. */
  readonly middleware?: AgentOptions["middleware"];
  /** Makes the agent of its options (default: `createAgent`). */
  readonly create?: ((options: AgentOptions) => Agent) | undefined;
}

/** The parts of an agent before its creation. */
export interface ResolvedAgent {
  /** The name in the config; undefined for the fallback. */
  readonly name: string | undefined;
  readonly model: Model;
  /** The source of the model: an option, the config, UNDANGLE_MODEL, or none, which means the demo model. */
  readonly modelOrigin: ModelOrigin;
  /** For `createAgent`. */
  readonly options: AgentOptions & { readonly store: Store };
}

/** Creates the requested agent. */
export const openAgent = (loaded: LoadedConfig | undefined, choice: AgentChoice): Agent =>
  createFrom(resolveAgent(loaded, choice), loaded, choice.create ?? ((options) => createAgent(options)));

/** Resolves the names of tools and models of an agent. */
export function resolveAgent(loaded: LoadedConfig | undefined, choice: AgentChoice): ResolvedAgent {
  const { name, key, agent } = findAgent(loaded, choice);
  const { config = {} } = loaded ?? {};
  const placeOf = (path: KeyPath): string => loaded?.placeOf(path) ?? "";
  const { model, origin } = chooseModel({
    asked: choice.model,
    given: agent.model,
    key: [...key, "model"],
    models: config.models ?? {},
    env: choice.env,
    placeOf,
  });
  const language = choice.language ?? agent.language ?? config.language;
  const { store, logger } = choice;
  const tools = toolsOf(agent.tools ?? config.tools ?? [], config, { key: [...key, "tools"], placeOf });
  const approvals = rulesOf(agent, [...tools, ...everyTool(config)], { key: [...key, "approvals"], placeOf });
  const { middleware: added = [] } = choice;
  const own = (agent.middleware ?? []).filter((each) => !added.some(({ name: given }) => given === each.name));
  const middleware = [...own, ...added];
  const options = { name, ...agent, model, tools, approvals, middleware, store, language, logger };
  return { name, model, modelOrigin: origin, options };
}

/** The values of `--agent`: names of agents and ids of personas. */
export const agentNames = ({ agents = {}, personas = [] }: Config): readonly string[] => [
  ...Object.keys(agents),
  ...personas.map(({ id }) => id),
];

interface Found {
  readonly name: string | undefined;
  readonly key: KeyPath;
  readonly agent: AgentConfig;
}

function findAgent(loaded: LoadedConfig | undefined, { agent: asked, fallback = {} }: AgentChoice): Found {
  const { config = {} } = loaded ?? {};
  const names = agentNames(config);
  const name = asked ?? config.agent ?? names[0];
  if (name === undefined) return { name: fallback.name, key: [], agent: fallback };
  const agent = Object.hasOwn(config.agents ?? {}, name) ? config.agents?.[name] : undefined;
  if (agent !== undefined) return { name, key: ["agents", name], agent };
  const personas = config.personas ?? [];
  const index = personas.findIndex(({ id }) => id === name);
  const persona = personas[index];
  if (persona !== undefined) return { name, key: ["personas", index], agent: agentOf(persona) };
  const nearest = suggest(name, names);
  throw new UndangleError("config/name", {
    place: asked === undefined ? (loaded?.placeOf(["agent"]) ?? "") : "--agent",
    key: asked === undefined ? "agent" : "",
    kind: "agent",
    name,
    known: names,
    ...(nearest !== undefined && { nearest }),
  });
}

const agentOf = ({ id, instructions, model, tools, approvals, language }: PersonaConfig): AgentConfig => ({
  name: id,
  instructions,
  model,
  tools,
  approvals,
  language,
});

/** Creates the agent. Errors in its options are reported with their line in the config. */
function createFrom(
  { name, options }: ResolvedAgent,
  loaded: LoadedConfig | undefined,
  create: NonNullable<AgentChoice["create"]>,
): Agent {
  try {
    return create(options);
  } catch (error) {
    if (!(error instanceof UndangleError) || loaded === undefined || name === undefined) throw error;
    const index = (loaded.config.personas ?? []).findIndex(({ id }) => id === name);
    const owner: KeyPath = Object.hasOwn(loaded.config.agents ?? {}, name) ? ["agents", name] : ["personas", index];
    const key = [...owner, ...optionOf(error)];
    throw new UndangleError(
      "config/refused",
      { place: loaded.placeOf(key), key: showKey(key), reason: error.message },
      error,
    );
  }
}

/** The path of an option in an error, such as `approvals[0].tools`. */
function optionOf({ data }: UndangleError): KeyPath {
  const option = "option" in data ? data.option : "";
  return [...option.matchAll(/[^.[\]]+/gu)].map(([part]) => (/^\d+$/u.test(part) ? Number(part) : part));
}
