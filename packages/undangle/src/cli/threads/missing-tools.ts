import type { AgentOptions } from "#engine";

/** The tools among these that an agent does not have: a call of one would be started for nothing. */
export function missingTools(
  names: readonly string[],
  { tools = [], middleware = [] }: AgentOptions,
): readonly string[] {
  if (middleware.some((each) => each.tools !== undefined)) return []; // which those are is known later
  const known = new Set(tools.flatMap((each) => ("tools" in each ? each.tools() : [each])).map(({ name }) => name));
  return [...new Set(names)].filter((name) => !known.has(name));
}
