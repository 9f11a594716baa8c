/** The properties of a Claude model, by name. */
export interface ClaudeModel {
  /** The default limit of tokens. */
  readonly maxTokens: number;
  /** The API limit for thinking and text together; Infinity if unknown. */
  readonly mostTokens: number;
  /** True for adaptive thinking, which has an effort instead of a budget. */
  readonly isAdaptive: boolean;
  /** True if it supports strict schemas. */
  readonly keepsSchemas: boolean;
  /** Whether it accepts both `temperature` and `top_p`, one of them, or neither. */
  readonly sampling: "both" | "one" | "none";
}

/** Parses names such as `claude-opus-4-6`, `claude-3-5-haiku-20241022` or `claude-sonnet-4@20250514`. */
export function claudeModel(id: string): ClaudeModel {
  const [, old] = /claude-3-(5|7)?/u.exec(id) ?? [];
  if (/claude-(?:3|2|instant)/u.test(id)) {
    const maxTokens = old === "7" ? 32_000 : old === "5" ? 8192 : 4096;
    const mostTokens = old === "7" ? 64_000 : maxTokens;
    return { maxTokens, mostTokens, isAdaptive: false, keepsSchemas: false, sampling: "both" };
  }
  const [, family, major, minor = "0"] = /claude-(opus|sonnet|haiku)-(\d+)(?:[-.](\d{1,2}))?(?!\d)/u.exec(id) ?? [];
  if (major === undefined) {
    const isClaude = id.includes("claude-"); // a new family, or another provider of this format
    return {
      maxTokens: isClaude ? 32_000 : 8192,
      mostTokens: Infinity,
      isAdaptive: isClaude,
      keepsSchemas: isClaude,
      sampling: isClaude ? "none" : "both",
    };
  }
  const version = Number(major) * 100 + Number(minor);
  const isLate = version >= 405 || (family === "opus" && version === 401);
  return {
    maxTokens: 32_000,
    mostTokens: version >= 406 ? Infinity : family === "opus" && version < 405 ? 32_000 : 64_000,
    isAdaptive: version >= 406,
    keepsSchemas: isLate,
    sampling: version >= 407 ? "none" : isLate ? "one" : "both",
  };
}
