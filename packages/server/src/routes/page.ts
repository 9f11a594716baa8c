import { createHash } from "node:crypto";

import type { FastifyInstance } from "fastify";

import type { Persona } from "../desk/roster.ts";
import { pageStyle } from "./page-style.ts";
import { chinese, endpoints, english } from "./page-words.ts";
import type { PageWords } from "./page-words.ts";

/** The page of the server for browsers: its personas and how to use them. It has no scripts. */
export function pageRoutes(app: FastifyInstance): Promise<void> {
  app.get("/", async ({ headers }, reply) => {
    const { roster, keys } = app.service;
    const needsKey = await keys.isNeeded();
    const personas = needsKey ? [] : roster.personas; // a browser sends no key
    const words = /^zh\b/iu.test(headers["accept-language"] ?? "") ? chinese : english;
    const origin = `http://${headers.host ?? "localhost:4111"}`;
    return reply
      .type("text/html; charset=utf-8")
      .headers({
        "content-security-policy": policy,
        "referrer-policy": "no-referrer",
        "cache-control": "no-store",
      })
      .send(pageOf({ personas, origin, needsKey, words }));
  });
  return Promise.resolve();
}

const styleHash = createHash("sha256").update(pageStyle).digest("base64");
const policy = `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

interface PageFacts {
  readonly personas: readonly Persona[];
  readonly origin: string;
  readonly needsKey: boolean;
  readonly words: PageWords;
}

const pageOf = (facts: PageFacts): string => {
  const { words } = facts;
  return `<!doctype html>
<html lang="${words.language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>Undangle</title><style>${pageStyle}</style></head><body><main>
<h1>Undangle</h1><p class="lead">${words.lead}</p>
<h2>${words.here}</h2>${cardsOf(facts)}
<h2>${words.tryIt}</h2><p>${words.copyIt}</p>${commandOf(chatCommand(facts))}
${storyOf(facts)}
<h2>${words.api}</h2>${endpointsOf(words)}
</main></body></html>`;
};

function cardsOf({ personas, needsKey, words }: PageFacts): string {
  if (needsKey) return `<p>${words.hidden}</p>`;
  const cards = personas.map(({ id, name, model, tools, isDemo }) => {
    const named = tools.map((tool) => `<code>${escaped(tool)}</code>`).join(" ") || words.none;
    const about = escaped(model) + (isDemo ? words.demo : "");
    return `<li><b>${escaped(name)}</b><code>${escaped(id)}</code><dl><dt>${words.model}</dt><dd>${about}</dd><dt>${words.tools}</dt><dd>${named}</dd></dl></li>`;
  });
  return `<ul class="cards">${cards.join("")}</ul>`;
}

const chatCommand = (facts: PageFacts): string =>
  curl(facts, "/v1/chat/completions", {
    messages: [{ role: "user", content: facts.words.question }],
    ...(facts.personas[0] !== undefined && { personality_id: facts.personas[0].id }),
    use_tools: true,
    stream: true,
  });

/** How to decide calls, if the demo agent is available. */
function storyOf(facts: PageFacts): string {
  const { personas, words } = facts;
  const pretend = personas.find(({ tools }) => tools.includes("pay_invoice"));
  if (pretend === undefined) return "";
  const reject = { type: "reject", reason: words.reason };
  const steps = [
    [words.steps.begin, curl(facts, "/threads", { id: "bills", persona: pretend.id })],
    [words.steps.say, curl(facts, "/threads/bills/messages?wait=true", { content: words.bills })],
    [
      words.steps.decide,
      curl(facts, "/threads/bills/decisions?wait=true", {
        decisions: { call_2: { type: "approve" }, call_3: reject, call_4: reject },
      }),
    ],
  ] as const;
  const items = steps.map(([what, command]) => `<li><span>${what}</span>${commandOf(command)}</li>`);
  return `<h2>${words.decide}</h2><p>${words.decideLead}</p><ol>${items.join("")}</ol><p>${words.goOn}</p>`;
}

function endpointsOf(words: PageWords): string {
  const groups = Object.entries(endpoints).map(([group, routes]) => {
    const rows = routes.map(
      ([method, path]) =>
        `<tr><td><code>${method}</code></td><td><code>${path}</code></td><td>${words.does[path]}</td></tr>`,
    );
    return `<h3>${words.groups[group as keyof typeof endpoints]}</h3><table><tbody>${rows.join("")}</tbody></table>`; // the keys of the table
  });
  return groups.join("");
}

/** A shell command that sends a request and prints the response as it arrives. */
function curl({ origin, needsKey }: PageFacts, path: string, body: object): string {
  const headers = [...(needsKey ? ["Authorization: Bearer ud_…"] : []), "Content-Type: application/json"];
  const json = JSON.stringify(body).replaceAll("'", "'\\''");
  return [`curl -N '${origin}${path}'`, ...headers.map((header) => `-H '${header}'`), `-d '${json}'`].join(" \\\n  ");
}

const commandOf = (command: string): string => `<pre><code>${escaped(command)}</code></pre>`;

const escaped = (text: string): string => text.replaceAll(/[&<>"']/gu, (sign) => `&#${sign.charCodeAt(0)};`);
