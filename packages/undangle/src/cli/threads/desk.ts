import { agentNames, demoAgent, isAgentFile, loadAgentFile, loadConfig, openStore, resolveAgent } from "#config";
import type { LoadedConfig, ResolvedAgent } from "#config";
import { suggest, UndangleError } from "#core";
import type { Language } from "#core";
import { createAgent } from "#engine";
import type { Agent, AgentOptions, FoundThread } from "#engine";
import type { Store } from "#store";

import { openSession } from "../commands/session.ts";
import type { Arguments, Session } from "../commands/session.ts";
import type { Io } from "../io.ts";
import { notedAgents } from "../noted-agent.ts";
import { complaint } from "../terminal/complaint.ts";
import { printable } from "../terminal/printable.ts";
import { threadsTextsIn } from "./texts/threads-texts.ts";
import type { ThreadsTexts } from "./texts/threads-texts.ts";

/** The services of every action on threads. */
export interface Desk extends Arguments {
  readonly io: Io;
  readonly session: Session;
  readonly texts: ThreadsTexts;
  readonly language: Language;
  open(options: { readonly create: boolean }): Promise<void>;
  close(): Promise<void>;
  readonly store: Store;
  /** An agent that only reads and writes threads. */
  readonly reader: Agent;
  /** The agent that resumes a thread: that of the options, the one recorded in the thread, or that of the config. */
  resolve(thread?: Pick<FoundThread, "meta">): ResolvedAgent;
  /** Creates an agent that closes together with this service. */
  hire(options: AgentOptions): Agent;
  /** The head of a thread. Throws an error with the nearest id if there is none. */
  find(id: string): Promise<FoundThread>;
  /** Reports that there is nothing to do. */
  nothing(why: string): Promise<0>;
  /** Reports an error on stderr. */
  refuse(why: string): Promise<2>;
}

/** Prepares the services. Nothing is read before `open`. */
export function openDesk(args: Arguments, io: Io): Desk {
  const session = openSession(args, io);
  const { options } = args;
  const { language } = session;
  const agents: Agent[] = [];
  let opened: { readonly store: Store; readonly loaded: LoadedConfig | undefined; readonly owned: boolean } | undefined;
  let reader: Agent | undefined;

  const now = (): NonNullable<typeof opened> => {
    if (opened === undefined) throw new Error("The thread service is not open.");
    return opened;
  };
  const hire = (given: AgentOptions): Agent => {
    const agent = createAgent(given);
    agents.push(agent);
    return agent;
  };

  const desk: Desk = {
    ...args,
    io,
    session,
    texts: threadsTextsIn(language),
    language,
    async open({ create }) {
      const loaded = await loadFor(options, io);
      const store = await openStore(options.store, { folder: io.folder, loaded, create });
      const isShared = options.store === undefined && typeof loaded?.config.store === "object";
      opened = { store, loaded, owned: !isShared };
    },
    async close() {
      for (const agent of agents) await agent.close();
      if (opened?.owned === true) await opened.store.close();
    },
    get store() {
      return now().store;
    },
    get reader() {
      const { store, loaded } = now();
      reader ??= hire({ model: nobody, store, language: options.language ?? loaded?.config.language }); // notices do not follow the locale
      return reader;
    },
    resolve(thread) {
      const { store, loaded } = now();
      const { agent, model, language: asked } = options;
      const isFile = agent !== undefined && isAgentFile(agent);
      return resolveAgent(loaded, {
        agent: (isFile ? undefined : agent) ?? notedAgent(thread, loaded),
        model,
        store,
        language: asked,
        env: io.env,
        fallback: demoAgent(asked ?? "en"),
      });
    },
    hire,
    async find(id) {
      const found = await desk.reader.find(id);
      if (found !== undefined) return found;
      const { store } = now();
      const [longer, another] = await store.list({ idPrefix: id, limit: 2 });
      const ids = (await store.list({ limit: 1000 })).map((thread) => thread.id);
      const nearest = another === undefined && longer !== undefined ? longer.id : suggest(id, ids);
      throw new UndangleError("thread/unknown", { threadId: id, ...(nearest !== undefined && { nearest }) });
    },
    async nothing(why) {
      if (options.json === true) await session.out.write("[]\n");
      await session.remark(`${printable(why)}\n`);
      return 0;
    },
    async refuse(why) {
      await session.out.flush();
      await io.stderr.write(complaint(why, io.stderr).replace("undangle:", session.paintError("red", "undangle:")));
      return 2;
    },
  };
  return desk;
}

/** The given config, or that of an agent that is given by its file. */
async function loadFor({ agent, config }: Arguments["options"], { folder }: Io): Promise<LoadedConfig | undefined> {
  if (agent !== undefined && config === undefined && isAgentFile(agent)) return loadAgentFile(agent, folder);
  return loadConfig({ path: config, folder });
}

/** The agent or persona recorded in the `meta` of a thread, if the config has it. */
function notedAgent(
  thread: Pick<FoundThread, "meta"> | undefined,
  loaded: LoadedConfig | undefined,
): string | undefined {
  const noted = thread === undefined ? [] : notedAgents(thread);
  return agentNames(loaded?.config ?? {}).find((name) => noted.includes(name));
}

/** A model for agents that only read threads. */
export const nobody: AgentOptions["model"] = {
  name: "nobody",
  stream() {
    throw new Error("No model is used here.");
  },
};
