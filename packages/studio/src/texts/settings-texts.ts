import type { Texts } from "./language.tsx";

/** What a key may do. */
export type KeyScope = "chat" | "threads" | "approve" | "admin";

interface SettingsTexts {
  readonly title: string;
  readonly session: {
    readonly title: string;
    readonly local: string;
    readonly recorded: string;
    readonly project: string;
    readonly scopes: string;
    readonly signOut: string;
  };
  readonly allowances: {
    readonly title: string;
    readonly lead: string;
    readonly none: string;
    readonly allCalls: string;
    readonly theseArguments: string;
    readonly everyThread: string;
    readonly inThread: string;
    readonly inTask: string;
    readonly by: (name: string) => string;
    readonly revoke: string;
    readonly revokeName: (tool: string, what: string) => string;
    readonly mayNot: string;
  };
  readonly keys: {
    readonly title: string;
    readonly lead: string;
    readonly none: string;
    readonly mayNot: string;
    readonly own: string;
    readonly created: string;
    readonly expires: string;
    readonly expired: string;
    readonly never: string;
    readonly revoked: string;
    readonly revoke: string;
    readonly revokeName: (name: string) => string;
    readonly ownWarning: string;
    readonly lastWarning: string;
    /** Between two sentences. */
    readonly ended: (count: number) => string;
  };
  readonly newKey: {
    readonly title: string;
    readonly first: string;
    readonly name: string;
    readonly scopes: string;
    readonly scope: Readonly<Record<KeyScope, string>>;
    readonly expiry: string;
    readonly expiries: Readonly<Record<"never" | "1" | "7" | "30" | "90" | "365", string>>;
    readonly create: string;
    readonly noScope: string;
    readonly made: (name: string) => string;
    readonly once: string;
    readonly notSignedIn: (why: string) => string;
    readonly text: string;
    readonly copy: string;
    readonly done: string;
  };
  /** The button that revokes after a question. */
  readonly sure: string;
  readonly look: {
    readonly title: string;
    readonly language: string;
    readonly browser: string;
    readonly theme: string;
    readonly system: string;
    readonly light: string;
    readonly dark: string;
  };
  readonly notifications: {
    readonly title: string;
    readonly on: string;
    readonly state: Readonly<Record<"default" | "granted" | "denied" | "unsupported", string>>;
  };
}

export const settingsTexts: Texts<SettingsTexts> = {
  en: {
    title: "Settings",
    session: {
      title: "Session",
      local: "This server has no keys. Everyone on this machine has all rights.",
      recorded: "Your name in decisions",
      project: "Project",
      scopes: "Rights",
      signOut: "Sign out",
    },
    allowances: {
      title: "Allowances",
      lead: "These calls run without a decision. After a revocation, the next call waits again.",
      none: "No allowances. “Approve and always …” of a pending call creates one.",
      allCalls: "All calls",
      theseArguments: "Calls with these arguments",
      everyThread: "in every thread",
      inThread: "in the thread",
      inTask: "until a sub-agent ends its task in the thread",
      by: (name) => `by ${name}`,
      revoke: "Revoke",
      revokeName: (tool, what) => `Revoke the allowance of ${tool}: ${what}`,
      mayNot: "Your key cannot decide about calls, so it cannot see allowances.",
    },
    keys: {
      title: "API keys",
      lead: "Programs and people use keys of this project. A revoked key stops working immediately, with its sessions.",
      none: "There are no keys. Without keys, only this machine can use the server.",
      mayNot: "Your key does not have the admin scope, so it cannot see keys.",
      own: "your key",
      created: "Created",
      expires: "Expires",
      expired: "expired",
      never: "never",
      revoked: "revoked",
      revoke: "Revoke",
      revokeName: (name) => `Revoke the key ${name}`,
      ownWarning: "You use this key. You are signed out when you revoke it.",
      lastWarning:
        "No other key manages keys. Afterwards, only undangle keys create on the machine of the server makes one.",
      ended: (count) => `Revoked and expired keys (${count})`,
    },
    newKey: {
      title: "New key",
      first:
        "The first key needs the admin scope. From then on, every request needs a key. This page signs in with it automatically.",
      name: "Name",
      scopes: "Scopes",
      scope: {
        chat: "chat: the chat endpoint, models and personas",
        threads: "threads: personas, and everything about threads except decisions",
        approve: "approve: decisions and allowances",
        admin: "admin: all of these, and keys",
      },
      expiry: "Expires",
      expiries: {
        never: "never",
        1: "in 1 day",
        7: "in 7 days",
        30: "in 30 days",
        90: "in 90 days",
        365: "in 1 year",
      },
      create: "Create the key",
      noScope: "Choose at least one scope.",
      made: (name) => `The key ${name} was created.`,
      once: "It is shown only now. Copy it to a safe place.",
      notSignedIn: (why) => `This page could not sign in with it: ${why} Copy the key, reload the page and enter it.`,
      text: "Text of the key",
      copy: "Copy the key",
      done: "I have copied it",
    },
    sure: "Revoke now",
    look: {
      title: "Appearance",
      language: "Language",
      browser: "Same as the browser",
      theme: "Theme",
      system: "Same as the system",
      light: "Light",
      dark: "Dark",
    },
    notifications: {
      title: "Notifications",
      on: "Notify me of pending calls while this page is in the background",
      state: {
        default: "The browser asks for permission when you turn them on.",
        granted: "The browser permits notifications.",
        denied: "The browser blocks notifications of this page. Permit them in its settings.",
        unsupported: "This browser has no notifications, or the page is not loaded over TLS.",
      },
    },
  },
  zh: {
    title: "设置",
    session: {
      title: "当前登录",
      local: "此服务器没有密钥，本机上的任何人都拥有全部权限。",
      recorded: "你在审批记录中的名称",
      project: "项目",
      scopes: "权限",
      signOut: "退出登录",
    },
    allowances: {
      title: "始终允许",
      lead: "以下调用无需审批即可执行。撤销之后，下一次调用将重新等待审批。",
      none: "没有始终允许的调用。在待审批的调用上选择“批准并始终允许……”即可添加。",
      allCalls: "全部调用",
      theseArguments: "仅限以下参数的调用",
      everyThread: "适用于所有会话",
      inThread: "适用于会话",
      inTask: "直到子智能体完成其任务，适用于会话",
      by: (name) => `由 ${name} 设置`,
      revoke: "撤销",
      revokeName: (tool, what) => `撤销始终允许 ${tool}：${what}`,
      mayNot: "你的密钥不能审批调用，因此看不到始终允许的调用。",
    },
    keys: {
      title: "API 密钥",
      lead: "程序和人员使用本项目的密钥。密钥被撤销后立即失效，用它登录的页面也会退出。",
      none: "还没有密钥。没有密钥时，只有本机可以使用此服务器。",
      mayNot: "你的密钥没有 admin 权限，因此看不到密钥。",
      own: "你的密钥",
      created: "创建于",
      expires: "过期时间",
      expired: "已过期",
      never: "永不过期",
      revoked: "已撤销",
      revoke: "撤销",
      revokeName: (name) => `撤销密钥 ${name}`,
      ownWarning: "你正在使用此密钥，撤销后你将退出登录。",
      lastWarning: "没有其他密钥可以管理密钥。撤销后，只能在服务器所在的机器上用 undangle keys create 创建。",
      ended: (count) => `已撤销和已过期的密钥（${count}）`,
    },
    newKey: {
      title: "新建密钥",
      first: "第一个密钥必须有 admin 权限。此后每个请求都需要密钥；本页会自动用它登录。",
      name: "名称",
      scopes: "权限",
      scope: {
        chat: "chat：聊天接口、模型和角色",
        threads: "threads：角色，以及会话的全部功能，审批除外",
        approve: "approve：审批和始终允许",
        admin: "admin：以上全部，以及管理密钥",
      },
      expiry: "有效期",
      expiries: { never: "永不过期", 1: "1 天", 7: "7 天", 30: "30 天", 90: "90 天", 365: "1 年" },
      create: "创建密钥",
      noScope: "请至少选择一项权限。",
      made: (name) => `密钥 ${name} 已创建。`,
      once: "密钥只显示这一次，请复制并妥善保存。",
      notSignedIn: (why) => `此页面无法用它登录：${why}请复制密钥，刷新页面后输入。`,
      text: "密钥文本",
      copy: "复制密钥",
      done: "我已复制",
    },
    sure: "确认撤销",
    look: {
      title: "外观",
      language: "语言",
      browser: "跟随浏览器",
      theme: "主题",
      system: "跟随系统",
      light: "浅色",
      dark: "深色",
    },
    notifications: {
      title: "通知",
      on: "页面在后台时，有待审批的调用就通知我",
      state: {
        default: "开启时，浏览器会请求授权。",
        granted: "浏览器已允许通知。",
        denied: "浏览器已阻止本页的通知，请在浏览器设置中允许。",
        unsupported: "此浏览器不支持通知，或本页未通过 TLS 加载。",
      },
    },
  },
};
