import { describe, expect, test } from "vitest";

import { begun, calls, end, more, role } from "../clients/chat-chunks.ts";
import { chunk, done, events, passedThrough, ways } from "../clients/passed-through.ts";
import { chat } from "../clients/requests.ts";

/** vLLM leaves `arguments` out of the first entry of a call: the loop of OpenAI's guide makes `undefined{"q":…` of them. */
interface Entry {
  readonly index: number;
  readonly function: { readonly name?: string; arguments: string };
}

/** The calls as that loop adds them up: it takes the first entry as it is, and adds to it. */
function addedUp(body: string): readonly string[] {
  const found: Entry[] = [];
  for (const [data] of body.matchAll(/(?<=^data: )\{.*$/gmu)) {
    const { choices } = JSON.parse(data) as { choices: readonly { delta: { tool_calls?: readonly Entry[] } }[] };
    for (const entry of choices[0]?.delta.tool_calls ?? []) {
      const known = found[entry.index];
      if (known === undefined) found[entry.index] = entry;
      else known.function.arguments += entry.function.arguments;
    }
  }
  return found.map(({ function: called }) => `${called.name} ${called.arguments}`);
}

const bare = { index: 0, id: "call_0", type: "function", function: { name: "find" } };
const says = chunk({ content: "And." });

describe.each(ways)("calls without the key `arguments` get it, in pieces of $size, calls: $toolCalls", (way) => {
  test.each([
    ["in the first entry", [calls(bare), calls(more(0, '{"q": "a')), calls(more(0, 'b"}'))]],
    ["in the last", [calls(begun(0, "find", '{"q": "ab"}')), calls({ index: 0, function: {} })]],
    ["before a text", [calls(bare), calls(more(0, '{"q": "ab"}')), says]],
  ])("%s", async (_, sent) => {
    const { text, error, told } = await passedThrough({ ...chat, ...way, body: events(role, ...sent, end, done) });
    expect(error).toBeUndefined();
    expect(addedUp(text)).toEqual(['find {"q": "ab"}']);
    expect(told.map(({ isChanged }) => isChanged)).toEqual([true]);
  });

  test("a call of the old kind too", async () => {
    const functions = [{ name: "find", parameters: {} }];
    const legacy = (called: object): object => chunk({ function_call: called });
    const body = events(
      role,
      legacy({ name: "find" }),
      legacy({ arguments: '{"q":1}' }),
      chunk({}, "function_call"),
      done,
    );
    const { text } = await passedThrough({ ...chat, ...way, request: { ...chat.request, functions }, body });
    expect(text).not.toContain('{"name":"find"}');
    expect(text.match(/"function_call":\{"name":"find","arguments":"/gu)).toHaveLength(1);
  });
});
