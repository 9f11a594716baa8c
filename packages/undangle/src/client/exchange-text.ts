import type { ReceivedExchange, RemoteExchange } from "./inspection.ts";

/** An exchange with the text of its body. Numbers of the parsed body may be rounded; its layout is lost. */
export function receivedExchange(json: string): ReceivedExchange {
  const exchange = JSON.parse(json) as RemoteExchange; // the type that the server documents
  const { body } = exchange;
  return { ...exchange, text: typeof body === "string" ? body : sourceOf(json, "body") };
}

/** A string, with the colon after it if it is the name of a member, or a punctuation mark of JSON. Without its last quote a search takes linear time too. */
const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"?(\s*:)?|[[\]{},]/gu;

/** The source of a member of a JSON object. The text is valid JSON. */
function sourceOf(json: string, member: string): string {
  let depth = 0;
  let start = 0;
  for (const { 0: token, 1: colon = "", index } of json.matchAll(tokens)) {
    if (start > 0 && depth === 1 && (token === "," || token === "}")) return json.slice(start, index).trim();
    if (token === "{" || token === "[") depth++;
    else if (token === "}" || token === "]") depth--;
    else if (depth === 1 && colon !== "" && token === `"${member}"${colon}`) start = index + token.length;
  }
  return "";
}
