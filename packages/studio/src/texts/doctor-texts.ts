import type { SampleName } from "../doctor/samples.ts";
import type { Texts } from "./language.tsx";

interface DoctorTexts {
  readonly title: string;
  readonly lead: string;
  readonly private: string;
  readonly ready: string;
  readonly loading: string;
  readonly input: string;
  readonly placeholder: string;
  readonly examine: string;
  readonly open: string;
  readonly dropHint: string;
  readonly drop: string;
  readonly editInput: string;
  readonly clear: string;
  readonly paste: string;
  readonly opened: (name: string, size: string) => string;
  readonly handedOver: string;
  readonly samples: string;
  readonly sampleNames: Readonly<Record<SampleName, string>>;
  readonly reading: (percent: number) => string;
  readonly examining: string;
  readonly cancel: string;
  readonly failed: (message: string) => string;
  readonly notLoaded: string;
  readonly choose: (count: number) => string;
  readonly choice: {
    readonly history: (messages: number) => string;
    readonly errorText: string;
    readonly stream: string;
    readonly notJson: string;
    readonly line: (line: number) => string;
    readonly valid: string;
    readonly problems: (count: number) => string;
  };
  readonly format: string;
  readonly provider: string;
  readonly detected: (format: string) => string;
  readonly detect: string;
  readonly ofFormat: string;
  readonly messages: (count: number) => string;
  readonly valid: string;
  readonly validNext: string;
  readonly verdict: (problems: number) => string;
  readonly repairable: (problems: number, left: number) => string;
  readonly why: string;
  readonly fix: string;
  readonly cannotRepair: string;
  readonly exampleError: string;
  readonly aboutRule: string;
  readonly times: (count: number) => string;
  readonly prevent: string;
  readonly preventLead: string;
  readonly inOtherPrograms: string;
  readonly inEveryProgram: string;
  readonly inOtherLanguages: string;
  readonly documentation: (page: string) => string;
  /** The heading of a history without problems. */
  readonly history: string;
  readonly before: string;
  readonly after: string;
  readonly outside: string;
  readonly message: (index: number) => string;
  readonly unchanged: (count: number) => string;
  readonly showMore: (count: number) => string;
  readonly likely: string;
  readonly moreProblems: (count: number) => string;
  readonly edits: (count: number) => string;
  readonly edit: (number: number, count: number) => string;
  readonly previousEdit: string;
  readonly nextEdit: string;
  readonly avoids: string;
  readonly change: string;
  readonly lossSummary: (lossy: number) => string;
  readonly copy: Readonly<Record<"repaired" | "response", string>>;
  readonly copied: string;
  readonly tooLongToCopy: string;
  readonly download: Readonly<Record<"repaired" | "response", string>>;
  readonly downloadShort: string;
  readonly downloaded: (name: string) => string;
  readonly notJson: string;
  readonly notJsonNext: string;
  readonly readAsSource: string;
  readonly place: (line: number, column: number) => string;
  readonly noMessagesHint: string;
  readonly refusedHint: string;
  readonly stream: {
    readonly frames: (count: number) => string;
    readonly turn: (number: number) => string;
    readonly complete: string;
    readonly notReady: (count: number) => string;
    readonly incomplete: string;
    readonly finishes: Readonly<Record<"stop" | "tool_calls" | "length" | "content_filter" | "error" | "none", string>>;
    readonly text: string;
    readonly reasoning: string;
    readonly calls: string;
    readonly noCalls: string;
    readonly states: Readonly<Record<"ready" | "truncated" | "malformed" | "repaired", string>>;
    readonly notWhole: string;
    readonly generated: string;
    readonly anomalies: (count: number) => string;
    readonly noAnomalies: string;
    readonly frame: (frame: number) => string;
    readonly fault: (message: string) => string;
    readonly prevent: string;
  };
  readonly errorTitle: string;
  readonly errorUnknown: string;
  readonly errorUnknownNext: string;
  readonly errorNearest: string;
  readonly tooLong: string;
  readonly tooLongNext: string;
  readonly tooLongPrevent: string;
  readonly errorNext: string;
  readonly pasteRequest: string;
  readonly rules: {
    readonly title: string;
    readonly all: string;
    readonly lead: (count: number) => string;
    readonly search: string;
    readonly none: string;
    readonly unknown: (rule: string) => string;
    readonly back: string;
    readonly errors: string;
    readonly source: string;
    readonly lossless: Readonly<Record<"true" | "false" | "partly", string>>;
  };
  readonly otherLanguage: string;
  readonly theme: string;
}

const plural = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString("en")} ${count === 1 ? one : many}`;
const number = (count: number): string => count.toLocaleString("en");

export const doctorTexts: Texts<DoctorTexts> = {
  en: {
    title: "Doctor",
    lead: "Why does the provider refuse your conversation? Paste the request, a log, a captured stream, or only the error text.",
    private: "Nothing leaves the browser. Your input is examined on this page and sent to no server.",
    ready: "Everything is loaded. The page works without a network.",
    loading: "Loading the rules …",
    input: "Input",
    placeholder:
      '{"model": "…", "messages": […]}\n\nor: 400 An assistant message with \'tool_calls\' must be followed by …',
    examine: "Examine",
    open: "Open a file",
    dropHint: "Or drop it anywhere on this page.",
    drop: "Drop it to examine it",
    editInput: "Edit the input",
    clear: "Start again",
    paste: "Pasted text",
    opened: (name, size) => `${name}, ${size}`,
    handedOver: "History from the repairs view",
    samples: "Or try a sample",
    sampleNames: {
      cancelled: "OpenAI: the user wrote before the tool finished",
      interrupted: "Anthropic: the process ended during a call",
      trimmed: "OpenAI: history cut in the wrong place, and a late result",
      responses: "OpenAI Responses: an output is missing",
      gemini: "Gemini: one of two parallel results",
      bedrock: "Bedrock: toolUse without toolResult",
      mistral: "Mistral: call ids of another provider",
      deepseek: "DeepSeek: reasoning lost, old function role",
      aiSdk: "AI SDK: an abandoned call",
      langchain: "LangChain: stored thread with an open call",
      log: "A log with two requests and a 400",
      stream: "A stream that breaks off during a call",
      errorText: "Only the error text",
      valid: "A valid history",
    },
    reading: (percent) => `Reading, ${percent} %`,
    examining: "Examining …",
    cancel: "Cancel",
    failed: (message) => `The input could not be examined. ${message}`,
    notLoaded: "The rules could not be loaded. Check the network and try again, or reload the page.",
    choose: (count) => `Found ${number(count)} items. Choose one:`,
    choice: {
      history: (messages) => plural(messages, "message"),
      errorText: "error text of a provider",
      stream: "response",
      notJson: "not JSON",
      line: (line) => `line ${number(line)}`,
      valid: "valid",
      problems: (count) => plural(count, "problem"),
    },
    format: "Format",
    provider: "Provider",
    detected: (format) => `${format} (detected)`,
    detect: "Detect",
    ofFormat: "that of the format",
    messages: (count) => plural(count, "message"),
    valid: "Valid: it contains nothing that a provider would refuse.",
    validNext: "If the provider still refuses it, paste the error text, or choose the provider above.",
    verdict: (problems) => `${plural(problems, "problem")}: a provider would refuse this history.`,
    repairable: (problems, left) =>
      left === 0
        ? problems === 1
          ? "It can be repaired."
          : "All of them can be repaired."
        : left >= problems
          ? "Nothing can be repaired automatically."
          : `${number(left)} cannot be repaired automatically.`,
    why: "Why",
    fix: "Repair",
    cannotRepair: "Only you know what belongs here. Repair it by hand.",
    exampleError: "Example of the provider's error",
    aboutRule: "About this rule",
    times: (count) => `× ${number(count)}`,
    prevent: "How to prevent it",
    preventLead: "Repair every request before it is sent. One line in your program:",
    inOtherPrograms: "In other programs and languages",
    inEveryProgram: "Without an SDK:",
    inOtherLanguages: "In another language, over HTTP:",
    documentation: (page) => `More in ${page} of the package.`,
    history: "History",
    before: "History with its problems",
    after: "Repaired history",
    outside: "Outside the messages",
    message: (index) => `Message ${index}`,
    unchanged: (count) => plural(count, "message without findings", "messages without findings"),
    showMore: (count) => `Show ${number(count)}`,
    likely: "likely",
    moreProblems: (count) => `${number(count)} more are not listed here. The repaired history contains all repairs.`,
    edits: (count) => plural(count, "edit"),
    edit: (one, count) => `Edit ${number(one)} of ${number(count)}`,
    previousEdit: "Previous edit",
    nextEdit: "Next edit",
    avoids: "Avoids an error such as",
    change: "Before and after",
    lossSummary: (lossy) => (lossy === 0 ? "all lossless" : `${number(lossy)} not lossless`),
    copy: { repaired: "Copy the repaired history", response: "Copy the response as JSON" },
    copied: "Copied.",
    tooLongToCopy: "Too long to copy. Download it.",
    download: { repaired: "Download the repaired history", response: "Download the response as JSON" },
    downloadShort: "Download",
    downloaded: (name) => `Saved as ${name}.`,
    notJson: "This is not JSON.",
    notJsonNext:
      "Paste all of it: logs and consoles often shorten long values. If you have no more than this, paste the error text.",
    readAsSource: "This is not JSON, but it can be read. The repaired history is JSON.",
    place: (line, column) => `Line ${number(line)}, column ${number(column)}`,
    noMessagesHint: "If it is a list of messages in a format that was not detected, choose the format.",
    refusedHint: "Paste the body of a request, or its list of messages.",
    stream: {
      frames: (count) => plural(count, "event"),
      turn: (index) => `Choice ${index}`,
      complete: "Complete.",
      notReady: (count) => `Complete, but ${plural(count, "call")} must not be executed.`,
      incomplete: "Incomplete: the stream ended early, and no call may be executed.",
      finishes: {
        stop: "The model finished (stop).",
        tool_calls: "The model is waiting for tool results (tool_calls).",
        length: "The token limit cut it off (length).",
        content_filter: "A content filter cut it off (content_filter).",
        error: "It ended with an error (error).",
        none: "It ended without a finish reason.",
      },
      text: "Text",
      reasoning: "Reasoning",
      calls: "Calls",
      noCalls: "No calls.",
      states: {
        ready: "ready",
        truncated: "truncated: must not be executed",
        malformed: "not a JSON object: must not be executed",
        repaired: "almost JSON: must not be executed unseen",
      },
      notWhole: "the stream is incomplete: must not be executed",
      generated: "id generated",
      anomalies: (count) => plural(count, "anomaly", "anomalies"),
      noAnomalies: "No anomalies.",
      frame: (frame) => `event ${number(frame)}`,
      fault: (message) => `Error: ${message}`,
      prevent:
        "One line repairs responses while the SDK reads them. A truncated response becomes an error, and no tool runs:",
    },
    errorTitle: "What the error means",
    errorUnknown: "Nothing was recognised: no messages, no stream, and no error text about messages.",
    errorUnknownNext:
      "If it is an error text, it may be about a key, a limit or the network. Paste the request body, if you have it: the doctor finds problems without the error text.",
    errorNearest: "The most similar rules are listed, but it may be another one:",
    tooLong: "The conversation is too long for the model.",
    tooLongNext: "It is not broken. Shorten it between turns, so that every call keeps its result.",
    tooLongPrevent: "One line shortens it:",
    errorNext:
      "Providers refuse a request with this error for this reason. With the request body, the doctor shows the place and repairs the history.",
    pasteRequest: "Paste the request body",
    rules: {
      title: "All rules",
      all: "All rules",
      lead: (count) =>
        `${number(count)} kinds of problems for which providers refuse a history, with their error texts.`,
      search: "Search rules and error texts",
      none: "No rule contains this text.",
      unknown: (rule) => `There is no rule “${rule}”.`,
      back: "Back to the doctor",
      errors: "Error texts of providers",
      source: "Source",
      lossless: {
        true: "The repair keeps all content.",
        false: "The repair may lose content.",
        partly: "The repair keeps content where the format permits it.",
      },
    },
    otherLanguage: "中文",
    theme: "Light or dark",
  },
  zh: {
    title: "诊断",
    lead: "提供商为什么拒绝这段对话？请粘贴请求、日志、捕获的流，或者只粘贴错误文本。",
    private: "数据不会离开浏览器：输入只在本页面中检查，不会发送到任何服务器。",
    ready: "全部内容已加载，本页面可以离线使用。",
    loading: "正在加载规则……",
    input: "输入",
    placeholder:
      '{"model": "…", "messages": […]}\n\n或：400 An assistant message with \'tool_calls\' must be followed by …',
    examine: "检查",
    open: "打开文件",
    dropHint: "也可以拖放到页面任意位置。",
    drop: "松开以检查",
    editInput: "编辑输入",
    clear: "重新开始",
    paste: "粘贴的文本",
    opened: (name, size) => `${name}，${size}`,
    handedOver: "来自修复视图的历史",
    samples: "或者试试示例",
    sampleNames: {
      cancelled: "OpenAI：工具完成之前用户又发了消息",
      interrupted: "Anthropic：调用期间进程终止",
      trimmed: "OpenAI：历史切在了错误的位置，且有一个结果来迟",
      responses: "OpenAI Responses：缺少一个输出",
      gemini: "Gemini：两个并行结果只有一个",
      bedrock: "Bedrock：toolUse 没有 toolResult",
      mistral: "Mistral：调用 ID 来自其他提供商",
      deepseek: "DeepSeek：推理丢失，旧的 function 消息",
      aiSdk: "AI SDK：被放弃的调用",
      langchain: "LangChain：保存的会话中有未完成的调用",
      log: "含两个请求和一个 400 的日志",
      stream: "在调用途中断开的流",
      errorText: "只有错误文本",
      valid: "有效的历史",
    },
    reading: (percent) => `正在读取，${percent} %`,
    examining: "正在检查……",
    cancel: "取消",
    failed: (message) => `无法检查该输入。${message}`,
    notLoaded: "无法加载规则。请检查网络后重试，或刷新页面。",
    choose: (count) => `输入中有 ${number(count)} 项内容，请选择：`,
    choice: {
      history: (messages) => `${number(messages)} 条消息`,
      errorText: "提供商的错误文本",
      stream: "响应",
      notJson: "不是 JSON",
      line: (line) => `第 ${number(line)} 行`,
      valid: "有效",
      problems: (count) => `${number(count)} 个问题`,
    },
    format: "格式",
    provider: "提供商",
    detected: (format) => `${format}（自动识别）`,
    detect: "自动识别",
    ofFormat: "该格式的提供商",
    messages: (count) => `${number(count)} 条消息`,
    valid: "有效：其中没有提供商会拒绝的内容。",
    validNext: "如果提供商仍然拒绝，请粘贴错误文本，或在上方选择提供商。",
    verdict: (problems) => `${number(problems)} 个问题：提供商会拒绝这段历史。`,
    repairable: (problems, left) =>
      left === 0 ? "全部可以修复。" : left >= problems ? "无法自动修复。" : `其中 ${number(left)} 个无法自动修复。`,
    why: "原因",
    fix: "修复",
    cannotRepair: "程序无法得知此处应有的内容，请手动修复。",
    exampleError: "提供商报错示例",
    aboutRule: "关于这条规则",
    times: (count) => `× ${number(count)}`,
    prevent: "如何预防",
    preventLead: "在发送之前修复每个请求。程序中只需一行：",
    inOtherPrograms: "在其他程序和语言中",
    inEveryProgram: "不使用 SDK 时：",
    inOtherLanguages: "其他语言可通过 HTTP：",
    documentation: (page) => `详见软件包中的 ${page}。`,
    history: "历史",
    before: "有问题的历史",
    after: "修复后的历史",
    outside: "消息之外",
    message: (index) => `消息 ${index}`,
    unchanged: (count) => `${number(count)} 条没有问题的消息`,
    showMore: (count) => `显示 ${number(count)} 条`,
    likely: "很可能",
    moreProblems: (count) => `还有 ${number(count)} 个未在此列出；修复后的历史包含全部修复。`,
    edits: (count) => `${number(count)} 处修改`,
    edit: (one, count) => `第 ${number(one)} 处修改，共 ${number(count)} 处`,
    previousEdit: "上一处修改",
    nextEdit: "下一处修改",
    avoids: "避免类似这样的错误",
    change: "修改前后",
    lossSummary: (lossy) => (lossy === 0 ? "全部无损" : `${number(lossy)} 处有损`),
    copy: { repaired: "复制修复后的历史", response: "以 JSON 复制响应" },
    copied: "已复制。",
    tooLongToCopy: "内容过长，无法复制，请下载。",
    download: { repaired: "下载修复后的历史", response: "以 JSON 下载响应" },
    downloadShort: "下载",
    downloaded: (name) => `已保存为 ${name}。`,
    notJson: "这不是 JSON。",
    notJsonNext: "请粘贴完整内容：日志和控制台常会截短较长的值。如果只有这些，请粘贴错误文本。",
    readAsSource: "这不是 JSON，但仍可读取。修复后的历史为 JSON。",
    place: (line, column) => `第 ${number(line)} 行，第 ${number(column)} 列`,
    noMessagesHint: "如果这是未能识别格式的消息列表，请选择格式。",
    refusedHint: "请粘贴请求体或其中的消息列表。",
    stream: {
      frames: (count) => `${number(count)} 个事件`,
      turn: (index) => `第 ${index} 个候选`,
      complete: "完整。",
      notReady: (count) => `完整，但有 ${number(count)} 个调用不得执行。`,
      incomplete: "不完整：流提前结束，其中任何调用都不得执行。",
      finishes: {
        stop: "模型正常结束（stop）。",
        tool_calls: "模型在等待工具结果（tool_calls）。",
        length: "因达到 token 上限被截断（length）。",
        content_filter: "被内容过滤器截断（content_filter）。",
        error: "以错误结束（error）。",
        none: "没有给出结束原因。",
      },
      text: "文本",
      reasoning: "推理",
      calls: "调用",
      noCalls: "没有调用。",
      states: {
        ready: "可以执行",
        truncated: "被截断，不得执行",
        malformed: "不是 JSON 对象，不得执行",
        repaired: "接近 JSON，未经检查不得执行",
      },
      notWhole: "流不完整，不得执行",
      generated: "ID 由程序生成",
      anomalies: (count) => `${number(count)} 处异常`,
      noAnomalies: "没有异常。",
      frame: (frame) => `事件 ${number(frame)}`,
      fault: (message) => `错误：${message}`,
      prevent: "只需一行，即可在 SDK 读取响应时修复。被截断的响应会变为错误，不会执行任何工具：",
    },
    errorTitle: "错误的含义",
    errorUnknown: "没有识别出任何内容：没有消息、没有流，也没有与消息有关的错误文本。",
    errorUnknownNext:
      "如果这是错误文本，它可能与密钥、限额或网络有关。如果手头有请求体，请粘贴：不需要错误文本也能找出问题。",
    errorNearest: "最接近的规则如下，但不一定就是它：",
    tooLong: "对话超出了模型的长度限制。",
    tooLongNext: "对话没有损坏。请在轮次之间缩短它，让每个调用都保留其结果。",
    tooLongPrevent: "一行代码即可缩短：",
    errorNext: "提供商因此以这段报错拒绝请求。有了请求体，就能显示位置并修复历史。",
    pasteRequest: "粘贴请求体",
    rules: {
      title: "全部规则",
      all: "全部规则",
      lead: (count) => `提供商拒绝历史的 ${number(count)} 类问题及其错误文本。`,
      search: "搜索规则和错误文本",
      none: "没有包含此文本的规则。",
      unknown: (rule) => `没有规则“${rule}”。`,
      back: "返回诊断",
      errors: "提供商的错误文本",
      source: "来源",
      lossless: {
        true: "修复保留全部内容。",
        false: "修复可能丢失内容。",
        partly: "修复在格式允许时保留内容。",
      },
    },
    otherLanguage: "English",
    theme: "浅色或深色",
  },
};
