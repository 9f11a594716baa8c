/** The tools of the request; undefined if unknown. */
export type ToolNames = ReadonlySet<string> | undefined;

/**
 * A name without what models and servers leave around it. What may be arguments stays: `rm /srv/x` is not a call of `rm` without any.
 */
export function cleanName(name: string, tools: ToolNames): string {
  if (tools?.has(name) === true) return name;
  const cut = name.indexOf("<|");
  const bare = (cut > 0 && !/[{[]/u.test(name.slice(cut)) ? name.slice(0, cut) : name).trim();
  if (tools === undefined || tools.has(bare)) return bare;
  // What can be a part of a name is taken away only where that gives the name of a tool.
  const inner = bare.replace(/^(?:functions|default_api|tools)[.:]/u, "").replace(/^["'`]|["'`]$/gu, "");
  return (
    [inner, inner.replace(/:\d+$/u, ""), inner.replace(/\(\s*\)?$|[<:]$/u, "").trimEnd()].find((each) =>
      tools.has(each),
    ) ?? bare
  );
}

/** The name of a call when one more piece of it came before any argument: repeated, grown, or split. */
export function joinName(known: string, piece: string, tools: ToolNames): string {
  const joined = known + piece;
  const isOffered = tools?.has(joined) === true;
  if (known.startsWith(piece) && (!isOffered || tools.has(known))) return known;
  if (isOffered) return joined;
  return tools?.has(piece) === true || piece.startsWith(known) ? piece : joined;
}
