import type { JsonObject } from "#core";
import { createAgent } from "#engine";
import type { Agent, AgentEvent, CallView, RunEnd } from "#engine";
import { memoryFiles } from "#files";
import type { FileBackend } from "#files";
import { filesystem } from "#middleware";
import type { FilesystemOptions } from "#middleware";
import { scriptedModel } from "#testing";
import type { ScriptedModel } from "#testing";

/** A call of the model: the name of a tool, and its arguments. */
export type Called = readonly [name: string, args?: JsonObject];

export interface FileStageOptions extends Omit<FilesystemOptions, "backend"> {
  readonly backend?: FilesystemOptions["backend"];
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
  /** Files of the thread, for `stateFiles`. */
  readonly threadFiles?: Readonly<Record<string, string | Uint8Array>>;
  /** The calls of each turn. */
  readonly turns: readonly (readonly Called[])[];
  readonly agent?: Partial<Parameters<typeof createAgent>[0]>;
  readonly input?: string;
}

export interface FileStage {
  readonly agent: Agent;
  readonly model: ScriptedModel;
  readonly backend: FilesystemOptions["backend"];
  readonly events: readonly AgentEvent[];
  readonly calls: readonly CallView[];
  readonly end: RunEnd;
  /** What the model got for each call. */
  readonly results: readonly unknown[];
}

/** Runs an agent whose model makes these calls. */
export async function onFiles(given: FileStageOptions): Promise<FileStage> {
  const { files = {}, turns, agent: more = {}, input = "Go.", threadFiles = {}, ...others } = given;
  const { backend = memoryFiles(files), ...options } = others;
  const model = scriptedModel([
    ...turns.map((calls) => ({ calls: calls.map(([name, args = {}]) => ({ name, arguments: args })) })),
    { text: "Done." },
    { text: "Done again." },
  ]);
  const { middleware = [], ...rest } = more;
  const agent = createAgent({ model, ...rest, middleware: [filesystem({ backend, ...options }), ...middleware] });
  const thread = agent.thread("t");
  const events: AgentEvent[] = [];
  const run = thread.send(input, { files: threadFiles });
  for await (const event of run) events.push(event);
  const calls = await thread.calls();
  const results = calls.map(({ result, error }) => result ?? error);
  return { agent, model, backend, events, calls, end: await run.result, results };
}

/** The result of one call, with `!` before the text of an error. */
export async function resultOf(call: Called, given: Omit<FileStageOptions, "turns"> = {}): Promise<string> {
  const { calls } = await onFiles({ ...given, turns: [[call]] });
  const [{ status, result, error } = { status: undefined, result: undefined, error: "no call" }] = calls;
  return status === "succeeded" ? String(result) : `!${error ?? status}`;
}

export const textIn = async (backend: FileBackend, path: string): Promise<string> =>
  new TextDecoder("utf-8", { ignoreBOM: true }).decode(await backend.read(path));

/** The numbers from 1, each on a line. */
export const numberedLines = (count: number): string => Array.from({ length: count }, (_, i) => `l${i + 1}\n`).join("");
