import { isRecord } from "#core";

type Wire = Readonly<Record<string, unknown>>;

/** The provider that ran a tool, as far as its call shows. */
type Runner = "anthropic" | "google" | "responses" | undefined;

/** The provider, and the SDK version of its package. */
interface Target {
  readonly provider: string;
  readonly version: unknown;
}

/**
 * True if the package of a provider sends back a provider call with its result. Others send it as an application call,
 * without its result, or in a form that their server does not know.
 */
export function takesBack(call: Wire, { provider, version }: Target): boolean {
  const runner = runnerOf(call);
  if (/^google\.(?:generative-ai|vertex(?:\.chat)?)$/u.test(provider)) {
    // Packages of version 6 also send code as an application call.
    return isKept(call) || (runner === "google" && call["toolName"] === "code_execution" && version !== "v3");
  }
  if (/\.chat$|^amazon-bedrock$/u.test(provider)) return false;
  if (/\banthropic\b/u.test(provider)) return runner === "anthropic" || runner === undefined;
  if (provider.endsWith(".responses")) return runner === undefined || (runner === "responses" && isAt(provider, call));
  return true; // an unknown package
}

function runnerOf(call: Wire): Runner {
  const id = call["toolCallId"];
  if (typeof id === "string" && /^(?:srvtoolu|mcptoolu)_/u.test(id)) return "anthropic";
  if (isKept(call) || isCode(call["input"])) return "google";
  if (optionsOf(call).some(([, { itemId }]) => itemId !== undefined)) return "responses";
  return typeof id === "string" && /^(?:ws|fs|ci|ig|cu|mcp|mcpr|ts|tsc|sh)_/u.test(id) ? "responses" : undefined;
}

/** True for a call of a Google tool, which its package identifies by its metadata. */
const isKept = (call: Wire): boolean =>
  optionsOf(call).some(
    ([, options]) => options["serverToolCallId"] !== undefined && options["serverToolType"] !== undefined,
  );

/** Code that Gemini ran. Others have no `language`. */
function isCode(input: unknown): boolean {
  return isRecord(input) && typeof input["language"] === "string" && typeof input["code"] === "string";
}

/** True unless the call is stored at another Responses server. */
function isAt(provider: string, call: Wire): boolean {
  const names = optionsOf(call).flatMap(([name, { itemId }]) => (itemId === undefined ? [] : name));
  if (names.length === 0) return true;
  if (provider.includes("azure")) return names.some((name) => name !== "xai"); // older Azure packages write openai
  return names.includes(provider.startsWith("xai") ? "xai" : "openai");
}

function optionsOf(call: Wire): readonly (readonly [name: string, options: Wire])[] {
  const options = call["providerOptions"] ?? call["providerMetadata"];
  if (!isRecord(options)) return [];
  return Object.entries(options).flatMap(([name, value]) => (isRecord(value) ? [[name, value] as const] : []));
}
