// Reads a stream that would fool an ordinary loop, and one that breaks off: what is shown, what is run, what is not.
import { readFileSync } from "node:fs";
import { assemble } from "undangle";

const captured = readFileSync(new URL("broken-stream.txt", import.meta.url), "utf8");

/** A server that sends a few bytes at a time; with `cutAt` the connection dies on the way. */
async function* send(text: string, cutAt = Infinity): AsyncGenerator<Uint8Array, void, undefined> {
  const bytes = new TextEncoder().encode(text);
  for (let at = 0; at < bytes.length; at += 50) {
    if (at >= cutAt) throw new Error("socket hang up");
    yield await Promise.resolve(bytes.subarray(at, at + 50));
  }
}

/** What an agent does with an answer: shows it as it comes, and runs its calls when it is over. */
async function answer(source: AsyncIterable<Uint8Array>): Promise<void> {
  const stream = assemble(source, { format: "openai-chat", tools: ["get_weather"] });
  for await (const part of stream) {
    if (part.type === "text-delta") console.log(`  ${part.text}`);
    if (part.type === "call-start") console.log(`  ${part.name} …`);
    if (part.type === "call-delta") console.log(`  so far: ${JSON.stringify(part.preview())}`);
    if (part.type === "anomaly") console.log(`  (${part.anomaly.kind})`);
  }
  const turn = await stream.turn();
  if (!turn.complete) console.log(`  not complete, nothing is run: ${turn.error?.message ?? turn.finish}`);
  for (const { id, name, arguments: args, state } of turn.calls) {
    const isRun = turn.complete && state === "ready"; // both have to hold
    console.log(`  ${isRun ? "run" : "do not run"} ${name} (${id}, ${state}) ${JSON.stringify(args)}`);
  }
}

console.log("Two calls on one index, a placeholder, the wrong reason for the end:");
await answer(send(captured));

console.log("The same, cut off in the middle of the second call:");
await answer(send(captured, 1300));
