/** The texts of the page, in English and Chinese. */
export interface PageWords {
  readonly language: string;
  readonly lead: string;
  readonly here: string;
  readonly model: string;
  readonly tools: string;
  readonly none: string;
  readonly demo: string;
  readonly hidden: string;
  readonly tryIt: string;
  readonly copyIt: string;
  readonly question: string;
  readonly decide: string;
  readonly decideLead: string;
  readonly steps: Readonly<Record<"begin" | "say" | "decide", string>>;
  readonly bills: string;
  readonly reason: string;
  readonly goOn: string;
  readonly api: string;
  readonly groups: Readonly<Record<keyof typeof endpoints, string>>;
  /** By path. */
  readonly does: Readonly<Record<Path, string>>;
}

export const endpoints = {
  chat: [
    ["POST", "/v1/chat/completions"],
    ["GET", "/v1/models"],
    ["GET", "/personas"],
  ],
  threads: [
    ["POST", "/threads"],
    ["GET", "/threads?q="],
    ["GET", "/threads/:id"],
    ["POST", "/threads/:id/messages"],
    ["GET", "/threads/:id/events"],
    ["POST", "/threads/:id/stop"],
  ],
  approvals: [
    ["GET", "/queue"],
    ["POST", "/threads/:id/decisions"],
    ["GET", "/threads/:id/allowances"],
  ],
  histories: [
    ["POST", "/check"],
    ["POST", "/repair"],
    ["POST", "/convert"],
    ["POST", "/explain"],
  ],
  running: [
    ["GET", "/openapi.json"],
    ["GET", "/readyz"],
    ["GET", "/metrics"],
  ],
} as const;

type Path = (typeof endpoints)[keyof typeof endpoints][number][1];

export const english: PageWords = {
  language: "en",
  lead: "No tool call left dangling: OpenAI-compatible chat, threads that survive a crash, approval of each call.",
  here: "Personas on this server",
  model: "Model",
  tools: "Tools",
  none: "none",
  demo: " (needs no key; for trying things out)",
  hidden: "This server requires a key. <code>GET /personas</code> lists its personas.",
  tryIt: "Try it",
  copyIt: "Run this in a shell. A click selects the whole command.",
  question: "What time is it?",
  decide: "Approve and reject",
  decideLead: "Calls that spend money or delete data wait for a decision.",
  steps: {
    begin: "Create a thread",
    say: "Send a message and see which calls are pending",
    decide: "Decide some or all calls",
  },
  bills: "Read my mail, pay invoice 12 (300 euros), pay invoice 13 (80 euros) and delete all mail.",
  reason: "Not this month",
  goOn: "Stop the server during a run and start it again: it resumes, and nothing is lost.",
  api: "Endpoints",
  groups: {
    chat: "Chat",
    threads: "Threads",
    approvals: "Approvals",
    histories: "Histories",
    running: "Operations",
  },
  does: {
    "/v1/chat/completions":
      "OpenAI-compatible; also <code>personality_id</code>, <code>use_tools</code>, <code>thread_id</code>",
    "/v1/models": "personas and models",
    "/personas": "list personas",
    "/threads": "create a thread",
    "/threads?q=": "list and search",
    "/threads/:id": "messages, calls and pending calls",
    "/threads/:id/messages": "send a message",
    "/threads/:id/events": "events of the thread (SSE); <code>Last-Event-ID</code> resumes",
    "/threads/:id/stop": "stop the run",
    "/queue": "threads that wait for a decision",
    "/threads/:id/decisions": "approve, reject or edit calls, or respond instead of the tool",
    "/threads/:id/allowances": "allowances; <code>DELETE</code> revokes one",
    "/check": "list what a provider would refuse in a history",
    "/repair": "repair a history and return the edits",
    "/convert": "convert a history to another format",
    "/explain": "explain the error text of a provider",
    "/openapi.json": "the OpenAPI document",
    "/readyz": "readiness",
    "/metrics": "metrics for Prometheus",
  },
};

export const chinese: PageWords = {
  language: "zh-CN",
  lead: "不让任何工具调用悬空：与 OpenAI 兼容的聊天、崩溃后可继续的会话、逐个调用的审批。",
  here: "正在运行",
  model: "模型",
  tools: "工具",
  none: "无",
  demo: "（无需密钥，没有知识）",
  hidden: "此服务器需要密钥；持有者可用 <code>GET /personas</code> 查看可以对话的角色。",
  tryIt: "对话",
  copyIt: "在终端中运行；点击即可选中整条命令。",
  question: "现在几点钟？",
  decide: "批准与拒绝",
  decideLead: "花钱或会丢失内容的调用要等人决定。",
  steps: { begin: "新建会话", say: "说一句话，看看哪些调用在等待", decide: "作出决定：一部分，或全部" },
  bills: "读邮件，支付 12 号发票 300 欧元，支付 13 号发票 80 欧元，并删除所有邮件。",
  reason: "这个月不行",
  goOn: "可以在中途停止服务器，再次启动后继续：什么都不会丢失。",
  api: "接口",
  groups: { chat: "聊天", threads: "会话", approvals: "审批", histories: "历史记录", running: "运维" },
  does: {
    "/v1/chat/completions":
      "与 OpenAI 兼容；另有 <code>personality_id</code>、<code>use_tools</code>、<code>thread_id</code>",
    "/v1/models": "角色与模型",
    "/personas": "可以对话的角色",
    "/threads": "新建会话",
    "/threads?q=": "列出并搜索",
    "/threads/:id": "说过的话、发起的调用、等待中的调用",
    "/threads/:id/messages": "发送消息",
    "/threads/:id/events": "事件流（SSE），可用 <code>Last-Event-ID</code> 续读",
    "/threads/:id/stop": "停止正在进行的回合",
    "/queue": "等待决定的会话",
    "/threads/:id/decisions": "批准、拒绝、修改或代答调用",
    "/threads/:id/allowances": "始终允许的调用；<code>DELETE</code> 可收回",
    "/check": "历史记录中服务商会拒绝的地方",
    "/repair": "修复，并说明改动",
    "/convert": "转换为另一服务商的格式",
    "/explain": "服务商的错误信息是什么意思",
    "/openapi.json": "完整的接口描述",
    "/readyz": "能否工作",
    "/metrics": "供 Prometheus 读取",
  },
};
