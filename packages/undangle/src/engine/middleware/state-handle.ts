import { copyJson, isRecord, UndangleError } from "#core";

import type { ToolState } from "../tool.ts";
import type { Middleware, StateHandle } from "./middleware.ts";

/** The state of a middleware, stored in its thread under the name of the middleware. */
export function stateHandle<Value, Update>(
  { name, state }: Pick<Middleware<Value, Update>, "name" | "state">,
  memory: ToolState,
): StateHandle<Value, Update> {
  const declared = (): NonNullable<typeof state> => {
    if (state === undefined) throw new UndangleError("middleware/stateless", { name });
    return state;
  };
  const get = (): Value => {
    const value = memory.get(name) as Value | undefined; // written only by its own updates
    return value === undefined ? copyJson(declared().initial) : value;
  };
  return {
    get,
    update(update) {
      const next = declared().reduce === undefined ? merged(get(), update) : state?.reduce?.(get(), update);
      if (next === undefined || typeof next === "function" || next instanceof Promise)
        throw new UndangleError("options/value", {
          option: `${name}.state.reduce`,
          value: next,
          allowed: ["JSON, returned synchronously"],
        });
      memory.set(name, next);
    },
  };
}

const merged = (value: unknown, update: unknown): unknown =>
  isRecord(value) && isRecord(update) ? { ...value, ...update } : update;
