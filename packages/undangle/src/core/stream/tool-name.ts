/** The tools of the request; undefined if unknown. */
export type ToolNames = ReadonlySet<string> | undefined;

/**
 * Removes characters that models and servers add around a name. Possible arguments stay: `rm /srv/x` is not a call of
 * `rm` without arguments.
 */
export function cleanName(name: string, tools: ToolNames): string {
  if (tools?.has(name) === true) return name;
  const cut = name.indexOf("<|");
  const bare = (cut > 0 && !/[{[]/u.test(name.slice(cut)) ? name.slice(0, cut) : name).trim();
  if (tools === undefined || tools.has(bare)) return bare;
  // Characters that may belong to a name are removed only if the result is the name of a tool.
  const inner = bare.replace(/^(?:functions|default_api|tools)[.:]/u, "").replace(/^["'`]|["'`]$/gu, "");
  return (
    [inner, inner.replace(/:\d+$/u, ""), inner.replace(/\(\s*\)?$|[<:]$/u, "").trimEnd()].find((each) =>
      tools.has(each),
    ) ?? bare
  );
}

/** The name of a call after another delta before any argument: repeated, extended or split. */
export function joinName(known: string, delta: string, tools: ToolNames): string {
  const joined = known + delta;
  const isOffered = tools?.has(joined) === true;
  if (known.startsWith(delta) && (!isOffered || tools.has(known))) return known;
  if (isOffered) return joined;
  return tools?.has(delta) === true || delta.startsWith(known) ? delta : joined;
}
