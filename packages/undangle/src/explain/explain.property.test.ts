import fc from "fast-check";
import { expect, test } from "vitest";
import { catalogueTexts, elsewhere, lastPlace, placeOf, wrappers } from "./explain.fixture.ts";
import { explain } from "./explain.ts";

test("every text of the catalogue is recognised with any ids and numbers, in any two wrappers", () => {
  const wrapper = fc.constantFrom(...Object.values(wrappers));
  const changes = fc.tuple(fc.nat(), fc.stringMatching(/^[\w.:|-]{1,40}$/u));
  fc.assert(
    fc.property(fc.constantFrom(...catalogueTexts), wrapper, wrapper, changes, ({ rule, text }, inner, outer, by) => {
      expect(placeOf(rule, outer(inner(elsewhere(text, ...by))))).toBeLessThanOrEqual(lastPlace(rule));
    }),
  );
});

test("what stands around a text changes nothing in it", () => {
  const words = fc.stringMatching(/^(?:[b-dj-l]{2,9} ){0,30}$/u);
  fc.assert(
    fc.property(fc.constantFrom(...catalogueTexts), words, words, ({ rule, text }, before, after) => {
      expect(placeOf(rule, `${before}. ${text} ${after}`)).toBeLessThanOrEqual(lastPlace(rule));
    }),
  );
});

test("no text throws, and the answer is the same twice", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 400 }), (text) => {
      expect(explain(text)).toEqual(explain(text));
    }),
  );
});
