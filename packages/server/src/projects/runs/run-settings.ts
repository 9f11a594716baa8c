import { isDeepStrictEqual } from "node:util";

import { appendSystemText, defineMiddleware } from "undangle/agent";
import type { Middleware, ModelRequest } from "undangle/agent";

/** The model settings of a request. */
export interface RunSettings extends KeptSettings {
  /** Applies only to the first response. A model that must call a tool every time would never finish. */
  readonly toolChoice?: ModelRequest["toolChoice"];
}

/** Settings that apply to the thread until another request changes them, including after a decision or a crash. */
export interface KeptSettings {
  readonly sampling?: ModelRequest["sampling"];
  readonly parallelCalls?: boolean | undefined;
  /** The schema of a JSON response. */
  readonly output?: ModelRequest["output"];
  /** Instructions of the client, after those of the persona. */
  readonly system?: string | undefined;
}

export interface SettingsKeeper {
  set(runId: string, settings: RunSettings): void;
  forget(runId: string): void;
  /** Applies the settings to model requests. */
  readonly middleware: Middleware;
}

export const settingsName = "undangle/server/settings";

/** Passes the settings of a request to its run, and stores them in its thread. */
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
