import { describe, expect, test } from "vitest";

import { explain } from "./explain.ts";
import { unrelatedErrors } from "./unrelated-errors.fixture.ts";

describe("an error that is not about a history is never a sure match", () => {
  test.each(unrelatedErrors)("%s", (text) => {
    expect(explain(text).filter(({ confidence }) => confidence === "known")).toEqual([]);
  });

  test.each(["HTTP 400: ", "Error: 400 ", "openai.BadRequestError: Error code: 400 - "])("after %j", (prefix) => {
    const sure = unrelatedErrors.flatMap((text) => explain(prefix + text));
    expect(sure.filter(({ confidence }) => confidence === "known")).toEqual([]);
  });
});
