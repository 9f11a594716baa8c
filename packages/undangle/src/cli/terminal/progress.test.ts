import { expect, test } from "vitest";
import { english } from "../texts/english.ts";
import { createProgress } from "./progress.ts";

function screen({ isTTY }: { readonly isTTY: boolean }) {
  const written: string[] = [];
  let time = 0;
  return {
    written,
    now: () => (time += 300),
    stderr: {
      isTTY,
      columns: 80,
      write: (data: string | Uint8Array) => Promise.resolve(void written.push(String(data))),
      replaceLine: (text: string) => Promise.resolve(void written.push(`\r${text}`)),
    },
  };
}

const options = { texts: english, quiet: false };

test("a person is told how far it has come, and the line goes away again", async () => {
  const io = screen({ isTTY: true });
  const progress = createProgress(io, options);
  progress.begin("log.jsonl", 10_000_000);
  for (let step = 0; step < 3; step++) await progress.advance(1_000_000);
  await progress.clear();
  await progress.clear();
  expect(io.written).toEqual([
    "\rlog.jsonl  2 MB of 10 MB · 20 % · 2 lines",
    "\rlog.jsonl  3 MB of 10 MB · 30 % · 3 lines",
    "\r",
  ]);
});

test.each([
  ["into a file", { isTTY: false }, options],
  ["when asked to be quiet", { isTTY: true }, { ...options, quiet: true }],
])("nothing is said %s", async (_, tty, options) => {
  const io = screen(tty);
  const progress = createProgress(io, options);
  progress.begin("log.jsonl", 10_000_000);
  for (let step = 0; step < 5; step++) await progress.advance(1_000_000);
  await progress.clear();
  expect(io.written).toEqual([]);
});
