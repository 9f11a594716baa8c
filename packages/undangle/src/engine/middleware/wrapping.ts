import { UndangleError } from "#core";

import { thrownText } from "../result/thrown.ts";
import { andThen, isThenable } from "../tool-result.ts";
import { createStreamGuards } from "./guard-stream.ts";
import type { CallsReadFrom } from "./guard-stream.ts";
import type { HookContext, Middleware } from "./middleware.ts";

/** Wraps hooks around a function, and distinguishes their errors from those of the function. */
export interface Wrapping {
  /** Composes the hooks of a name around a function, once per run. The first in the list is the innermost. */
  wrap<Name extends WrapName>(
    name: Name,
    inner: Wrapped<Name>,
    bound: readonly Bound[],
    watch?: Watch<Parameters<Wrapped<Name>>[0]>,
  ): Wrapped<Name>;
  readonly isFault: (error: unknown) => boolean;
  /** The calls that hooks have read from a stream of a model. */
  readonly callsReadFrom: CallsReadFrom;
}

/** Observes values that pass between hooks. */
export interface Watch<Given> {
  /** A hook receives a value. */
  readonly see?: (given: Given) => void;
  /** The inner function or a hook around it has returned, or has thrown an error of the inner function. */
  readonly settle?: (given: Given, settled: Settled) => void;
  /** The context of a hook for one value. That of its run by default. */
  readonly contextFor?: (bound: Bound, given: Given) => HookContext;
}

/** A returned value or a thrown error. */
export interface Settled {
  readonly value: unknown;
  readonly isThrown: boolean;
}

/** A middleware with its context in one run. */
export interface Bound {
  readonly middleware: Middleware;
  readonly context: HookContext;
}

export type WrapName = "wrapModelCall" | "wrapToolCall";

/** The function that a hook of this name wraps. */
export type Wrapped<Name extends WrapName> = Parameters<NonNullable<Middleware[Name]>>[0];

export function createWrapping(): Wrapping {
  const ofInner = new WeakSet<object>(); // errors of the inner function
  const ofHooks = new WeakSet<object>(); // errors of hooks
  const fromInner = (thrown: unknown): object => {
    const error = asObject(thrown);
    if (error instanceof HookMisuse) return error; // already attributed to the hook that caused it
    ofInner.add(error);
    ofHooks.delete(error); // a tool may rethrow the error of its own run
    return error;
  };
  const fromHook =
    (middleware: Middleware, name: string) =>
    (thrown: unknown): unknown => {
      if (isObject(thrown) && (ofInner.has(thrown) || ofHooks.has(thrown))) return thrown;
      if (thrown instanceof UndangleError && thrown.is("run/context-overflow")) return thrown; // the hook has not failed
      const fault = hookFault(middleware, name, thrown);
      ofHooks.add(fault);
      return fault;
    };
  const streams = createStreamGuards(); // streams may fail after they are returned
  return {
    wrap(name, inner, bound, { see, settle, contextFor } = {}) {
      const isModel = name === "wrapModelCall";
      const pass = createPassing((given, value, isThrown) => {
        if (!isThrown || (isObject(value) && ofInner.has(value))) settle?.(given, { value, isThrown });
      });
      let next = pass(inner, fromInner, isModel ? streams.ofModel(fromInner) : undefined);
      for (const each of bound) {
        const { middleware, context } = each;
        const outer = wrapWith(middleware, name, next);
        const change = fromHook(middleware, name);
        const call = (given: never): unknown => outer(given, contextFor?.(each, given) ?? context);
        const passed = pass(call, change, isModel ? streams.ofHook(change) : undefined);
        next = (given) => {
          see?.(given); // an error here is attributed to the hook that called `next`
          return passed(given);
        };
      }
      const whole = isModel ? mappingResult(next, streams.bare) : next;
      return whole as typeof inner; // it has the signature of the inner function
    },
    isFault: (error) => isObject(error) && ofHooks.has(error),
    callsReadFrom: streams.callsReadFrom,
  };
}

/** Invalid use of `next` by a hook. */
export class HookMisuse extends Error {}

/** The error for a failed hook, with the name of the hook and of its middleware. */
export const hookFault = ({ name: middleware }: Middleware, hook: string, thrown: unknown): UndangleError =>
  new UndangleError("hook/failed", { middleware, hook, message: thrownText(thrown) }, thrown);

/** The function that a hook returns for `next`. */
function wrapWith(
  middleware: Middleware,
  name: WrapName,
  next: unknown,
): (given: never, context: HookContext) => unknown {
  const hook = middleware[name] as ((inner: unknown) => unknown) | undefined; // the hook of that name
  let outer: unknown;
  try {
    outer = hook?.call(middleware, next);
  } catch (error) {
    throw hookFault(middleware, name, error);
  }
  if (typeof outer === "function") return outer as (given: never, context: HookContext) => unknown; // nothing more can be checked
  const what = outer instanceof Promise ? "a promise: it must not be async itself" : String(outer);
  throw hookFault(middleware, name, new Error(`it returned ${what}, but it must return a function`));
}

type InnerFunction = (given: never) => unknown;

type Change = (value: unknown) => unknown;

/** Wraps a function: maps what it throws, synchronously or not, and what it returns. */
type Pass = (inner: InnerFunction, change: Change, mapResult: Change | undefined) => InnerFunction;

/** For nested functions: a value or error that an outer function passes on unchanged is not wrapped twice. */
function createPassing(settle: (given: never, value: unknown, isThrown: boolean) => void): Pass {
  let last: unknown = nothing;
  return (inner, change, mapResult = unchanged) =>
    (given) => {
      const thrown = (error: unknown): never => {
        const changed = change(error);
        settle(given, changed, true);
        throw changed;
      };
      const returned = (found: unknown): unknown => {
        settle(given, found, false);
        return mapResult(found);
      };
      let value: unknown;
      try {
        value = inner(given);
      } catch (error) {
        return thrown(error);
      }
      if (value !== last) last = isThenable(value) ? Promise.resolve(value).then(returned, thrown) : returned(value);
      else if (!isThenable(value)) settle(given, value, false);
      return last;
    };
}

const nothing = Symbol("nothing");
const unchanged: Change = (value) => value;

/** Wraps a function and maps its return value. */
const mappingResult =
  (inner: InnerFunction, mapResult: Change): InnerFunction =>
  (given) => {
    return andThen(inner(given), mapResult);
  };

const isObject = (value: unknown): value is object =>
  (typeof value === "object" && value !== null) || typeof value === "function";

/** Only objects can be members of a WeakSet. */
const asObject = (thrown: unknown): object =>
  isObject(thrown) ? thrown : new Error(thrownText(thrown), { cause: thrown });
