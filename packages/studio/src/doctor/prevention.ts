import type { Format } from "undangle";

/** The line of code that prevents what the doctor found, and the page of the documentation about it. */
export interface Prevention {
  readonly code: string;
  readonly page: string;
}

const wrapped = (constructor: string, page: string): Prevention => ({
  code: `import { wrapFetch } from "undangle";\n\nconst client = ${constructor};`,
  page,
});

/** How a program prevents broken histories, by the format that it sends. */
export const preventions: Readonly<Record<Format, Prevention>> = {
  "openai-chat": wrapped("new OpenAI({ fetch: wrapFetch() })", "docs/guide/openai-sdk.md"),
  "openai-responses": wrapped("new OpenAI({ fetch: wrapFetch() })", "docs/guide/openai-sdk.md"),
  anthropic: wrapped("new Anthropic({ fetch: wrapFetch() })", "docs/guide/anthropic-sdk.md"),
  gemini: wrapped("new GoogleGenAI({ apiKey, httpOptions: { fetch: wrapFetch() } })", "docs/guide/gemini.md"),
  ollama: wrapped("new Ollama({ host, fetch: wrapFetch() })", "docs/guide/any-sdk.md"),
  bedrock: {
    code: 'import { repair } from "undangle";\n\nconst { output } = repair(body);\nawait client.send(new ConverseCommand(output));',
    page: "docs/guide/check-and-repair.md",
  },
  "ai-sdk": {
    code: 'import { repairStep } from "undangle/ai-sdk";\n\nstreamText({ model, tools, messages, prepareStep: repairStep() });',
    page: "docs/guide/ai-sdk.md",
  },
  langchain: {
    code: 'import { undangle } from "undangle/langchain";\n\ncreateAgent({ model, tools, middleware: [undangle()] });',
    page: "docs/guide/langchain.md",
  },
};

/** Against conversations that are too long. */
export const trimming: Prevention = {
  code: 'import { trim } from "undangle";\n\nconst { output: messages } = trim(history, { keep: { tokens: 100_000 } });',
  page: "docs/guide/context.md",
};

/** For any program, without an SDK. */
export const anyPrevention: Prevention = {
  code: 'import { repair } from "undangle";\n\n// before every request\nconst { output: messages } = repair(history);',
  page: "docs/guide/check-and-repair.md",
};
