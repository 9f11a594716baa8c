import type { Assembly } from "#core";

/** Takes the data of an event that is no JSON; true where calls may lack what stood in it. */
export function takeUnread(data: string, event: string | undefined, assembly: Assembly): boolean {
  assembly.frames++;
  if (event === "error") {
    assembly.fail({ message: data, from: "provider" });
    return false;
  }
  if (isChunk(data, event)) return assembly.lose(speaksOfCall.test(data) ? "call" : "piece");
  assembly.note("frame-not-json");
  return false;
}

/** True for what looks like a piece of an answer, and not like a sign of life. */
const isChunk = (data: string, event: string | undefined): boolean =>
  /[{}]/u.test(data) && !(event !== undefined && isSign.test(event));

const isSign = /^\s*(?:ping|heart-?beat|keep-?alive)\s*$/iu;

/** Keys under which calls stand, with something in them or cut off there. A call of a response is told again at its end. */
const speaksOfCall =
  /(["'])(?:tool_calls|function_?[cC]all|toolUse)\1\s*:\s*(?:\[\s*)?(?:\{|$)|(["'])type\2\s*:\s*\2tool_use\2/u;
