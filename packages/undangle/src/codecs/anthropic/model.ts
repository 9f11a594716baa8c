/** The properties of a Claude model by name; undefined if unknown. */
export interface Model {
  /** True if the model continues a final assistant message. */
  readonly takesPrefill: boolean | undefined;
  /** True if system messages may follow the first turn. */
  readonly takesSystem: boolean | undefined;
  /** True if the model thinks even if the request does not enable it. */
  readonly thinksByDefault: boolean;
}

/** Parses the family and the version from a model name. */
export function modelOf(name: string | undefined): Model {
  const current = /claude-(opus|sonnet|haiku|fable|mythos)-(\d{1,2})(?:[-.](\d{1,2}))?(?!\d)/.exec(name ?? "");
  const early = /claude-(\d)(?:[-.](\d))?-|claude-(?:instant|v?2)/.exec(name ?? "");
  if (current === null) {
    const known = early !== null;
    const isRefusing = known || /deepseek/i.test(name ?? ""); // it has an endpoint in this format
    return { takesPrefill: known || undefined, takesSystem: isRefusing ? false : undefined, thinksByDefault: false };
  }
  const [, family, major, minor] = current;
  const version = Number(major) * 100 + Number(minor ?? 0);
  const isNew = version >= 500 || family === "fable" || family === "mythos";
  return {
    takesPrefill: !(isNew || (version >= 406 && family !== "haiku")),
    takesSystem: isNew || (version >= 408 && family === "opus"),
    thinksByDefault: isNew,
  };
}
