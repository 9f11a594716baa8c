import type { TraceSpan } from "undangle/client";

import type { Explained } from "./edit-texts.ts";
import type { Texts } from "./language.tsx";

/** A sum of times: `whole` is `runs`, `waits` and `idle` together. */
type Time = "whole" | "runs" | "model" | "tools" | "waits" | "idle";

interface TimelineTexts {
  readonly title: string;
  readonly types: Readonly<Record<TraceSpan["type"], string>>;
  /** Why a run began. Other reasons are shown as they are. */
  readonly runs: Readonly<Record<string, string>>;
  /** A run of a sub-agent. */
  readonly runOf: (agent: string, run: string) => string;
  readonly wait: (name: string) => string;
  /** Statuses of runs and finish reasons, besides those of calls. Others are shown as they are. */
  readonly ends: Readonly<Record<string, string>>;
  readonly discarded: string;
  readonly second: string;
  readonly day: string;
  readonly totals: string;
  readonly total: Readonly<Record<Time | "tokens" | "cost", string>>;
  /** What the times of the totals contain. */
  readonly totalMeans: Readonly<Record<Time, string>>;
  readonly tokens: (count: string) => string;
  readonly tokenParts: (input: string, output: string, cached: string) => string;
  readonly noTokens: string;
  readonly partOfCost: string;
  readonly drawing: string;
  readonly table: string;
  readonly shown: string;
  readonly compress: string;
  readonly compressHint: string;
  readonly broken: Readonly<Record<"wait" | "idle", (duration: string) => string>>;
  readonly zoomIn: string;
  readonly zoomOut: string;
  readonly zoomAll: string;
  readonly keys: string;
  readonly elapsed: string;
  readonly open: (name: string) => string;
  readonly close: (name: string) => string;
  readonly hidden: (count: number) => string;
  readonly marks: (repairs: number, warnings: number) => string;
  readonly markTypes: Readonly<Record<"repair" | "warning", string>>;
  readonly row: (words: Readonly<Record<"type" | "name" | "start" | "duration" | "status", string>>) => string;
  readonly columns: Readonly<Record<"name" | "type" | "start" | "duration" | "status" | "tokens", string>>;
  readonly empty: string;
  readonly emptyHint: string;
  readonly live: string;
  readonly stale: (at: string, error: string) => string;
  readonly again: string;
  readonly exportTrace: string;
  readonly exportThread: string;
  readonly openTrace: string;
  readonly isThread: (file: string) => string;
  readonly importThread: string;
  readonly notATrace: (file: string, place: string) => string;
  readonly fromFile: (file: string) => string;
  readonly backToThread: string;
  readonly details: Readonly<
    Record<
      | "close"
      | "previous"
      | "next"
      | "start"
      | "end"
      | "duration"
      | "tokens"
      | "cost"
      | "agent"
      | "mode"
      | "purpose"
      | "call"
      | "path"
      | "decision"
      | "reason"
      | "always"
      | "proposed"
      | "edited"
      | "error"
      | "inChat"
      | "arguments"
      | "result",
      string
    >
  >;
  readonly notEnded: string;
  readonly unknown: string;
  readonly durationUnknown: string;
  readonly request: string;
  readonly response: string;
  readonly sources: Readonly<Record<"reconstructed" | "recorded", Explained>>;
  readonly needsAdmin: string;
  readonly noExchange: string;
  readonly noTarget: string;
  readonly cutOff: string;
  readonly showRepairs: string;
  readonly copyCurl: string;
  readonly copyJson: string;
  readonly keyHint: (variables: string) => string;
}

export const timelineTexts: Texts<TimelineTexts> = {
  en: {
    title: "Timeline",
    types: { run: "Run", model: "Model response", call: "Tool call", wait: "Wait for a person" },
    runs: {
      message: "Run after a message",
      decision: "Run after a decision",
      recovery: "Run after a crash",
      expiry: "Run after a call expired",
      regenerate: "Run for another response",
    },
    runOf: (agent, run) => `${agent}: ${run}`,
    wait: (name) => `Decision: ${name}`,
    ends: {
      done: "done",
      crashed: "crashed: the process ended",
      discarded: "discarded",
      waiting: "paused: a call needed a decision",
      delegated: "paused: its sub-agent needed a decision",
      stop: "finished",
      tool_calls: "calls tools",
      length: "cut off at the token limit",
      content_filter: "stopped by a content filter",
    },
    discarded: "discarded",
    second: "s",
    day: "d",
    totals: "Totals",
    total: {
      whole: "Total",
      runs: "Runs",
      model: "of which model",
      tools: "of which tools",
      waits: "Waiting for people",
      idle: "Idle",
      tokens: "Tokens",
      cost: "Cost",
    },
    totalMeans: {
      whole: "From the start of the first run to the end of the last bar: runs, waiting for people and idle time.",
      runs: "The time in which this thread ran: models, tools, hooks and saving.",
      model: "The part of the runs in which a model responded and no tool ran.",
      tools: "The part of the runs in which tools ran, with their sub-agents.",
      waits:
        "The time outside of runs in which decisions were pending. Decisions that were pending together count once.",
      idle: "The time in which nothing ran and no decision was pending, for example until the next message.",
    },
    tokens: (count) => `${count} tokens`,
    tokenParts: (input, output, cached) => `${input} in (${cached} cached), ${output} out`,
    noTokens: "The model did not report any",
    partOfCost: "at least: the cost of some responses is unknown",
    drawing: "Chart",
    table: "Table",
    shown: "Show the timeline as",
    compress: "Compress waits",
    compressHint: "Long idle periods are shortened and shown as breaks in the axis.",
    broken: {
      wait: (duration) => `Waiting for people: ${duration}, shortened`,
      idle: (duration) => `Idle: ${duration}, shortened`,
    },
    zoomIn: "Zoom in",
    zoomOut: "Zoom out",
    zoomAll: "Show all",
    keys: "Keys: ↑ ↓ move, Enter opens, ← → close and open a group or pan, + − 0 zoom, F fits the row. Ctrl + wheel zooms.",
    elapsed: "Elapsed",
    open: (name) => `Open ${name}`,
    close: (name) => `Close ${name}`,
    hidden: (count) => `${count} hidden`,
    marks: (repairs, warnings) =>
      [
        repairs > 0 && `${repairs} ${repairs === 1 ? "repair" : "repairs"}`,
        warnings > 0 && `${warnings} ${warnings === 1 ? "warning" : "warnings"}`,
      ]
        .filter((part) => part !== false)
        .join(", "),
    markTypes: { repair: "Repair", warning: "Warning" },
    row: ({ type, name, start, duration, status }) =>
      `${type}: ${name}. Starts at ${start}, duration ${duration}. ${status}`,
    columns: { name: "Name", duration: "Duration", status: "Status", type: "Type", start: "Start", tokens: "Tokens" },
    empty: "Nothing has run in this thread yet.",
    emptyHint:
      "Send a message. Each run then appears here with its model responses, calls and waits. What happened before an import or a fork is not recorded in this thread.",
    live: "Live",
    stale: (at, error) => `This is the state of ${at}. It could not be read again: ${error}`,
    again: "Try again",
    exportTrace: "Export the trace",
    exportThread: "Export the thread",
    openTrace: "Open a trace",
    isThread: (file) => `${file} is an exported thread, not a trace.`,
    importThread: "Import it as a new thread",
    notATrace: (file, place) =>
      `${file} is not an exported trace: ${place} is missing or invalid. Export one with “Export the trace”.`,
    fromFile: (file) => `This is the trace of the file ${file}, not of this thread.`,
    backToThread: "Show this thread",
    details: {
      close: "Close",
      previous: "Previous",
      next: "Next",
      start: "Start",
      end: "End",
      duration: "Duration",
      tokens: "Tokens",
      cost: "Cost",
      agent: "Agent",
      mode: "Mode",
      purpose: "Requested by",
      call: "Call",
      path: "Inside the calls",
      decision: "Decision",
      reason: "Reason",
      always: "Allowance",
      proposed: "Proposed by the model",
      edited: "Proposed by the model → edited",
      error: "Error",
      inChat: "Show in the chat",
      arguments: "Arguments",
      result: "Result",
    },
    notEnded: "not ended",
    unknown: "unknown",
    durationUnknown: "duration unknown",
    request: "Request",
    response: "Response",
    sources: {
      reconstructed: {
        name: "Reconstructed from the thread",
        means: "Written again from the stored thread. Other fields of the original may differ.",
      },
      recorded: { name: "Recorded", means: "This text was sent or received. Keys in it are replaced by ***." },
    },
    needsAdmin: "The request and the response need a key with the admin scope.",
    noExchange: "This response did not become a turn of the thread. Its request and its text were not kept.",
    noTarget: "The server has no address for this model. The command sends the request to the provider of the format.",
    cutOff: "Truncated: a record holds at most 1,000,000 characters.",
    showRepairs: "Show the repairs with their changes",
    copyCurl: "Copy as curl",
    copyJson: "Copy JSON",
    keyHint: (variables) =>
      variables === ""
        ? "The command is for bash. Secrets in the texts are removed."
        : `The command is for bash. Secrets are removed; set ${variables} first.`,
  },
  zh: {
    title: "时间线",
    types: { run: "运行", model: "模型响应", call: "工具调用", wait: "等待人工" },
    runs: {
      message: "消息后的运行",
      decision: "审批后的运行",
      recovery: "崩溃后的运行",
      expiry: "调用过期后的运行",
      regenerate: "重新生成的运行",
    },
    runOf: (agent, run) => `${agent}：${run}`,
    wait: (name) => `${name} 的审批`,
    ends: {
      done: "完成",
      crashed: "崩溃：进程已结束",
      discarded: "已丢弃",
      waiting: "暂停：有调用需要审批",
      delegated: "暂停：其子智能体需要审批",
      stop: "正常结束",
      tool_calls: "调用工具",
      length: "达到 token 上限而截断",
      content_filter: "被内容过滤器中止",
    },
    discarded: "已丢弃",
    second: "秒",
    day: "天",
    totals: "合计",
    total: {
      whole: "总时长",
      runs: "运行",
      model: "其中模型",
      tools: "其中工具",
      waits: "等待人工",
      idle: "空闲",
      tokens: "Token",
      cost: "费用",
    },
    totalMeans: {
      whole: "从第一次运行开始到最后一条结束：运行、等待人工和空闲。",
      runs: "此会话运行的时间：模型、工具、钩子和保存。",
      model: "运行中由模型响应且没有工具执行的部分。",
      tools: "运行中工具执行的部分，包括其子智能体。",
      waits: "运行之外等待审批的时间。同时等待的多个审批只计一次。",
      idle: "没有运行也没有待审批调用的时间，例如等待下一条消息。",
    },
    tokens: (count) => `${count} token`,
    tokenParts: (input, output, cached) => `输入 ${input}（缓存 ${cached}），输出 ${output}`,
    noTokens: "模型未提供",
    partOfCost: "至少：部分响应的费用未知",
    drawing: "图表",
    table: "表格",
    shown: "时间线的显示方式",
    compress: "压缩等待",
    compressHint: "较长的空闲时段会缩短显示，并在时间轴上以断开标记标出。",
    broken: {
      wait: (duration) => `等待人工：${duration}，缩短显示`,
      idle: (duration) => `空闲：${duration}，缩短显示`,
    },
    zoomIn: "放大",
    zoomOut: "缩小",
    zoomAll: "显示全部",
    keys: "按键：↑ ↓ 移动，Enter 打开，← → 收起、展开或平移，+ − 0 缩放，F 缩放到该行。Ctrl + 滚轮缩放。",
    elapsed: "经过时间",
    open: (name) => `展开 ${name}`,
    close: (name) => `收起 ${name}`,
    hidden: (count) => `已隐藏 ${count} 项`,
    marks: (repairs, warnings) =>
      [repairs > 0 && `${repairs} 处修复`, warnings > 0 && `${warnings} 条警告`]
        .filter((part) => part !== false)
        .join("，"),
    markTypes: { repair: "修复", warning: "警告" },
    row: ({ type, name, start, duration, status }) => `${type}：${name}。开始于 ${start}，用时 ${duration}。${status}`,
    columns: { name: "名称", duration: "用时", status: "状态", type: "类型", start: "开始", tokens: "Token" },
    empty: "此会话还没有运行过。",
    emptyHint:
      "请发送一条消息。之后每次运行及其模型响应、调用和等待都会显示在这里。导入或派生之前发生的事情没有记录在此会话中。",
    live: "实时",
    stale: (at, error) => `这是 ${at} 的状态，无法重新读取：${error}`,
    again: "重试",
    exportTrace: "导出时间线",
    exportThread: "导出会话",
    openTrace: "打开时间线文件",
    isThread: (file) => `${file} 是导出的会话，不是时间线。`,
    importThread: "导入为新会话",
    notATrace: (file, place) => `${file} 不是导出的时间线：${place} 缺失或无效。请用“导出时间线”导出。`,
    fromFile: (file) => `这是文件 ${file} 中的时间线，不是此会话的。`,
    backToThread: "显示此会话",
    details: {
      close: "关闭",
      previous: "上一项",
      next: "下一项",
      start: "开始",
      end: "结束",
      duration: "用时",
      tokens: "Token",
      cost: "费用",
      agent: "智能体",
      mode: "模式",
      purpose: "请求方",
      call: "调用",
      path: "所在的调用",
      decision: "审批",
      reason: "理由",
      always: "始终允许",
      proposed: "模型提出的内容",
      edited: "模型提出 → 人工修改",
      error: "错误",
      inChat: "在对话中显示",
      arguments: "参数",
      result: "结果",
    },
    notEnded: "尚未结束",
    unknown: "未知",
    durationUnknown: "用时未知",
    request: "请求",
    response: "响应",
    sources: {
      reconstructed: { name: "由会话重建", means: "根据保存的会话重新写出。原始请求的其他字段可能不同。" },
      recorded: { name: "原始记录", means: "这就是当时发送或收到的内容，其中的密钥已替换为 ***。" },
    },
    needsAdmin: "查看请求和响应需要具有 admin 权限的密钥。",
    noExchange: "此响应没有成为会话中的一轮，其请求和文本没有保存。",
    noTarget: "服务器不知道此模型的地址。命令会把请求发送给该格式的提供商。",
    cutOff: "已截断：一条记录最多保存 1,000,000 个字符。",
    showRepairs: "显示修复及其更改",
    copyCurl: "复制为 curl",
    copyJson: "复制 JSON",
    keyHint: (variables) =>
      variables === ""
        ? "此命令用于 bash。文本中的机密已移除。"
        : `此命令用于 bash。机密已移除，请先设置 ${variables}。`,
  },
};
