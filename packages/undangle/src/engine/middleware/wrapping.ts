import { UndangleError } from "#core";

import { isThenable } from "../is-thenable.ts";
import { thrownText } from "../result/thrown-text.ts";
import { createStreamGuards } from "./guard-stream.ts";
import type { HookContext, Middleware } from "./middleware.ts";

/** Wraps hooks around a function, and separates their errors from its own. */
export interface Wrapping {
  /** What the hooks of a name make of the inside, once in a run; the innermost is the first. */
  wrap<Name extends WrapName>(
    name: Name,
    inner: Wrapped<Name>,
    bound: readonly Bound[],
    watch?: Watch<Parameters<Wrapped<Name>>[0]>,
  ): Wrapped<Name>;
  readonly isFault: (error: unknown) => boolean;
}

/** Gets to know what passes between hooks. */
export interface Watch<Given> {
  /** A hook is given something. */
  readonly see?: (given: Given) => void;
  /** The inside, or a hook around it, has returned something, or has thrown an error of the inside. */
  readonly settle?: (given: Given, settled: Settled) => void;
}

/** What came of something. */
export interface Settled {
  readonly value: unknown;
  readonly isThrown: boolean;
}

/** A middleware in one run. */
export interface Bound {
  readonly middleware: Middleware;
  readonly context: HookContext;
}

export type WrapName = "wrapModelCall" | "wrapToolCall";

/** What a hook of this name is around. */
export type Wrapped<Name extends WrapName> = Parameters<NonNullable<Middleware[Name]>>[0];

export function createWrapping(): Wrapping {
  const ofInner = new WeakSet<object>(); // what came out of the inside
  const ofHooks = new WeakSet<object>(); // what a hook did
  const fromInner = (thrown: unknown): object => {
    const error = asObject(thrown);
    if (error instanceof HookMisuse) return error; // of the hook that handed it on
    ofInner.add(error);
    ofHooks.delete(error); // a tool may rethrow the error of its own run
    return error;
  };
  const fromHook =
    (middleware: Middleware, name: string) =>
    (thrown: unknown): unknown => {
      if (isObject(thrown) && (ofInner.has(thrown) || ofHooks.has(thrown))) return thrown;
      const fault = hookFault(middleware, name, thrown);
      ofHooks.add(fault);
      return fault;
    };
  const streams = createStreamGuards(); // they may fail later
  return {
    wrap(name, inner, bound, { see, settle } = {}) {
      const isModel = name === "wrapModelCall";
      const pass = createPassing((given, value, isThrown) => {
        if (!isThrown || (isObject(value) && ofInner.has(value))) settle?.(given, { value, isThrown });
      });
      let next = pass(inner, fromInner, isModel ? streams.ofModel(fromInner) : undefined);
      for (const { middleware, context } of bound) {
        const outer = made(middleware, name, next);
        const change = fromHook(middleware, name);
        const passed = pass((given) => outer(given, context), change, isModel ? streams.ofHook(change) : undefined);
        next = (given) => {
          see?.(given); // what it throws is a fault of the hook that hands it on
          return passed(given);
        };
      }
      const whole = isModel ? giving(next, streams.bare) : next;
      return whole as typeof inner; // it takes and gives what the inside does
    },
    isFault: (error) => isObject(error) && ofHooks.has(error),
  };
}

/** What a hook must not do with what it is around. */
export class HookMisuse extends Error {}

/** What a hook did, with its name and that of its middleware. */
export const hookFault = ({ name: middleware }: Middleware, hook: string, thrown: unknown): UndangleError =>
  new UndangleError("hook/failed", { middleware, hook, message: thrownText(thrown) }, thrown);

/** What a hook makes of the inside. */
function made(middleware: Middleware, name: WrapName, next: unknown): (given: never, context: HookContext) => unknown {
  const hook = middleware[name] as ((inside: unknown) => unknown) | undefined; // the one of that name
  let outer: unknown;
  try {
    outer = hook?.call(middleware, next);
  } catch (error) {
    throw hookFault(middleware, name, error);
  }
  if (typeof outer === "function") return outer as (given: never, context: HookContext) => unknown; // all that can be known of it
  const what = outer instanceof Promise ? "a promise: it must not be async itself" : String(outer);
  throw hookFault(middleware, name, new Error(`it returned ${what}, but it must return a function`));
}

type Inside = (given: never) => unknown;

type Change = (value: unknown) => unknown;

/** The same function, which throws what is made of what it threw, at once or later, and gives what is made of what it gave. */
type Pass = (inside: Inside, change: Change, dress: Change | undefined) => Inside;

/** For functions one in the other: what one of them gives, and the next hands on as it is, needs nothing more around it. */
function createPassing(settle: (given: never, value: unknown, isThrown: boolean) => void): Pass {
  let last: unknown = nothing;
  return (inside, change, dress = unchanged) =>
    (given) => {
      const thrown = (error: unknown): never => {
        const changed = change(error);
        settle(given, changed, true);
        throw changed;
      };
      const returned = (found: unknown): unknown => {
        settle(given, found, false);
        return dress(found);
      };
      let value: unknown;
      try {
        value = inside(given);
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

/** The same function, which gives what is made of what it gave. */
const giving =
  (inside: Inside, dress: Change): Inside =>
  (given) => {
    const value = inside(given);
    return value instanceof Promise ? value.then(dress) : dress(value);
  };

const isObject = (value: unknown): value is object =>
  (typeof value === "object" && value !== null) || typeof value === "function";

/** Only objects can be known again. */
const asObject = (thrown: unknown): object =>
  isObject(thrown) ? thrown : new Error(thrownText(thrown), { cause: thrown });
