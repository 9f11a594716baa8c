import { randomUUID } from "node:crypto";
import { relative } from "node:path";

import {
  agentNames,
  defaultStorePath,
  demoAgent,
  isAgentFile,
  loadAgentFile,
  loadConfig,
  openAgent,
  openStore,
  resolveAgent,
  withoutPassword,
} from "#config";
import type { AgentChoice, LoadedConfig } from "#config";
import { suggest } from "#core";
import type { Language } from "#core";
import type { Agent } from "#engine";
import type { Store } from "#store";

import type { Options } from "../option-table.ts";
import { notedAgents } from "../noted-agent.ts";
import type { NamedAgent } from "../noted-agent.ts";
import { commandWords, optionWords } from "../terminal/command-words.ts";

/** Where a chat takes place: everything that stays the same while its threads and models change. */
export interface Place {
  readonly loaded: LoadedConfig | undefined;
  readonly store: Store;
  /** As a person reads it, without secrets. */
  readonly storeName: string;
  /** Whether a later start can go on there. */
  readonly isKept: boolean;
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** That of a person's command line, so that it can be told how to come back. */
  readonly options: Options;
}

/** An agent with what a person is told about it. */
export interface OpenedAgent {
  readonly agent: Agent;
  readonly name: string;
  readonly model: string;
  /** What its model is told is in this language. */
  readonly language: Language;
  /** No agent is configured: it is the one of the demo, whose tools only pretend. */
  readonly isPretend: boolean;
  /** No model is configured: the demo model answers. */
  readonly isDemo: boolean;
}

interface Surroundings {
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Reads the config and opens the store that an invocation asks for. */
export async function openPlace(options: Options, { folder, env }: Surroundings): Promise<Place> {
  const isFile = options.agent !== undefined && isAgentFile(options.agent);
  const loaded = isFile
    ? await loadAgentFile(options.agent ?? "", folder)
    : await loadConfig({ path: options.config, folder });
  const store = await openStore(options.store, { folder, loaded });
  const named = options.store ?? loaded?.config.store;
  const storeName =
    typeof named === "string" ? withoutPassword(named) : named === undefined ? defaultName(folder) : "config";
  const isKept = named !== "memory" && named !== ":memory:";
  return { loaded, store, storeName, isKept, folder, env, options };
}

/** In what language a chat speaks, and whether a person has asked for that or the locale has it so. */
export interface Voice {
  language(): Language;
  isAsked(): boolean;
}

/**
 * Makes the agent, with another model than that of the command line where one is named. What a model is told follows the config,
 * and not the locale, unless the person has asked for a language; the agent of the demo follows the person.
 */
export function openAgentIn(place: Place, voice: Voice, model = place.options.model): OpenedAgent {
  const { loaded, store, env, options } = place;
  const language = voice.language();
  const isPretend = agentNames(loaded?.config ?? {}).length === 0;
  const isNamed = options.agent !== undefined && !isAgentFile(options.agent);
  const choice: AgentChoice = {
    store,
    env,
    ...((isPretend || voice.isAsked()) && { language }),
    fallback: demoAgent(language),
    ...(isNamed && { agent: options.agent }),
    ...(model !== undefined && { model }),
  };
  const resolved = resolveAgent(loaded, choice);
  const fault = resolved.model.checkKey?.();
  if (fault !== undefined) throw fault; // before there is a thread
  return {
    agent: openAgent(loaded, choice),
    name: resolved.name ?? "agent",
    model: resolved.model.name,
    language: resolved.options.language ?? "en",
    isPretend,
    isDemo: resolved.modelOrigin === "demo",
  };
}

/** A thread that a person has named. */
export type FoundThread =
  | { readonly id: string; readonly isNew: boolean }
  | { readonly missing: string; readonly near: string | undefined }
  | { readonly ambiguous: string; readonly ids: readonly string[] };

export const newThreadId = (): string => randomUUID().slice(0, 8);

/** How many threads are named where several are meant. */
const mostNamed = 20;

/** Finds a thread by its id, by the beginning of it, or as the `last` one. */
export async function findThread(store: Store, asked: string, agent: NamedAgent): Promise<FoundThread> {
  if (asked === "last") {
    const last = await lastThread(agent);
    return last === undefined ? { missing: asked, near: undefined } : { id: last, isNew: false };
  }
  if ((await store.load(asked)) !== undefined) return { id: asked, isNew: false };
  const ids = (await store.list({ idPrefix: asked, limit: mostNamed })).map(({ id }) => id);
  const [only] = ids;
  if (only === undefined) {
    const known = (await store.list({ limit: 500 })).map(({ id }) => id);
    return { missing: asked, near: suggest(asked, known) };
  }
  return ids.length === 1 ? { id: only, isNew: false } : { ambiguous: asked, ids };
}

/** The newest thread that no other agent has answered in, a server's for instance; else the newest. */
async function lastThread({ name, agent }: NamedAgent): Promise<string | undefined> {
  const newest = await agent.threads({ limit: 100 });
  const own = newest.find((thread) => {
    const noted = notedAgents(thread);
    return noted.length === 0 || noted.includes(name);
  });
  return (own ?? newest[0])?.id;
}

/** The command that comes back to a thread. */
export const resumeCommand = (place: Place, thread: string): string =>
  commandLine(place, { command: "chat", operands: [], options: optionWords("thread", thread) });

/** What a command line has beside the options that this one was given. */
interface CommandLine {
  readonly command: string;
  readonly operands: readonly string[];
  readonly options: readonly string[];
  /** Which options of this command line it has too, where they are given. */
  readonly kept?: readonly ("store" | "agent" | "config" | "model")[];
}

/** A command of this program, as a person can type it here, for the same store, agent and model. */
export function commandLine({ options, env }: Place, line: CommandLine): string {
  const program = env["npm_command"] === undefined ? "undangle" : "npx undangle"; // npm has started it
  const kept = (line.kept ?? ["store", "agent", "config", "model"]).flatMap((name) => {
    const value = options[name];
    return value === undefined ? [] : optionWords(name, withoutPassword(value));
  });
  return `${program} ${line.command} ${commandWords(line.operands, [...line.options, ...kept])}`;
}

const defaultName = (folder: string): string => relative(folder, defaultStorePath(folder));
