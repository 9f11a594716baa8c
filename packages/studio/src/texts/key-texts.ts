import type { Texts } from "./language.tsx";

interface KeyTexts {
  readonly title: string;
  readonly lead: string;
  readonly key: string;
  readonly open: string;
  readonly opening: string;
  readonly wrong: string;
  readonly failed: (message: string) => string;
  readonly how: string;
  readonly doctor: string;
}

export const keyTexts: Texts<KeyTexts> = {
  en: {
    title: "This server requires a key",
    lead: "The page exchanges the key for a session of 12 hours and does not store it.",
    key: "Key",
    open: "Sign in",
    opening: "Signing in …",
    wrong: "The key does not exist, has expired or was revoked.",
    failed: (message) => `Signing in failed. ${message}`,
    how: "Create a key on the machine of the server:",
    doctor: "Check a history without a key",
  },
  zh: {
    title: "此服务器需要密钥",
    lead: "页面用密钥换取 12 小时的登录状态，不会保存密钥。",
    key: "密钥",
    open: "登录",
    opening: "正在登录……",
    wrong: "密钥不存在、已过期或已被撤销。",
    failed: (message) => `登录失败。${message}`,
    how: "在服务器所在的机器上创建密钥：",
    doctor: "不用密钥，直接诊断对话历史",
  },
};
