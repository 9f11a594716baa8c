import type { Risk } from "../inbox/inbox-lines.ts";
import type { Texts } from "./language.tsx";

interface InboxTexts {
  readonly title: string;
  readonly count: (shown: number, all: number) => string;
  readonly list: string;
  readonly filters: string;
  readonly agent: string;
  readonly tool: string;
  readonly risk: string;
  readonly all: string;
  readonly risks: Readonly<Record<Risk, string>>;
  readonly openCall: (tool: string, id: string) => string;
  /** On a line. It opens the card, which shows everything that will happen. */
  readonly decide: string;
  /** The same for a call whose rule does not permit to approve it. */
  readonly decideOther: string;
  readonly select: (tool: string, id: string) => string;
  readonly sending: string;
  readonly by: (agents: string) => string;
  /** The rule that stopped a call, with its reason or the tools that it names. */
  readonly stoppedBy: (from: string, detail: string | undefined) => string;
  readonly unreadable: (title: string, message: string) => string;
  /** The conversation before the call of an open card. */
  readonly context: {
    readonly title: string;
    readonly user: string;
    /** Instead, for a call of a sub-agent. */
    readonly task: string;
    readonly model: string;
    readonly nothing: string;
    readonly loading: string;
    readonly failed: string;
    readonly more: string;
    readonly less: string;
    /** The accessible name of what is shown. */
    readonly before: (tool: string, id: string) => string;
    readonly open: string;
  };
  /** The call that a link names. */
  readonly notWaiting: (call: string, thread: string) => string;
  /** For a key that may not read threads. */
  readonly noOutcome: string;
  readonly noMatch: string;
  readonly clearFilters: string;
  readonly more: (count: number) => string;
  readonly keys: string;
  readonly keyList: readonly (readonly [key: string, action: string])[];
  readonly selected: (count: number) => string;
  readonly cannotApprove: (tools: string) => string;
  readonly cannotReject: (tools: string) => string;
  readonly approveSelected: (count: number, tools: string) => string;
  readonly rejectSelected: (count: number, tools: string) => string;
  readonly approve: (count: number) => string;
  readonly reject: (count: number) => string;
  readonly reason: string;
  readonly clear: string;
  readonly selectAll: (count: number) => string;
  readonly progress: (done: number, all: number) => string;
  readonly finished: (accepted: number) => string;
  readonly failures: (count: number) => string;
  readonly dismiss: string;
  readonly notify: string;
  readonly notifyText: string;
  readonly emptyTitle: string;
  readonly emptyText: string;
  readonly tryTitle: string;
  readonly tryDemo: string;
  readonly demoMessage: string;
  readonly demoTitle: string;
  readonly steps: readonly string[];
  readonly forbidden: string;
  readonly connecting: string;
}

const english: InboxTexts = {
  title: "Inbox",
  count: (shown, all) =>
    shown === all
      ? all === 1
        ? "1 call is waiting for a decision"
        : `${all} calls are waiting for a decision`
      : `${shown} of ${all} calls`,
  list: "Pending calls",
  filters: "Filters",
  agent: "Agent",
  tool: "Tool",
  risk: "Risk",
  all: "all",
  risks: { destructive: "destructive", edits: "edits", "read-only": "read-only", other: "other" },
  openCall: (tool, id) => `Open ${tool} (${id})`,
  decide: "Approve or reject …",
  decideOther: "Decide …",
  select: (tool, id) => `Select ${tool} (${id})`,
  sending: "sending …",
  by: (agents) => `by ${agents}`,
  stoppedBy: (from, detail) =>
    `stopped by: ${from === "tool" || from === "agent" ? `${from} rule` : from}${detail === undefined ? "" : ` (${detail})`}`,
  unreadable: (title, message) => `The pending calls of ${title} cannot be read. ${message}`,
  context: {
    title: "Before the call",
    user: "User",
    task: "Task",
    model: "Model",
    nothing: "No text.",
    loading: "Loading …",
    failed: "The conversation cannot be read.",
    more: "Show all",
    less: "Show less",
    before: (tool, id) => `the conversation before ${tool} (${id})`,
    open: "Open thread",
  },
  notWaiting: (call, thread) =>
    `The call ${call} of the thread ${thread} is not waiting for a decision: it is decided, expired or cancelled, or the thread is deleted.`,
  noOutcome: "Your key does not have the threads scope, so its outcome cannot be shown.",
  noMatch: "No pending call matches the filters.",
  clearFilters: "Clear the filters",
  more: (count) => `Show ${count} more calls`,
  keys: "Shortcuts",
  keyList: [
    ["j / k", "next or previous call"],
    ["a", "approve the open call"],
    ["r", "reject it, with a reason"],
    ["e", "edit its arguments"],
    ["v", "show its JSON"],
    ["x", "select it"],
    ["A / R", "approve or reject the selected calls"],
    ["Esc", "close"],
    ["?", "show or hide this list"],
  ],
  selected: (count) => `${count} selected`,
  cannotApprove: (tools) => `Cannot be approved: ${tools}`,
  cannotReject: (tools) => `Cannot be rejected: ${tools}`,
  approveSelected: (count, tools) => `Approve ${count} selected calls: ${tools}`,
  rejectSelected: (count, tools) => `Reject ${count} selected calls: ${tools}`,
  approve: (count) => `Approve ${count}`,
  reject: (count) => `Reject ${count}`,
  reason: "Reason for all (optional)",
  clear: "Clear the selection",
  selectAll: (count) => `Select all ${count} shown`,
  progress: (done, all) => `${done} of ${all} sent`,
  finished: (accepted) => (accepted === 1 ? "1 decision accepted." : `${accepted} decisions accepted.`),
  failures: (count) => (count === 1 ? "1 decision was not accepted:" : `${count} decisions were not accepted:`),
  dismiss: "Dismiss",
  notify: "Turn on notifications",
  notifyText: "The browser can notify you when a call needs a decision.",
  emptyTitle: "No call is waiting for a decision",
  emptyText: "When an agent wants to call a tool that needs approval, the call appears here immediately.",
  tryTitle: "Try it",
  tryDemo: "Start a demo thread that needs approval",
  demoMessage: "Please pay invoice 12 of 300 euros, pay invoice 13 of 5000 euros and delete my mail.",
  demoTitle: "Demo: a payment",
  steps: [
    "Give a tool approval: true, or add a rule to the approvals of the agent.",
    "Open a new thread and write a message that needs the tool.",
    "The call waits here. Approve it, edit it, reject it, or give the result yourself.",
  ],
  forbidden: "Your key does not have the approve scope. Pending calls are shown only in their threads.",
  connecting: "Connecting …",
};

const chinese: InboxTexts = {
  title: "待审批",
  count: (shown, all) => (shown === all ? `${all} 个调用等待审批` : `显示 ${shown} / ${all} 个调用`),
  list: "待审批的调用",
  filters: "筛选",
  agent: "智能体",
  tool: "工具",
  risk: "风险",
  all: "全部",
  risks: { destructive: "不可恢复", edits: "修改内容", "read-only": "只读", other: "其他" },
  openCall: (tool, id) => `打开 ${tool}（${id}）`,
  decide: "批准或拒绝……",
  decideOther: "审批……",
  select: (tool, id) => `选择 ${tool}（${id}）`,
  sending: "正在提交……",
  by: (agents) => `来自 ${agents}`,
  stoppedBy: (from, detail) =>
    `触发：${from === "tool" ? "工具规则" : from === "agent" ? "智能体规则" : from}${detail === undefined ? "" : `（${detail}）`}`,
  unreadable: (title, message) => `无法读取 ${title} 的待审批调用。${message}`,
  context: {
    title: "调用之前",
    user: "用户",
    task: "任务",
    model: "模型",
    nothing: "没有文字。",
    loading: "正在加载……",
    failed: "无法读取对话。",
    more: "显示全部",
    less: "收起",
    before: (tool, id) => `${tool}（${id}）之前的对话`,
    open: "打开会话",
  },
  notWaiting: (call, thread) => `会话 ${thread} 的调用 ${call} 不在等待审批：它已审批、过期或被取消，或者会话已删除。`,
  noOutcome: "你的密钥没有 threads 权限，无法显示其结果。",
  noMatch: "没有符合筛选条件的调用。",
  clearFilters: "清除筛选",
  more: (count) => `再显示 ${count} 个调用`,
  keys: "快捷键",
  keyList: [
    ["j / k", "下一个或上一个调用"],
    ["a", "批准打开的调用"],
    ["r", "拒绝并说明理由"],
    ["e", "修改参数"],
    ["v", "显示 JSON"],
    ["x", "选择"],
    ["A / R", "批准或拒绝所选调用"],
    ["Esc", "关闭"],
    ["?", "显示或隐藏此列表"],
  ],
  selected: (count) => `已选择 ${count} 个`,
  cannotApprove: (tools) => `不能批准：${tools}`,
  cannotReject: (tools) => `不能拒绝：${tools}`,
  approveSelected: (count, tools) => `批准 ${count} 个所选调用：${tools}`,
  rejectSelected: (count, tools) => `拒绝 ${count} 个所选调用：${tools}`,
  approve: (count) => `批准 ${count} 个`,
  reject: (count) => `拒绝 ${count} 个`,
  reason: "共同的理由（可选）",
  clear: "清除选择",
  selectAll: (count) => `全选当前显示的 ${count} 个`,
  progress: (done, all) => `已提交 ${done} / ${all}`,
  finished: (accepted) => `${accepted} 项审批已被接受。`,
  failures: (count) => `${count} 项审批未被接受：`,
  dismiss: "关闭",
  notify: "开启通知",
  notifyText: "有调用等待审批时，浏览器可以通知你。",
  emptyTitle: "没有等待审批的调用",
  emptyText: "智能体要调用需要审批的工具时，调用会立即出现在这里。",
  tryTitle: "试一试",
  tryDemo: "新建一个需要审批的演示会话",
  demoMessage: "请支付 12 号发票 300 欧元，支付 13 号发票 5000 欧元，并删除我的邮件。",
  demoTitle: "演示：付款",
  steps: [
    "为工具设置 approval: true，或在智能体的 approvals 中添加规则。",
    "新建会话，发送一条需要该工具的消息。",
    "调用会在这里等待。你可以批准、修改、拒绝，或自行提供结果。",
  ],
  forbidden: "你的密钥没有 approve 权限，只能在各个会话中看到待审批的调用。",
  connecting: "正在连接……",
};

export const inboxTexts: Texts<InboxTexts> = { en: english, zh: chinese };
