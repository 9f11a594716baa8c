import type { Texts } from "./language.tsx";

interface ShellTexts {
  readonly inbox: string;
  readonly doctor: string;
  readonly settings: string;
  readonly threads: string;
  readonly newThread: string;
  readonly search: string;
  readonly noThreads: string;
  readonly noneFound: string;
  readonly mayNotRead: string;
  readonly more: string;
  readonly menu: string;
  readonly close: string;
  readonly skip: string;
  readonly loading: string;
  readonly noView: string;
  readonly views: string;
  readonly chat: string;
  readonly timeline: string;
  readonly repairs: string;
  readonly untitled: string;
  readonly status: Readonly<Record<"idle" | "running" | "waiting", string>>;
  readonly pending: (count: number) => string;
  /** The first tool is named. */
  readonly notification: (count: number, tool: string) => string;
  readonly failed: (message: string) => string;
  readonly unreachable: string;
  readonly retry: string;
  readonly moreLines: (count: number) => string;
  readonly moreCharacters: (count: number) => string;
}

export const shellTexts: Texts<ShellTexts> = {
  en: {
    inbox: "Inbox",
    doctor: "Doctor",
    settings: "Settings",
    threads: "Threads",
    newThread: "New thread",
    search: "Search threads",
    noThreads: "No threads yet.",
    noneFound: "No thread contains this text.",
    mayNotRead: "Your key does not have the threads scope, so it cannot see threads.",
    more: "Show more",
    menu: "Menu",
    close: "Close the menu",
    skip: "Skip to the content",
    loading: "Loading …",
    noView: "There is no page at this address.",
    views: "Views of this thread",
    chat: "Chat",
    timeline: "Timeline",
    repairs: "Repairs",
    untitled: "Untitled thread",
    status: { idle: "idle", running: "running", waiting: "waiting for a decision" },
    pending: (count) => (count === 1 ? "1 pending call" : `${count} pending calls`),
    notification: (count, tool) =>
      count === 1 ? `${tool} needs a decision` : `${count} calls need a decision: ${tool}, …`,
    failed: (message) => `This could not be loaded. ${message}`,
    unreachable: "The server cannot be reached.",
    retry: "Try again",
    moreCharacters: (count) => `… and ${count.toLocaleString("en")} more characters`,
    moreLines: (count) => (count === 1 ? "… and 1 more line" : `… and ${count} more lines`),
  },
  zh: {
    inbox: "待审批",
    doctor: "诊断",
    settings: "设置",
    threads: "会话",
    newThread: "新建会话",
    search: "搜索会话",
    noThreads: "还没有会话。",
    noneFound: "没有包含此文本的会话。",
    mayNotRead: "你的密钥没有 threads 权限，因此看不到会话。",
    more: "显示更多",
    menu: "菜单",
    close: "关闭菜单",
    skip: "跳到正文",
    loading: "正在加载……",
    noView: "此地址没有页面。",
    views: "此会话的视图",
    chat: "对话",
    timeline: "时间线",
    repairs: "修复",
    untitled: "未命名会话",
    status: { idle: "空闲", running: "运行中", waiting: "等待审批" },
    pending: (count) => `${count} 个待审批的调用`,
    notification: (count, tool) => (count === 1 ? `${tool} 等待审批` : `${count} 个调用等待审批：${tool}……`),
    failed: (message) => `无法加载。${message}`,
    unreachable: "无法连接到服务器。",
    retry: "重试",
    moreCharacters: (count) => `……还有 ${count.toLocaleString("zh")} 个字符`,
    moreLines: (count) => `……还有 ${count} 行`,
  },
};
