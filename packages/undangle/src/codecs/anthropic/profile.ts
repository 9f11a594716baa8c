import { isRecord } from "#core";
import type { Profile } from "#core";

import type { Request } from "../codec.ts";

/** The requirements of one server of the Messages format. */
export interface AnthropicProfile extends Profile {
  /** True if thinking blocks require Anthropic's signature, and a tool loop in thinking mode must start with one. */
  readonly signaturesChecked: boolean;
  /** True if an assistant message with calls requires a thinking block in thinking mode. An empty block is accepted. */
  readonly thinkingRequired: boolean;
  /** True if blocks with keys of other block types are refused. */
  readonly foreignKeysRefused: boolean;
}

/** Rules that Anthropic and every compatible server share: ids, names and arguments. */
const compatible: AnthropicProfile = {
  ids: { pattern: /^[a-zA-Z0-9_-]+$/, longest: Infinity, scope: "request", mint: "call" },
  names: { pattern: /^[^]+$/, longest: 200 },
  arguments: "object",
  argumentsAreParsed: false,
  blankArgumentsAccepted: false,
  signaturesChecked: false,
  thinkingRequired: false,
  foreignKeysRefused: false,
};

const claude: AnthropicProfile = { ...compatible, signaturesChecked: true, foreignKeysRefused: true };

type Row = (request: Request) => AnthropicProfile;

/** Servers whose models require thinking blocks; `always` is for those that think by default. */
const thoughtful =
  (always: RegExp): Row =>
  ({ body, model = "" }) => ({ ...compatible, thinkingRequired: asksForThinking(body) ?? always.test(model) });

/** Models that Anthropic does not serve. Their servers do not check Anthropic signatures. */
const others = /deepseek|kimi|moonshot|\bglm-|minimax|\bmimo-|qwen/i;

/** One row per provider, with the differences from the shared rules. */
const rows = {
  anthropic: ({ model = "" }) => (others.test(model) ? compatible : claude),
  deepseek: thoughtful(/reasoner|thinking|deepseek-v[4-9]/i),
  moonshot: thoughtful(/thinking|kimi-k2[.-][5-9](?!\d)|kimi-k[3-9]/i),
  zhipu: () => compatible,
  minimax: () => compatible,
  mimo: thoughtful(/mimo-v(?:2\.\d|2-(?:pro|omni)|[3-9])/i),
  dashscope: () => compatible,
  openrouter: ({ model = "" }) => (/^~?anthropic\//.test(model) ? claude : compatible),
} as const satisfies Readonly<Record<string, Row>>;

export const anthropicProviders: readonly string[] = Object.keys(rows);

/** The profile of a provider for one request. The default is Anthropic. */
export const anthropicProfile: Row = (request) => rows[(request.provider ?? "anthropic") as keyof typeof rows](request);

function asksForThinking(body: Request["body"]): boolean | undefined {
  const thinking = body?.["thinking"];
  const type = isRecord(thinking) ? thinking["type"] : undefined;
  return typeof type === "string" ? type !== "disabled" : undefined;
}
