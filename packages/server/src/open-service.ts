import { telemetry as telemetryOf } from "undangle/agent";
import type { Logger, Middleware, Store } from "undangle/agent";
import { defaultStorePath, inlineConfig, languageFor, loadConfig, openStore, withoutPassword } from "undangle/config";
import type { LoadedConfig } from "undangle/config";

import { createAdmission } from "./access/admission.ts";
import type { Admission } from "./access/admission.ts";
import { createKeyRing } from "./access/key-ring.ts";
import type { KeyRing } from "./access/key-ring.ts";
import { createSessions } from "./access/sessions.ts";
import type { Sessions } from "./access/sessions.ts";
import { purgeResponses } from "./responses/stored-responses.ts";
import { createDeliveries } from "./chat/deliveries.ts";
import type { Deliveries } from "./chat/deliveries.ts";
import { createConversations } from "./projects/store/conversations.ts";
import type { Conversations } from "./projects/store/conversations.ts";
import { createProjectThreads } from "./projects/project-threads.ts";
import type { ProjectThreads } from "./projects/project-threads.ts";
import { createExchangeRecords } from "./projects/store/exchange-records.ts";
import type { ExchangeRecords } from "./projects/store/exchange-records.ts";
import { firstConfig, firstTools, plainAssistant } from "./projects/agents/health-assistant.ts";
import { createLocks } from "./projects/locks.ts";
import type { Locks } from "./projects/locks.ts";
import { createKeeper } from "./projects/retention.ts";
import { createRoster } from "./projects/agents/roster.ts";
import type { Roster } from "./projects/agents/roster.ts";
import { createSettingsKeeper } from "./projects/runs/run-settings.ts";
import { createRunStarter } from "./projects/runs/run-starter.ts";
import type { RunStarter } from "./projects/runs/run-starter.ts";
import { watchStore } from "./projects/store/watched-store.ts";
import { createWebhook } from "./projects/webhook.ts";
import { createMetrics } from "./metrics/metrics.ts";
import type { Metrics } from "./metrics/metrics.ts";
import { loadPersonas, withPersonas } from "./personas/load-personas.ts";
import { currentRequest, withRequestId } from "./request-context.ts";
import { settingsOf } from "./server-options.ts";
import type { ServerOptions, ServerSettings } from "./server-options.ts";
import { createQueueWatch } from "./threads/queue/queue-watch.ts";
import type { QueueWatch } from "./threads/queue/queue-watch.ts";
import { loadTelemetry } from "./telemetry/load-telemetry.ts";
import type { Telemetry } from "./telemetry/load-telemetry.ts";

/** The services that routes use. */
export interface Service {
  readonly projectThreads: ProjectThreads;
  readonly queue: QueueWatch;
  readonly roster: Roster;
  readonly keys: KeyRing;
  readonly sessions: Sessions;
  readonly store: Store;
  readonly runs: RunStarter;
  readonly conversations: Conversations;
  readonly deliveries: Deliveries;
  readonly locks: Locks;
  readonly metrics: Metrics;
  readonly admission: Admission;
  /** Undefined unless the server records requests to models. */
  readonly exchanges: ExchangeRecords | undefined;
  readonly settings: ServerSettings;
  /** Undefined if it is disabled or not installed. */
  readonly telemetry: Telemetry | undefined;
  /** The config file; undefined for the built-in config. */
  readonly configPath: string | undefined;
  /** The name of the store for messages. */
  readonly storeName: string;
  /** Aborted when the server stops. Closes streams that only read. */
  readonly closing: AbortController;
  close(): Promise<void>;
}

/** Opens the services of a server: config, store, agents and keys. */
export async function openService(options: ServerOptions, log: Logger): Promise<Service> {
  const { folder = process.cwd(), env = process.env } = options;
  const telemetry = await loadTelemetry(options.telemetry, env);
  const logger = withRequestId(log, telemetry?.traceId);
  const given = await configOf(options, folder);
  const settings = settingsOf(options, given?.config.server);
  const loaded = await withFirstPersona(given, { ...options, timeZone: settings.timeZone }, folder);
  const isOwnStore = typeof options.store === "object";
  const opened =
    typeof options.store === "object" ? options.store : await openStore(options.store, { folder, loaded: given });
  try {
    const runSettings = createSettingsKeeper();
    const runs = createRunStarter({ most: settings.limits.runs, settings: runSettings, logger });
    const tools = new Set<string>();
    const admission = createAdmission({ most: settings.limits.turn });
    const metrics = createMetrics({ tools: () => tools, runs: runs.count, turn: admission.turn });
    const webhook = settings.webhook === undefined ? undefined : createWebhook(settings.webhook, logger);
    const queue = createQueueWatch({ reading: () => ({ projectThreads, logger }) });
    const exchanges = settings.record ? createExchangeRecords(opened, logger) : undefined;
    const store = watchStore(opened, {
      change: runs.named,
      saved(commit) {
        metrics.saved(commit);
        exchanges?.saved(commit);
        webhook?.saved(commit);
        queue.saved(commit);
      },
      moved: queue.moved,
    });
    const roster = createRoster({
      loaded,
      fallback: plainAssistant,
      store,
      model: options.model,
      language: options.language,
      logger,
      env,
      middleware: [
        ...(telemetry === undefined ? [] : [spansOfRuns(telemetry)]),
        runSettings.middleware,
        ...(exchanges === undefined ? [] : [exchanges.middleware]),
      ],
    });
    for (const { id, fault } of roster.unready) logger.warn({ persona: id, err: fault }, "A persona cannot respond");
    for (const persona of roster.personas) persona.tools.forEach((name) => tools.add(name));
    const deliveries = createDeliveries();
    const projectThreads = createProjectThreads(roster, logger, {
      onRecovered({ id, note: { chat } }) {
        if (chat !== undefined) deliveries.noteLost({ request: chat.request, print: chat.sent, thread: id });
      },
      onPurged: (project, thread) => purgeResponses(store, { project, thread }),
    });
    const conversations = createConversations(store, logger);
    const keeper = createKeeper(settings.keep, { projectThreads, store, logger });
    return {
      projectThreads,
      queue,
      roster,
      store,
      runs,
      conversations,
      deliveries,
      locks: createLocks(),
      metrics,
      admission,
      exchanges,
      settings,
      telemetry,
      closing: new AbortController(),
      keys: createKeyRing(store),
      sessions: createSessions(store),
      configPath: given?.path,
      storeName: storeName(options.store ?? given?.config.store, given?.folder ?? folder),
      async close() {
        admission.close();
        keeper.close();
        await projectThreads.close();
        await conversations.close();
        await webhook?.close();
        await exchanges?.close();
        if (!isOwnStore) await opened.close();
      },
    };
  } catch (error) {
    if (!isOwnStore) await opened.close();
    throw error;
  }
}

const spansOfRuns = ({ api, content }: Telemetry): Middleware =>
  telemetryOf({
    api,
    content,
    attributes() {
      const id = currentRequest();
      return id === undefined ? {} : { "undangle.request.id": id };
    },
  });

async function configOf({ config }: ServerOptions, folder: string): Promise<LoadedConfig | undefined> {
  if (config === undefined) return loadConfig({ folder });
  return "placeOf" in config ? config : inlineConfig(config, folder);
}

/** The config with the personas of the folder, or the built-in config if there is neither. */
async function withFirstPersona(
  given: LoadedConfig | undefined,
  { timeZone, language, env = process.env }: ServerOptions & { readonly timeZone: string },
  folder: string,
): Promise<LoadedConfig> {
  const read = await loadPersonas(given?.folder ?? folder);
  const isBare = given === undefined && read.length === 0;
  const first = isBare ? firstConfig(timeZone, languageFor(language, env)) : firstTools(timeZone);
  return withPersonas(given ?? inlineConfig(first, folder), read);
}

function storeName(store: unknown, folder: string): string {
  if (store === undefined) return defaultStorePath(folder);
  return typeof store === "string" ? withoutPassword(store) : "a store of the program";
}
