import { UndangleError } from "undangle";
import type { Language } from "undangle";
import { createAgent } from "undangle/agent";
import type { Agent, AgentOptions, InputPolicy, Logger, Middleware, Model, Store } from "undangle/agent";
import { agentNames, openAgent, resolveAgent } from "undangle/config";
import type { AgentChoice, AgentConfig, LoadedConfig } from "undangle/config";

import { localProject } from "../../access/identity.ts";
import { ApiError } from "../../responses/api-error.ts";
import { clientTools } from "./client-tools.ts";
import type { ClientTool } from "./client-tools.ts";
import { createAgentCache } from "./agent-cache.ts";

export interface Persona {
  readonly id: string;
  readonly name: string;
  readonly language: Language | undefined;
  /** The name of its model, and whether it is the demo model because no other is configured. */
  readonly model: string;
  readonly isDemo: boolean;
  readonly tools: readonly string[];
  /** How it handles a message while calls are open, unless the message requests another policy. */
  readonly onInput: InputPolicy;
}

/** What defines the agent of a thread. Threads with equal parts share an agent. */
export interface Part {
  readonly persona: string;
  /** An allowance for all threads of an agent applies to the threads of one project. */
  readonly project: string;
  /** A model instead of that of the persona. */
  readonly model?: string | undefined;
  /** Tools that the client runs. */
  readonly clientTools?: readonly ClientTool[] | undefined;
  /** False disables the persona's tools. */
  readonly useTools?: boolean | undefined;
}

/** A persona whose model cannot be used. */
export interface Unready {
  readonly id: string;
  readonly fault: UndangleError;
}

export interface Roster {
  /** The standard persona first. */
  readonly personas: readonly Persona[];
  /**
   * Personas without a key for their model. The standard persona always has one; otherwise the server does not start.
   */
  readonly unready: readonly Unready[];
  readonly standard: string;
  /** Names that the field `model` of a request accepts besides personas. */
  readonly models: readonly string[];
  /** The models that a thread of a persona may have had. */
  modelsOf(persona: string): readonly Model[];
  /** The agent of a part. Throws if it cannot be created. */
  agentFor(part: Part): Agent;
  /**
   * The agent of a saved thread, even if the config has changed: client tools whose names the persona now uses, and a
   * missing model, are left out. Returns the remaining part too.
   */
  speakerFor(part: Part): { readonly agent: Agent; readonly part: Part };
  /** True if a persona queues messages while calls are open, unless the message requests another policy. */
  readonly hasQueues: boolean;
  /** False if an agent of this part does not have the tool and cannot get it later. */
  mayCall(part: Omit<Part, "project">, tool: string): boolean;
  /** The agent of this process with this owner name. Only it can stop its threads. */
  agentRunning(owner: string | undefined): Agent | undefined;
  /** Waits for running turns. */
  close(): Promise<void>;
}

export interface RosterOptions {
  readonly loaded: LoadedConfig | undefined;
  readonly fallback: AgentConfig;
  readonly store: Store;
  readonly model?: string | undefined;
  readonly language?: Language | undefined;
  readonly logger: Logger;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Middleware of every agent. */
  readonly middleware: readonly Middleware[];
}

/** The agents of a server, created on demand. Errors of a persona are reported at the start, with their line. */
export function createRoster(options: RosterOptions): Roster {
  const { loaded, fallback, store, logger, env, language } = options;
  const names = loaded === undefined ? [] : agentNames(loaded.config);
  const standard = loaded?.config.agent ?? names[0] ?? fallback.name ?? "assistant";
  const ids = [standard, ...names.filter((name) => name !== standard)];
  const choice = (persona: string, model = options.model): AgentChoice => ({
    agent: persona === standard ? undefined : persona, // an unknown name in the config is reported with its line
    model,
    store,
    language,
    logger,
    env,
    fallback,
  });
  const unready: Unready[] = [];
  const personas = ids.map((id): Persona => {
    openAgent(loaded, choice(id)); // throws now if the agent could not be created later; nothing runs in it
    const { options: made, model, modelOrigin } = resolveAgent(loaded, choice(id));
    const fault = model.checkKey?.();
    if (fault !== undefined && id === standard) throw fault;
    if (fault !== undefined) unready.push({ id, fault });
    const { name = id } = loaded?.config.personas?.find((each) => each.id === id) ?? {};
    const tools = (made.tools ?? []).flatMap((each) => ("name" in each ? [each.name] : []));
    const { language: spoken, onInput = "supersede" } = made;
    return { id, name, language: spoken, model: model.name, isDemo: modelOrigin === "demo", tools, onInput };
  });

  const make = ({ persona, project, model, clientTools: given = [], useTools = true }: Part, own: Store): Agent => {
    const { options: made } = resolveAgent(loaded, choice(persona, model));
    const client = clientTools(given);
    const tools: AgentOptions["tools"] = useTools ? made.tools : [];
    const rules = (made.approvals ?? []).map((rule) => (useTools ? rule : { ...rule, optional: true }));
    return createAgent({
      ...made,
      name: project === localProject ? made.name : `${project}:${made.name ?? persona}`, // a slash precedes a sub-agent
      store: own,
      tools: [...(tools ?? []), ...client.tools],
      approvals: [...client.approvals, ...rules],
      middleware: around(options.middleware, made.middleware ?? []),
    });
  };
  const cache = createAgentCache(store, logger);
  /** Sources and middleware add tools that are known only during a run. */
  const hasOthers = (persona: string): boolean => {
    const { tools = [], middleware = [] } = resolveAgent(loaded, choice(persona)).options;
    return tools.some((each) => !("name" in each)) || middleware.some((each) => each.tools !== undefined);
  };

  /** A model that cannot be opened has written nothing. */
  const modelOf = (chosen: AgentChoice): readonly Model[] => {
    try {
      return [resolveAgent(loaded, chosen).model];
    } catch (error) {
      if (error instanceof UndangleError) return [];
      throw error;
    }
  };

  const agentFor = (part: Part): Agent => {
    if (!ids.includes(part.persona))
      throw new ApiError(
        404,
        "persona-unknown",
        `There is no persona ${JSON.stringify(part.persona)}. Known: ${ids.join(", ")}.`,
        { param: "personality_id" },
      );
    const key = JSON.stringify([part.persona, part.project, part.model, part.useTools ?? true, part.clientTools ?? []]);
    return cache.get(key, (own) => madeFor(part, () => make(part, own)));
  };

  return {
    personas,
    unready,
    standard,
    hasQueues: personas.some(({ onInput }) => onInput === "queue"),
    models: Object.keys(loaded?.config.models ?? {}),
    modelsOf: (persona) =>
      ids.includes(persona)
        ? [undefined, ...Object.keys(loaded?.config.models ?? {})].flatMap((model) => modelOf(choice(persona, model)))
        : [],
    agentFor,
    speakerFor(part) {
      for (let left = part; ;) {
        try {
          return { agent: agentFor(left), part: left };
        } catch (error) {
          const less = withoutFault(left, error);
          if (less === undefined) throw error;
          left = less;
        }
      }
    },
    mayCall({ persona, clientTools: given = [], useTools = true }, name) {
      if (given.some((each) => each.name === name)) return true;
      const own = personas.find(({ id }) => id === persona);
      if (own === undefined) return true; // the missing persona is reported elsewhere
      return (useTools && own.tools.includes(name)) || hasOthers(persona);
    },
    agentRunning: (owner) => cache.running(owner),
    close: () => cache.close(),
  };
}

/** The server's middleware around the middleware of an agent. The agent may configure one of them itself. */
const around = (outer: readonly Middleware[], inner: readonly Middleware[]): readonly Middleware[] => [
  ...outer.filter(({ name }) => !inner.some((each) => each.name === name)),
  ...inner,
];

/** The part without the cause of an error; undefined if nothing is left to remove. */
function withoutFault(part: Part, error: unknown): Part | undefined {
  const { clientTools: given = [], model, ...rest } = part;
  const cause = error instanceof ApiError ? error.cause : error;
  if (!(cause instanceof UndangleError)) return undefined;
  const isTaken = cause.is("tool/duplicate") && given.some(({ name }) => name === cause.data.name);
  if (isTaken) return { ...part, clientTools: given.filter(({ name }) => name !== cause.data.name) };
  if (given.length > 0 && cause.code.startsWith("tool/")) return { ...part, clientTools: [] };
  return model === undefined ? undefined : { ...rest, clientTools: given };
}

/** An agent with the tools of a request. Errors in these tools are errors of the client. */
function madeFor(part: Part, make: () => Agent): Agent {
  try {
    return make();
  } catch (error) {
    if (error instanceof UndangleError && error.code.startsWith("tool/") && (part.clientTools ?? []).length > 0)
      throw new ApiError(400, error.code, error.message, { param: "tools", cause: error });
    throw error;
  }
}
