import type { Texts } from "./language.tsx";

type InputPolicy = "supersede" | "queue" | "refuse";
type Mode = "read-only" | "plan" | "ask" | "accept-edits";

interface ComposerTexts {
  readonly label: string;
  readonly placeholder: string;
  readonly send: string;
  readonly stop: string;
  readonly keys: string;
  readonly mode: string;
  readonly modes: Readonly<Record<Mode, string>>;
  readonly modeDefault: string;
  /** What a mode does, in a line. */
  readonly modeNotes: Readonly<Record<Mode, string>>;
  readonly persona: string;
  /** The server does not have the persona of the thread. */
  readonly personaGone: (persona: string) => string;
  readonly model: string;
  readonly modelDefault: (model: string) => string;
  readonly policy: string;
  readonly policies: Readonly<Record<InputPolicy, string>>;
  /** What sending does while calls are pending. */
  readonly whilePending: Readonly<Record<InputPolicy, (count: number) => string>>;
  /** What sending does while the model responds. */
  readonly whileRunning: Readonly<Record<InputPolicy, string>>;
  /** The server refused the message. */
  readonly notSent: (reason: string) => string;
  /** The message was sent, but no response arrived. */
  readonly notConfirmed: string;
  /** The server has lost the response, and cannot find out what became of the message. */
  readonly mayHaveArrived: string;
  readonly notStopped: (reason: string) => string;
  readonly notChanged: (reason: string) => string;
  readonly choices: string;
  readonly attach: string;
  readonly detach: (name: string) => string;
  readonly imageFaults: Readonly<Record<"too-large" | "unreadable" | "no-image", string>>;
}

export const composerTexts: Texts<ComposerTexts> = {
  en: {
    label: "Message",
    placeholder: "Write a message",
    send: "Send",
    stop: "Stop the run",
    keys: "Enter sends. Shift+Enter starts a new line.",
    mode: "Mode",
    modes: { ask: "Ask", "accept-edits": "Accept edits", plan: "Plan", "read-only": "Read only" },
    modeDefault: "Mode of the persona",
    modeNotes: {
      ask: "Ask: all tools are offered. Calls wait for a decision as the rules say.",
      "accept-edits": "Accept edits: calls of tools that edit run without a decision, unless a rule requires one.",
      plan: "Plan: only tools that read are offered. The response ends with a plan.",
      "read-only":
        "Read only: only tools that read are offered, also for later messages, until you choose another mode.",
    },
    persona: "Persona",
    personaGone: (persona) => `This server has no persona “${persona}”. Choose another one to continue this thread.`,
    model: "Model",
    modelDefault: (model) => `${model} (of the persona)`,
    policy: "What a message does to open calls",
    policies: { supersede: "Cancel and send", queue: "Send afterwards", refuse: "Do not send" },
    whilePending: {
      supersede: (count) =>
        count === 1
          ? "1 call is pending: it will be cancelled if you send a message."
          : `${count} calls are pending: they will be cancelled if you send a message.`,
      queue: (count) =>
        count === 1
          ? "1 call is pending: your message will wait for its decision."
          : `${count} calls are pending: your message will wait for their decisions.`,
      refuse: (count) =>
        count === 1
          ? "1 call is pending: decide it before you send a message."
          : `${count} calls are pending: decide them before you send a message.`,
    },
    whileRunning: {
      supersede: "A run is active: it will be stopped and replaced if you send a message.",
      queue: "A run is active: your message will wait for its open calls.",
      refuse: "A run is active: wait for its end before you send a message.",
    },
    notSent: (reason) => `The message was not sent. ${reason}`,
    notConfirmed: "The server did not confirm the message. Send it again: it will not arrive twice.",
    mayHaveArrived:
      "The message may have arrived: look for it in the conversation. Sending it again sends a second one.",
    notStopped: (reason) => `The run was not stopped. ${reason}`,
    notChanged: (reason) => `The choice was not saved. ${reason}`,
    choices: "Persona, model and mode",
    attach: "Attach images",
    detach: (name) => `Remove the image ${name}`,
    imageFaults: {
      "too-large": "The images are too large. A message can have 7 MB of images.",
      unreadable: "An image could not be read. Add it again.",
      "no-image": "Only PNG, JPEG, GIF and WebP images can be attached.",
    },
  },
  zh: {
    label: "消息",
    placeholder: "输入消息",
    send: "发送",
    stop: "停止运行",
    keys: "Enter 发送，Shift+Enter 换行。",
    mode: "模式",
    modes: { ask: "询问", "accept-edits": "接受修改", plan: "计划", "read-only": "只读" },
    modeDefault: "角色的模式",
    modeNotes: {
      ask: "询问：可以使用全部工具，调用是否等待审批由规则决定。",
      "accept-edits": "接受修改：修改内容的工具无需审批即可执行，除非规则要求审批。",
      plan: "计划：只能使用只读的工具，回复以计划结束。",
      "read-only": "只读：只能使用只读的工具，之后的消息也是如此，直到选择其他模式。",
    },
    persona: "角色",
    personaGone: (persona) => `此服务器没有角色“${persona}”。请选择另一个角色以继续此会话。`,
    model: "模型",
    modelDefault: (model) => `${model}（角色的模型）`,
    policy: "发送消息时如何处理未完成的调用",
    policies: { supersede: "取消调用并发送", queue: "之后发送", refuse: "不发送" },
    whilePending: {
      supersede: (count) => `有 ${count} 个待审批的调用：发送消息会取消它们。`,
      queue: (count) => `有 ${count} 个待审批的调用：消息会在审批之后发送。`,
      refuse: (count) => `有 ${count} 个待审批的调用：请先审批，再发送消息。`,
    },
    whileRunning: {
      supersede: "正在运行：发送消息会停止并取代当前的运行。",
      queue: "正在运行：消息会在未完成的调用结束之后发送。",
      refuse: "正在运行：请等运行结束后再发送消息。",
    },
    notSent: (reason) => `消息没有发送。${reason}`,
    notConfirmed: "服务器没有确认这条消息。请再次发送，不会送达两次。",
    mayHaveArrived: "消息可能已送达，请在对话中查看。再次发送会成为另一条消息。",
    notStopped: (reason) => `运行没有停止。${reason}`,
    notChanged: (reason) => `选择没有保存。${reason}`,
    choices: "角色、模型和模式",
    attach: "添加图片",
    detach: (name) => `移除图片 ${name}`,
    imageFaults: {
      "too-large": "图片太大。一条消息最多可以有 7 MB 的图片。",
      unreadable: "无法读取图片，请重新添加。",
      "no-image": "只能添加 PNG、JPEG、GIF 和 WebP 图片。",
    },
  },
};
