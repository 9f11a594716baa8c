import type { Language } from "./language.ts";

/** The reason why a call has no result. */
export type Cause =
  | "superseded"
  | "interrupted"
  | "malformed"
  | "truncated"
  | "expired"
  | "stopped"
  | "stopped-running"
  | "crashed"
  | "timed-out"
  | "limit"
  | "pending"
  | "awaiting"
  | "running"
  | "rejected";

export const causes: readonly Cause[] = [
  "superseded",
  "interrupted",
  "malformed",
  "truncated",
  "expired",
  "stopped",
  "stopped-running",
  "crashed",
  "timed-out",
  "limit",
  "pending",
  "awaiting",
  "running",
  "rejected",
];

/** The call of a notice: its identity in the output, and the reason of a rejection. */
export interface NoticeCall {
  readonly id: string;
  readonly name: string;
  readonly reason?: string | undefined;
}

/** The text that truthfully states why a call has no result. */
export function renderNotice(
  call: NoticeCall,
  cause: Cause,
  { language = "en" }: { readonly language?: Language } = {},
): string {
  if (cause === "rejected") return renderRejection(call.reason, language);
  return prefixes[language](call) + endings[cause][language];
}

/** True for a notice of this package for the call, in any language. A real result replaces it. */
export function isNotice(text: string, call: NoticeCall): boolean {
  if (text.length < call.name.length + call.id.length) return false; // avoids building strings for long ids
  for (const language of ["en", "zh"] as const) {
    const prefix = prefixes[language](call);
    if (!text.startsWith(prefix)) continue;
    const ending = text.slice(prefix.length);
    if (Object.values(endings).some((of) => of[language] === ending)) return true;
  }
  return false;
}

const prefixes: Readonly<Record<Language, (call: NoticeCall) => string>> = {
  en: ({ id, name }) => (id === "" ? `Tool call ${name}` : `Tool call ${name} with id ${id}`),
  zh: ({ id, name }) => (id === "" ? `工具调用 ${name}` : `工具调用 ${name}(ID 为 ${id})`),
};

const endings: Readonly<Record<Exclude<Cause, "rejected">, Readonly<Record<Language, string>>>> = {
  superseded: {
    en: " was cancelled - another message came in before it could be completed.",
    zh: "已被取消——在其完成之前收到了另一条消息。",
  },
  interrupted: {
    en: " has no recorded result - the conversation was interrupted. It may or may not have run.",
    zh: "没有留下结果——会话曾被中断。它可能已经执行，也可能没有。",
  },
  malformed: {
    en: " was not executed - its arguments were not valid JSON.",
    zh: "未被执行——其参数不是有效的 JSON。",
  },
  truncated: {
    en: " was not executed - its arguments were cut off.",
    zh: "未被执行——其参数不完整，已被截断。",
  },
  expired: {
    en: " was not executed - nobody approved it in time.",
    zh: "未被执行——在时限内没有得到批准。",
  },
  stopped: {
    en: " was not executed - the run was stopped before it began.",
    zh: "未被执行——运行在其开始之前已停止。",
  },
  "stopped-running": {
    en: " was running when the run was stopped. Its outcome is unknown.",
    zh: "在运行停止时正在执行。其结果未知。",
  },
  crashed: {
    en: " was running when the process ended. Its outcome is unknown; check before running it again.",
    zh: "在执行过程中进程终止。其结果未知，再次执行之前请先确认。",
  },
  "timed-out": {
    en: " did not finish in time. Its outcome is unknown.",
    zh: "未能按时完成。其结果未知。",
  },
  limit: {
    en: " was not executed - the run reached its limit.",
    zh: "未被执行——运行已达到上限。",
  },
  pending: {
    en: " has not been executed yet.",
    zh: "尚未执行。",
  },
  awaiting: {
    en: " has not been executed yet - it is waiting for approval.",
    zh: "尚未执行——正在等待批准。",
  },
  running: {
    en: " is still running. Its result is not known yet.",
    zh: "仍在执行中。其结果尚不可知。",
  },
};

/** The sentence of a rejection, without the JSON around it. */
export const rejections: Readonly<Record<Language, string>> = {
  en: "The user rejected this operation",
  zh: "用户拒绝了此操作",
};

function renderRejection(reason: string | undefined, language: Language): string {
  return JSON.stringify({
    success: false,
    error: rejections[language],
    userRejected: true,
    ...(reason === undefined ? {} : { reason }),
  });
}

/** The prefix of quoted tool output. */
export const quotePrefix: Readonly<Record<Language, string>> = {
  en: "[Output of an earlier tool call, quoted as data]",
  zh: "[此前工具调用的输出，作为数据引用]",
};

/** The text of an inserted turn that a provider requires. */
export const continued: Readonly<Record<Language, string>> = {
  en: "(continued)",
  zh: "（继续）",
};
