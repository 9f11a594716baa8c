import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { OutputBuffer } from "./output-buffer.ts";

describe("OutputBuffer", () => {
  test("keeps the first and the last half of any output in any chunks", () => {
    fc.assert(
      fc.property(fc.nat(40), fc.array(fc.uint8Array({ maxLength: 30 }), { maxLength: 12 }), (limit, chunks) => {
        const buffer = new OutputBuffer(limit);
        for (const chunk of chunks) buffer.push(chunk);
        const all = chunks.flatMap((chunk) => [...chunk]);
        const { output, omitted } = buffer.read();
        expect(omitted).toBe(Math.max(all.length - limit, 0));
        const tail = Math.floor(limit / 2);
        const kept = all.length <= limit ? all : [...all.slice(0, limit - tail), ...all.slice(all.length - tail)];
        expect([...output]).toEqual(kept);
      }),
    );
  });

  test("needs memory for what it keeps, not for its limit", () => {
    const buffer = new OutputBuffer(Number.MAX_SAFE_INTEGER);
    buffer.push(Buffer.from("hello"));
    expect(buffer.read()).toEqual({ output: new Uint8Array(Buffer.from("hello")), omitted: 0 });
  });
});
