import type { Language } from "#core";

/** The texts of the server commands. */
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
  fetching: (version) => `The server is a separate package, @undangle/server@${version}. npm is downloading it.`,
  noServer: (version) =>
    `npm cannot download @undangle/server@${version}. Install it beside undangle and run the command again: npm install @undangle/server, or the .tgz file from \`npm pack\`.`,
  badPort: (text) => `${text} is not a port. Use a number from 0 to 65535.`,
  badRate: (text) => `--rate ${text} is not a valid number of requests per minute. Use a whole number above 0.`,
  badValue: (flag, value, allowed) => `${flag} ${value} cannot be used. Allowed: ${allowed.join(", ")}.`,
  stopping: "Stopping. Running turns have ten seconds to finish.",
  unknownAction: (name, known) =>
    name === undefined ? `Give an action: ${known.join(", ")}.` : `Unknown action ${name}. Known: ${known.join(", ")}.`,
  badScope: (name, known) => `Unknown scope ${name}. Known: ${known.join(", ")}.`,
  badProject: (name) => `${name} is not a valid project name. Use 1 to 40 lower-case letters, digits and -.`,
  badDays: (text) => `--expires ${text} is not a number of days.`,
  made: (text) => `The key: ${text}`,
  keepIt: "The key is shown only once; the store has only its hash. Send it as Authorization: Bearer KEY",
  none: "There are no keys. The server accepts requests only from this machine.",
  head: ["ID", "NAME", "PROJECT", "SCOPES", "CREATED", "STATUS"],
  revoked: "revoked",
  expired: "expired",
  holds: "active",
  revokedOne: (id) => `The key ${id} is revoked.`,
  noKey: (id) => `There is no active key ${id}. List the keys with: undangle keys list`,
  needsId: "Give the id of a key: undangle keys revoke ID",
};

const chinese: ServerTexts = {
  fetching: (version) => `服务器是独立的软件包 @undangle/server@${version}，正在由 npm 获取。`,
  noServer: (version) =>
    `npm 无法获取 @undangle/server@${version}。请在安装 undangle 的项目中安装它，然后重新执行命令：npm install @undangle/server，或安装由 \`npm pack\` 打出的 .tgz 文件。`,
  badPort: (text) => `${text} 不是端口：请给出 0 到 65535 之间的数字。`,
  badRate: (text) => `--rate ${text} 不是每分钟的请求数：请给出大于 0 的整数。`,
  badValue: (flag, value, allowed) => `${flag} ${value} 不能使用。允许的值：${allowed.join("、")}。`,
  stopping: "正在停止：运行中的轮次有十秒钟时间完成。",
  unknownAction: (name, known) =>
    name === undefined ? `请指定操作：${known.join("、")}。` : `没有操作 ${name}。可用的有：${known.join("、")}。`,
  badScope: (name, known) => `没有权限 ${name}。可用的有：${known.join("、")}。`,
  badProject: (name) => `${name} 不能作为项目名：须为 1 到 40 个小写字母、数字和 -。`,
  badDays: (text) => `--expires ${text} 不是天数。`,
  made: (text) => `密钥：${text}`,
  keepIt: "密钥只显示这一次，存储的是它的哈希。请以 Authorization: Bearer 密钥 发送。",
  none: "没有密钥：服务器只接受本机的请求。",
  head: ["ID", "名称", "项目", "权限", "创建时间", "状态"],
  revoked: "已撤销",
  expired: "已过期",
  holds: "有效",
  revokedOne: (id) => `密钥 ${id} 已撤销。`,
  noKey: (id) => `没有可撤销的密钥 ${id}；undangle keys list 可列出。`,
  needsId: "请指明密钥：undangle keys revoke ID",
};

export const serverTextsIn = (language: Language): ServerTexts => (language === "zh" ? chinese : english);
