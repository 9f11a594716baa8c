import type { Language } from "#core";

/** What the commands around the server say. */
export interface ServerTexts {
  fetching(version: string): string;
  noServer(version: string): string;
  badPort(text: string): string;
  badRate(text: string): string;
  badValue(flag: string, value: string, allowed: readonly string[]): string;
  readonly stopping: string;
  unknownAction(name: string | undefined, known: readonly string[]): string;
  badScope(name: string, known: readonly string[]): string;
  badProject(name: string): string;
  badDays(text: string): string;
  made(text: string): string;
  readonly keepIt: string;
  readonly none: string;
  readonly head: readonly string[];
  readonly revoked: string;
  readonly expired: string;
  readonly holds: string;
  revokedOne(id: string): string;
  noKey(id: string): string;
  readonly needsId: string;
}

const english: ServerTexts = {
  fetching: (version) => `The server is a package of its own, @undangle/server@${version}: npm fetches it now.`,
  noServer: (version) =>
    `npm cannot fetch @undangle/server@${version}. Install it beside undangle, then run the command again: npm install @undangle/server, or the .tgz file that \`npm pack\` makes of it.`,
  badPort: (text) => `${text} is no port: give a number from 0 to 65535.`,
  badRate: (text) => `--rate ${text} is not a number of requests a minute: give a whole number above 0.`,
  badValue: (flag, value, allowed) => `${flag} ${value} cannot be used. Allowed: ${allowed.join(", ")}.`,
  stopping: "Stopping: running turns are given ten seconds.",
  unknownAction: (name, known) =>
    name === undefined
      ? `Say what to do: ${known.join(", ")}.`
      : `There is no action ${name}. There are: ${known.join(", ")}.`,
  badScope: (name, known) => `There is no scope ${name}. There are: ${known.join(", ")}.`,
  badProject: (name) => `${name} cannot be the name of a project: it has 1 to 40 small letters, digits and -.`,
  badDays: (text) => `--expires ${text} is no number of days.`,
  made: (text) => `The key: ${text}`,
  keepIt: "It is shown this once: what is stored is its hash. Send it as Authorization: Bearer KEY",
  none: "There are no keys: the server accepts requests from this machine only.",
  head: ["ID", "NAME", "PROJECT", "SCOPES", "MADE", "STATUS"],
  revoked: "revoked",
  expired: "expired",
  holds: "holds",
  revokedOne: (id) => `The key ${id} is revoked.`,
  noKey: (id) => `There is no key ${id} that could be revoked; undangle keys list shows them.`,
  needsId: "Say which key: undangle keys revoke ID",
};

const chinese: ServerTexts = {
  fetching: (version) => `服务器是独立的软件包 @undangle/server@${version}，正在由 npm 获取。`,
  noServer: (version) =>
    `npm 无法获取 @undangle/server@${version}。请在安装 undangle 的项目中安装它，然后重新执行命令：npm install @undangle/server，或安装由 \`npm pack\` 打出的 .tgz 文件。`,
  badPort: (text) => `${text} 不是端口：请给出 0 到 65535 之间的数字。`,
  badRate: (text) => `--rate ${text} 不是每分钟的请求数：请给出大于 0 的整数。`,
  badValue: (flag, value, allowed) => `${flag} ${value} 不能使用。允许的值：${allowed.join("、")}。`,
  stopping: "正在停止：给运行中的回合十秒钟。",
  unknownAction: (name, known) =>
    name === undefined ? `请说明要做什么：${known.join("、")}。` : `没有操作 ${name}。可用的有：${known.join("、")}。`,
  badScope: (name, known) => `没有权限 ${name}。可用的有：${known.join("、")}。`,
  badProject: (name) => `${name} 不能作为项目名：须为 1 到 40 个小写字母、数字和 -。`,
  badDays: (text) => `--expires ${text} 不是天数。`,
  made: (text) => `密钥：${text}`,
  keepIt: "密钥只显示这一次，存储的是它的哈希。请以 Authorization: Bearer 密钥 发送。",
  none: "没有密钥：服务器只应答本机。",
  head: ["ID", "名称", "项目", "权限", "创建时间", "状态"],
  revoked: "已撤销",
  expired: "已过期",
  holds: "有效",
  revokedOne: (id) => `密钥 ${id} 已撤销。`,
  noKey: (id) => `没有可撤销的密钥 ${id}；undangle keys list 可列出。`,
  needsId: "请指明密钥：undangle keys revoke ID",
};

export const serverTextsIn = (language: Language): ServerTexts => (language === "zh" ? chinese : english);
