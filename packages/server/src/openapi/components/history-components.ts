import { about, anything, flag, list, object, oneOf, ref, text } from "../json-schema.ts";
import type { Fields, Schema } from "../json-schema.ts";

const numbers: Fields = {
  numbers: about(
    "Numbers that JavaScript does not write as they were written, and that the output could not keep.",
    list(object({ written: text, read: text })),
  ),
};
const output = about("The history in the form of the request: a body, or a list of messages.", anything);
const problems = list(ref("Problem"));

/** Results of the functions of the library. */
export const historyComponents: Readonly<Record<string, Schema>> = {
  Problem: {
    description: "A problem for which a provider would refuse a history.",
    ...object(
      {
        rule: about("The id of the rule.", text),
        path: about("The path in the history.", text),
        message: text,
        fix: text,
        repairable: flag,
        confidence: oneOf("known", "likely"),
      },
      { callId: text },
    ),
  },
  Edit: {
    description: "A change of a repair.",
    ...object(
      {
        rule: about("The id of the rule.", text),
        type: oneOf("insert", "move", "merge", "rename", "rewrite", "remove", "quote", "restore"),
        lossless: about("True if the output contains everything that the input contained.", flag),
        reconstructed: about("True if the output contains something that the input did not.", flag),
      },
      {
        from: about("The path in the input; absent for an insertion.", text),
        to: about("The path in the output; absent for a removal.", text),
        before: about("The old value. If several edits share it, one of them contains it.", anything),
        after: about("The new value, with the same exception.", anything),
        callId: text,
        error: text,
      },
    ),
  },
  Explanation: {
    description: "A rule that an error text may refer to.",
    ...object({
      rule: text,
      title: text,
      why: text,
      fix: text,
      docs: about("The path of its documentation in the repository.", text),
      confidence: oneOf("known", "likely", "nearest"),
    }),
  },
  Loss: {
    description: "Content that the target format cannot represent.",
    ...object({ path: text, what: text, why: text }),
  },
  CheckResult: { description: "The problems of a history.", ...object({ problems }, { format: text }) },
  RepairResult: {
    description: "A repaired history.",
    ...object({ format: text, output, edits: list(ref("Edit")), problems }, numbers),
  },
  ConvertResult: {
    description: "A history in another format.",
    ...object({ from: text, to: text, output, losses: list(ref("Loss")), problems }, numbers),
  },
  ExplainResult: {
    description: "The rules that an error text may refer to, the likeliest first.",
    ...object({ explanations: list(ref("Explanation")) }),
  },
};
