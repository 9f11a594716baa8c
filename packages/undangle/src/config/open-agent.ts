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

/** Which agent is wanted, and what it works with. */
export interface AgentChoice {
  /** The name of an agent or the id of a persona; left out, the one that the config says, or its first. */
  readonly agent?: string | undefined;
  /** The name of a model, which holds before that of the config. */
  readonly model?: string | undefined;
  readonly store: Store;
  readonly language?: Language | undefined;
  readonly logger?: Logger | undefined;
  /** Has keys of providers, and UNDANGLE_MODEL. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The agent where there is no config, or none in it. */
  readonly fallback?: AgentConfig | undefined;
}

/** An agent before it is made. */
export interface ResolvedAgent {
  /** In the config; undefined for the fallback. */
  readonly name: string | undefined;
  readonly model: Model;
  /** Where the model comes from: an option, the config, UNDANGLE_MODEL, or nowhere: then it is the demo model. */
  readonly modelOrigin: ModelOrigin;
  /** For `createAgent`. */
  readonly options: AgentOptions & { readonly store: Store };
}

/** Makes the agent that is wanted. */
export const openAgent = (loaded: LoadedConfig | undefined, choice: AgentChoice): Agent =>
  createFrom(resolveAgent(loaded, choice), loaded);

/** Finds out what an agent consists of: names become tools and models. */
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
  const options = { name, ...agent, model, tools, approvals, store, language, logger };
  return { name, model, modelOrigin: origin, options };
}

/** The names that `--agent` takes: of agents, and ids of personas. */
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

/** Makes the agent; what is wrong with its options is told with its line in the config. */
function createFrom({ name, options }: ResolvedAgent, loaded: LoadedConfig | undefined): Agent {
  try {
    return createAgent(options);
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

/** The way to an option that an error names, such as `approvals[0].tools`. */
function optionOf({ data }: UndangleError): KeyPath {
  const option = "option" in data ? data.option : "";
  return [...option.matchAll(/[^.[\]]+/gu)].map(([part]) => (/^\d+$/u.test(part) ? Number(part) : part));
}
