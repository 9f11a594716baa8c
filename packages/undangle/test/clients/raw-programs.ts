import { converse } from "./manner.ts";
import type { Ask, Manner } from "./manner.ts";
import { manners } from "./manners.ts";
import type { Line, Program } from "./program.ts";

/** Programs without an SDK: `fetch`, and a reader that knows only what its provider documents. */
export const rawPrograms: readonly Program[] = manners.map((manner) => ({
  name: `fetch, ${manner.format}`,
  format: manner.format,
  history: manner.format,
  open: (line, saved) => converse(manner, askBy(manner, line), saved),
}));

const askBy = ({ path, format }: Manner, { baseUrl, fetch, onBytes }: Line): Ask =>
  async function* ask(body, signal) {
    const init = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
    const response = await fetch(baseUrl + path, { ...init, ...(signal && { signal }) });
    if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
    const isLines = format === "ollama";
    const decoder = new TextDecoder();
    let rest = "";
    const pieces: AsyncIterable<Uint8Array> | readonly Uint8Array[] = response.body ?? [];
    for await (const piece of pieces) {
      onBytes?.(piece);
      const parts = (rest + decoder.decode(piece, { stream: true })).split(isLines ? "\n" : /\r?\n\r?\n/u);
      rest = parts.pop() ?? "";
      for (const part of parts) yield* isLines ? valuesOf(part) : part.split(/\r?\n/u).flatMap(dataOf);
    }
  };

const dataOf = (line: string): readonly unknown[] => (line.startsWith("data:") ? valuesOf(line.slice(5)) : []);

const valuesOf = (text: string): readonly unknown[] =>
  text.trim() === "" || text.trim() === "[DONE]" ? [] : [JSON.parse(text)];
