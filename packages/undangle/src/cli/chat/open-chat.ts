import { randomUUID } from "node:crypto";
import { relative, resolve } from "node:path";

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
import { fileAccess, filesAgent } from "./chat-files.ts";
import { createDeep, deepAgent } from "./deep-agent.ts";

/** The environment of a chat, which stays the same while threads and models change. */
export interface Place {
  readonly loaded: LoadedConfig | undefined;
  readonly store: Store;
  /** The name of the store, without secrets. */
  readonly storeName: string;
  /** True if a later start can continue the thread. */
  readonly isKept: boolean;
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The directory whose files the agent can use. */
  readonly files: string | undefined;
  /** The options of the command line, for the command that resumes. */
  readonly options: Options;
}

/** An agent with details for the user. */
export interface OpenedAgent {
  readonly agent: Agent;
  readonly name: string;
  readonly model: string;
  /** The language of notices for the model. */
  readonly language: Language;
  /** True for the agent without a config. Without files, its tools only simulate their effects. */
  readonly isPretend: boolean;
  /** True if no model is configured, so the demo model responds. */
  readonly isDemo: boolean;
}

interface Surroundings {
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Reads the config and opens the store. */
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
  const files = options.files === undefined ? undefined : resolve(folder, options.files);
  return { loaded, store, storeName, isKept, folder, env, files, options };
}

/** The language of a chat, and whether the user chose it. */
export interface Voice {
  language(): Language;
  isAsked(): boolean;
}

/**
 * Creates the agent, optionally with another model. The language of notices follows the config, not the locale, unless
 * the user chose a language. The demo agent follows the language of the chat.
 */
export function openAgentIn(place: Place, voice: Voice, model = place.options.model): OpenedAgent {
  const { loaded, store, env, files, options } = place;
  const language = voice.language();
  const isPretend = agentNames(loaded?.config ?? {}).length === 0;
  const isNamed = options.agent !== undefined && !isAgentFile(options.agent);
  const isDeep = options.deep === true;
  const choice: AgentChoice = {
    store,
    env,
    ...((isPretend || voice.isAsked()) && { language }),
    fallback: isDeep ? deepAgent : files === undefined ? demoAgent(language) : filesAgent(language),
    ...(isDeep
      ? { create: (given) => createDeep(given, { files, isPretend }) }
      : files !== undefined && { middleware: [fileAccess(files)] }),
    ...(isNamed && { agent: options.agent }),
    ...(model !== undefined && { model }),
  };
  const resolved = resolveAgent(loaded, choice);
  const fault = resolved.model.checkKey?.();
  if (fault !== undefined) throw fault; // before a thread exists
  return {
    agent: openAgent(loaded, choice),
    name: resolved.name ?? "agent",
    model: resolved.model.name,
    language: resolved.options.language ?? "en",
    isPretend,
    isDemo: resolved.modelOrigin === "demo",
  };
}

/** The result of a search for a thread. */
export type FoundThread =
  | { readonly id: string; readonly isNew: boolean }
  | { readonly missing: string; readonly near: string | undefined }
  | { readonly ambiguous: string; readonly ids: readonly string[] };

export const newThreadId = (): string => randomUUID().slice(0, 8);

/** The number of candidates to list. */
const mostNamed = 20;

/** Finds a thread by its id, by the start of its id, or as `last`. */
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

/** The newest thread without another agent, such as one of a server; otherwise the newest. */
async function lastThread({ name, agent }: NamedAgent): Promise<string | undefined> {
  const newest = await agent.threads({ limit: 100 });
  const own = newest.find((thread) => {
    const noted = notedAgents(thread);
    return noted.length === 0 || noted.includes(name);
  });
  return (own ?? newest[0])?.id;
}

/** The command that resumes a thread. */
export const resumeCommand = (place: Place, thread: string): string =>
  commandLine(place, { command: "chat", operands: [], options: optionWords("thread", thread) });

/** The parts of a command line that differ from this one. */
interface CommandLine {
  readonly command: string;
  readonly operands: readonly string[];
  readonly options: readonly string[];
  /** The options of this command line to repeat. */
  readonly kept?: readonly ("store" | "agent" | "config" | "model" | "files" | "deep")[];
}

/** A command of this program to copy, for the same store, agent and model. */
export function commandLine({ options, env }: Place, line: CommandLine): string {
  const program = env["npm_command"] === undefined ? "undangle" : "npx undangle"; // started by npm
  const kept = (line.kept ?? ["store", "agent", "config", "model", "files", "deep"]).flatMap((name) => {
    const value = options[name];
    if (value === undefined) return [];
    return value === true ? [`--${name}`] : optionWords(name, withoutPassword(value));
  });
  return `${program} ${line.command} ${commandWords(line.operands, [...line.options, ...kept])}`;
}

const defaultName = (folder: string): string => relative(folder, defaultStorePath(folder));
