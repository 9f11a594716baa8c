import type { Texts } from "./language.tsx";
import type { CallPhase } from "./state-texts.ts";

interface ThreadTexts {
  readonly conversation: string;
  readonly loading: string;
  readonly empty: string;
  readonly canUse: (tools: string) => string;
  readonly tryThis: string;
  /** Messages that the demo agent understands. The second asks for three calls, of which one fails. */
  readonly demoExamples: readonly string[];
  /** A message that the deep demo agent understands. */
  readonly deepExamples: readonly string[];
  readonly you: string;
  readonly engine: string;
  readonly system: string;
  readonly reasoning: string;
  readonly thinking: string;
  readonly queued: string;
  readonly retracted: string;
  readonly discarded: (reason: string) => string;
  readonly tokens: (input: number, output: number) => string;
  readonly older: string;
  readonly earlier: string;
  readonly latest: string;
  readonly copy: string;
  readonly fork: string;
  readonly retry: string;
  readonly repairs: (count: number) => string;
  readonly warnings: string;
  readonly lostCalls: (count: number) => string;
  /** Before the names of lost calls. */
  readonly lostNames: string;
  readonly finished: (text: string) => string;
  readonly needsDecision: (count: number) => string;
  readonly fold: string;
  readonly unfold: string;
  readonly forkTitle: (title: string) => string;
  readonly rename: { readonly button: string; readonly label: string };
  readonly call: {
    readonly label: (tool: string, state: string) => string;
    readonly explained: Readonly<Partial<Record<CallPhase, string>>>;
    /** Instead, for a call whose tool was started. */
    readonly explainedStarted: Readonly<Partial<Record<CallPhase, string>>>;
    readonly arguments: string;
    readonly result: string;
    readonly error: string;
    readonly details: (tool: string) => string;
    readonly progress: string;
    readonly proposed: string;
    readonly changed: string;
    readonly unnamedPerson: string;
    readonly allowed: (by: string) => string;
    readonly decideBelow: string;
    /** For a person who may not decide. */
    readonly shownBelow: string;
    readonly subAgent: (tool: string) => string;
    readonly subAgentDoes: (activity: string) => string;
    readonly subAgentWrites: string;
    readonly showSubAgent: (tool: string) => string;
    readonly link: (tool: string) => string;
  };
  readonly connection: {
    /** Instead of the state of the thread. */
    readonly none: string;
  };
  readonly refused: {
    readonly missing: string;
    readonly deleted: string;
    readonly forbidden: string;
    readonly restore: string;
    readonly inbox: string;
  };
  readonly side: {
    readonly title: string;
    readonly open: string;
    readonly close: string;
    readonly todos: string;
    readonly noTodos: string;
    readonly todoStates: Readonly<Record<"pending" | "in_progress" | "completed", string>>;
    readonly files: string;
    readonly noFiles: string;
    readonly show: (path: string) => string;
    readonly hide: (path: string) => string;
    readonly download: (path: string) => string;
    readonly binary: string;
    readonly about: string;
    readonly persona: string;
    readonly status: string;
    readonly id: string;
    readonly created: string;
    readonly entries: string;
    readonly usage: string;
    readonly export: string;
    readonly exportThread: string;
    readonly exportAs: (format: string) => string;
    readonly save: string;
    readonly delete: string;
    readonly deleteNow: string;
    readonly deleteHint: string;
  };
}

export const threadTexts: Texts<ThreadTexts> = {
  en: {
    conversation: "Conversation",
    loading: "Loading the conversation …",
    empty: "No messages yet. Write the first one below.",
    canUse: (tools) => `This persona can use: ${tools}.`,
    tryThis: "Try one of these:",
    demoExamples: [
      "Read my mail.",
      "Pay invoice 12 of 300 euros, pay invoice 13 of 5000 euros and delete my mail.",
      "Add a note: buy milk.",
    ],
    deepExamples: ["Research electric bikes."],
    you: "You",
    engine: "Written by the engine",
    system: "Instructions of the imported history",
    reasoning: "Reasoning",
    thinking: "The model is responding",
    queued: "waiting until open calls have results",
    retracted: "Replaced by a newer response. The model does not receive it.",
    discarded: (reason) => `An attempt was discarded: ${reason}`,
    tokens: (input, output) => `${input.toLocaleString("en")} tokens in, ${output.toLocaleString("en")} out`,
    older: "Loading older messages …",
    earlier: "Show earlier messages",
    latest: "Jump to the latest",
    copy: "Copy this message",
    fork: "Fork the thread from here",
    retry: "Retry: request another response",
    repairs: (count) => (count === 1 ? "1 repair" : `${count} repairs`),
    warnings: "Warnings",
    lostCalls: (count) => (count === 1 ? "1 call with unknown outcome" : `${count} calls with unknown outcome`),
    lostNames: "Unknown outcome:",
    finished: (text) => `Response complete. ${text}`,
    needsDecision: (count) => (count === 1 ? "1 call needs a decision." : `${count} calls need a decision.`),
    fold: "Fold the pending calls",
    unfold: "Show the pending calls",
    forkTitle: (title) => `${title} (fork)`,
    rename: { button: "Rename the thread", label: "Title of the thread" },
    call: {
      label: (tool, state) => `Call of ${tool}: ${state}`,
      explained: {
        lost: "The process ended while this call was running. Its outcome is unknown: it may have had its effect, or not. It was not run again.",
        unanswered: "The imported history has no result for this call. The model gets:",
        superseded: "A newer message arrived before this call ran. It was cancelled and did not run.",
        expired: "There was no decision before the deadline. The call did not run.",
        stopped: "The run was stopped before this call began. It did not run.",
        rejected: "A person rejected this call. It did not run.",
        responded: "The tool did not run. A person gave the result in its place.",
        "timed-out": "The tool timed out.",
      },
      explainedStarted: {
        superseded:
          "A newer message arrived while this call was running. It was cancelled, and may have had its effect.",
        stopped: "The run was stopped while this call was running. It may have had its effect.",
      },
      arguments: "Arguments",
      result: "Result",
      error: "Error",
      details: (tool) => `Details of the call of ${tool}`,
      progress: "Progress",
      proposed: "The model proposed other arguments. This is the difference to what ran:",
      changed: "proposed and executed arguments",
      unnamedPerson: "a person",
      allowed: (by) => `Needed no decision: ${by} allowed such calls`,
      decideBelow: "Decide below the conversation",
      shownBelow: "Details below the conversation",
      subAgent: (tool) => `Conversation of the sub-agent of ${tool}`,
      subAgentDoes: (activity) => `The sub-agent calls ${activity}`,
      subAgentWrites: "The sub-agent is responding",
      showSubAgent: (tool) => `Sub-agent of ${tool}`,
      link: (tool) => `Link to this call of ${tool}`,
    },
    connection: {
      none: "not connected",
    },
    refused: {
      missing: "There is no thread at this address. It may have been removed permanently.",
      deleted: "This thread was deleted.",
      forbidden: "Your key does not permit reading threads.",
      restore: "Restore it",
      inbox: "Go to the inbox",
    },
    side: {
      title: "About this thread",
      open: "Show tasks, files and details",
      close: "Close",
      todos: "Tasks",
      noTodos: "The agent has no list of tasks.",
      todoStates: { pending: "pending", in_progress: "in progress", completed: "completed" },
      files: "Files",
      noFiles: "The thread has no files.",
      show: (path) => `Show ${path}`,
      hide: (path) => `Hide ${path}`,
      download: (path) => `Download ${path}`,
      binary: "This file is not text. Download it to see it.",
      about: "Details",
      persona: "Persona",
      status: "Status",
      id: "Id",
      created: "Created",
      entries: "Entries",
      usage: "Tokens",
      export: "Export",
      exportThread: "Thread (JSON)",
      exportAs: (format) => `As ${format}`,
      save: "Save the export",
      delete: "Delete the thread",
      deleteNow: "Delete now",
      deleteHint: "It can be restored.",
    },
  },
  zh: {
    conversation: "对话",
    loading: "正在加载对话……",
    empty: "还没有消息。请在下方写下第一条。",
    canUse: (tools) => `这个角色可以使用：${tools}。`,
    tryThis: "试试这些：",
    demoExamples: [
      "读我的邮件。",
      "支付 12 号发票 300 欧元，支付 13 号发票 5000 欧元，并删除我的邮件。",
      "记一条笔记：买牛奶。",
    ],
    deepExamples: ["调研电动自行车。"],
    you: "你",
    engine: "由引擎写入",
    system: "导入的历史中的指令",
    reasoning: "推理",
    thinking: "模型正在生成回复",
    queued: "等待未完成的调用得到结果",
    retracted: "已被更新的回复取代，模型不会收到它。",
    discarded: (reason) => `一次尝试已被丢弃：${reason}`,
    tokens: (input, output) => `输入 ${input.toLocaleString("zh")} token，输出 ${output.toLocaleString("zh")}`,
    older: "正在加载更早的消息……",
    earlier: "显示更早的消息",
    latest: "跳到最新消息",
    copy: "复制此消息",
    fork: "从此处派生会话",
    retry: "重试：重新生成回复",
    repairs: (count) => `${count} 处修复`,
    warnings: "警告",
    lostCalls: (count) => `${count} 个调用结果未知`,
    lostNames: "结果未知：",
    finished: (text) => `回复完成。${text}`,
    needsDecision: (count) => `${count} 个调用需要审批。`,
    fold: "折叠待审批的调用",
    unfold: "显示待审批的调用",
    forkTitle: (title) => `${title}（派生）`,
    rename: { button: "重命名会话", label: "会话的标题" },
    call: {
      label: (tool, state) => `${tool} 的调用：${state}`,
      explained: {
        lost: "此调用执行时进程结束，结果未知：它可能已生效，也可能没有。它没有再次执行。",
        unanswered: "导入的历史中没有此调用的结果。模型收到的是：",
        superseded: "此调用执行之前收到了新消息，因此已取消，没有执行。",
        expired: "截止时间前无人审批，调用没有执行。",
        stopped: "此调用开始之前运行已停止，它没有执行。",
        rejected: "有人拒绝了此调用，它没有执行。",
        responded: "工具没有执行，结果由人工提供。",
        "timed-out": "工具未在规定时间内完成。",
      },
      explainedStarted: {
        superseded: "此调用执行期间收到了新消息，因此已取消。它可能已生效。",
        stopped: "此调用执行期间运行已停止。它可能已生效。",
      },
      arguments: "参数",
      result: "结果",
      error: "错误",
      details: (tool) => `${tool} 调用的详情`,
      progress: "进度",
      proposed: "模型提出的参数与实际执行的不同，差异如下：",
      changed: "提出的参数与执行的参数",
      unnamedPerson: "某人",
      allowed: (by) => `无需审批：${by} 已始终允许此类调用`,
      decideBelow: "在对话下方审批",
      shownBelow: "详情在对话下方",
      subAgent: (tool) => `${tool} 的子智能体的对话`,
      subAgentDoes: (activity) => `子智能体正在调用 ${activity}`,
      subAgentWrites: "子智能体正在生成回复",
      showSubAgent: (tool) => `${tool} 的子智能体`,
      link: (tool) => `${tool} 此次调用的链接`,
    },
    connection: {
      none: "未连接",
    },
    refused: {
      missing: "此地址没有会话，它可能已被永久删除。",
      deleted: "此会话已删除。",
      forbidden: "你的密钥无权读取会话。",
      restore: "恢复",
      inbox: "前往待审批列表",
    },
    side: {
      title: "关于此会话",
      open: "显示任务、文件和详情",
      close: "关闭",
      todos: "任务",
      noTodos: "智能体没有任务清单。",
      todoStates: { pending: "待办", in_progress: "进行中", completed: "已完成" },
      files: "文件",
      noFiles: "此会话没有文件。",
      show: (path) => `显示 ${path}`,
      hide: (path) => `隐藏 ${path}`,
      download: (path) => `下载 ${path}`,
      binary: "此文件不是文本，请下载查看。",
      about: "详情",
      persona: "角色",
      status: "状态",
      id: "ID",
      created: "创建时间",
      entries: "条目数",
      usage: "Token 用量",
      export: "导出",
      exportThread: "会话（JSON）",
      exportAs: (format) => `导出为 ${format}`,
      save: "保存导出文件",
      delete: "删除会话",
      deleteNow: "确认删除",
      deleteHint: "删除后可以恢复。",
    },
  },
};
