import { describe, expect, test } from "vitest";

import { failureOf } from "./failure.ts";
import { failureTexts } from "./failure-texts.ts";
import { anthropicError, failureRows, geminiError, openaiError } from "./failures.fixture.ts";

describe("failureOf", () => {
  test.each(failureRows)("knows what %s means with %s %s", (...[, status, text, code, canRetry]) => {
    const error = failureOf({ model: "m", status, text });
    expect([error.code, error.data]).toEqual([code, expect.objectContaining({ canRetry, model: "m" })]);
  });

  test("has a real text for every provider of the table", () => {
    const known = new Set(failureRows.map(([from]) => from.split(",")[0]));
    const named = failureTexts.flatMap(({ from }) => from.split(", "));
    const unseen = [...new Set(named)].filter((name) => !known.has(name) && name !== "bedrock");
    expect(unseen).toEqual([]);
  });

  test("finds the words wherever they stand, and the id of the request", () => {
    const detail = JSON.stringify({ detail: [{ loc: ["body", "x"], msg: "field required" }] });
    expect(failureOf({ model: "m", status: 422, text: detail }).data).toMatchObject({ message: "field required" });
    const upstream = JSON.stringify({ error: { message: "Provider returned error", metadata: { raw: "no room" } } });
    expect(failureOf({ model: "m", status: 400, text: upstream }).data).toMatchObject({
      message: "Provider returned error: no room",
    });
    const told = failureOf({ model: "m", status: 529, text: anthropicError("overloaded_error", "Overloaded") });
    expect(told.data).toMatchObject({ requestId: "req_011" });
  });

  test("says how long to wait, as headers, details and sentences tell", () => {
    const after = (text: string, headers?: Readonly<Record<string, string>>) =>
      failureOf({ model: "m", status: 429, text, headers: new Headers(headers) }).data;
    expect(after("", { "retry-after": "7" })).toMatchObject({ retryAfter: 7000 });
    expect(after("", { "retry-after-ms": "250", "retry-after": "7" })).toMatchObject({ retryAfter: 250 });
    expect(after(geminiError(429, "RESOURCE_EXHAUSTED", "…", [{ retryDelay: "34.5s" }]))).toMatchObject({
      retryAfter: 34_500,
    });
    expect(after(openaiError("Please try again in 6m2.5s.", null))).toMatchObject({ retryAfter: 362_500 });
    expect(after(openaiError("Please try again in 300ms.", null))).toMatchObject({ retryAfter: 300 });
    expect(after(openaiError("Please retry after 26 seconds.", null))).toMatchObject({ retryAfter: 26_000 });
    expect(after(openaiError("please try again after 1 seconds", null))).toMatchObject({ retryAfter: 1000 });
    expect(after(openaiError("Try again in 2 minutes, or in 5 milliseconds.", null))).toMatchObject({
      retryAfter: 120_000,
    });
    expect(after(openaiError("Try again in 3 steps.", null))).not.toHaveProperty("retryAfter");
    expect(after("", { "retry-after": "-1" })).not.toHaveProperty("retryAfter");
    expect(after("", { "retry-after": "soon" })).not.toHaveProperty("retryAfter");
    expect(after("", { "retry-after": "Thu, 01 Jan 1970 00:00:00 GMT" })).toMatchObject({ retryAfter: 0 });
  });

  test("shortens what is too long to be shown, and says something where nothing was said", () => {
    const long = failureOf({ model: "m", status: 400, text: "x".repeat(5000) });
    expect(long.message.length).toBeLessThan(1200);
    expect(failureOf({ model: "m", status: 418, text: " " }).message).toContain("status 418, without an error text");
  });
});
