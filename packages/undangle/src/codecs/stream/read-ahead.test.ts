import { expect, test } from "vitest";
import { assemble } from "./assemble.ts";

const chunk = (content: string, finish: string | null = null): string =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content }, finish_reason: finish }] })}\n\n`;

/** A source that counts the chunks that were read. */
function* counted(pieces: readonly string[], count: { read: number }): Generator<string, void, undefined> {
  for (const piece of pieces) {
    count.read++;
    yield piece;
  }
}

test("parts come as soon as their piece has come, also where the turn was asked for first", async () => {
  const waiting = new Map<string, () => void>();
  /** Sends a chunk only after the previous part was emitted, so it would hang if parts were held. */
  async function* patient(): AsyncGenerator<string, void, undefined> {
    for (const text of ["a", "b", "c"]) {
      const isSeen = new Promise<void>((resolve) => waiting.set(text, resolve));
      yield chunk(text);
      await isSeen;
    }
    yield chunk("", "stop");
  }
  const stream = assemble(patient(), { format: "openai-chat" });
  const turn = stream.turn();
  for await (const part of stream) if (part.type === "text-delta") waiting.get(part.text)?.();
  expect(await turn).toMatchObject({ text: "abc", complete: true });
  expect(await stream.turns()).toEqual([await turn]);
});

test("a turn that nobody listens to is read to its end at once, and asked for twice is read once", async () => {
  const count = { read: 0 };
  const stream = assemble(counted([chunk("a"), chunk("b", "stop")], count), { format: "openai-chat" });
  const [one, other] = await Promise.all([stream.turn(), stream.turn()]);
  expect(one).toBe(other);
  expect(count.read).toBe(2);
});

test("a preview is read when it is asked for, and grows with the call", async () => {
  const call = (args: string): string =>
    `data: ${JSON.stringify({ choices: [{ delta: { tool_calls: [{ index: 0, function: { name: "ls", arguments: args } }] } }] })}\n\n`;
  const stream = assemble([call('{"path":"/a'), call("/b"), call('","all":tr'), call("ue}")], {
    format: "openai-chat",
  });
  const seen: unknown[] = [];
  let number = 0;
  for await (const part of stream) {
    if (part.type === "call-delta" && number++ % 2 === 1) seen.push(structuredClone(part.preview()));
  }
  expect(seen).toEqual([{ path: "/a/b" }, { path: "/a/b", all: true }]);
});
