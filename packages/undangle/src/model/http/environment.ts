import type { Environment } from "../http-model-options.ts";

/** The variables of the process; none where there is no process. */
export function processEnvironment(): Environment {
  return typeof process === "undefined" ? {} : process.env;
}

/** The first of some variables that says something. */
export function variableIn(env: Environment, names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = env[name]?.trim();
    if (value !== undefined && value !== "") return value;
  }
  return undefined;
}
