import type { Language } from "#core";

const code = (names: readonly string[]): readonly string[] => names.map((name) => `\`${name}\``);

const english = {
  hello: "Hello!",
  self: (persona: string | undefined) =>
    `I am ${persona === undefined ? "Undangle's demo model" : `${persona}, played by Undangle's demo model`}: I run offline, need no key and understand only simple requests.`,
  tools: (lines: readonly string[]) => `I can use:\n${lines.join("\n")}`,
  noTools:
    "I have no tools here: the agent has none, or its mode does not offer them. With `tools: [tool({ … })]` I call them. For real responses, use a provider's model.",
  noToolFits: (text: string) => `I have no tool for “${text}”.`,
  echo: (text: string) => `You wrote: “${text}”.`,
  done: "Everything you asked for is done.",
  calling: (names: readonly string[]) =>
    names.length === 1
      ? `I am calling ${code(names).join("")}.`
      : `I am making ${names.length} calls at once: ${code(names.slice(0, -1)).join(", ")} and ${code(names.slice(-1)).join("")}.`,
  invented: (pairs: readonly string[]) =>
    `Your message does not contain every argument, so I made some up: ${pairs.join(", ")}.`,
  toolsAreOff: (names: readonly string[]) =>
    `Tools are switched off for this reply. Otherwise I would call ${code(names).join(", ")}.`,
  finalAnswer: "Here is my final answer.",
  time: (time: string, zone: string | undefined) => `It is ${time}${zone === undefined ? "" : ` (${zone})`}.`,
  succeeded: (name: string, text: string) => `\`${name}\` returned: ${text}`,
  empty: (name: string) => `\`${name}\` is done. It returned nothing.`,
  failed: (name: string, text: string) => `\`${name}\` did not succeed: ${text}`,
  unknown: (name: string, text: string) => `The outcome of \`${name}\` is unknown: ${text}`,
  rejected: (name: string, reason: string | undefined) =>
    `You rejected \`${name}\`${reason === undefined ? "" : ` (“${reason}”)`}, so it did not run.`,
  change: "Write what to change if you want it done differently.",
  separator: " ",
};

const chinese: Phrases = {
  hello: "你好！",
  self: (persona) =>
    `我是${persona === undefined ? " Undangle 的演示模型" : `${persona}，由 Undangle 的演示模型扮演`}：离线运行，不需要密钥，只能理解简单的请求。`,
  tools: (lines) => `我可以使用：\n${lines.join("\n")}`,
  noTools:
    "这里没有可用的工具：智能体没有工具，或者当前模式不提供。有了工具（`tools: [tool({ … })]`），我就会调用；要得到真正的回答，请换用真实的模型。",
  noToolFits: (text) => `没有工具可以处理“${text}”。`,
  echo: (text) => `你说的是：“${text}”。`,
  done: "你要求的都已完成。",
  calling: (names) =>
    names.length === 1
      ? `正在调用 ${code(names).join("")}。`
      : `同时发起 ${names.length} 个调用：${code(names).join("、")}。`,
  invented: (pairs) => `消息里缺少部分参数，以下取值是我编的：${pairs.join("，")}。`,
  toolsAreOff: (names) => `本次回复不能使用工具，否则我会调用 ${code(names).join("、")}。`,
  finalAnswer: "这是最终答案。",
  time: (time, zone) => `现在是 ${time}${zone === undefined ? "" : `（${zone}）`}。`,
  succeeded: (name, text) => `\`${name}\` 的结果：${text}`,
  empty: (name) => `\`${name}\` 已完成，没有返回内容。`,
  failed: (name, text) => `\`${name}\` 未成功：${text}`,
  unknown: (name, text) => `\`${name}\` 的结果未知：${text}`,
  rejected: (name, reason) => `你拒绝了 \`${name}\`${reason === undefined ? "" : `（“${reason}”）`}，所以它没有执行。`,
  change: "如果想换一种做法，请告诉我要改什么。",
  separator: "",
};

/** The texts of the demo model in one language. */
export type Phrases = typeof english;

export const phrases: Readonly<Record<Language, Phrases>> = { en: english, zh: chinese };
