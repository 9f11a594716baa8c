import { describe, expect, test } from "vitest";
import { generate, messagesOf } from "./generate.ts";
import { judge } from "./judge.ts";
import { damage, mutate, operatorNames } from "./mutate.ts";
import { formats } from "./subjects.ts";

const seeds = Array.from({ length: 300 }, (_, seed) => seed);

describe.each(formats)("mutated %s conversations", (format) => {
  test("leave the original as it was", () => {
    for (const seed of seeds) {
      const body = generate(format, seed, 4);
      const before = JSON.stringify(body);
      mutate(body, format, seed);
      expect(JSON.stringify(body)).toBe(before);
    }
  });

  test("are the same for the same seed", () => {
    const body = generate(format, 3, 5);
    for (const seed of seeds) expect(mutate(body, format, seed)).toEqual(mutate(body, format, seed));
  });

  test("are mostly broken, and can be judged whatever happened to them", () => {
    const broken = seeds.filter(
      (seed) => judge(mutate(generate(format, seed, 5), format, seed), { format }).length > 0,
    );
    expect(broken.length).toBeGreaterThan(seeds.length / 2);
  });

  test.each(operatorNames)("can suffer %s", (name) => {
    const changed = seeds.filter((seed) => {
      const body = generate(format, seed, 4);
      return JSON.stringify(damage(body, format, seed, name)) !== JSON.stringify(body);
    });
    expect(changed.length).toBeGreaterThan(0);
  });

  test("may be bare arrays, and an empty one stays empty", () => {
    const messages = messagesOf(generate(format, 1, 4), format);
    expect(Array.isArray(mutate(messages, format, 9))).toBe(true);
    expect(mutate([], format, 9)).toEqual([]);
  });
});
