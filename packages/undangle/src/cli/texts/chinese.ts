import { formats, streamFormats } from "#codecs";
import { sentencesChinese } from "#core";
import { chineseWords } from "#report";
import { grouped as number } from "../terminal/grouped.ts";
import type { Count, Texts } from "./texts.ts";

const megabytes = (bytes: number): string => `${(bytes / 1e6).toLocaleString("en", { maximumFractionDigits: 1 })} MB`;
const where = ({ inLines, touched, documents }: Count): string =>
  inLines ? `（共 ${number(documents)} 行，涉及 ${number(touched)} 行）` : "";
const list = (values: readonly unknown[]): string => values.map(String).join(", ");

export const chinese: Texts = {
  rules: chineseWords.rules,
  problem: chineseWords.problem,
  likely: "很可能",
  unmendable: "无法自动修复",
  edits: {
    insert: "已插入",
    move: "已移动",
    merge: "已合并",
    rename: "已改名",
    rewrite: "已改写",
    remove: "已删除",
    quote: "已作为文本引用",
    restore: "已重建调用",
  },
  lossy: "有内容丢失",
  reconstructed: "重建",
  faults: chineseWords.faults,
  sentences: sentencesChinese,
  notJson: (fault) => `不是 JSON：${fault}`,
  notUtf8: "不是 UTF-8 文本；为避免丢失字符，没有做任何修改。请先另存为 UTF-8",
  tooLong: (inLines) => (inLines ? "此行超过 512 MB" : "超过 512 MB，对单个 JSON 值来说太长；JSON Lines 则不限长度"),
  maybeLines: "如果这是第一行损坏的 JSON Lines，请加上 --lines。",
  noPath: (path, reached, keys) =>
    `其中没有 ${path}；${reached === "" ? "最外层的值" : reached} ${keys.length === 0 ? "没有任何键" : `的键是 ${list(keys.slice(0, 20))}`}`,
  tryAt: (path) => `里面有一个消息列表：请加上 --at ${path}`,
  tryFormat: `请用 --format 指明：${formats.join(", ")}`,
  tryFrom: `请用 --from 指明：${formats.join(", ")}`,
  oneMessage: "这是一条消息，不是历史。每行一条消息？jq -s . FILE | undangle …",
  noInput: "没有可读的内容：请给出 FILE，或用管道输入。详见 undangle --help",
  passedOn: "该行原样输出。",
  unexpected: (error) =>
    `意外错误：${error}\n这是 undangle 的缺陷。请设置 NODE_DEBUG=undangle 重新执行，并附上堆栈信息报告。`,
  systemErrors: {
    ENOENT: "没有这个文件或目录；请检查路径",
    EACCES: "没有权限；请修改其权限，或换一个用户执行",
    EPERM: "不允许的操作；请修改其权限，或换一个用户执行",
    EISDIR: "这是一个目录；请给出文件",
    ENOTDIR: "路径中有一部分不是目录；请检查路径",
    ELOOP: "符号链接循环；请给出文件本身",
    ENAMETOOLONG: "路径过长；请使用较短的路径",
    ENOSPC: "磁盘空间不足；请先腾出空间",
    EROFS: "文件系统是只读的；请用 -o 写到别处",
    EMFILE: "打开的文件过多；请减少文件，或提高上限（ulimit -n）",
    ECHANGED: "其间被别的程序修改；没有写入任何内容。请重新执行",
  },
  progress: ({ read, size, documents }) =>
    `${megabytes(read)}${size === undefined || size === 0 ? "" : ` / ${megabytes(size)} · ${Math.floor((100 * read) / size)} %`} · ${number(documents)} 行`,
  healthy: ({ file, inLines, documents }) => `${file}: 健康${inLines ? `（${number(documents)} 行）` : ""}\n`,
  found: (count) =>
    `${count.file}: ${number(count.problems)} 个问题${where(count)}；undangle doctor 说明原因以及修复会改动什么\n`,
  mended: (count) =>
    `${count.file}: ${number(count.edits)} 处修改${where(count)}，${count.lossy === 0 ? "没有丢失任何内容" : `其中 ${number(count.lossy)} 处有丢失`}${count.problems === 0 ? "" : `；剩余 ${number(count.problems)} 个问题`}\n`,
  nothingToMend: ({ file, problems }) =>
    `${file}: ${problems === 0 ? "健康，无需修复" : `没有可以修复的；剩余 ${number(problems)} 个问题`}\n`,
  loss: "丢失",
  converted: ({ file, inLines, documents, problems }, to, losses) =>
    `${file}: 已转换为 ${to}${inLines ? `（${number(documents)} 行）` : ""}，${losses === 0 ? "没有丢失任何内容" : `${number(losses)} 处丢失`}${problems === 0 ? "" : `；剩余 ${number(problems)} 个问题`}\n`,
  written: (path, backup) => `${path}: 已写入${backup === undefined ? "" : `；原文件保留为 ${backup}`}\n`,
  unchanged: (count) => `${number(count)} 条未变`,
  doctor: {
    messages: (count) => `${number(count)} 条消息`,
    line: (line) => `第 ${number(line)} 行`,
    healthy: "健康：其中没有提供商会拒绝的内容。",
    verdict: (problems, left) => {
      const head = `${number(problems)} 个问题：提供商会拒绝这段历史。`;
      if (left === 0) return `${head}${problems === 1 ? "" : "全部"}可以修复。`;
      return left === problems ? `${head}无法自动修复。` : `${head}其中 ${number(left)} 个无法修复。`;
    },
    why: "原因",
    fix: "修复",
    cannotMend: "程序无法知道这里该是什么；需要手工修复。",
    more: (count) => `…… 还有 ${number(count)} 个`,
    changes: (edits) => `修复将改动 ${number(edits)} 处`,
    lossless: "不丢失任何内容",
    someLost: (count) => `${number(count)} 处有丢失`,
    next: "接下来",
    inPlace: "就地修复，保留备份",
    copy: "写出修复后的副本",
    healthyNext: '仍被拒绝？undangle explain "错误文本" 会说明它可能的含义。',
    leftNext: "其中没有程序可以修复的内容：请查看上面列出的位置。",
    moreLines: (count) => `…… 还有 ${number(count)} 行；undangle repair 会列出每处修改`,
    summary: (count) =>
      count.problems === 0
        ? `共 ${number(count.documents)} 行，全部健康`
        : `共 ${number(count.documents)} 行，${number(count.touched)} 行中有 ${number(count.problems)} 个问题`,
  },
  assemble: {
    frames: (count) => `${number(count)} 帧`,
    choice: (choice) => `第 ${choice} 个选项`,
    complete: (unready) => (unready === 0 ? "完整。" : `完整，但有 ${number(unready)} 个调用不得执行。`),
    incomplete: "不完整：收到的全部内容如下，其中任何调用都不得执行。",
    finishes: {
      stop: "模型正常结束（stop）。",
      tool_calls: "模型在等待调用的结果（tool_calls）。",
      length: "因长度限制被截断（length）。",
      content_filter: "被内容过滤截断（content_filter）。",
      error: "以错误结束（error）。",
      none: "流在说明原因之前就中断了。",
    },
    fault: ({ message, from, code }) =>
      `${from === "provider" ? "提供商" : "连接"}：${message}${code === undefined ? "" : `（${code}）`}`,
    text: "文本",
    reasoning: "推理",
    call: "调用",
    generated: "（ID 为生成）",
    states: {
      ready: "可以执行",
      truncated: "被截断，不得执行",
      malformed: "不是 JSON 对象，不得执行",
      repaired: "近似 JSON，未经查看不得执行",
    },
    more: (characters) => `…… 共 ${number(characters)} 个字符；--json 输出全部`,
    anomalies: (count) => `${number(count)} 处异常`,
    anomaly: (kind, message) => chineseWords.anomaly({ kind, message }),
    place: (places) =>
      `（${places.map(([kind, place]) => `${kind === "call" ? "调用" : "帧"} ${number(place)}`).join("，")}）`,
    nothing: "无",
    end: "结束",
    tooLong: "超过 512 MB，对单个文本来说太长",
    unknownFormat: (isEmpty) => (isEmpty ? "输入为空；请给出捕获的流" : "其中没有看起来像已知流的帧的内容"),
    tryFormat: `请用 --format 指明：${streamFormats.join(", ")}`,
  },
  explain: {
    noText: "没有可解释的内容：请以 TEXT 给出错误文本，或用管道输入。详见 undangle explain --help",
    unknown: "未知的错误文本。",
    nearest: "最接近的规则如下，但不一定就是它：",
    why: "原因",
    fix: "修复",
    docs: "详见",
    inPackage: (path) => `undangle 软件包中的 ${path}`,
    unknownNext: "如果手头有请求，undangle doctor FILE 不需要错误文本也能找出问题。",
  },
};
