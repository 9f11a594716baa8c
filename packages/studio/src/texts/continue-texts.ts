import type { Texts } from "./language.tsx";

interface ContinueTexts {
  readonly continue: string;
  /** What the button does besides. */
  readonly note: string;
  readonly sending: string;
  /** Instead of the promise of the doctor that sends nothing. */
  readonly private: string;
}

/** Texts of the doctor in the studio. The static doctor does not load them. */
export const continueTexts: Texts<ContinueTexts> = {
  en: {
    continue: "Continue as a thread",
    note: "(sends the history to this server)",
    sending: "Sending …",
    private:
      "Nothing leaves the browser unless you choose “Continue as a thread”. Your input is examined on this page.",
  },
  zh: {
    continue: "作为会话继续",
    note: "（会把历史发送到此服务器）",
    sending: "正在发送……",
    private: "输入只在本页面中检查。除非你选择“作为会话继续”，数据不会离开浏览器。",
  },
};
