import type { CallView } from "undangle/client";

import type { Texts } from "./language.tsx";

/** The state of a call. `writing`: the model writes it. `unanswered`: an imported history has no result for it. */
export type CallPhase = CallView["status"] | "writing" | "unanswered";

interface StateTexts {
  readonly states: Readonly<Record<CallPhase, string>>;
  /** Instead of the state `responded`, if the person marked the response as an error. */
  readonly respondedError: string;
  /** By the type of the decision. */
  readonly decisions: Readonly<Record<string, string>>;
  /** The same as the beginning of a sentence, with who decided if that is known. */
  readonly decided: (type: string, by?: string) => string;
  /** Who decided according to an imported thread. */
  readonly importedBy: (by: string) => string;
  readonly took: (duration: string) => string;
}

const decisionsEnglish: Readonly<Record<string, string>> = {
  approve: "approved",
  edit: "edited and approved",
  respond: "result given",
  reject: "rejected",
};

const decideChinese: Readonly<Record<string, string>> = {
  approve: "批准",
  edit: "修改并批准",
  respond: "提供结果",
  reject: "拒绝",
};

/** The words for states of calls and for decisions, in all views. */
export const stateTexts: Texts<StateTexts> = {
  en: {
    states: {
      writing: "being written",
      proposed: "about to run",
      awaiting: "waiting for a decision",
      approved: "approved, about to run",
      running: "running",
      delegated: "its sub-agent is waiting for a decision",
      rejected: "rejected",
      responded: "result given by a person",
      superseded: "cancelled by a newer message",
      expired: "expired",
      succeeded: "done",
      failed: "failed",
      "timed-out": "timed out",
      stopped: "stopped",
      lost: "lost, outcome unknown",
      unanswered: "imported without a result",
    },
    respondedError: "a person responded: error",
    decisions: decisionsEnglish,
    decided: (type, by) => {
      const word = decisionsEnglish[type] ?? type;
      return `${word.slice(0, 1).toUpperCase()}${word.slice(1)}${by === undefined ? "" : ` by ${by}`}`;
    },
    importedBy: (by) => `${by} (as imported)`,
    took: (duration) => `took ${duration}`,
  },
  zh: {
    states: {
      writing: "正在生成",
      proposed: "即将执行",
      awaiting: "等待审批",
      approved: "已批准，即将执行",
      running: "进行中",
      delegated: "其子智能体等待审批",
      rejected: "已拒绝",
      responded: "结果由人工提供",
      superseded: "已被新消息取消",
      expired: "已过期",
      succeeded: "完成",
      failed: "失败",
      "timed-out": "超时",
      stopped: "已停止",
      lost: "丢失，结果未知",
      unanswered: "导入时没有结果",
    },
    respondedError: "由人工提供的结果：错误",
    decisions: Object.fromEntries(Object.entries(decideChinese).map(([type, word]) => [type, `已${word}`])),
    decided: (type, by) => {
      const word = decideChinese[type];
      if (word === undefined) return by === undefined ? type : `${type}（${by}）`;
      return by === undefined ? `已${word}` : `${by}${/[!-~]$/u.test(by) ? " " : ""}已${word}`;
    },
    importedBy: (by) => `${by}（来自导入的记录）`,
    took: (duration) => `用时 ${duration}`,
  },
};
