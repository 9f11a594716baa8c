import { about, anything, clock, constant, list, nullable, object, oneOf, ref, text, whole } from "../json-schema.ts";
import type { Schema } from "../json-schema.ts";

/** What pages show of a thread besides its messages. */
export const inspectionComponents: Readonly<Record<string, Schema>> = {
  Entry: {
    description: "A message or a turn of a thread.",
    ...object(
      {
        entry: about("The number in the thread.", whole),
        type: about("`system`: instructions of an imported history.", oneOf("input", "turn", "system")),
        at: clock,
        parts: list(ref("EntryPart")),
        calls: about("The calls of a turn, in order.", list(ref("Call"))),
      },
      {
        model: about("The name of the model of a turn. `imported` for an imported turn.", text),
        finish: text,
        tokens: ref("Usage"),
        by_engine: about("The engine wrote the message.", constant(true)),
        retracted: about("Another response replaced it. The model does not receive it.", constant(true)),
        queued: about("The message waits until open calls have results.", constant(true)),
      },
    ),
  },
  EntryPart: {
    description: "A part of an entry.",
    oneOf: [
      object({ type: constant("text"), text }),
      object({ type: constant("reasoning"), text }),
      object({ type: constant("call"), id: about("The id of a call in `calls`.", text) }),
      object(
        { type: constant("media"), kind: oneOf("image", "audio", "video", "file") },
        { url: about("A data URL, or the address that the message contains.", text), name: text },
      ),
    ],
  },
  EntryPage: {
    description: "A page of entries, as of one event.",
    ...object({
      data: list(ref("Entry")),
      before: about("Pass it as `before` to read older entries; null at the start of the thread.", nullable(whole)),
      last_event: about("Later events are not contained in the page.", text),
    }),
  },
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
