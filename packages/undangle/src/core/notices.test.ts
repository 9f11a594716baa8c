import { describe, expect, test } from "vitest";
import { causes, isNotice, renderNotice } from "./notices.ts";
import type { Cause } from "./notices.ts";

const call = { id: "call_7", name: "pay" };
const en = "Tool call pay with id call_7";
const zh = "工具调用 pay(ID 为 call_7)";

const sentences: Readonly<Record<Cause, readonly [english: string, chinese: string]>> = {
  superseded: [
    `${en} was cancelled - another message came in before it could be completed.`,
    `${zh}已被取消——在其完成之前收到了另一条消息。`,
  ],
  interrupted: [
    `${en} has no recorded result - the conversation was interrupted. It may or may not have run.`,
    `${zh}没有留下结果——会话曾被中断。它可能已经执行，也可能没有。`,
  ],
  malformed: [`${en} was not executed - its arguments were not valid JSON.`, `${zh}未被执行——其参数不是有效的 JSON。`],
  truncated: [`${en} was not executed - its arguments were cut off.`, `${zh}未被执行——其参数不完整，已被截断。`],
  expired: [`${en} was not executed - nobody approved it in time.`, `${zh}未被执行——在时限内没有得到批准。`],
  stopped: [`${en} was not executed - the run was stopped before it began.`, `${zh}未被执行——运行在其开始之前已停止。`],
  "stopped-running": [
    `${en} was running when the run was stopped. Its outcome is unknown.`,
    `${zh}在运行停止时正在执行。其结果未知。`,
  ],
  crashed: [
    `${en} was running when the process ended. Its outcome is unknown; check before running it again.`,
    `${zh}在执行过程中进程终止。其结果未知，再次执行之前请先确认。`,
  ],
  "timed-out": [`${en} did not finish in time. Its outcome is unknown.`, `${zh}未能按时完成。其结果未知。`],
  limit: [`${en} was not executed - the run reached its limit.`, `${zh}未被执行——运行已达到上限。`],
  pending: [`${en} has not been executed yet.`, `${zh}尚未执行。`],
  awaiting: [`${en} has not been executed yet - it is waiting for approval.`, `${zh}尚未执行——正在等待批准。`],
  running: [`${en} is still running. Its result is not known yet.`, `${zh}仍在执行中。其结果尚不可知。`],
  rejected: [
    '{"success":false,"error":"The user rejected this operation","userRejected":true}',
    '{"success":false,"error":"用户拒绝了此操作","userRejected":true}',
  ],
};

describe("the notices, word for word", () => {
  test.each(causes)("%s", (cause) => {
    const [english, chinese] = sentences[cause];
    expect(renderNotice(call, cause)).toBe(english);
    expect(renderNotice(call, cause, { language: "zh" })).toBe(chinese);
  });

  test("a rejection gives its reason where there is one", () => {
    expect(renderNotice({ ...call, reason: "not this month" }, "rejected")).toBe(
      '{"success":false,"error":"The user rejected this operation","userRejected":true,"reason":"not this month"}',
    );
  });

  test("a call without an id is spoken of by its name", () => {
    const bare = { id: "", name: "pay" };
    expect(renderNotice(bare, "limit")).toBe("Tool call pay was not executed - the run reached its limit.");
    expect(renderNotice(bare, "limit", { language: "zh" })).toBe("工具调用 pay未被执行——运行已达到上限。");
    expect(isNotice(renderNotice(bare, "limit"), bare)).toBe(true);
  });
});

describe("a notice of ours is known again", () => {
  test.each(causes.filter((cause) => cause !== "rejected"))("%s", (cause) => {
    expect(isNotice(renderNotice(call, cause), call)).toBe(true);
    expect(isNotice(renderNotice(call, cause, { language: "zh" }), call)).toBe(true);
    expect(isNotice(renderNotice(call, cause), { ...call, id: "other" })).toBe(false);
  });

  test("other texts are not, and neither is a rejection: a person said that", () => {
    expect(isNotice(`${en} was paid.`, call)).toBe(false);
    expect(isNotice("", call)).toBe(false);
    expect(isNotice(renderNotice(call, "rejected"), call)).toBe(false);
  });
});
