import type { Texts } from "./language.tsx";

/** What views that follow events show while they cannot. */
export const connectionTexts: Texts<{ readonly lost: string }> = {
  en: { lost: "Connection lost. Reconnecting … This page shows the last known state." },
  zh: { lost: "连接已断开，正在重新连接……页面显示的是最后已知的状态。" },
};
