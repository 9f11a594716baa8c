import type { Played } from "../play/played.ts";
import { inOneBlockDelta } from "./anthropic-stream.ts";
import { inOneDelta } from "./chat-stream.ts";
import { faultsOf } from "./fault.ts";
import type { WireFormat } from "./fault.ts";

const pieced: readonly WireFormat[] = ["openai-chat", "anthropic"];

/** Complete arguments that are not valid JSON, and truncated arguments that look complete. */
export const malformedArguments = faultsOf({
  "arguments-in-fence": {
    seen: "local models: a code fence around the arguments",
    formats: pieced,
    outcome: "malformed",
    apply: (played) => inOnePiece(played, (whole) => `\`\`\`json\n${whole}\n\`\`\``),
  },
  "arguments-trailing-comma": {
    seen: "local models: a trailing comma",
    formats: pieced,
    outcome: "malformed",
    apply: (played) => inOnePiece(played, (whole) => whole.replace(/\}$/u, ",}").replace(/^\{,/u, '{"a":1,')),
  },
  "arguments-python": {
    seen: "Mistral 7B: a Python literal as a value",
    formats: pieced,
    outcome: "malformed",
    apply: (played) => inOnePiece(played, (whole) => withMember(whole, '"a":True')),
  },
  "arguments-no-digits": {
    seen: "Anthropic's fine-grained streaming, which is not validated: a minus sign without a number",
    formats: ["anthropic"],
    outcome: "malformed",
    apply: (played) => inOnePiece(played, (whole) => withMember(whole, '"a":-')),
  },
  "arguments-and-text": {
    seen: "vLLM with Mistral, thinking models on Ollama: text follows the arguments",
    formats: pieced,
    outcome: "malformed",
    apply: (played) => inOnePiece(played, (whole) => `${whole}\n\nI will look now.`),
  },
  "arguments-unclosed": {
    seen: "Claude Sonnet 4 through LiteLLM: the last brace is missing, but the finish reason is tool_calls",
    formats: pieced,
    outcome: "incomplete",
    apply: (played) => inOnePiece(played, (whole) => whole.replace(/\}$/u, "")),
  },
});

/** Rewrites the arguments of every call as one delta. */
function inOnePiece(played: Played, argsOf: (whole: string) => string): void {
  inOneDelta(played, argsOf);
  inOneBlockDelta(played, argsOf);
}

/** An object with an extra last member. */
const withMember = (whole: string, member: string): string =>
  whole.replace(/\}$/u, `,${member}}`).replace(/^\{,/u, "{");
