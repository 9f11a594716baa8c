import { copyJson, isRecord, UndangleError } from "#core";

import type { ThreadState } from "../thread/stored-state.ts";
import type { Middleware, StateHandle } from "./middleware.ts";

/** The state of a middleware, stored in its thread under the name of the middleware. */
export function stateHandle<Value, Update>(
  { name, state }: Pick<Middleware<Value, Update>, "name" | "state">,
  memory: ThreadState,
): StateHandle<Value, Update> {
  const declared = (): NonNullable<typeof state> => {
    if (state === undefined) throw new UndangleError("middleware/stateless", { name });
    return state;
  };
  const valueOf = (stored: unknown): Value => (stored === undefined ? copyJson(declared().initial) : (stored as Value)); // written only by its own updates
  return {
    get: () => valueOf(memory.get(name)),
    update(update) {
      const given = copyJson(update); // it is reduced again when the result of its call is saved
      memory.change(name, (before) => {
        const value = valueOf(before);
        const next = declared().reduce === undefined ? merged(value, given) : state?.reduce?.(value, given);
        if (next === undefined || typeof next === "function" || next instanceof Promise)
          throw new UndangleError("options/value", {
            option: `${name}.state.reduce`,
            value: next,
            allowed: ["JSON, returned synchronously"],
          });
        return next;
      });
    },
  };
}

const merged = (value: unknown, update: unknown): unknown =>
  isRecord(value) && isRecord(update) ? { ...value, ...update } : update;
