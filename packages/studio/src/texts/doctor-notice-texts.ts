import type { NoticeReport } from "../doctor/work/examination.ts";
import type { Texts } from "./language.tsx";

interface NoticeText {
  /** What was found. `detail` is the name of an agent. */
  readonly title: (detail: string) => string;
  /** What to do. */
  readonly next: string;
}

/** Inputs without anything to examine. */
export const doctorNoticeTexts: Texts<Readonly<Record<NoticeReport["notice"], NoticeText>>> = {
  en: {
    blank: { title: () => "The input is empty.", next: "Paste a request, a log, a stream or an error text." },
    "no-messages": {
      title: () => "This is JSON without messages.",
      next: "A request has a list under messages, input or contents. If this is a list of messages in a format that was not detected, choose the format above.",
    },
    session: {
      title: (agent) => `This is a session file of ${agent}. It cannot be read yet.`,
      next: "Paste the body of the request that fails, from the debug log of the agent, or only the error text.",
    },
    exported: {
      title: () => "This is an exported thread, not a request. Undangle keeps its calls and results together.",
      next: "Import it: open the timeline of any thread and choose “Open a trace”, or use undangle threads import FILE.",
    },
    archive: {
      title: () => "This is a compressed file.",
      next: "Unpack it, and open the file in it. Only gzip is unpacked here.",
    },
    database: {
      title: () => "This is an SQLite database.",
      next: "Agents store sessions in such files, which cannot be read yet. Paste the body of the request that fails, or the error text.",
    },
    binary: { title: () => "This is not a text file.", next: "Open a request, a log, a stream or an error text." },
    encoding: { title: () => "This text is not UTF-8.", next: "Save it as UTF-8 and open it again." },
    "too-large": {
      title: () => "This file is too large for the browser.",
      next: "The command npx undangle doctor FILE reads JSON lines of any size.",
    },
  },
  zh: {
    blank: { title: () => "输入为空。", next: "请粘贴请求、日志、流或错误文本。" },
    "no-messages": {
      title: () => "这是不含消息的 JSON。",
      next: "请求在 messages、input 或 contents 下有一个列表。如果这是未能识别格式的消息列表，请在上方选择格式。",
    },
    session: {
      title: (agent) => `这是 ${agent} 的会话文件，目前还不能读取。`,
      next: "请从该智能体的调试日志中粘贴失败请求的请求体，或者只粘贴错误文本。",
    },
    exported: {
      title: () => "这是导出的会话，不是请求。Undangle 会让其中的调用与结果保持对应。",
      next: "请导入它：打开任一会话的时间线并选择“打开时间线文件”，或使用 undangle threads import FILE。",
    },
    archive: { title: () => "这是压缩文件。", next: "请解压后打开其中的文件。此处只能解压 gzip。" },
    database: {
      title: () => "这是 SQLite 数据库。",
      next: "智能体用这类文件保存会话，目前还不能读取。请粘贴失败请求的请求体或错误文本。",
    },
    binary: { title: () => "这不是文本文件。", next: "请打开请求、日志、流或错误文本。" },
    encoding: { title: () => "该文件不是 UTF-8 编码的文本。", next: "请另存为 UTF-8 后重新打开。" },
    "too-large": {
      title: () => "文件过大，浏览器无法处理。",
      next: "命令 npx undangle doctor FILE 可读取任意大小的 JSON lines 文件。",
    },
  },
};
