import type { AgentOptions } from "#engine";

/** The tools of the list that an agent does not have. Their calls would fail. */
export function missingTools(
  names: readonly string[],
  { tools = [], middleware = [] }: AgentOptions,
): readonly string[] {
  if (middleware.some((each) => each.tools !== undefined)) return []; // tools of a source are known only later
  const known = new Set(tools.flatMap((each) => ("tools" in each ? each.tools() : [each])).map(({ name }) => name));
  return [...new Set(names)].filter((name) => !known.has(name));
}
