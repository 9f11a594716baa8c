import { httpModel } from "../http/http-model.ts";
import type { HttpModelOptions } from "../http-model-options.ts";
import type { Model } from "../model.ts";
import { effortWord } from "./effort.ts";
import { bearer, joined, localTimeouts } from "./provider.ts";
import type { Asked, Fields, Provider } from "./provider.ts";
import { sentSchema } from "./structured-output.ts";

/** A model that Ollama runs: `ollama("qwen3:8b")`. */
export function ollama(id: string, options: HttpModelOptions = {}): Model {
  return httpModel(ollamaProvider, id, options);
}

const ollamaProvider: Provider = {
  name: "ollama",
  format: "ollama",
  baseURL: "http://127.0.0.1:11434",
  baseVariables: ["OLLAMA_HOST"],
  keyVariables: ["OLLAMA_API_KEY"],
  needsKey: false,
  timeouts: localTimeouts,
  forcing: () => "never", // a request has no tool choice
  url: (base) => joined(hostAddress(base).replace(/\/(?:api|v1)\/*$/u, ""), "/api/chat"),
  headers: bearer,
  body: fields,
};

function fields({ id, options: { reasoning }, request: { output, tools, toolChoice } }: Asked): Fields {
  return {
    // Otherwise the server silently drops the start of a conversation that is too long.
    truncate: false,
    ...(reasoning !== undefined && { think: /gpt-oss/u.test(id) ? effortWord(reasoning) : reasoning !== "none" }),
    ...(output !== undefined && tools.length === 0 && { format: sentSchema(output).schema }), // with tools it would prevent calls
    ...(toolChoice === "none" && { tools: [] }), // a model cannot call a tool that it does not get
  };
}

/** The address in `OLLAMA_HOST`, which may lack the scheme or the port, or be a listen address. */
function hostAddress(base: string): string {
  if (/^https?:\/\//iu.test(base)) return base;
  const [, host = "", port = "11434"] = /^(.*?)(?::(\d+))?$/u.exec(base.replace(/(?<!\/)\/+$/u, "")) ?? [];
  return `http://${host === "" || host === "0.0.0.0" || host === "[::]" ? "127.0.0.1" : host}:${port}`;
}
