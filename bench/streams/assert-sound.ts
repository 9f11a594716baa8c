import { isDeepStrictEqual } from "node:util";
import { bodyOf } from "./contenders.ts";
import type { Entrant } from "./contenders.ts";
import type { Wire } from "./wire.ts";

/** Nothing is measured that does not give the right answer. */
export async function assertSound({ name, client }: Entrant, wire: Wire): Promise<void> {
  const { text, calls } = await client(bodyOf(wire));
  const expected = wire.calls.map(({ id, name: tool, arguments: args }) => ({
    id,
    name: tool,
    arguments: JSON.parse(args) as unknown,
  }));
  const given = calls.map(({ id, name: tool, arguments: args }) => ({ id, name: tool, arguments: args }));
  if (text !== wire.text) throw new Error(`${name}: the text is wrong.`);
  if (!isDeepStrictEqual(given, expected)) throw new Error(`${name}: the calls are wrong.`);
}
