import { expect, test } from "vitest";
import { createSink } from "./sink.ts";

function outputTo(written: string[], isTTY: boolean) {
  return {
    isTTY,
    write: (data: Uint8Array) => {
      written.push(new TextDecoder().decode(data));
      return Promise.resolve();
    },
  };
}

test("small writes leave together, in their order", async () => {
  const written: string[] = [];
  const sink = createSink(outputTo(written, false), 6);
  for (const piece of ["ab", "cd", "ef", "g"]) await sink.write(piece);
  expect(written).toEqual(["abcdef"]);
  await sink.flush();
  await sink.flush();
  expect(written).toEqual(["abcdef", "g"]);
});

test("a person sees every write at once", async () => {
  const written: string[] = [];
  const sink = createSink(outputTo(written, true));
  for (const piece of ["ab", "cd"]) await sink.write(piece);
  expect(written).toEqual(["ab", "cd"]);
});
