import { isRecord } from "#core";

type Wire = Readonly<Record<string, unknown>>;

/** Who has run a tool, as far as its call tells. */
type Runner = "anthropic" | "google" | "responses" | undefined;

/** Whose model is asked, and which version of the SDK its package is made for. */
interface Target {
  readonly provider: string;
  readonly version: unknown;
}

/**
 * True when the package of a provider sends back a call that a provider has run, with its result. All others send it as a call of
 * the application's, without its result, or as something that their server cannot know.
 */
export function takesBack(call: Wire, { provider, version }: Target): boolean {
  const runner = runnerOf(call);
  if (/^google\.(?:generative-ai|vertex(?:\.chat)?)$/u.test(provider)) {
    // The packages of version 6 send code as a call of the application's too.
    return isKept(call) || (runner === "google" && call["toolName"] === "code_execution" && version !== "v3");
  }
  if (/\.chat$|^amazon-bedrock$/u.test(provider)) return false;
  if (/\banthropic\b/u.test(provider)) return runner === "anthropic" || runner === undefined;
  if (provider.endsWith(".responses")) return runner === undefined || (runner === "responses" && isAt(provider, call));
  return true; // nobody knows what it takes
}

function runnerOf(call: Wire): Runner {
  const id = call["toolCallId"];
  if (typeof id === "string" && /^(?:srvtoolu|mcptoolu)_/u.test(id)) return "anthropic";
  if (isKept(call) || isCode(call["input"])) return "google";
  if (optionsOf(call).some(([, { itemId }]) => itemId !== undefined)) return "responses";
  return typeof id === "string" && /^(?:ws|fs|ci|ig|cu|mcp|mcpr|ts|tsc|sh)_/u.test(id) ? "responses" : undefined;
}

/** True for a call of a tool of Google's, which its package knows again by what it has noted. */
const isKept = (call: Wire): boolean =>
  optionsOf(call).some(
    ([, options]) => options["serverToolCallId"] !== undefined && options["serverToolType"] !== undefined,
  );

/** The code that Gemini has run; others have no `language` beside it. */
function isCode(input: unknown): boolean {
  return isRecord(input) && typeof input["language"] === "string" && typeof input["code"] === "string";
}

/** True unless the call says that it is kept at another server of Responses. */
function isAt(provider: string, call: Wire): boolean {
  const names = optionsOf(call).flatMap(([name, { itemId }]) => (itemId === undefined ? [] : name));
  if (names.length === 0) return true;
  if (provider.includes("azure")) return names.some((name) => name !== "xai"); // older packages for Azure write openai
  return names.includes(provider.startsWith("xai") ? "xai" : "openai");
}

function optionsOf(call: Wire): readonly (readonly [name: string, options: Wire])[] {
  const options = call["providerOptions"] ?? call["providerMetadata"];
  if (!isRecord(options)) return [];
  return Object.entries(options).flatMap(([name, value]) => (isRecord(value) ? [[name, value] as const] : []));
}
