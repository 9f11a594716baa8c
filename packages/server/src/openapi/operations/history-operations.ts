import { json } from "../operation.ts";
import type { Operation, ResponseDescription } from "../operation.ts";

const operation = (
  id: string,
  summary: string,
  { description, response }: { readonly description: string; readonly response: ResponseDescription },
): Operation => ({
  id,
  tag: "Histories",
  summary,
  description,
  scope: "any",
  headers: ["Idempotency-Key"],
  responses: { 200: { ...response, headers: ["idempotency-replayed"] } },
});

/** The functions of the library. */
export const historyOperations: Readonly<Record<string, Operation>> = {
  "POST /check": operation("checkHistory", "Lists the problems of a history", {
    description: "In any format. Nothing is changed.",
    response: json("The problems.", "CheckResult"),
  }),
  "POST /repair": operation("repairHistory", "Repairs a history", {
    description: "In any format. The output has the form of the input.",
    response: json("The repaired history.", "RepairResult"),
  }),
  "POST /convert": operation("convertHistory", "Converts a history to another format", {
    description: "The history is repaired first.",
    response: json("The converted history.", "ConvertResult"),
  }),
  "POST /explain": operation("explainError", "Explains an error text", {
    description: "Finds the rule that an error of a provider refers to.",
    response: json("The explanations.", "ExplainResult"),
  }),
};
