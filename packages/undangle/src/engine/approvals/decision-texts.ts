import type { Language } from "#core";

import type { CallState } from "../ledger/call.ts";

const statesChinese: Readonly<Record<CallState, string>> = {
  proposed: "已提出",
  awaiting: "等待决定",
  approved: "已批准",
  running: "正在执行",
  delegated: "其子智能体在等待决定",
  rejected: "已拒绝",
  responded: "已由人给出结果",
  superseded: "已被取代",
  expired: "已过期",
  succeeded: "已成功",
  failed: "已失败",
  "timed-out": "已超时",
  stopped: "已停止",
  lost: "结果未知",
};

const english = {
  open: (state: CallState) => `it is ${state} and not pending`,
  settled: (state: CallState) => `it is settled: ${state}`,
  decided: "it is decided",
  expired: "it has expired",
  unknown: (waiting: readonly string[]) =>
    `there is no such call; ${waiting.length === 0 ? "none is waiting" : `waiting: ${waiting.join(", ")}`}`,
  shape: "a decision must be an object with a type",
  notAllowed: (type: unknown, tool: string, allowed: readonly string[]) =>
    `${JSON.stringify(type)} is not allowed for ${tool}; allowed: ${allowed.join(", ")}`,
  foreign: (tool: string, agent: string, other: string | undefined) =>
    `the agent ${agent} requested it, and the tool ${tool} of ${other === undefined ? "another agent" : `the agent ${other}`} may do something else; reject it, or let the agent ${agent} continue the thread`,
  changed: "the call has changed since it was shown",
  oddKey: (type: string, key: string, keys: readonly string[]) =>
    `${type} has no ${JSON.stringify(key)}; it has ${keys.join(", ")}`,
  noResult: "respond needs a result",
  unpassable: (reason: string) => `its result cannot be passed on: ${reason}`,
  reason: "the reason of a rejection must be a string",
  name: "the name of a tool must be a string",
  noTool: (name: string, tools: readonly string[]) =>
    `there is no tool ${JSON.stringify(name)}; known: ${tools.join(", ")}`,
  noArguments: "edit needs arguments, which must be an object",
  tooDeep: "its arguments are nested too deeply: at most 500 levels are allowed",
  unwritable: (reason: string) => `its arguments cannot be written as JSON: ${reason}`,
  late: (tool: string, seconds: number) =>
    `its arguments could not be checked against ${tool} within ${seconds} seconds; try again`,
  unfit: (tool: string, problems: readonly string[]) => `its arguments do not fit ${tool}: ${problems.join("; ")}`,
  always: {
    shape: (odd: string | undefined) =>
      `always must be true, or an object with scope and match${odd === undefined ? "" : `, and no ${JSON.stringify(odd)}`}`,
    scope: (scopes: readonly unknown[]) => `the scope of always is one of ${scopes.join(", ")}`,
    match: (matches: readonly unknown[]) => `the match of always is one of ${matches.join(", ")}`,
    never: (tool: string) => `${tool} cannot be always allowed, because every call needs a decision`,
    nameless: (tool: string) =>
      `${tool} cannot be allowed in all threads of an agent without a name; set the option name of createAgent`,
    tooDeep: "its arguments are nested too deeply to be matched later",
    otherTool: "always applies only to the proposed tool",
  },
};

/** The messages about refused decisions. */
export type DecisionTexts = typeof english;

const chinese: DecisionTexts = {
  open: (state) => `它的状态是“${statesChinese[state]}”，不等待决定`,
  settled: (state) => `它已了结：${statesChinese[state]}`,
  decided: "它已有决定",
  expired: "它已过期",
  unknown: (waiting) =>
    `没有这个调用；${waiting.length === 0 ? "没有等待决定的调用" : `等待决定的有：${waiting.join("、")}`}`,
  shape: "决定应为带有 type 的对象",
  notAllowed: (type, tool, allowed) => `${tool} 不允许 ${JSON.stringify(type)}；允许：${allowed.join("、")}`,
  foreign: (tool, agent, other) =>
    `它由智能体 ${agent} 提出，${other === undefined ? "另一个智能体" : `智能体 ${other}`}的工具 ${tool} 可能做别的事；请拒绝它，或让智能体 ${agent} 继续此会话`,
  changed: "它不是当时展示的调用：它已改变",
  oddKey: (type, key, keys) => `${type} 没有 ${JSON.stringify(key)}；可用：${keys.join("、")}`,
  noResult: "respond 需要 result",
  unpassable: (reason) => `其结果无法传递：${reason}`,
  reason: "拒绝的理由应为文本",
  name: "工具名称应为文本",
  noTool: (name, tools) => `没有工具 ${JSON.stringify(name)}；已知：${tools.join("、")}`,
  noArguments: "edit 需要 arguments，且应为对象",
  tooDeep: "其参数嵌套过深：最多允许 500 层",
  unwritable: (reason) => `其参数无法写成 JSON：${reason}`,
  late: (tool, seconds) => `${seconds} 秒后仍不知道参数是否符合 ${tool} 的要求；请重试`,
  unfit: (tool, problems) => `其参数不符合 ${tool} 的要求：${problems.join("；")}`,
  always: {
    shape: (odd) =>
      `always 应为 true，或带有 scope 和 match${odd === undefined ? "" : `，没有 ${JSON.stringify(odd)}`}`,
    scope: (scopes) => `always 的 scope 应为以下之一：${scopes.join("、")}`,
    match: (matches) => `always 的 match 应为以下之一：${matches.join("、")}`,
    never: (tool) => `${tool} 不能一直允许：每次都要决定`,
    nameless: (tool) => `没有名称的智能体不能在其所有会话中允许 ${tool}；请给 createAgent 一个 name`,
    tooDeep: "其参数嵌套过深，无法再次识别",
    otherTool: "always 只适用于所提议的工具，不适用于其他工具",
  },
};

export const decisionTexts: Readonly<Record<Language, DecisionTexts>> = { en: english, zh: chinese };
