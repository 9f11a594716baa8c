import { isRecord, UndangleError } from "#core";

import type { Middleware } from "./middleware.ts";

type Check = { readonly fits: (value: unknown) => boolean; readonly allowed: string };

const hook: Check = { fits: (value) => value === undefined || typeof value === "function", allowed: "a function" };

const checks: Readonly<Record<keyof Middleware, Check>> = {
  name: { fits: (value) => typeof value === "string" && value !== "", allowed: "a non-empty string" },
  state: {
    fits: (value) => value === undefined || (isRecord(value) && "initial" in value && fitsReduce(value["reduce"])),
    allowed: "{ initial, reduce }",
  },
  tools: {
    fits: (value) => value === undefined || typeof value === "function" || Array.isArray(value),
    allowed: "a list of results of tool(), or a function that returns it",
  },
  approvals: { fits: (value) => value === undefined || Array.isArray(value), allowed: "a list of approval rules" },
  beforeAgent: hook,
  beforeModel: hook,
  wrapModelCall: hook,
  wrapToolCall: hook,
  afterModel: hook,
  afterAgent: hook,
};

const fitsReduce = (value: unknown): boolean => value === undefined || typeof value === "function";

/** Throws for invalid middleware, with its position. */
export function checkMiddleware(middleware: readonly unknown[]): void {
  const places = new Map<unknown, string>();
  middleware.forEach((each, i) => {
    const place = `middleware[${i}]`;
    if (!isRecord(each)) {
      throw new UndangleError("options/value", { option: place, value: each, allowed: ["an object with a name"] });
    }
    const allowed = Object.keys(checks);
    const unknown = isPlain(each) ? Object.keys(each).find((key) => !allowed.includes(key)) : undefined;
    if (unknown !== undefined) throw new UndangleError("options/unknown", { option: `${place}.${unknown}`, allowed });
    for (const [key, { fits, allowed: what }] of Object.entries(checks)) {
      const value = each[key];
      if (!fits(value)) throw new UndangleError("options/value", { option: `${place}.${key}`, value, allowed: [what] });
    }
    const { name } = each;
    const first = places.get(name);
    if (first !== undefined) {
      throw new UndangleError("middleware/duplicate", { name: String(name), places: [first, place] });
    }
    places.set(name, place);
  });
}

/** False for an instance of a class, which may have members other than hooks. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
