import { tool } from "#engine";
import type { ModelRequest } from "#model";

import { summaryTexts } from "./summary-texts.ts";

/** The tool with which a model asks for a summary. A hook of the middleware does the work. */
export const compactTool = tool({
  name: "compact_conversation",
  description: summaryTexts.en.compact.description,
  execute: () => summaryTexts.en.compact.later,
});

/** Requests with the description of the tool in their language. The same tools give the same list. */
export function createToolView(): (request: ModelRequest) => ModelRequest {
  const known = new WeakMap<ModelRequest["tools"], ModelRequest["tools"]>();
  return (request) => {
    const { tools, language } = request;
    if (language === "en") return request;
    const { description } = summaryTexts[language].compact;
    const view =
      known.get(tools) ?? tools.map((each) => (each.name === compactTool.name ? { ...each, description } : each));
    known.set(tools, view);
    return { ...request, tools: view };
  };
}
