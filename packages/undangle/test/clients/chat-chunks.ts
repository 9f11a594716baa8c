import { chunk } from "./passed-through.ts";

/** The beginning of a turn that says nothing. */
export const role = chunk({ role: "assistant", content: null });

/** The end of a turn with calls. */
export const end = chunk({}, "tool_calls");

/** A chunk with entries of calls in it. */
export const calls = (...entries: readonly object[]): object => chunk({ tool_calls: entries });

/** The first entry of a call. */
export const begun = (index: number, name: string, given = ""): object => ({
  index,
  id: `call_${index}`,
  type: "function",
  function: { name, arguments: given },
});

/** A later entry of a call. */
export const more = (index: number, given: string): object => ({ index, function: { arguments: given } });

interface Chunk {
  readonly choices?: readonly {
    readonly delta?: {
      readonly tool_calls?: readonly {
        readonly index: number;
        readonly function: { readonly name?: string; readonly arguments?: string };
      }[];
    };
  }[];
}

/** The calls that a client of chat adds up, each with its name and its arguments. */
export function callsIn(body: string): readonly string[] {
  const found: string[] = [];
  for (const [data] of body.matchAll(/(?<=^data: )\{.*$/gmu)) {
    const { choices } = JSON.parse(data) as Chunk; // as the body was written
    for (const { index, function: called } of choices?.[0]?.delta?.tool_calls ?? []) {
      found[index] ??= `${called.name} `;
      found[index] += called.arguments ?? "";
    }
  }
  return found;
}
