import { UndangleError } from "undangle";
import type { Language } from "undangle";
import { createAgent } from "undangle/agent";
import type { Agent, AgentOptions, Logger, Middleware, Store } from "undangle/agent";
import { agentNames, openAgent, resolveAgent } from "undangle/config";
import type { AgentChoice, AgentConfig, LoadedConfig } from "undangle/config";

import { localProject } from "../access/identity.ts";
import { ApiError } from "../answers/api-error.ts";
import { clientTools } from "./client-tools.ts";
import type { ClientTool } from "./client-tools.ts";
import { createSeats } from "./seats.ts";

/** Somebody to talk to. */
export interface Persona {
  readonly id: string;
  readonly name: string;
  readonly language: Language | undefined;
  /** The name of its model, and whether that is the demo model because there is no other. */
  readonly model: string;
  readonly isDemo: boolean;
  readonly tools: readonly string[];
}

/** What an agent of a thread is made of; threads that need the same share one. */
export interface Part {
  readonly persona: string;
  /** What a person allows from now on in all threads of an agent holds in those of one project. */
  readonly project: string;
  /** Another model than that of the persona. */
  readonly model?: string | undefined;
  /** Tools that the caller runs itself. */
  readonly clientTools?: readonly ClientTool[] | undefined;
  /** False: none of the persona's own tools. */
  readonly useTools?: boolean | undefined;
}

/** A persona whose model cannot be asked. */
export interface Unready {
  readonly id: string;
  readonly fault: UndangleError;
}

export interface Roster {
  /** The standard one first. */
  readonly personas: readonly Persona[];
  /** Those that have no key for their model; the standard one is not among them, for then there is no server. */
  readonly unready: readonly Unready[];
  readonly standard: string;
  /** Names that the field `model` of a request may have, besides those of personas. */
  readonly models: readonly string[];
  /** The agent of a part; a part that none can be made of is refused. */
  agentFor(part: Part): Agent;
  /**
   * The agent of a thread that is saved, whatever has changed in the config since: tools of the caller whose names the persona's
   * tools have now, and a model that is gone, are left out. Gives the part that is left, too.
   */
  speakerFor(part: Part): { readonly agent: Agent; readonly part: Part };
  /** True when some persona queues a message while calls are open, unless the message requests another policy. */
  readonly hasQueues: boolean;
  /** False when an agent of this part has no such tool, and none can come to it. */
  mayCall(part: Omit<Part, "project">, tool: string): boolean;
  /** The agent here that runs a thread under this name of an owner: nobody else can stop it. */
  agentRunning(owner: string | undefined): Agent | undefined;
  /** Waits for what goes on. */
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
  /** Around every agent. */
  readonly middleware: readonly Middleware[];
}

/** The agents of a server, made when they are needed. What is wrong with a persona is told at once, with its line. */
export function createRoster(options: RosterOptions): Roster {
  const { loaded, fallback, store, logger, env, language } = options;
  const names = loaded === undefined ? [] : agentNames(loaded.config);
  const standard = loaded?.config.agent ?? names[0] ?? fallback.name ?? "assistant";
  const ids = [standard, ...names.filter((name) => name !== standard)];
  const choice = (persona: string, model = options.model): AgentChoice => ({
    agent: persona === standard ? undefined : persona, // one that the config names wrongly is told with its line
    model,
    store,
    language,
    logger,
    env,
    fallback,
  });
  const unready: Unready[] = [];
  const personas = ids.map((id): Persona => {
    openAgent(loaded, choice(id)); // throws where it could not be made later; nothing runs in it
    const { options: made, model, modelOrigin } = resolveAgent(loaded, choice(id));
    const fault = model.checkKey?.();
    if (fault !== undefined && id === standard) throw fault;
    if (fault !== undefined) unready.push({ id, fault });
    const { name = id } = loaded?.config.personas?.find((each) => each.id === id) ?? {};
    const tools = (made.tools ?? []).flatMap((each) => ("name" in each ? [each.name] : []));
    return { id, name, language: made.language, model: model.name, isDemo: modelOrigin === "demo", tools };
  });

  const make = ({ persona, project, model, clientTools: given = [], useTools = true }: Part, own: Store): Agent => {
    const { options: made } = resolveAgent(loaded, choice(persona, model));
    const client = clientTools(given);
    const tools: AgentOptions["tools"] = useTools ? made.tools : [];
    const rules = (made.approvals ?? []).map((rule) => (useTools ? rule : { ...rule, optional: true }));
    return createAgent({
      ...made,
      name: project === localProject ? made.name : `${project}/${made.name ?? persona}`,
      store: own,
      tools: [...(tools ?? []), ...client.tools],
      approvals: [...client.approvals, ...rules],
      middleware: around(options.middleware, made.middleware ?? []),
    });
  };
  const seats = createSeats(store, logger);
  /** Sources and middleware bring tools of which nobody knows before a run. */
  const hasOthers = (persona: string): boolean => {
    const { tools = [], middleware = [] } = resolveAgent(loaded, choice(persona)).options;
    return tools.some((each) => !("name" in each)) || middleware.some((each) => each.tools !== undefined);
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
    return seats.take(key, (own) => madeFor(part, () => make(part, own)));
  };

  return {
    personas,
    unready,
    standard,
    hasQueues: ids.some((id) => resolveAgent(loaded, choice(id)).options.onInput === "queue"),
    models: Object.keys(loaded?.config.models ?? {}),
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
      if (own === undefined) return true; // that the persona is gone is told elsewhere
      return (useTools && own.tools.includes(name)) || hasOthers(persona);
    },
    agentRunning: (owner) => seats.running(owner),
    close: () => seats.close(),
  };
}

/** The server's middleware around those of an agent, which may have one of them itself, told otherwise. */
const around = (outer: readonly Middleware[], inner: readonly Middleware[]): readonly Middleware[] => [
  ...outer.filter(({ name }) => !inner.some((each) => each.name === name)),
  ...inner,
];

/** The part without what an agent could not be made of; undefined when nothing is left to leave out. */
function withoutFault(part: Part, error: unknown): Part | undefined {
  const { clientTools: given = [], model, ...rest } = part;
  const cause = error instanceof ApiError ? error.cause : error;
  if (!(cause instanceof UndangleError)) return undefined;
  const isTaken = cause.is("tool/duplicate") && given.some(({ name }) => name === cause.data.name);
  if (isTaken) return { ...part, clientTools: given.filter(({ name }) => name !== cause.data.name) };
  if (given.length > 0 && cause.code.startsWith("tool/")) return { ...part, clientTools: [] };
  return model === undefined ? undefined : { ...rest, clientTools: given };
}

/** An agent of tools that came with a request: what is wrong with them is the caller's. */
function madeFor(part: Part, make: () => Agent): Agent {
  try {
    return make();
  } catch (error) {
    if (error instanceof UndangleError && error.code.startsWith("tool/") && (part.clientTools ?? []).length > 0)
      throw new ApiError(400, error.code, error.message, { param: "tools", cause: error });
    throw error;
  }
}
