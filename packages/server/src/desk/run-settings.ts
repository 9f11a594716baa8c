import { isDeepStrictEqual } from "node:util";

import { appendSystemText, defineMiddleware } from "undangle/agent";
import type { Middleware, ModelRequest } from "undangle/agent";

/** What one request says of how the model is to be asked, besides what is said to it. */
export interface RunSettings extends KeptSettings {
  /** Holds for the first answer only: a model that had to call a tool each time would never come to an end. */
  readonly toolChoice?: ModelRequest["toolChoice"];
}

/** What holds in the thread until a request says something else: also after a decision, and after a crash. */
export interface KeptSettings {
  readonly sampling?: ModelRequest["sampling"];
  readonly parallelCalls?: boolean | undefined;
  /** The answer is to be JSON of this schema. */
  readonly output?: ModelRequest["output"];
  /** Instructions of the caller, behind those of the persona. */
  readonly system?: string | undefined;
}

export interface SettingsKeeper {
  /** For a run that was just begun. */
  set(runId: string, settings: RunSettings): void;
  /** The run is over. */
  forget(runId: string): void;
  /** Tells the model. */
  readonly middleware: Middleware;
}

/** The name under which threads keep them. */
export const settingsName = "undangle/server/settings";

/** Gives the settings of a request to its run, and keeps them in its thread. */
export function createSettingsKeeper(): SettingsKeeper {
  const given = new Map<string, RunSettings>();
  return {
    set: (runId, settings) => void given.set(runId, settings),
    forget: (runId) => void given.delete(runId),
    middleware: defineMiddleware<KeptSettings, KeptSettings>({
      name: settingsName,
      state: { initial: {}, reduce: (_before, settings) => settings },
      beforeAgent({ runId, state }) {
        const { toolChoice: _first, ...kept } = given.get(runId) ?? {};
        if (given.has(runId) && !isDeepStrictEqual(kept, state.get())) state.update(kept);
      },
      beforeModel(request, { runId, state }) {
        const { system, ...rest } = state.get();
        const { toolChoice, ...later } = given.get(runId) ?? {};
        if (toolChoice !== undefined) given.set(runId, later);
        const choice = toolChoice === undefined ? {} : { toolChoice };
        return { ...request, ...rest, ...choice, system: withText(request.system, system) };
      },
    }),
  };
}

const withText = (system: ModelRequest["system"], text: string | undefined): ModelRequest["system"] =>
  text === undefined || text === "" ? system : appendSystemText(system, text);
