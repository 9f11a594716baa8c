/** What is known of a Claude model by its name. */
export interface ClaudeModel {
  /** How long its answers are allowed to be, unless somebody says otherwise. */
  readonly maxTokens: number;
  /** What the API takes at most for thoughts and answer together; Infinity where that is not known. */
  readonly mostTokens: number;
  /** It decides itself how long it thinks, and is told how hard to try. */
  readonly isAdaptive: boolean;
  /** It can be held to a schema. */
  readonly keepsSchemas: boolean;
  /** Of `temperature` and `top_p`: it takes both, one of them, or refuses a request with any. */
  readonly sampling: "both" | "one" | "none";
}

/** Reads names such as `claude-opus-4-6`, `claude-3-5-haiku-20241022` or `claude-sonnet-4@20250514`. */
export function claudeModel(id: string): ClaudeModel {
  const [, old] = /claude-3-(5|7)?/u.exec(id) ?? [];
  if (/claude-(?:3|2|instant)/u.test(id)) {
    const maxTokens = old === "7" ? 32_000 : old === "5" ? 8192 : 4096;
    const mostTokens = old === "7" ? 64_000 : maxTokens;
    return { maxTokens, mostTokens, isAdaptive: false, keepsSchemas: false, sampling: "both" };
  }
  const [, family, major, minor = "0"] = /claude-(opus|sonnet|haiku)-(\d+)(?:[-.](\d{1,2}))?(?!\d)/u.exec(id) ?? [];
  if (major === undefined) {
    const isClaude = id.includes("claude-"); // a new family; and others speak this format too
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
