import type { WireFormat } from "../faults/fault.ts";
import { judgeAnthropic } from "./anthropic/judge.ts";
import { judgeBedrock } from "./bedrock/judge.ts";
import { judgeGemini } from "./gemini/judge.ts";
import { judgeOllama } from "./ollama/judge.ts";
import { judgeChat } from "./openai-chat/judge.ts";
import { judgeResponses } from "./openai-responses/judge.ts";
import type { Verdict } from "./verdict.ts";

/** The target of a request. */
export interface WireCourt {
  readonly format: WireFormat;
  readonly provider?: string;
}

/**
 * Every reason for which a provider would refuse a body. The rules are independent of `check` and `repair`, so that
 * their mistakes show here.
 */
export function judgeWire(body: unknown, court: WireCourt): readonly Verdict[] {
  return judges[court.format](body, court);
}

const judges: Readonly<Record<WireFormat, (body: unknown, court: WireCourt) => readonly Verdict[]>> = {
  "openai-chat": (body, { provider }) => judgeChat(body, provider),
  "openai-responses": judgeResponses,
  anthropic: judgeAnthropic,
  gemini: judgeGemini,
  bedrock: judgeBedrock,
  ollama: judgeOllama,
};
