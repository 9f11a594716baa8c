import type { Texts } from "./language.tsx";

interface RunTexts {
  /** Why a turn ended early, by its finish reason. */
  readonly finishes: Readonly<Record<string, string>>;
  readonly otherFinish: (reason: string) => string;
  readonly emptyTurn: string;
  readonly stopped: string;
  readonly superseded: string;
  readonly failed: (reason: string) => string;
  /** Why a run failed and what a person can do, by the code of the error. Other codes have a text of the server. */
  readonly failures: Readonly<Record<string, string>>;
  /** What a person does after a run that ended while calls wait for decisions. */
  readonly decideFirst: string;
  /** The last message has no response. */
  readonly unanswered: string;
  readonly again: string;
  readonly respond: string;
}

export const runTexts: Texts<RunTexts> = {
  en: {
    finishes: {
      stopped: "Stopped here.",
      length: "The response was cut off: it reached the maximum length. Ask the model to continue.",
      content_filter: "The provider's content filter ended the response here.",
      error: "The response ended here because of an error.",
    },
    otherFinish: (reason) => `The response ended early (${reason}).`,
    emptyTurn: "The model returned an empty response.",
    stopped: "The run was stopped.",
    superseded: "Another message replaced this run.",
    failed: (reason) => `The run failed. ${reason}`,
    failures: {
      "model/rate-limit":
        "The provider of the model limits the number of requests, or the quota of the account is used up. Wait a moment and try again, or choose another model below.",
      "model/overloaded":
        "The provider of the model is overloaded or failing. Wait a moment and try again, or choose another model below.",
      "model/timeout": "The provider of the model did not respond in time. Try again, or choose another model below.",
      "model/unreachable":
        "The provider of the model cannot be reached, or its response was incomplete. Check the network of the server and try again.",
      "model/auth":
        "The server's key for the provider of the model is missing or was not accepted. Set a valid key where the server runs, restart it and try again, or choose another model below.",
      "model/context-overflow":
        "The conversation is too long for the model. Choose a model with a larger context below, fork the thread from an earlier message, or start a new thread.",
      "run/context-overflow":
        "The conversation is too long for the model, also after it was shortened. Choose a model with a larger context below, fork the thread from an earlier message, or start a new thread.",
      "model/content-filter":
        "The provider's content filter refused the request. The same content would be refused again: change your message, or choose another model below.",
      "model/refused":
        "The provider refused the request. The log of the server has its reason. Choose another model below, or try again.",
      "model/failed":
        "The model failed. The log of the server has the reason. Try again, or choose another model below.",
      "run/crashed": "The process that ran this thread ended unexpectedly.",
    },
    decideFirst: "Decide about the pending calls to continue.",
    unanswered: "The last message has no response.",
    again: "Try again",
    respond: "Request a response",
  },
  zh: {
    finishes: {
      stopped: "在此处停止。",
      length: "回复被截断：已达到最大长度。可以让模型继续。",
      content_filter: "提供商的内容过滤器在此处中止了回复。",
      error: "回复因错误在此处结束。",
    },
    otherFinish: (reason) => `回复提前结束（${reason}）。`,
    emptyTurn: "模型返回了空的回复。",
    stopped: "运行已停止。",
    superseded: "另一条消息取代了此次运行。",
    failed: (reason) => `运行失败。${reason}`,
    failures: {
      "model/rate-limit": "模型的提供商限制请求次数，或账户的额度已用完。请稍后重试，或在下方选择另一个模型。",
      "model/overloaded": "模型的提供商过载或出错。请稍后重试，或在下方选择另一个模型。",
      "model/timeout": "模型的提供商没有及时响应。请重试，或在下方选择另一个模型。",
      "model/unreachable": "无法连接模型的提供商，或其响应不完整。请检查服务器的网络，然后重试。",
      "model/auth":
        "服务器没有提供商的密钥，或密钥未被接受。请在服务器的环境中设置有效的密钥，重启后重试，或在下方选择另一个模型。",
      "model/context-overflow": "对话对模型来说太长。请在下方选择上下文更大的模型，从更早的消息派生会话，或新建会话。",
      "run/context-overflow":
        "即使缩短后，对话对模型来说仍然太长。请在下方选择上下文更大的模型，从更早的消息派生会话，或新建会话。",
      "model/content-filter":
        "提供商的内容过滤器拒绝了请求，相同的内容会再次被拒绝。请修改你的消息，或在下方选择另一个模型。",
      "model/refused": "提供商拒绝了请求，原因在服务器的日志中。请在下方选择另一个模型，或重试。",
      "model/failed": "模型出错，原因在服务器的日志中。请重试，或在下方选择另一个模型。",
      "run/crashed": "运行此会话的进程意外结束。",
    },
    decideFirst: "请先审批等待中的调用，运行随后会继续。",
    unanswered: "最后一条消息还没有回复。",
    again: "重新生成",
    respond: "生成回复",
  },
};
