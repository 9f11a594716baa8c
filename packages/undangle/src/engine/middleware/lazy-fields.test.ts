import { describe, expect, test } from "vitest";

import { LazyFields } from "./lazy-fields.ts";

function counted() {
  let made = 0;
  const lazy = new LazyFields<{ name: string; parts: readonly string[] }>(
    { name: "a", parts: [] },
    {
      keys: ["parts"],
      make(target) {
        made++;
        target.parts = ["made"];
      },
    },
  );
  return { lazy, made: () => made };
}

describe("what is shown to hooks", () => {
  test("is not made for those who hand it on, or lazy at something else", () => {
    const { lazy, made } = counted();
    expect([lazy.shown.name, "parts" in lazy.shown]).toEqual(["a", true]);
    expect([made(), lazy.isRead]).toEqual([0, false]);
  });

  test.each<[string, (shown: { name: string; parts: readonly string[] }) => unknown]>([
    ["reads it", (shown) => shown.parts],
    ["takes it apart", ({ parts }) => parts],
    ["spreads it", (shown) => ({ ...shown }).parts],
    ["writes it down", (shown) => (JSON.parse(JSON.stringify(shown)) as typeof shown).parts],
    ["asks how it stands there", (shown): unknown => Object.getOwnPropertyDescriptor(shown, "parts")?.value],
    ["makes something of it", (shown) => (Object.create(shown) as typeof shown).parts],
    ["puts something around it", (shown) => new Proxy(shown, {}).parts],
    ["freezes it", (shown) => Object.freeze(shown).parts],
  ])("is made once, and whole, for one who %s", (_, read) => {
    const { lazy, made } = counted();
    expect(read(lazy.shown)).toEqual(["made"]);
    expect(lazy.shown.parts).toEqual(["made"]);
    expect([made(), lazy.isRead]).toEqual([1, true]);
  });

  test.each<[string, (shown: { name?: string; parts: readonly string[] }) => unknown]>([
    ["sets something", (shown) => (shown.name = "b")],
    ["defines something", (shown) => Object.defineProperty(shown, "name", { value: "b" })],
    ["deletes something", (shown) => delete shown.name],
  ])("is known to be another when one %s", (_, change) => {
    const { lazy } = counted();
    change(lazy.shown);
    expect(lazy.isRead).toBe(true);
    expect(lazy.shown.name).not.toBe("a");
    expect(lazy.shown.parts).toEqual(["made"]);
  });

  test("is what somebody has put there, and not made again", () => {
    const { lazy, made } = counted();
    lazy.shown.parts = ["mine"];
    expect([lazy.shown.parts, made()]).toEqual([["mine"], 1]);
  });
});
