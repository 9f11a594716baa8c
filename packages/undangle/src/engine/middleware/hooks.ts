import type { AssembledStream } from "#codecs";
import { UndangleError } from "#core";
import type { ModelRequest } from "#model";

import type { RunStatus } from "../events.ts";
import type { RunTool } from "../run/setup.ts";
import type { AnyTool } from "../tool.ts";

/** What a hook knows of the run that it is in. */
export interface HookContext {
  readonly threadId: string;
  readonly runId: string;
  readonly signal: AbortSignal;
}

/** Something around the model and the tools. The first of several is the outermost. */
export interface Middleware {
  readonly name: string;
  readonly tools?: readonly AnyTool[] | undefined;
  readonly beforeAgent?: ((context: HookContext) => void | Promise<void>) | undefined;
  readonly beforeModel?:
    | ((request: ModelRequest, context: HookContext) => ModelRequest | undefined | Promise<ModelRequest | undefined>)
    | undefined;
  readonly wrapModelCall?: ((next: AskModel) => AskModel) | undefined;
  readonly wrapToolCall?: ((next: RunTool) => RunTool) | undefined;
  readonly afterModel?: ((context: HookContext) => void | Promise<void>) | undefined;
  /** It may say something more in its thread, but must not wait for the answer: that begins when this run is over. */
  readonly afterAgent?: ((context: HookContext & { readonly status: RunStatus }) => void | Promise<void>) | undefined;
}

export type AskModel = (request: ModelRequest) => AssembledStream | Promise<AssembledStream>;

/** The hooks of all middleware as one of each; undefined where none has it. */
export interface Hooks {
  readonly beforeAgent: ((context: HookContext) => Promise<void>) | undefined;
  readonly beforeModel: ((request: ModelRequest, context: HookContext) => Promise<ModelRequest>) | undefined;
  readonly afterModel: ((context: HookContext) => Promise<void>) | undefined;
  readonly afterAgent: ((context: HookContext & { readonly status: RunStatus }) => Promise<void>) | undefined;
  readonly wrapAsk: (ask: AskModel) => AskModel;
  readonly wrapTool: (execute: RunTool) => RunTool;
}

/** Puts middleware together: `before` in order, `after` in reverse, what wraps from the outside in. */
export function composeHooks(middleware: readonly Middleware[]): Hooks {
  const reversed = middleware.toReversed();
  return {
    beforeAgent: inTurn(middleware, "beforeAgent"),
    afterModel: inTurn(reversed, "afterModel"),
    afterAgent: inTurn(reversed, "afterAgent"),
    beforeModel: beforeModel(middleware),
    wrapAsk: (ask) => reversed.reduce((next, { wrapModelCall }) => wrapModelCall?.(next) ?? next, ask),
    wrapTool: (execute) => reversed.reduce((next, { wrapToolCall }) => wrapToolCall?.(next) ?? next, execute),
  };
}

/** One hook that runs those of all middleware one after the other. */
function inTurn<Name extends "beforeAgent" | "afterModel" | "afterAgent">(
  middleware: readonly Middleware[],
  name: Name,
): Hooks[Name] {
  const having = middleware.filter((each) => each[name] !== undefined);
  if (having.length === 0) return undefined;
  const run = async (context: Parameters<NonNullable<Middleware[Name]>>[0]): Promise<void> => {
    for (const each of having) {
      const hook = each[name] as ((given: typeof context) => void | Promise<void>) | undefined; // the one of that name
      await named(each, name, () => hook?.(context));
    }
  };
  return run;
}

function beforeModel(middleware: readonly Middleware[]): Hooks["beforeModel"] {
  const having = middleware.filter((each) => each.beforeModel !== undefined);
  if (having.length === 0) return undefined;
  return async (request, context) => {
    let changed = request;
    for (const each of having) {
      changed = (await named(each, "beforeModel", () => each.beforeModel?.(changed, context))) ?? changed;
    }
    return changed;
  };
}

/** Runs a hook; what it throws says whose it is. */
async function named<T>({ name }: Middleware, hook: string, run: () => T | Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    throw new UndangleError("hook/failed", { middleware: name, hook, message: messageOf(error) }, error);
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
