import type { RemoteRepair } from "undangle/client";

import type { Explained } from "./edit-texts.ts";
import type { Texts } from "./language.tsx";

interface RepairsTexts {
  readonly summary: (repairs: number, rules: number) => string;
  readonly count: (repairs: number) => string;
  readonly more: (repairs: number) => string;
  readonly explain: (rule: string) => string;
  readonly openInDoctor: string;
  readonly openHint: string;
  /** The same for a thread that was not imported. */
  readonly openThreadHint: string;
  readonly sources: Readonly<Record<RemoteRepair["source"], Explained>>;
  readonly avoided: (provider: string) => string;
  readonly place: string;
  readonly moved: (from: string, to: string) => string;
  readonly call: string;
  readonly subAgent: string;
  readonly diff: (rule: string, place: string) => string;
  readonly shared: string;
  readonly sharedOrLong: string;
  readonly inChat: string;
  readonly notice: (error: string) => string;
  readonly emptyTitle: string;
  readonly empty: readonly string[];
  readonly importTitle: string;
  readonly importHint: string;
  readonly history: string;
  readonly placeholder: string;
  readonly choose: string;
  /** A text that is too long for the field. */
  readonly opened: (name: string, size: string) => string;
  readonly paste: string;
  readonly discard: string;
  readonly unreadable: (name: string, message: string) => string;
  readonly import: string;
  readonly importing: string;
  readonly notJson: (message: string) => string;
  readonly nothing: string;
}

export const repairsTexts: Texts<RepairsTexts> = {
  en: {
    summary: (repairs, rules) =>
      `${repairs === 1 ? "1 repair" : `${repairs} repairs`} by ${rules === 1 ? "1 rule" : `${rules} rules`}`,
    count: (repairs) => (repairs === 1 ? "1 repair" : `${repairs} repairs`),
    more: (repairs) => `Show more (${repairs} left)`,
    explain: (rule) => `Explain ${rule} in the doctor`,
    openInDoctor: "Open in the doctor",
    openHint: "Opens the history as it was imported, with all its problems. The doctor runs in this browser.",
    openThreadHint: "Opens the history of this thread as a request for openai-chat. The doctor runs in this browser.",
    sources: {
      import: {
        name: "Imported history",
        means: "The history was repaired when it was imported. The original is kept.",
      },
      request: { name: "Request", means: "A request was repaired before it was sent to the model." },
      response: { name: "Response", means: "A response of the model was repaired while it was read." },
    },
    avoided: (provider) => `Without the repair, ${provider} returns an error such as:`,
    place: "Place",
    moved: (from, to) => `${from} → ${to}`,
    call: "Call",
    subAgent: "Inside the calls",
    diff: (rule, place) => `Change by ${rule} at ${place}`,
    shared: "Another repair of this place shows the values.",
    sharedOrLong: "Another repair of this place shows the values, or they are too long to be stored.",
    inChat: "Show in the chat",
    notice: (error) => `The notice of the caller failed, and the default was used: ${error}`,
    emptyTitle: "Nothing was repaired in this thread",
    empty: [
      "Providers refuse histories with a call that has no result, a result without a call, invalid arguments and the like. Undangle changes such a history so that the provider accepts it, and records every change.",
      "Those changes appear here: the rule, the place, the value before and after, and the error that was avoided.",
    ],
    importTitle: "Import a broken history",
    importHint: "Paste a request body or a list of messages of any provider, or drop a file. It becomes a new thread.",
    history: "History as JSON",
    placeholder: '{ "messages": [ … ] }',
    choose: "Choose a file",
    opened: (name, size) => `${name}, ${size}`,
    paste: "Pasted text",
    discard: "Remove",
    unreadable: (name, message) => `${name} could not be read. ${message}`,
    import: "Import and repair",
    importing: "Importing …",
    notJson: (message) => `This is not JSON. ${message}`,
    nothing: "Paste a history first, or choose a file.",
  },
  zh: {
    summary: (repairs, rules) => `${rules} 条规则，${repairs} 处修复`,
    count: (repairs) => `${repairs} 处修复`,
    more: (repairs) => `显示更多（还有 ${repairs} 处）`,
    explain: (rule) => `在诊断页查看 ${rule} 的说明`,
    openInDoctor: "在诊断页打开",
    openHint: "打开导入时的历史及其全部问题。诊断在此浏览器中运行。",
    openThreadHint: "以 openai-chat 请求的形式打开此会话的历史。诊断在此浏览器中运行。",
    sources: {
      import: { name: "导入的历史", means: "历史在导入时被修复，原始内容仍然保留。" },
      request: { name: "请求", means: "请求在发送给模型之前被修复。" },
      response: { name: "响应", means: "模型的响应在读取时被修复。" },
    },
    avoided: (provider) => `若不修复，${provider} 会返回类似这样的错误：`,
    place: "位置",
    moved: (from, to) => `${from} → ${to}`,
    call: "调用",
    subAgent: "所在的调用",
    diff: (rule, place) => `${rule} 在 ${place} 的更改`,
    shared: "此处的值显示在同一位置的另一处修复中。",
    sharedOrLong: "此处的值显示在同一位置的另一处修复中，或因过长而未保存。",
    inChat: "在对话中显示",
    notice: (error) => `调用方的通知生成失败，已使用默认通知：${error}`,
    emptyTitle: "此会话没有任何修复",
    empty: [
      "如果历史中有缺少结果的调用、没有调用的结果、无效的参数等，提供商会拒绝。Undangle 会修改这样的历史，使提供商接受，并记录每一处更改。",
      "这些更改会显示在这里：规则、位置、更改前后的值，以及避免的错误。",
    ],
    importTitle: "导入损坏的历史",
    importHint: "粘贴任何提供商的请求体或消息列表，或拖入文件。导入后会成为一个新会话。",
    history: "JSON 格式的历史",
    placeholder: '{ "messages": [ … ] }',
    choose: "选择文件",
    opened: (name, size) => `${name}，${size}`,
    paste: "粘贴的文本",
    discard: "移除",
    unreadable: (name, message) => `无法读取 ${name}。${message}`,
    import: "导入并修复",
    importing: "正在导入……",
    notJson: (message) => `这不是 JSON。${message}`,
    nothing: "请先粘贴历史或选择文件。",
  },
};
