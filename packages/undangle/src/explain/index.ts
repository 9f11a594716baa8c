export { explain } from "./explain.ts";
export type { ExplainOptions, Explanation } from "./explain.ts";
