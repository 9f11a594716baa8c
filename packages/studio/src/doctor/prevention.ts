import type { Format } from "undangle";

/** Code that prevents what the doctor found, and the page of the documentation about it. */
export interface Prevention {
  readonly code: string;
  readonly page: string;
}

/** What the rules depend on. What the library detects by itself is undefined. */
export interface Sent {
  readonly format?: Format | undefined;
  readonly provider?: string | undefined;
}

/** The code for the SDK of a format. */
export function preventionInSdk(format: Format, { provider }: Sent = {}): Prevention {
  const given = provider === undefined ? "" : `{ provider: "${provider}" }`;
  const wrapped = (constructor: (fetch: string) => string, page: string): Prevention => ({
    code: `import { wrapFetch } from "undangle";\n\nconst client = ${constructor(`fetch: wrapFetch(${given})`)};`,
    page: `docs/guide/${page}`,
  });
  switch (format) {
    case "openai-chat":
    case "openai-responses":
      return wrapped((fetch) => `new OpenAI({ ${fetch} })`, "openai-sdk.md");
    case "anthropic":
      return wrapped((fetch) => `new Anthropic({ ${fetch} })`, "anthropic-sdk.md");
    case "gemini":
      return wrapped((fetch) => `new GoogleGenAI({ apiKey, httpOptions: { ${fetch} } })`, "gemini.md");
    case "ollama":
      return wrapped((fetch) => `new Ollama({ host, ${fetch} })`, "any-sdk.md");
    case "bedrock":
      return {
        code: 'import { repair } from "undangle";\n\nconst { output } = repair(body);\nawait client.send(new ConverseCommand(output));',
        page: "docs/guide/check-and-repair.md",
      };
    case "ai-sdk":
      return {
        code: 'import { repairStep } from "undangle/ai-sdk";\n\nstreamText({ model, tools, messages, prepareStep: repairStep() });',
        page: "docs/guide/ai-sdk.md",
      };
    case "langchain":
      return {
        code: 'import { undangle } from "undangle/langchain";\n\ncreateAgent({ model, tools, middleware: [undangle()] });',
        page: "docs/guide/langchain.md",
      };
  }
}

/** For any program in JavaScript, without an SDK. */
export function preventionInCode(sent: Sent = {}): Prevention {
  const options = known(sent).map(([name, value]) => `${name}: "${value}"`);
  const given = options.length === 0 ? "" : `, { ${options.join(", ")} }`;
  return {
    code: `import { repair } from "undangle";\n\n// before every request\nconst { output: messages } = repair(history${given});`,
    page: "docs/guide/check-and-repair.md",
  };
}

/** For programs in other languages, over HTTP. */
export function preventionOverHttp(sent: Sent = {}): Prevention {
  const options = known(sent).map(([name, value]) => `${name}=${value}`);
  const address = ["http://localhost:4111/repair", ...(options.length === 0 ? [] : [options.join("&")])].join("?");
  return {
    code: `npx undangle serve\n\ncurl '${address}' -H 'Content-Type: application/json' -d @request.json`,
    page: "docs/guide/server.md",
  };
}

/** Against conversations that are too long. */
export const trimming: Prevention = {
  code: 'import { trim } from "undangle";\n\nconst { output: messages } = trim(history, { keep: { tokens: 100_000 } });',
  page: "docs/guide/context.md",
};

const known = ({ format, provider }: Sent): readonly (readonly [name: string, value: string])[] =>
  Object.entries({ format, provider }).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
