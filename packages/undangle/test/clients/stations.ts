import { wireServer } from "undangle/testing";
import type { WireServer } from "undangle/testing";
import type { Program } from "./program.ts";
import { sdkPrograms } from "./sdk-programs.ts";

/** A provider that a conversation comes by. */
export interface Station {
  readonly name: string;
  /** The base URL that its SDK is given in earnest. */
  readonly baseUrl: string;
  /** Whose rules its server keeps. */
  readonly provider?: string;
  readonly program: Program;
}

const programCalled = (name: string): Program => {
  const program = sdkPrograms.find((each) => each.name === name);
  if (program === undefined) throw new Error(`There is no program over ${name}.`);
  return program;
};

const openai: Station = {
  name: "OpenAI",
  baseUrl: "https://api.openai.com/v1",
  program: programCalled("openai 7, chat"),
};

/** From OpenAI round the world and back. */
export const stations: readonly Station[] = [
  openai,
  { name: "Anthropic", baseUrl: "https://api.anthropic.com", program: programCalled("@anthropic-ai/sdk 1") },
  { name: "Gemini", baseUrl: "https://generativelanguage.googleapis.com", program: programCalled("@google/genai") },
  { name: "Mistral", baseUrl: "https://api.mistral.ai/v1", provider: "mistral", program: openai.program },
  { ...openai, name: "OpenAI again" },
];

/** The strict server of a station, and a `fetch` for which it stands at the station's address. */
export async function standIn({ baseUrl, provider, program }: Station, turns: () => { readonly text: string }) {
  const server: WireServer = await wireServer({ turns, ...(provider !== undefined && { provider }) });
  const fetch: typeof globalThis.fetch = (input, init) => {
    const address = typeof input === "string" ? input : "url" in input ? input.url : input.href;
    if (!address.startsWith(baseUrl)) throw new Error(`Nobody is at ${address}.`);
    return globalThis.fetch(server.baseUrl(program.format) + address.slice(baseUrl.length), init);
  };
  return { server, fetch };
}
