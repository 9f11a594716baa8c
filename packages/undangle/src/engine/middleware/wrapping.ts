import { UndangleError } from "#core";

import { isThenable } from "../is-thenable.ts";
import { thrownText } from "../result/thrown-text.ts";
import { createStreamGuards } from "./guard-stream.ts";
import type { HookContext, Middleware } from "./middleware.ts";

/** Puts hooks around something, and tells what they throw from what that throws. */
export interface Wrapping {
  /** What the hooks make of the inside, once in a run; the innermost hook is the first. */
  wrap<Name extends WrapName>(middleware: readonly Middleware[], name: Name): Wrapper<Name> | undefined;
  readonly isFault: (error: unknown) => boolean;
}

export type WrapName = "wrapModelCall" | "wrapToolCall";

/** What a hook of this name is around. */
export type Wrapped<Name extends WrapName> = Parameters<NonNullable<Middleware[Name]>>[0];

/** The hooks around an inside, with what each of them gets to know. */
export type Wrapper<Name extends WrapName> = (
  inner: Wrapped<Name>,
  contextFor: (middleware: Middleware) => HookContext,
) => Wrapped<Name>;

export function createWrapping(): Wrapping {
  const ofInner = new WeakSet<object>(); // what came out of the inside
  const ofHooks = new WeakSet<object>(); // what a hook did
  const fromInner = (thrown: unknown): object => {
    const error = asObject(thrown);
    if (error instanceof HookMisuse) return error; // of the hook that handed it on
    ofInner.add(error);
    ofHooks.delete(error); // a tool may pass on how a run of its own failed
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
  return {
    wrap(middleware, name) {
      const having = middleware.filter((each) => each[name] !== undefined);
      if (having.length === 0) return undefined;
      const streams = name === "wrapModelCall" ? createStreamGuards() : undefined; // they may fail later
      return (inner, contextFor) => {
        let next = guarded(inner, fromInner, streams?.ofModel(fromInner));
        for (const each of having) {
          const inside = next;
          const outer = made(each, name, inside);
          const context = contextFor(each);
          const around = (given: never): unknown => outer(given, context);
          const change = fromHook(each, name);
          next = guarded(around as typeof inner, change, streams?.ofHook(change)); // it takes and gives what the inside does
        }
        return streams === undefined ? next : guarded(next, (thrown) => thrown, streams.bare);
      };
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
  throw hookFault(
    middleware,
    name,
    new Error(`it returned ${what}, and no function that stands for what it is around`),
  );
}

/** The same function, which throws what is made of what it threw, at once or later, and gives what is made of what it gave. */
function guarded<Inner extends (given: never) => unknown>(
  inner: Inner,
  change: (thrown: unknown) => unknown,
  dress = (value: unknown): unknown => value,
): Inner {
  const outer = (given: never): unknown => {
    let value: unknown;
    try {
      value = inner(given);
    } catch (error) {
      throw change(error);
    }
    return isThenable(value) ? rejecting(value, change).then(dress) : dress(value);
  };
  return outer as Inner; // it gives what the other gives
}

const rejecting = (value: PromiseLike<unknown>, change: (thrown: unknown) => unknown): Promise<unknown> =>
  Promise.resolve(value).catch((error: unknown) => {
    throw change(error);
  });

const isObject = (value: unknown): value is object =>
  (typeof value === "object" && value !== null) || typeof value === "function";

/** Only objects can be known again. */
const asObject = (thrown: unknown): object =>
  isObject(thrown) ? thrown : new Error(thrownText(thrown), { cause: thrown });
