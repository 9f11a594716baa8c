import { formats, streamFormats } from "#codecs";
import { anomaliesChinese } from "./anomalies-chinese.ts";
import { rulesChinese } from "./rules-chinese.ts";
import type { Count, Texts } from "./texts.ts";

const number = (value: number): string => value.toLocaleString("en");
const megabytes = (bytes: number): string => `${(bytes / 1e6).toLocaleString("en", { maximumFractionDigits: 1 })} MB`;
const where = ({ inLines, touched, documents }: Count): string =>
  inLines ? `（共 ${number(documents)} 行，涉及 ${number(touched)} 行）` : "";
const list = (values: readonly unknown[]): string => values.map(String).join(", ");
const pathReasons = {
  "no-folder": "其所在文件夹不存在，请先创建",
  "is-folder": "它是一个文件夹，请给出文件的路径",
  "not-allowed": "进程无权读写该文件或其所在文件夹，请修改权限",
  moved: "文件在打开期间被移动或删除，请放回原处或重新打开存储",
  unknown: "系统拒绝访问，详见 cause",
};

/** What the program says in Chinese. */
export const chinese: Texts = {
  rules: rulesChinese,
  problem: ({ rule, callId }) => `${rulesChinese[rule].title}${callId === undefined ? "" : `（${callId}）`}`,
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
  faults: {
    empty: "没有任何内容",
    "cut-off": "文本在值的中间结束；文件被截断了吗？",
    extra: "值结束之后还有内容",
    "trailing-comma": "右括号之前多了一个逗号",
    "single-quotes": "文本用了单引号；JSON 使用双引号（这是 Python 的 repr 吗？请用 json.dumps）",
    comment: "注释；JSON 没有注释",
    "python-word": "Python 的 None、True 或 False；JSON 使用 null、true、false（请用 json.dumps）",
    "no-number": "NaN、Infinity 和 undefined 不是 JSON",
    "control-character": "文本中有换行、制表符或其他控制字符；JSON 写作 \\n、\\t …",
    "bad-escape": "反斜杠后的字符不需要转义；JSON 中反斜杠写作 \\\\",
    "bad-number": "不是 JSON 写法的数字",
    value: "此处缺少值",
    key: "此处缺少双引号中的键",
    colon: "此处缺少冒号",
    comma: "此处缺少逗号或右括号",
  },
  sentences: {
    "input/not-json": ({ line, column }) =>
      `输入不是有效的 JSON${line === undefined ? "" : `（第 ${line} 行，第 ${column ?? 1} 列）`}。`,
    "input/no-messages": ({ keys, expected }) =>
      `输入中没有消息列表：应为消息数组，或含有 ${list(expected)} 的对象；${keys.length === 0 ? "没有任何键" : `找到的键是 ${list(keys)}`}。`,
    "input/shape": ({ path, expected, got }) => `${path} 应为 ${expected}，实际为 ${got}。`,
    "input/cyclic": ({ path }) => `输入在 ${path} 处引用了自身；循环的值无法发送给任何提供商。`,
    "input/too-deep": ({ path }) => `输入在 ${path} 处嵌套过深，无法写成 JSON。`,
    "format/unknown": ({ keys }) => `无法从输入判断格式${keys.length === 0 ? "" : `（键：${list(keys)}）`}。`,
    "format/ambiguous": ({ candidates }) => `输入符合多种格式（${list(candidates)}），而它们的修复方式不同。`,
    "format/unsupported": ({ format, supported }) =>
      `未知格式 ${JSON.stringify(format)}。已知格式：${list(supported)}。`,
    "options/unknown": ({ option, allowed }) => `未知选项 ${JSON.stringify(option)}。已知选项：${list(allowed)}。`,
    "options/value": ({ option, value, allowed }) =>
      `${JSON.stringify(value) ?? String(value)} 不是选项 ${option} 的值。可用的值：${list(allowed)}。`,
    "notice/promise": ({ callId }) => `调用 ${callId} 的提示生成器返回了 Promise；请使用 repairAsync()。`,
    "store/conflict": ({ threadId, expected, actual }) =>
      `会话 ${JSON.stringify(threadId)} 已被他人修改：应为版本 ${expected}，实际为 ${actual}。没有保存任何内容；请重新读取后再写入。`,
    "store/busy": ({ path }) => `数据库 ${path} 被其他进程锁定，时间超过 busyTimeout。没有保存任何内容；请重试。`,
    "store/full": ({ path }) => `数据库 ${path} 无法写入：磁盘已满，或已达到配额。没有保存任何内容；请腾出空间后重试。`,
    "store/corrupt": ({ path }) => `${path} 不是 SQLite 数据库，或已损坏。文件保持原样；请使用其他路径，或从备份恢复。`,
    "store/newer": ({ path, found, known }) =>
      `数据库 ${path} 来自更新版本的 undangle：其表的版本为 ${found}，当前版本只支持到 ${known}。没有做任何修改；请更新 undangle。`,
    "store/closed": ({ path }) => `存储 ${path} 已关闭。请重新打开。`,
    "store/path": ({ path, reason }) => `数据库 ${path} 无法使用：${pathReasons[reason]}。`,
    "store/failed": ({ path, reason, canRetry }) => `数据库 ${path} 出错：${reason}。${canRetry ? "请重试。" : ""}`,
    "tool/name": ({ name }) =>
      `${JSON.stringify(name) ?? String(name)} 不能作为工具名称：提供商只接受英文字母、数字、_ 和 -，最多 64 个字符。`,
    "tool/schema": ({ tool, reason }) => `工具 ${tool} 的 input 无法使用：${reason}。`,
    "tool/duplicate": ({ name, places: [first, second] }) =>
      `有两个工具都叫 ${name}：${first} 和 ${second}。模型无法区分它们，请改名。`,
    "decision/refused": ({ problems }) =>
      `没有作出任何决定：${problems.map(({ callId, problem }) => `${callId}：${problem}`).join("；")}。`,
    "decision/none": ({ threadId }) => `会话 ${threadId} 中没有等待决定的调用。`,
    "thread/busy": ({ threadId, calls }) =>
      `会话 ${threadId} 正忙${calls.length === 0 ? "" : `（${calls.join("、")}）`}，而 onInput 为 "refuse"：请先决定、停止或等待。`,
    "thread/owned": ({ threadId, owner }) => `会话 ${threadId} 正由另一个进程运行（${owner}）；请等其结束后再试。`,
    "thread/deleted": ({ threadId }) => `会话 ${threadId} 已被删除；恢复后才能继续。`,
    "run/limit": ({ limit, value }) => `运行已达到上限 ${value}（limits.${limit}）。`,
    "run/crashed": ({ owner }) => `运行它的进程（${owner}）中途终止了。`,
    "model/failed": ({ model, message }) => `模型 ${model} 无法回答：${message}`,
    "model/faulty": ({ answers }) => `模型连续 ${answers} 次只给出无法执行的调用（limits.faulty）。`,
    "output/missing": ({ asked }) => `模型没有按要求的形式给出答案，已提醒 ${asked} 次。`,
    "hook/failed": ({ middleware, hook, message }) => `中间件 ${middleware} 的钩子 ${hook} 失败：${message}`,
  },
  notJson: (fault) => `不是 JSON：${fault}`,
  notUtf8: "不是 UTF-8 文本；为避免丢失字符，没有做任何修改",
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
  systemErrors: {
    ENOENT: "没有这个文件或目录",
    EACCES: "没有权限",
    EPERM: "不允许的操作",
    EISDIR: "这是一个目录",
    ENOTDIR: "路径中有一部分不是目录",
    ENOSPC: "磁盘空间不足",
    EROFS: "文件系统是只读的",
    EMFILE: "打开的文件过多",
    ECHANGED: "其间被别的程序修改；没有写入任何内容",
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
    anomaly: (kind) => anomaliesChinese[kind],
    place: (places) =>
      `（${places.map(([kind, place]) => `${kind === "call" ? "调用" : "帧"} ${number(place)}`).join("，")}）`,
    nothing: "无",
    end: "结束",
    tooLong: "超过 512 MB，对单个文本来说太长",
    unknownFormat: (isEmpty) => (isEmpty ? "没有任何内容" : "其中没有看起来像已知流的帧的内容"),
    tryFormat: `请用 --format 指明：${streamFormats.join(", ")}`,
  },
  explain: {
    unknown: "未知的错误文本。",
    nearest: "最接近的规则如下，但不一定就是它：",
    why: "原因",
    fix: "修复",
    docs: "详见",
    unknownNext: "如果手头有请求，undangle doctor FILE 不需要错误文本也能找出问题。",
  },
};
