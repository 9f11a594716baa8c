// Loads configs in a process of their own: tests run files through a bundler, and what Node says of a file is what is tested.
import process from "node:process";

import { UndangleError } from "#core";
import { memoryStore } from "#store";

import { loadAgentFile, loadConfig } from "./load-config.ts";
import { openAgent, resolveAgent } from "./open-agent.ts";

/** What to load, and what to open of it. */
export interface LoadTask {
  readonly folder: string;
  readonly path?: string;
  readonly agentFile?: string;
  readonly agent?: string;
  readonly model?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** What came of it. */
export type LoadAnswer =
  | { readonly none: true }
  | { readonly name?: string; readonly model: string; readonly origin: string; readonly tools: readonly string[] }
  | { readonly code: string; readonly message: string };

const tasks = JSON.parse(process.argv[2] ?? "[]") as readonly LoadTask[]; // written by the test
const answers: LoadAnswer[] = [];
for (const task of tasks) answers.push(await answer(task));
process.stdout.write(JSON.stringify(answers));

async function answer({ folder, path, agentFile, agent, model, env = {} }: LoadTask): Promise<LoadAnswer> {
  try {
    const loaded =
      agentFile === undefined ? await loadConfig({ path, folder }) : await loadAgentFile(agentFile, folder);
    if (loaded === undefined) return { none: true };
    const choice = { agent, model, env, store: memoryStore() };
    const { name, model: chosen, modelOrigin, options } = resolveAgent(loaded, choice);
    openAgent(loaded, choice);
    const tools = (options.tools ?? []).map((tool) => ("name" in tool ? tool.name : "?"));
    return { ...(name !== undefined && { name }), model: chosen.name, origin: modelOrigin, tools };
  } catch (error) {
    if (!(error instanceof UndangleError)) throw error;
    return { code: error.code, message: error.message };
  }
}
