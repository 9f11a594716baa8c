import { grouped as number } from "../../terminal/grouped.ts";
import type { ThreadsTexts } from "./threads-texts.ts";

const meant = (nearest: string | undefined): string => (nearest === undefined ? "" : `是否想写 ${nearest}？`);

export const threadsChinese: ThreadsTexts = {
  unknownAction: (name, nearest, known) =>
    `${name === undefined ? "要对会话做什么？" : `threads 没有操作 ${JSON.stringify(name)}。`}${meant(nearest)}\n可用操作：${known.join(", ")}\n更多：undangle threads --help`,
  needsId: (action) => `${action} 需要会话的 ID；undangle threads list 可列出会话。`,
  seeList: "undangle threads list 可列出现有的会话。",
  tooMany: (action, rest) => `${action} 不接受多余的参数：${rest.join(" ")}`,
  notIts: (action, option, allowed) => `${option} 不是 threads ${action} 的选项。\n可用选项：${allowed.join(", ")}`,
  notCount: (value) => `--limit 应为不小于 1 的整数，而不是 ${JSON.stringify(value)}。`,

  columns: { id: "ID", status: "状态", changed: "更新", entries: "条目", title: "标题" },
  statuses: { idle: "空闲", running: "运行中", waiting: "等待决定", deleted: "已删除" },
  ago(milliseconds) {
    const seconds = Math.max(0, Math.floor(milliseconds / 1000));
    if (seconds < 60) return `${seconds} 秒前`;
    if (seconds < 3600) return `${Math.floor(seconds / 60)} 分前`;
    return seconds < 86_400 ? `${Math.floor(seconds / 3600)} 小时前` : `${number(Math.floor(seconds / 86_400))} 天前`;
  },
  none: "还没有会话。用 undangle chat 开始一个。",
  noneLeft: (command) => `只剩下已删除的会话：${command}`,
  noneFound: "没有符合条件的会话。",
  more: (limit) => `会话多于 ${number(limit)} 个；--limit 可显示更多，--search 和 --status 可缩小范围。`,

  roles: {
    input: "用户",
    engine: "引擎",
    answer: "模型",
    system: "指令",
    original: "导入",
    retract: "撤回",
    restore: "恢复",
  },
  states: {
    proposed: "尚未开始",
    awaiting: "等待决定",
    approved: "已批准，尚未开始",
    running: "运行中",
    delegated: "子智能体在等待决定",
    rejected: "已拒绝",
    responded: "由人代答",
    superseded: "已被取代，未执行",
    expired: "已过期，未执行",
    succeeded: "成功",
    failed: "失败",
    "timed-out": "超时，结果未知",
    stopped: "已停止",
    lost: "已丢失，结果未知",
    unanswered: "导入时没有结果",
  },
  reasoning: "推理",
  media: "媒体",
  folded: (lines, characters) =>
    `… ${lines > 0 ? `还有 ${number(lines)} 行，` : ""}共 ${number(characters)} 个字符；--full 可全部显示`,
  decided: ({ type, by, reason }) =>
    `${by === undefined ? "" : `由 ${by} `}${{ approve: "批准", reject: "拒绝", edit: "修改后批准", respond: "代答" }[type]}${reason === undefined ? "" : `：${reason}`}`,
  allowed: "此前已许可",
  inexact: (path, written, runs) => `${path} 写作 ${written}，执行时为 ${runs}`,
  original: (format) => `${format} 格式的历史，原文保留（export --format original）`,
  retracted: (from) => `从条目 ${number(from)} 起不再告知模型`,
  toldAgain: (retraction) => `没有得到新的回答，条目 ${number(retraction)} 撤回的内容重新告知模型`,
  queued: (text) => `等待发送：${text}`,
  reason: "理由",
  waiting: (calls, commands) =>
    [`等待决定：${calls.join(", ")}`, ...commands.map((command) => `  ${command}`)].join("\n"),

  imported: (id, { format, entries, edits }) =>
    `${id}：已导入${format === undefined ? "" : `（${format}）`}，${number(entries)} 个条目${edits === 0 ? "" : `，修复 ${number(edits)} 处；原文已保留`}`,
  unanswered: (call, told) => `  ${call}：没有结果。告知模型的是：${told}`,
  awaiting: (call) => `  ${call}：等待决定`,
  oneId: (count) => `--id 只能用于一个会话，而要导入的有 ${number(count)} 个。`,
  noFile: "import 需要 FILE，或从标准输入读取。",

  nothingLeft: "没有需要恢复的会话：没有进程中途留下的运行。",
  atWork: (id) => `${id}：有进程正在运行；未作处理`,
  settled: (id, isDone) => `${id}：进程已终止，${isDone ? "已了结" : "将了结"}`,
  expired: (id, isDone) => `${id}：时间已到，${isDone ? "已了结" : "将了结"}`,
  left: (id) => `${id}：保持原样，其中的调用仍可开始`,
  wentOn: (id, status) => `${id}：${threadsChinese.ended(status)}`,
  goOn: "--go-on 可让智能体继续处理保持原样的会话。",
  failed: (id, why) => `${id}：${why}`,

  fileColumns: { size: "字节", changed: "更新", path: "路径" },
  noFiles: "该会话没有文件。",
  unknownFile: (path, nearest, command) =>
    `该会话没有文件 ${path}。${meant(nearest)}${nearest === undefined ? `可列出其文件：${command}` : ""}`,
  needsPath: (option) => `${option} 需要在会话的 ID 之后给出文件路径。`,
  onlyOne: (options) => `只能使用其中之一：${options.join(", ")}。`,
  binaryFile: (path, command) => `${path} 不是文本，不在终端显示。可保存它：${command}`,
  unfinished: (id, command) => `${id} 的运行尚未结束。请等待，或了结已终止进程留下的内容：${command}`,
  fileStored: (path, bytes, isNew) => `${path}：已${isNew ? "存入" : "替换"}，${number(bytes)} 字节`,
  fileDeleted: (path) => `${path}：已删除`,

  confirmPurge: (ids) =>
    `永久删除${ids.length === 1 ? ` ${ids[0] ?? ""} ` : ` ${number(ids.length)} 个会话`}？此操作无法撤销。[y/N] `,
  purgeNeedsYes: "--purge 无法撤销。在没有终端的环境中，请加上 --yes 以确认。",
  purged: (id) => `${id}：已永久删除`,
  confirm: (ids) => `删除${ids.length === 1 ? ` ${ids[0] ?? ""} ` : ` ${number(ids.length)} 个会话`}？[y/N] `,
  kept: "没有删除任何会话。",
  deleted: (id) => `${id}：已删除`,
  deletedAlready: (id) => `${id}：此前已删除`,
  restored: (id) => `${id}：已恢复`,
  notDeleted: (id) => `${id}：没有被删除`,
  undo: (command) => `撤销：${command}`,

  nothingDecided: (calls) =>
    `请说明决定：--approve CALL 或 --reject CALL=理由，all 表示全部。等待决定：${calls.join(", ")}`,
  unknownCall: (call, nearest, waiting) =>
    `没有等待决定的调用 ${JSON.stringify(call)}。${meant(nearest)}等待决定：${waiting.join(", ")}`,
  twice: (call) => `${call} 被决定了两次。没有作出任何决定。`,
  demo: "由演示模型回答，因为没有指定其他模型：可用 --model、UNDANGLE_MODEL 或配置中的 model 指定。",
  unknownTools: (tools, agent) =>
    `${agent === undefined ? "演示智能体" : `智能体 ${agent}`} 没有该会话的工具：${tools.join(", ")}。请指定含有这些工具的配置：--config FILE。`,
  ended: (status) =>
    ({ done: "模型已回答", waiting: "有调用等待决定", stopped: "运行已停止", failed: "运行失败" })[status],
  runFailed: (message) => `运行失败：${message}`,
};
