/** What the name of a Claude model reveals. */
export interface ClaudeModel {
  readonly refusesPrefill: boolean;
  /** Whether it accepts the role system after the first turn. Undefined if the name is not that of a Claude model. */
  readonly takesSystemRole: boolean | undefined;
  readonly mayThinkUnasked: boolean;
}

/** Reads names such as claude-opus-4-6, claude-3-5-haiku-20241022 or us.anthropic.claude-sonnet-4-20250514-v1:0. */
export function claudeModel(name: string): ClaudeModel {
  if (/claude-fable/.test(name)) return { refusesPrefill: true, takesSystemRole: true, mayThinkUnasked: true };
  const modern = /claude-(opus|sonnet|haiku)-(\d+)(?:[-.](\d{1,2}))?(?!\d)/.exec(name);
  if (modern !== null) {
    const [, family = "", major = "", minor = "0"] = modern;
    const version = Number(major) * 100 + Number(minor);
    return {
      refusesPrefill: version >= 500 || (family !== "haiku" && version >= 406),
      takesSystemRole: version >= 500 || (family === "opus" && version >= 408),
      mayThinkUnasked: version >= 500,
    };
  }
  const isOld = /claude-(2|3|instant)/.test(name);
  return { refusesPrefill: false, takesSystemRole: isOld ? false : undefined, mayThinkUnasked: false };
}
