import { about, anything, clock, list, object, oneOf, ref, text, whole } from "../json-schema.ts";
import type { Schema } from "../json-schema.ts";

/** What pages show of a thread besides its messages. */
export const inspectionComponents: Readonly<Record<string, Schema>> = {
  Repair: {
    description: "A change that Undangle made in a thread.",
    ...object(
      {
        id: text,
        source: about(
          "`import`: in an imported history. `request`: in a request that a middleware had broken. `response`: in a response of a model.",
          oneOf("import", "request", "response"),
        ),
        at: clock,
        rule: about("The id of a rule or, for a response, of an anomaly.", text),
        message: text,
      },
      {
        edit: about("The edit of an imported history.", ref("Edit")),
        avoided: about(
          "The error that a provider would have returned, in its words.",
          object({ provider: text, message: text }),
        ),
        entry: about("The number of the turn that it concerns.", whole),
        path: about("The calls that lead to its child thread.", list(text)),
      },
    ),
  },
  Exchange: {
    description: "A request to a model, or its response, without keys.",
    ...object({
      source: about(
        "`reconstructed`: written again from the thread. `recorded`: the text that was sent or received.",
        oneOf("reconstructed", "recorded"),
      ),
      format: about("The format of the body.", text),
      model: about("The name of the model.", text),
      body: about("A JSON value, or the text of a stream.", anything),
    }),
  },
};
