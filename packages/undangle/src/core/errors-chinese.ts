import { processIn, refusedDecisions, UndangleError } from "./errors.ts";
import type { ErrorCode, ErrorData } from "./errors.ts";
import type { Language } from "./language.ts";

/** The message of an error in a language. */
export function errorText(error: UndangleError, language: Language): string {
  if (language !== "zh") return error.message;
  const { code, data, cause } = error;
  if (error.is("config/refused") && cause instanceof UndangleError)
    return sentenceOf("config/refused", { ...error.data, reason: errorText(cause, language) }); // it contains the message of another error
  return sentenceOf(code, data);
}

const sentenceOf = <Code extends ErrorCode>(code: Code, data: ErrorData[Code]): string => sentencesChinese[code](data);

const pathReasons = {
  "no-folder": "其所在文件夹不存在，或是一个文件，请先创建文件夹",
  "is-folder": "它是一个文件夹，请给出文件的路径",
  "no-file": "它是设备、管道或套接字，请给出文件的路径",
  "not-allowed": "进程无权读写该文件或其所在文件夹，请修改权限",
  moved: "文件在打开期间被移动或删除，请放回原处或重新打开存储",
  "no-database": "服务器上没有这个数据库，请先创建，或换一个名称",
  "no-schema": "没有可以建表的 schema，请先创建，或用选项 schema 指定",
  "no-login": "服务器拒绝该用户登录，请检查用户名、密码和服务器的规则（pg_hba.conf）",
  "no-rights": "该用户无权读写或创建所需的表，请授予权限，或先由其他用户打开一次存储",
  "read-only": "它不接受写入：它是副本，或被设为只读，请连接主服务器",
  "not-utf8": "其编码不是 UTF8，无法保存所有文字，请用 ENCODING 'UTF8' 创建数据库",
  unknown: "系统拒绝访问，详见 cause",
};

const filePathReasons: Readonly<Record<ErrorData["file/path"]["reason"], (limit: number | undefined) => string>> = {
  empty: () => "它不是至少有一个字符的文本",
  parent: () => "它包含 `..`，请使用以 / 开头的路径",
  home: () => "它以 ~ 开头，请使用以 / 开头的路径",
  drive: () => "它是 Windows 路径，请使用以 / 开头的路径",
  "control-character": () => "它包含控制字符",
  "lone-surrogate": () => "它包含不成对的代理字符",
  "too-long": (limit) => `它超过 ${limit ?? 0} 个字符`,
  "segment-too-long": (limit) => `其中一段超过 ${limit ?? 0} 字节`,
  "other-spelling": () => "同一名称已以另一种 Unicode 写法存在，请使用 ls 显示的写法",
  "not-canonical": () => "它不是规范路径，请使用 canonicalPath()",
  root: () => "它是根目录",
};

const kinds = { agent: "智能体", persona: "角色", tool: "工具", model: "模型" };

const list = (values: readonly unknown[]): string => values.map(String).join(", ");

/** The provider's message with the status and the request id, which its support needs. */
function told({ message, status, requestId }: ErrorData["model/refused"]): string {
  const details = [
    ...(status === undefined ? [] : [`状态码 ${status}`]),
    ...(requestId === undefined ? [] : [`请求 ${requestId}`]),
  ];
  const words = /[.!?。！？]$/u.test(message) ? message : `${message}。`;
  return details.length === 0 ? words : `${words}（${details.join("，")}）`;
}

const phases = { connect: "没有及时开始响应", "first-byte": "没有及时发送内容", idle: "在响应途中停止发送" };

const waited = ({ after }: { readonly after?: number }): string => (after === undefined ? "" : `（${after} 毫秒）`);

/** The message of each code in Chinese. */
export const sentencesChinese: { readonly [Code in ErrorCode]: (data: ErrorData[Code]) => string } = {
  "input/not-json": ({ line, column }) =>
    `输入不是有效的 JSON${line === undefined ? "" : `（第 ${line} 行，第 ${column ?? 1} 列）`}。`,
  "input/no-messages": ({ keys, expected }) =>
    `输入中没有消息列表：应为消息数组，或含有 ${list(expected)} 的对象；${keys.length === 0 ? "没有任何键" : `找到的键是 ${list(keys)}`}。`,
  "input/empty": ({ messages }) =>
    messages === 0
      ? "没有可导入的内容：历史中没有消息。新会话无需导入。"
      : `没有可导入的内容：${messages} 条消息中没有任何文本、媒体、调用或结果。请检查它们的角色和键名。`,
  "input/shape": ({ path, expected, got }) => `${path} 应为 ${expected}，实际为 ${got}。`,
  "input/cyclic": ({ path }) => `输入在 ${path} 处引用了自身；循环的值无法发送给任何提供商。`,
  "input/too-deep": ({ path }) => `输入在 ${path} 处嵌套过深，无法写成 JSON。`,
  "format/unknown": ({ keys }) => `无法从输入判断格式${keys.length === 0 ? "" : `（键：${list(keys)}）`}。`,
  "format/ambiguous": ({ candidates }) => `输入符合多种格式（${list(candidates)}），而它们的修复方式不同。`,
  "format/unsupported": ({ format, supported }) => `未知格式 ${JSON.stringify(format)}。已知格式：${list(supported)}。`,
  "options/unknown": ({ option, allowed }) => `未知选项 ${JSON.stringify(option)}。已知选项：${list(allowed)}。`,
  "options/value": ({ option, value, allowed }) =>
    `${JSON.stringify(value) ?? String(value)} 不是选项 ${option} 的值。可用的值：${list(allowed)}。`,
  "notice/promise": ({ callId }) => `调用 ${callId} 的提示生成器返回了 Promise；请使用 repairAsync()。`,
  "store/conflict": ({ threadId, expected, actual }) =>
    `会话 ${JSON.stringify(threadId)} 已被其他写入者修改：应为版本 ${expected}，实际为 ${actual}。没有保存任何内容；请重新读取后再写入。`,
  "store/stale": ({ key, expected, actual }) =>
    `存储中 ${JSON.stringify(key)} 的内容已被其他写入者修改：应为版本 ${expected}，实际为 ${actual}。没有保存任何内容；请重新读取后再写入。`,
  "store/busy": ({ path }) =>
    `数据库 ${path} 被占用的时间超过了等待的上限（SQLite 为 busyTimeout，Postgres 为 lock_timeout 和 statement_timeout）。没有保存任何内容；请重试。`,
  "store/full": ({ path }) => `数据库 ${path} 无法写入：磁盘已满，或已达到配额。没有保存任何内容；请腾出空间后重试。`,
  "store/corrupt": ({ path }) =>
    `${path} 不是含有 undangle 各表的数据库，或已损坏。它保持原样；请换用其他数据库，或从备份恢复。`,
  "store/newer": ({ path, found, known }) =>
    `数据库 ${path} 来自更新版本的 undangle：其表的版本为 ${found}，当前版本只支持到 ${known}。没有做任何修改；请更新 undangle。`,
  "store/closed": ({ path }) => `存储 ${path} 已关闭。请重新打开。`,
  "store/path": ({ path, reason }) => `数据库 ${path} 无法使用：${pathReasons[reason]}。`,
  "store/failed": ({ path, reason, canRetry }) => `数据库 ${path} 出错：${reason}。${canRetry ? "请重试。" : ""}`,
  "store/missing": ({ path }) => `还没有会话：${path} 不存在。`,
  "store/foreign": ({ path }) => `${path} 中没有会话：它是其他程序的数据库。未做任何更改；请给出另一个路径。`,
  "store/driver": ({ path, install }) => `${path} 需要软件包 ${install}，此处尚未安装：npm install ${install}`,
  "tool/no-agent": ({ tool }) =>
    `工具 ${tool} 没有可运行此调用的智能体。请设置 tool() 的选项 agent，runChild() 会用到它。`,
  "tool/name": ({ name }) =>
    `${JSON.stringify(name) ?? String(name)} 不能作为工具名称：提供商只接受英文字母、数字、_ 和 -，最多 64 个字符。`,
  "tool/schema": ({ tool, reason }) => `工具 ${tool} 的 input 无法使用：${reason}。`,
  "tool/duplicate": ({ name, places: [first, second] }) =>
    `有两个工具都叫 ${name}：${first} 和 ${second}。模型无法区分它们，请改名。`,
  "approval/unknown": ({ option, name, known, nearest }) =>
    `${option} 写了工具 ${JSON.stringify(name)}，但智能体没有这个工具，该规则不会起任何作用。${nearest === undefined ? "" : `是否想写 ${nearest}？`}已知：${known.length === 0 ? "没有任何工具" : list(known)}。如果工具可以缺少，请在规则中设置 optional: true。`,
  "decision/refused": ({ problems, language }) => refusedDecisions[language](problems),
  "decision/none": ({ threadId }) => `会话 ${threadId} 中没有等待决定的调用。`,
  "allowance/unknown": ({ id, scope, known }) =>
    `${scope === "thread" ? "会话" : "智能体"}中没有许可 ${JSON.stringify(id)}；${known.length === 0 ? "目前没有任何许可" : `现有：${known.join("、")}`}。对会话的许可用 thread.revoke() 撤销，对智能体的许可用 agent.revoke() 撤销。`,
  "thread/busy": ({ threadId, calls }) =>
    `会话 ${threadId} 正忙${calls.length === 0 ? "" : `（${calls.join("、")}）`}：请先决定、停止或等待。`,
  "thread/owned": ({ threadId, owner }) =>
    `会话 ${threadId} 正由另一个进程运行（${processIn(owner)}）；请等其结束后再试。`,
  "thread/deleted": ({ threadId }) => `会话 ${threadId} 已被删除；恢复后才能继续。`,
  "thread/unknown": ({ threadId, nearest }) =>
    `没有会话 ${JSON.stringify(threadId)}。${nearest === undefined ? "" : `是否想写 ${nearest}？`}`,
  "thread/empty": ({ threadId }) => `会话 ${threadId} 中还没有任何消息，没有可以回复的内容；请先发送一条消息。`,
  "thread/exists": ({ threadId }) =>
    `会话 ${threadId} 中已有内容，而会话的副本只能成为新会话；请用另一个 ID 导入或分叉。`,
  "thread/child": ({ threadId, parent }) =>
    `会话 ${threadId} 正在执行会话 ${parent} 的一个调用；请把消息和决定发给该会话，或分叉此会话。`,
  "thread/no-original": ({ threadId }) => `会话 ${threadId} 不是导入的，没有原文；请按某种格式导出。`,
  "thread/entry": ({ threadId, at, entries }) =>
    `会话 ${threadId} 有 ${entries} 个条目（从 0 开始编号），没有可供分叉的条目 ${String(at)}。`,
  "run/limit": ({ limit, value }) => `运行已达到上限 ${value}（limits.${limit}）。`,
  "run/context-overflow": ({ messages, tokens, message }) =>
    `对话对模型来说太长，摘要和截短之后仍然如此：${messages} 条消息，约 ${tokens} 个 token。${message}`,
  "run/loop": ({ tool, times }) => `运行已停止，因为模型在重复：${tool} 被调用了 ${times} 次，结果没有变化。`,
  "run/crashed": ({ owner }) => `运行它的进程（${processIn(owner)}）中途终止了。`,
  "run/failed": ({ message }) => `运行无法继续：${message}`,
  "model/failed": ({ model, message }) => `模型 ${model} 出错：${message}`,
  "model/faulty": ({ answers }) => `模型连续 ${answers} 次只给出无法执行的调用（limits.faulty）。`,
  "model/unknown": ({ name, suggestions, known }) =>
    `没有模型 ${JSON.stringify(name) ?? String(name)}。${suggestions.length === 0 ? "" : `是否想用 ${suggestions.join(" 或 ")}？`}模型的写法是 提供商/ID，提供商为 ${list(known)} 之一，或写 demo。`,
  "model/rate-limit": (data) =>
    data.canRetry
      ? `模型 ${data.model} 暂时不再接受请求：${told(data)}`
      : `模型 ${data.model} 的配额已用完：${told(data)}请检查账户的套餐与账单。`,
  "model/overloaded": (data) => `模型 ${data.model} 的提供商过载或出错：${told(data)}`,
  "model/context-overflow": (data) =>
    `对话对模型 ${data.model} 来说过长：${told(data)}请缩短对话，或换用上下文更大的模型。`,
  "model/content-filter": (data) => `模型 ${data.model} 的提供商过滤了内容：${told(data)}同样的内容会再次被过滤。`,
  "model/auth": (data) =>
    data.variables === undefined
      ? `模型 ${data.model} 的提供商不接受该密钥：${told(data)}请检查密钥及其权限。`
      : `缺少模型 ${data.model} 的密钥：请设置 ${data.variables.join(" 或 ")}，或给出选项 apiKey。`,
  "model/refused": (data) => `模型 ${data.model} 的提供商拒绝了请求：${told(data)}`,
  "model/timeout": (data) => `模型 ${data.model} ${phases[data.phase]}${waited(data)}：${told(data)}`,
  "model/unreachable": (data) =>
    `与模型 ${data.model} 的连接失败：${told(data)}${/ECONNREFUSED|ENOTFOUND|EAI_AGAIN/u.test(data.message) ? "请检查服务是否在运行以及地址是否正确。" : ""}`,
  "output/missing": ({ asked }) => `模型没有按要求的形式给出答案，已提醒 ${asked} 次。`,
  "middleware/duplicate": ({ name, places: [first, second] }) =>
    `有两个中间件都叫 ${name}：${first} 和 ${second}。请改名。`,
  "middleware/stateless": ({ name }) =>
    `中间件 ${name} 没有声明 state，无法读取或更新；请给它 { state: { initial } }。`,
  "middleware/reserved": ({ name }) => `会话中名为 ${name} 的状态属于同名的中间件；工具请用别的名称保存自己的状态。`,
  "hook/failed": ({ middleware, hook, message }) => `中间件 ${middleware} 的钩子 ${hook} 失败：${message}`,
  "file/path": ({ path, reason, limit }) => `路径 ${JSON.stringify(path)} 不可用：${filePathReasons[reason](limit)}。`,
  "file/missing": ({ path }) => `没有文件或目录 ${path}。`,
  "file/is-directory": ({ path }) => `${path} 是目录，不是文件。`,
  "file/not-directory": ({ path }) => `${path} 不是目录。`,
  "file/outside": ({ path }) => `${path} 通过符号链接指向文件系统之外。`,
  "file/denied": ({ path, operation }) => `权限规则不允许${operation === "read" ? "读取" : "写入"} ${path}。`,
  "file/too-large": ({ path, size, limit }) => `${path} 有 ${size} 字节，上限为 ${limit} 字节。`,
  "file/read-only": ({ path }) => `${path} 无法更改：其文件系统是只读的。`,
  "file/failed": ({ path, reason }) => `对 ${path} 的操作失败：${reason}。`,
  "sandbox/unavailable": ({ reason, install }) => `沙箱无法在此运行命令：${reason}。${install}`,
  "config/missing": ({ path }) => `没有配置文件 ${path}。请给出存在的文件，或不指定。`,
  "config/load": ({ place, reason, install }) =>
    `${place}：${reason}${install === undefined ? "" : ` 请在该文件旁安装：npm install ${install}`}`,
  "config/no-export": ({ place }) => `${place}：没有默认导出。请写：export default defineConfig({ … })。`,
  "config/key": ({ place, key, allowed, nearest }) =>
    `${place}：${key} 不是已知的键。${nearest === undefined ? "" : `是否想写 ${nearest}？`}已知：${list(allowed)}。`,
  "config/value": ({ place, key, value, allowed }) =>
    `${place}：${key} 不能是 ${typeof value === "string" ? JSON.stringify(value) : ["number", "boolean", "undefined"].includes(typeof value) ? String(value) : "这个值"}。可用的值：${list(allowed)}。`,
  "config/name": ({ place, key, kind, name, known, nearest }) =>
    `${place}：${key === "" ? "" : `${key}：`}没有${kinds[kind]} ${JSON.stringify(name)}。${nearest === undefined ? "" : `是否想写 ${nearest}？`}${known.length === 0 ? "目前一个也没有：请在配置中定义，或不指定。" : `已知：${list(known)}。`}`,
  "config/duplicate": ({ place, key, kind, name, first }) =>
    `${place}：${key}：${first} 已是名为 ${JSON.stringify(name)} 的${kinds[kind]}。请改名。`,
  "config/refused": ({ place, key, reason }) => `${place}：${key === "" ? "" : `${key}：`}${reason}`,
};
