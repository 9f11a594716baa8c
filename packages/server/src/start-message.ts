import type { Language, UndangleError } from "undangle";

import type { Service } from "./open-service.ts";

/** The message for the operator: what the server runs on, and what to do next. */
export function startMessage(
  { roster, configPath, storeName }: Service,
  { url, language, needsKey }: { readonly url: string; readonly language: Language; readonly needsKey: boolean },
): string {
  const [first] = roster.personas;
  const isDemo = first?.isDemo === true;
  const words = texts[language];
  return [
    words.runs(url),
    ...roster.personas.map(({ id, name, model }) => `  ${name} (${id}), ${words.model} ${model}`),
    ...roster.unready.map(({ id, fault }) => words.unready(id, fault)),
    words.store(storeName),
    isDemo ? words.demo : "",
    configPath === undefined ? words.noConfig : "",
    words.tryIt,
    ...curlLines(`${url}/v1/chat/completions`, {
      persona: first?.id ?? roster.standard,
      question: words.question,
      needsKey,
    }),
    words.page,
    words.stop,
  ]
    .filter((line) => line !== "")
    .join("\n");
}

interface CurlRequest {
  readonly persona: string;
  readonly question: string;
  readonly needsKey: boolean;
}

/** A chat request to copy, in lines of at most 80 columns. */
function curlLines(url: string, { persona, question, needsKey }: CurlRequest): readonly string[] {
  const settings = JSON.stringify({ personality_id: persona, use_tools: true, stream: true });
  const messages = JSON.stringify([{ role: "user", content: question }]);
  return [
    `  curl -N ${url} \\`,
    ...(needsKey ? [`    -H 'Authorization: Bearer ud_…' \\`] : []),
    `    -H 'Content-Type: application/json' \\`,
    `    -d '${settings.slice(0, -1)},`,
    `         "messages":${messages}}'`,
  ];
}

const variablesOf = (fault: UndangleError): string =>
  fault.is("model/auth") ? `缺少密钥：请设置 ${(fault.data.variables ?? []).join(" 或 ")}。` : fault.message;

const texts: Readonly<Record<Language, Words>> = {
  en: {
    runs: (url) => `Undangle runs at ${url}`,
    model: "model",
    unready: (id, fault) => `${id} cannot respond. ${fault.message}`,
    store: (name) => `Threads are stored in ${name}.`,
    question: "What time is it?",
    demo: "The demo model is used because no model is configured. Choose one with --model openai/gpt-5.1.",
    noConfig: "There is no undangle.config.ts here. Create one to define your own agents and tools.",
    tryIt: "Try:",
    page: "Open it in a browser to chat, and to approve and reject calls.",
    stop: "Ctrl-C stops it. Threads resume at the next start.",
  },
  zh: {
    runs: (url) => `Undangle 运行于 ${url}`,
    model: "模型",
    unready: (id, fault) => `${id} 无法作答。${variablesOf(fault)}`,
    store: (name) => `会话保存在 ${name}。`,
    question: "现在几点钟？",
    demo: "未指定模型，由演示模型作答：它无需密钥，也没有知识。可用 --model openai/gpt-5.1 指定模型。",
    noConfig: "此处没有 undangle.config.ts：可在其中描述自己的智能体和工具。",
    tryIt: "试一试：",
    page: "用浏览器打开即可对话，并批准或拒绝调用。",
    stop: "按 Ctrl-C 停止；会话会在下次启动时继续。",
  },
};

interface Words {
  readonly runs: (url: string) => string;
  readonly model: string;
  readonly unready: (id: string, fault: UndangleError) => string;
  readonly store: (name: string) => string;
  readonly question: string;
  readonly demo: string;
  readonly noConfig: string;
  readonly tryIt: string;
  readonly page: string;
  readonly stop: string;
}
