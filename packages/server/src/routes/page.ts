import type { FastifyInstance } from "fastify";

import type { Persona } from "../desk/roster.ts";

/** A page for whoever opens the server in a browser: what runs here, and how to talk to it. */
export function pageRoutes(app: FastifyInstance): Promise<void> {
  app.get("/", async ({ headers }, reply) => {
    const { roster, keys } = app.service;
    const needsKey = await keys.isNeeded();
    const personas = needsKey ? [] : roster.personas; // a browser has no key to show
    const isChinese = /^zh\b/iu.test(headers["accept-language"] ?? "");
    const origin = `http://${headers.host ?? "localhost:4111"}`;
    return reply
      .type("text/html; charset=utf-8")
      .header(
        "content-security-policy",
        "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      )
      .header("referrer-policy", "no-referrer")
      .send(pageOf(personas, { origin, needsKey, words: isChinese ? chinese : english }));
  });
  return Promise.resolve();
}

const endpoints = [
  ["POST", "/v1/chat/completions"],
  ["GET", "/v1/models"],
  ["GET", "/personas"],
  ["POST", "/threads"],
  ["GET", "/threads?q="],
  ["POST", "/threads/:id/messages"],
  ["POST", "/threads/:id/decisions"],
  ["GET", "/threads/:id/events"],
  ["GET", "/queue"],
  ["GET", "/openapi.json"],
  ["GET", "/metrics"],
] as const;

interface PageFacts {
  readonly origin: string;
  readonly needsKey: boolean;
  readonly words: typeof english;
}

function pageOf(personas: readonly Persona[], { origin, needsKey, words }: PageFacts): string {
  const [first] = personas;
  const body = JSON.stringify({
    messages: [{ role: "user", content: words.question }],
    ...(first !== undefined && { personality_id: first.id }),
    use_tools: true,
    stream: true,
  });
  const curl = `curl -N ${origin}/v1/chat/completions \\\n${needsKey ? "  -H 'Authorization: Bearer ud_…' \\\n" : ""}  -H 'Content-Type: application/json' \\\n  -d '${body.replaceAll("'", "'\\''")}'`;
  const rows = personas.map(
    ({ id, name, model, tools, isDemo }) =>
      `<tr><td><b>${escaped(name)}</b><br><code>${escaped(id)}</code></td><td>${escaped(model)}${isDemo ? ` <i>${words.demo}</i>` : ""}</td><td>${tools.map((tool) => `<code>${escaped(tool)}</code>`).join(" ") || "–"}</td></tr>`,
  );
  const paths = endpoints.map(
    ([method, path]) =>
      `<tr><td><code>${method}</code></td><td><code>${path}</code></td><td>${words.does[path]}</td></tr>`,
  );
  return `<!doctype html>
<html lang="${words.language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>Undangle</title><style>${style}</style></head><body><main>
<h1>Undangle</h1><p>${words.lead}</p>
<h2>${words.here}</h2><table><thead><tr><th>${words.persona}</th><th>${words.model}</th><th>${words.tools}</th></tr></thead><tbody>${rows.join("")}</tbody></table>
<h2>${words.tryIt}</h2><pre><code>${escaped(curl)}</code></pre>
<h2>${words.api}</h2><table><tbody>${paths.join("")}</tbody></table>
</main></body></html>`;
}

const english = {
  language: "en",
  lead: "No tool call left dangling: chat, threads and approvals.",
  here: "What runs here",
  persona: "Persona",
  model: "Model",
  tools: "Tools",
  demo: "(needs no key, and knows nothing)",
  tryIt: "Try it",
  question: "What time is it?",
  api: "Endpoints",
  does: {
    "/v1/chat/completions":
      "as that of OpenAI; with <code>personality_id</code>, <code>use_tools</code>, <code>thread_id</code>",
    "/v1/models": "personas and models",
    "/personas": "who can be talked to",
    "/threads": "begin a thread",
    "/threads?q=": "list and search threads",
    "/threads/:id/messages": "say something",
    "/threads/:id/decisions": "approve, reject, edit or answer calls",
    "/threads/:id/events": "what happens, as server-sent events",
    "/queue": "threads that wait for a decision",
    "/openapi.json": "all of it, described",
    "/metrics": "for Prometheus",
  },
};

const chinese: typeof english = {
  language: "zh-CN",
  lead: "不让任何工具调用悬空：聊天、会话与审批。",
  here: "正在运行",
  persona: "角色",
  model: "模型",
  tools: "工具",
  demo: "（无需密钥，没有知识）",
  tryIt: "试一试",
  question: "现在几点钟？",
  api: "接口",
  does: {
    "/v1/chat/completions":
      "与 OpenAI 兼容；另有 <code>personality_id</code>、<code>use_tools</code>、<code>thread_id</code>",
    "/v1/models": "角色与模型",
    "/personas": "可以对话的角色",
    "/threads": "新建会话",
    "/threads?q=": "列出并搜索会话",
    "/threads/:id/messages": "发送消息",
    "/threads/:id/decisions": "批准、拒绝、修改或代答调用",
    "/threads/:id/events": "事件流（SSE）",
    "/queue": "等待决定的会话",
    "/openapi.json": "完整的接口描述",
    "/metrics": "供 Prometheus 读取",
  },
};

const style = `:root{color-scheme:light dark;--line:#8884;--soft:#8882}*{box-sizing:border-box}body{margin:0;font:16px/1.5 system-ui,sans-serif}main{max-width:56rem;margin:0 auto;padding:2rem 1rem}h1{margin:0;font-size:2rem}h2{margin:2rem 0 .5rem;font-size:1.1rem}table{border-collapse:collapse;width:100%}th,td{text-align:left;vertical-align:top;padding:.4rem .8rem .4rem 0;border-bottom:1px solid var(--line)}pre{background:var(--soft);padding:1rem;border-radius:.5rem;overflow-x:auto}code{font:.9em ui-monospace,monospace}`;

const escaped = (text: string): string => text.replaceAll(/[&<>"']/gu, (sign) => `&#${sign.charCodeAt(0)};`);
