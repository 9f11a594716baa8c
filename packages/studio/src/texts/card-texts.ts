import type { Decisions, ShownDecision } from "undangle/client";

import type { Fault } from "../card/edit/check-arguments.ts";
import { faultTexts } from "./fault-texts.ts";
import type { Texts } from "./language.tsx";
import { stateTexts } from "./state-texts.ts";

type DecisionType = Decisions[string]["type"];

/** What an allowance would cover. */
export interface Coverage {
  readonly scope: "thread" | "agent";
  readonly match: "tool" | "arguments";
}

/** Whose calls an allowance covers. */
export interface CoveredAgent {
  readonly agent: string;
  /** True for a sub-agent, whose threads are tasks. */
  readonly isInTask: boolean;
}

export interface CardTexts {
  readonly card: (tool: string, id: string) => string;
  readonly destructive: string;
  readonly edits: string;
  readonly readOnly: string;
  readonly what: string;
  /** Instead, when the call no longer waits. */
  readonly arguments: string;
  /** Under `what`. */
  readonly noArguments: string;
  /** Under `arguments`. */
  readonly noneGiven: string;
  readonly raw: string;
  readonly form: string;
  readonly showFields: (count: string) => string;
  readonly unknownKey: string;
  readonly fullText: string;
  readonly shortText: string;
  readonly yes: string;
  readonly no: string;
  readonly inexact: (path: string, written: string, runs: string) => string;
  readonly rendered: Readonly<Record<"diff" | "command" | "table" | "markdown", string>>;
  readonly rows: (shown: string, all: string) => string;
  readonly why: string;
  readonly ruleFrom: (from: string) => string;
  readonly rulePattern: (tools: string) => string;
  readonly ruleCondition: string;
  readonly noRule: string;
  readonly allowanceHint: (tool: string) => string;
  readonly noAllowance: string;
  /** Another agent continues the thread of a call. */
  readonly foreign: (tool: string, agent: string) => string;
  readonly personaGone: string;
  readonly expires: (time: string) => string;
  readonly expired: string;
  readonly requestedBy: (agents: string) => string;
  readonly actions: (tool: string, id: string) => string;
  /** Accessible names: the outcome, the tool and the call. */
  readonly names: Readonly<
    Record<
      | DecisionType
      | "always"
      | "submitAlways"
      | "submitEdit"
      | "submitRespond"
      | "submitReject"
      | "startOver"
      | "cancel"
      | "raw"
      | "form"
      | "dismiss",
      (tool: string, id: string) => string
    >
  >;
  readonly labels: Readonly<Record<DecisionType | "always", string>>;
  /** Between two sentences. */
  readonly again: string;
  readonly againName: (name: string) => string;
  /** The same for many calls, some of which are of destructive tools. */
  readonly againAll: (count: number, destructive: string, tools: number) => string;
  readonly againHint: string;
  readonly cancel: string;
  readonly alwaysTitle: (tool: string) => string;
  readonly coverage: (coverage: Coverage, tool: string, by: CoveredAgent) => string;
  readonly alwaysHint: string;
  readonly submitAlways: string;
  readonly editTitle: (tool: string) => string;
  readonly editHint: string;
  readonly submitEdit: string;
  /** In a form that starts with what the person wrote before. */
  readonly restored: string;
  readonly startOver: string;
  readonly unchanged: string;
  /** Arguments that the form does not show. */
  readonly moreAsJson: (count: number) => string;
  readonly changes: string;
  readonly asForm: string;
  readonly asJson: string;
  readonly stuckInView: string;
  readonly json: (tool: string) => string;
  readonly tool: string;
  readonly otherTool: string;
  readonly badJson: (line: number, column: number) => string;
  readonly badNumber: (written: string) => string;
  readonly badDate: string;
  readonly notObject: string;
  readonly fault: (fault: Fault) => string;
  readonly addItem: (label: string) => string;
  readonly addField: (label: string) => string;
  readonly leaveOutField: (label: string) => string;
  readonly removeItem: (label: string, position: number) => string;
  readonly leaveOut: string;
  readonly respondTitle: (tool: string) => string;
  readonly respondHint: string;
  readonly result: string;
  readonly asError: string;
  readonly submitRespond: string;
  readonly rejectTitle: (tool: string) => string;
  readonly reason: string;
  readonly reasonHint: string;
  readonly earlierReasons: string;
  readonly submitReject: string;
  readonly noScope: string;
  readonly sending: string;
  readonly sendingAgain: (attempt: number) => string;
  readonly failed: (message: string) => string;
  /** No response came to the decision. */
  readonly notConfirmed: string;
  readonly gone: string;
  readonly dismiss: string;
  readonly changed: string;
  readonly changedDiff: string;
  /** `isHere` is undefined if the text does not state from where. */
  readonly decided: (type: ShownDecision["type"], where: { by: string | undefined; isHere?: boolean }) => string;
  readonly withReason: (reason: string) => string;
  readonly withAllowance: (coverage: Coverage, isInTask: boolean) => string;
  readonly editedTo: string;
  /** Who decides on a server without keys. */
  readonly you: string;
  readonly lost: string;
  readonly progress: (decided: number, all: number) => string;
  readonly group: string;
  readonly siblings: string;
  /** The calls that a button for all of them decides about. */
  readonly together: string;
  readonly further: (count: number, tools: string) => string;
  readonly cannotApprove: string;
  readonly cannotReject: string;
  readonly approveAll: (count: number) => string;
  readonly rejectAll: (count: number) => string;
  readonly thisAgent: string;
  readonly showNew: (tool: string, id: string) => string;
}

const english: CardTexts = {
  card: (tool, id) => `Pending call of ${tool} (${id})`,
  destructive: "Destructive",
  edits: "Edits",
  readOnly: "Read-only",
  what: "What will happen",
  arguments: "Arguments",
  noArguments: "It runs without arguments.",
  noneGiven: "No arguments.",
  raw: "Show JSON",
  form: "Show fields",
  showFields: (count) => `Show ${count} more fields`,
  unknownKey: "The tool does not declare this argument.",
  fullText: "Show the whole description",
  shortText: "Show less",
  yes: "Yes",
  no: "No",
  inexact: (path, written, runs) => `${path}: the model wrote ${written}, but the tool gets ${runs}.`,
  rendered: { diff: "Change of a file", command: "Command", table: "Preview", markdown: "Preview" },
  rows: (shown, all) => `The first ${shown} of ${all} rows.`,
  why: "Why it is waiting",
  ruleFrom: (from) =>
    from === "tool"
      ? "The tool itself requires a decision."
      : from === "agent"
        ? "A rule of the agent requires a decision."
        : `The middleware ${from} requires a decision.`,
  rulePattern: (tools) => `The rule applies to ${tools}.`,
  ruleCondition: "It has a condition, and this call meets it.",
  noRule: "A rule of the agent requires a decision.",
  allowanceHint: (tool) => `An allowance can permit later calls of ${tool}. You see which ones before you choose.`,
  noAllowance: "Every call needs its own decision.",
  foreign: (tool, agent) =>
    `It cannot be approved now. ${agent} requested it, but another agent continues this thread, whose tool ${tool} may do something else. It can be approved again when ${agent} continues the thread.`,
  personaGone:
    "It cannot be decided now. This server no longer has the persona of the thread. When another persona continues the thread, the call can be rejected.",
  expires: (time) => `expires in ${time}`,
  expired: "The time for a decision is over. If none was made in time, the tool does not run.",
  requestedBy: (agents) => `Requested by ${agents}`,
  actions: (tool, id) => `Decisions about ${tool} (${id})`,
  names: {
    approve: (tool, id) => `Approve ${tool} (${id})`,
    submitAlways: (tool, id) => `Approve and allow: ${tool} (${id})`,
    always: (tool, id) => `Approve and always allow ${tool} (${id}) …`,
    edit: (tool, id) => `Edit and approve ${tool} (${id}) …`,
    submitEdit: (tool, id) => `Approve with changes: ${tool} (${id})`,
    respond: (tool, id) => `Respond in place of ${tool} (${id}) …`,
    submitRespond: (tool, id) => `Send as the result of ${tool} (${id})`,
    reject: (tool, id) => `Reject ${tool} (${id}) …`,
    submitReject: (tool, id) => `Reject ${tool} (${id}) with this reason`,
    startOver: (tool, id) => `Start over from the proposed arguments: ${tool} (${id})`,
    cancel: (tool, id) => `Cancel: decide nothing about ${tool} (${id})`,
    raw: (tool, id) => `Show JSON of ${tool} (${id})`,
    form: (tool, id) => `Show fields of ${tool} (${id})`,
    dismiss: (tool, id) => `Close this card of ${tool} (${id})`,
  },
  labels: {
    approve: "Approve",
    always: "Approve and always …",
    edit: "Edit …",
    respond: "Respond …",
    reject: "Reject …",
  },
  again: "Press again to approve",
  againName: (name) => `${name}: press again to approve`,
  againAll: (count, destructive, tools) =>
    `${destructive} ${tools === 1 ? "is" : "are"} destructive: press again to approve all ${count}`,
  againHint: "This tool is destructive: approving needs a second press within 5 seconds.",
  cancel: "Cancel",
  alwaysTitle: (tool) => `Approve this call of ${tool}, and do not ask again for`,
  coverage: ({ scope, match }, tool, { agent, isInTask }) => {
    const calls = match === "tool" ? `all ${tool} calls` : `only ${tool} calls with exactly these arguments,`;
    if (scope === "agent") return `${calls} of every ${isInTask ? "task" : "thread"} of ${agent}`;
    return isInTask ? `${calls} of the sub-agent until its current task ends` : `${calls} of this thread`;
  },
  alwaysHint: "Calls that are already pending still need a decision. You can revoke it in the settings.",
  submitAlways: "Approve and allow",
  editTitle: (tool) => `Edit and approve ${tool}`,
  editHint: "The tool runs with your arguments. The model is informed: its history shows the edited call.",
  submitEdit: "Approve with changes",
  restored: "The form contains what you wrote before. It has not been sent.",
  startOver: "Start over from the proposed arguments",
  unchanged: "Nothing has changed yet.",
  moreAsJson: (count) => `${count} more ${count === 1 ? "argument" : "arguments"}: choose JSON to edit all.`,
  changes: "Proposed → edited",
  asForm: "Form",
  asJson: "JSON",
  stuckInView: "Correct what cannot be read first. The other view would lose it.",
  json: (tool) => `Arguments of ${tool} as JSON`,
  tool: "Tool",
  otherTool: "The server checks the arguments of another tool when you send them.",
  badJson: (line, column) => `Not valid JSON at line ${line}, column ${column}.`,
  badNumber: (written) => `${written} has more digits than a number can hold. The tool would get another number.`,
  badDate: "Enter a complete date.",
  notObject: "The arguments must be an object: { … }.",
  fault: faultTexts.en,
  addItem: (label) => `Add to ${label}`,
  addField: (label) => `Add ${label}`,
  leaveOutField: (label) => `Leave out ${label}`,
  removeItem: (label, position) => `Remove item ${position} of ${label}`,
  leaveOut: "not given",
  respondTitle: (tool) => `Respond in place of ${tool}`,
  respondHint: "The tool does not run. The model gets this text as the result.",
  result: "Result",
  asError: "The result is an error",
  submitRespond: "Send as the result",
  rejectTitle: (tool) => `Reject ${tool}`,
  reason: "Reason",
  reasonHint: "Optional. The model reads it.",
  earlierReasons: "Earlier reasons",
  submitReject: "Reject",
  noScope: "Your key does not have the approve scope. A person with that scope decides.",
  sending: "Sending the decision …",
  sendingAgain: (attempt) =>
    `No response yet. The same decision is being sent again (attempt ${attempt}). The server accepts it only once.`,
  failed: (message) => `The decision was not accepted. ${message}`,
  notConfirmed:
    "The server did not confirm the decision. If the call is still waiting when the server responds, decide again.",
  gone: "This call is no longer waiting.",
  dismiss: "Close this card",
  changed: "This call changed after it was shown here.",
  changedDiff: "Shown before → now",
  decided: (type, { by, isHere }) =>
    `${stateTexts.en.decided(type, by)}${isHere === undefined ? "" : isHere ? ", in this tab" : ", elsewhere"}`,
  withReason: (reason) => `Reason: ${reason}`,
  withAllowance: ({ scope, match }, isInTask) => {
    const unit = isInTask ? "task of the sub-agent" : "thread";
    return `Allowed from now on: ${match === "tool" ? "all calls of the tool" : "calls with the same arguments"}, in ${scope === "thread" ? `this ${unit}` : `every ${isInTask ? "task" : "thread"} of the agent`}. Calls that were already pending need their own decision.`;
  },
  editedTo: "Proposed → what ran",
  you: "you (this machine)",
  lost: "The process ended while the call was running. Whether it had an effect is unknown.",
  progress: (decided, all) => `${decided} of ${all} decided`,
  group: "Calls of this turn",
  siblings: "Other calls of this turn",
  together: "Calls that are decided together",
  further: (count, tools) => `${count} more: ${tools}`,
  cannotApprove: "cannot be approved",
  cannotReject: "cannot be rejected",
  approveAll: (count) => `Approve all ${count}`,
  rejectAll: (count) => `Reject all ${count}`,
  thisAgent: "this agent",
  showNew: (tool, id) => `Show the new version of ${tool} (${id})`,
};

const chinese: CardTexts = {
  card: (tool, id) => `待审批的调用：${tool}（${id}）`,
  destructive: "不可恢复",
  edits: "修改内容",
  readOnly: "只读",
  what: "将要执行",
  arguments: "参数",
  noArguments: "工具将不带参数执行。",
  noneGiven: "没有参数。",
  raw: "显示 JSON",
  form: "显示字段",
  showFields: (count) => `再显示 ${count} 个字段`,
  unknownKey: "工具没有声明此参数。",
  fullText: "显示完整说明",
  shortText: "收起",
  yes: "是",
  no: "否",
  inexact: (path, written, runs) => `${path}：模型写的是 ${written}，但工具得到的是 ${runs}。`,
  rendered: { diff: "文件修改", command: "命令", table: "预览", markdown: "预览" },
  rows: (shown, all) => `共 ${all} 行，显示前 ${shown} 行。`,
  why: "等待审批的原因",
  ruleFrom: (from) =>
    from === "tool" ? "工具本身要求审批。" : from === "agent" ? "智能体的规则要求审批。" : `中间件 ${from} 要求审批。`,
  rulePattern: (tools) => `规则适用于 ${tools}。`,
  ruleCondition: "规则带有条件，此调用符合该条件。",
  noRule: "智能体的规则要求审批。",
  allowanceHint: (tool) => `可以始终允许以后的 ${tool} 调用，选择之前会显示范围。`,
  noAllowance: "每个调用都需要单独审批。",
  foreign: (tool, agent) =>
    `现在不能批准：调用由 ${agent} 提出，而此会话现由另一个智能体继续，它的工具 ${tool} 可能做别的事。改由 ${agent} 继续此会话后才能批准。`,
  personaGone: "现在不能审批：此服务器已没有此会话的角色。为会话选择另一个角色后，可以拒绝该调用。",
  expires: (time) => `${time}后过期`,
  expired: "审批时限已过。未及时审批的工具不会执行。",
  requestedBy: (agents) => `由 ${agents} 请求`,
  actions: (tool, id) => `审批 ${tool}（${id}）`,
  names: {
    approve: (tool, id) => `批准 ${tool}（${id}）`,
    submitAlways: (tool, id) => `批准并始终允许：${tool}（${id}）`,
    always: (tool, id) => `批准并始终允许 ${tool}（${id}）……`,
    edit: (tool, id) => `修改并批准 ${tool}（${id}）……`,
    submitEdit: (tool, id) => `按修改批准 ${tool}（${id}）`,
    respond: (tool, id) => `代替 ${tool}（${id}）提供结果……`,
    submitRespond: (tool, id) => `作为结果发送：${tool}（${id}）`,
    reject: (tool, id) => `拒绝 ${tool}（${id}）……`,
    submitReject: (tool, id) => `以此理由拒绝 ${tool}（${id}）`,
    startOver: (tool, id) => `恢复为原参数：${tool}（${id}）`,
    cancel: (tool, id) => `取消：不审批 ${tool}（${id}）`,
    raw: (tool, id) => `显示 JSON：${tool}（${id}）`,
    form: (tool, id) => `显示字段：${tool}（${id}）`,
    dismiss: (tool, id) => `关闭此卡片：${tool}（${id}）`,
  },
  labels: { approve: "批准", always: "批准并始终允许……", edit: "修改……", respond: "提供结果……", reject: "拒绝……" },
  again: "再按一次即批准",
  againName: (name) => `${name}：再按一次即批准`,
  againAll: (count, destructive) => `${destructive} 的操作不可恢复：再按一次即批准全部 ${count} 个`,
  againHint: "此工具的操作不可恢复：批准时须在 5 秒内再按一次。",
  cancel: "取消",
  alwaysTitle: (tool) => `批准此 ${tool} 调用，以后不再审批以下调用`,
  coverage: ({ scope, match }, tool, { agent, isInTask }) => {
    const own = isInTask ? "子智能体的本次任务中" : "此会话中";
    const place = scope === "thread" ? own : ` ${agent} 的所有${isInTask ? "任务" : "会话"}中`;
    return match === "tool" ? `${place.trimStart()}的所有 ${tool} 调用` : `仅限${place}参数完全相同的 ${tool} 调用`;
  },
  alwaysHint: "已在等待审批的调用仍需审批。可以在设置中撤销。",
  submitAlways: "批准并始终允许",
  editTitle: (tool) => `修改并批准 ${tool}`,
  editHint: "工具按你的参数执行。模型会得知修改：其历史中显示的是修改后的调用。",
  submitEdit: "按修改批准",
  restored: "表单中是你之前写的内容，尚未提交。",
  startOver: "恢复为原参数",
  unchanged: "尚未修改。",
  moreAsJson: (count) => `另有 ${count} 个参数：选择 JSON 可编辑全部。`,
  changes: "原参数 → 修改后",
  asForm: "表单",
  asJson: "JSON",
  stuckInView: "请先更正无法读取的内容，否则切换视图后会丢失。",
  json: (tool) => `${tool} 的参数（JSON）`,
  tool: "工具",
  otherTool: "换用其他工具时，参数在发送后由服务器检查。",
  badJson: (line, column) => `第 ${line} 行第 ${column} 列不是有效的 JSON。`,
  badNumber: (written) => `${written} 的位数超出数字的精度，工具会得到另一个数字。`,
  badDate: "请输入完整的日期。",
  notObject: "参数必须是对象：{ … }。",
  fault: faultTexts.zh,
  addItem: (label) => `添加到 ${label}`,
  addField: (label) => `添加 ${label}`,
  leaveOutField: (label) => `不提供 ${label}`,
  removeItem: (label, position) => `移除 ${label} 的第 ${position} 项`,
  leaveOut: "未提供",
  respondTitle: (tool) => `代替 ${tool} 提供结果`,
  respondHint: "工具不会执行，模型会得到这段文本作为结果。",
  result: "结果",
  asError: "结果是错误",
  submitRespond: "作为结果发送",
  rejectTitle: (tool) => `拒绝 ${tool}`,
  reason: "理由",
  reasonHint: "可选。模型会看到该理由。",
  earlierReasons: "用过的理由",
  submitReject: "拒绝",
  noScope: "你的密钥没有 approve 权限，由有此权限的人审批。",
  sending: "正在提交审批结果……",
  sendingAgain: (attempt) => `尚未收到响应。正在重新提交同一审批结果（第 ${attempt} 次），服务器只接受一次。`,
  failed: (message) => `审批结果未被接受。${message}`,
  notConfirmed: "服务器没有确认审批结果。如果恢复连接后调用仍在等待审批，请再次审批。",
  gone: "此调用已不再等待审批。",
  dismiss: "关闭此卡片",
  changed: "此调用在显示之后发生了变化。",
  changedDiff: "之前显示的 → 现在",
  decided: (type, { by, isHere }) =>
    `${stateTexts.zh.decided(type, by)}${isHere === undefined ? "" : isHere ? "（在此标签页）" : "（在别处）"}`,
  withReason: (reason) => `理由：${reason}`,
  withAllowance: ({ scope, match }, isInTask) => {
    const unit = isInTask ? "任务" : "会话";
    return `此后始终允许：${scope === "thread" ? `此${unit}中` : `此智能体的所有${unit}中`}${match === "tool" ? "该工具的所有调用" : "参数相同的调用"}。此前已在等待审批的调用仍需单独审批。`;
  },
  editedTo: "原参数 → 实际执行",
  you: "你（本机）",
  lost: "进程在调用执行期间结束，无法确定它是否已生效。",
  progress: (decided, all) => `已处理 ${decided} / ${all}`,
  group: "此轮的调用",
  siblings: "同一轮的其他调用",
  together: "将一并审批的调用",
  further: (count, tools) => `另有 ${count} 个：${tools}`,
  cannotApprove: "不能批准",
  cannotReject: "不能拒绝",
  approveAll: (count) => `全部批准（${count}）`,
  rejectAll: (count) => `全部拒绝（${count}）`,
  thisAgent: "此智能体",
  showNew: (tool, id) => `显示 ${tool}（${id}）的新版本`,
};

export const cardTexts: Texts<CardTexts> = { en: english, zh: chinese };
