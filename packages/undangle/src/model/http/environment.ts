import type { Environment } from "../http-model-options.ts";

/** The variables of the process; none without a process. */
export function processEnvironment(): Environment {
  return typeof process === "undefined" ? {} : process.env;
}

/** The first variable with a value. */
export function variableIn(env: Environment, names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = env[name]?.trim();
    if (value !== undefined && value !== "") return value;
  }
  return undefined;
}
