import {
  about,
  anything,
  clock,
  constant,
  list,
  nullable,
  object,
  oneOf,
  ref,
  runModes,
  text,
  whole,
} from "../json-schema.ts";
import type { Schema } from "../json-schema.ts";

const mode = oneOf(...runModes);

const path = about("The calls that lead to its child thread.", list(text));

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
    ...object(
      {
        data: list(ref("Entry")),
        before: about("Pass it as `before` to read older entries; null at the start of the thread.", nullable(whole)),
        last_event: about("Later events are not contained in the page.", text),
      },
      { mode: about("The mode of the last run. A message without a mode keeps `read-only`.", mode) },
    ),
  },
  Trace: {
    description: "What happened in a thread and its child threads, and when.",
    ...object({
      thread_id: text,
      at: about("When it was read. Spans that last are counted in the totals until then.", clock),
      spans: about("By start. A span comes after its parent.", list(ref("TraceSpan"))),
      marks: list(ref("TraceMark")),
      totals: about(
        "Milliseconds, and the tokens of the thread and its child threads.",
        object(
          { runs: whole, model: whole, tools: whole, waits: whole, tokens: ref("Usage") },
          { cost: about("Absent if the server has no prices.", ref("TraceCost")) },
        ),
      ),
    }),
  },
  TraceCost: {
    description: "What the model responses of a trace cost, by the prices in the config of the server.",
    ...object({
      amount: { type: "number" },
      currency: about("An ISO 4217 code.", text),
      complete: about("False if the model of a response has no price, or a response was discarded.", {
        type: "boolean",
      }),
    }),
  },
  TraceSpan: {
    description: "A run, a model response, a call, or a wait for a person.",
    ...object(
      {
        id: text,
        type: oneOf("run", "model", "call", "wait"),
        name: about("The name of the model or the tool. Of a run, its reason.", text),
        start: clock,
        end: about("Milliseconds since 1970; null while it lasts.", nullable(whole)),
        status: text,
      },
      {
        parent: about("The span that it belongs to.", text),
        call_id: text,
        path,
        entry: about("The number of the turn that a model response became, or that contains the call.", whole),
        tokens: ref("Usage"),
        cost: about("Of a model response, in the currency of the totals.", { type: "number" }),
        mode,
        agent: about("The name of the agent, of a run in a child thread.", text),
        purpose: about("The purpose of a request of a middleware.", text),
        discarded: about("The response did not become a turn.", constant(true)),
        decision: ref("Decision"),
        error: about("In the words of the provider for callers with the scope `admin`.", text),
      },
    ),
  },
  TraceMark: {
    description: "A repair or a warning.",
    ...object(
      { at: clock, type: oneOf("repair", "warning"), message: text },
      { rule: text, source: about("Of a repair.", oneOf("request", "response")), path },
    ),
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
        edit: about("The edit of an imported history or of a request.", ref("Edit")),
        avoided: about(
          "The error that a provider would have returned, in its words.",
          object({ provider: text, message: text }),
        ),
        entry: about("The number of the turn that it concerns.", whole),
        call_id: about("The call that a repair of a response concerns.", text),
        path,
      },
    ),
  },
  Exchange: {
    description: "A request to a model, or its response, without keys.",
    ...object(
      {
        source: about(
          "`reconstructed`: written again from the thread. `recorded`: the text that was sent or received.",
          oneOf("reconstructed", "recorded"),
        ),
        format: about("The format of the body.", text),
        model: about("The name of the model.", text),
        body: about("A JSON value, or the text of a stream.", anything),
      },
      { target: ref("RequestTarget") },
    ),
  },
  RequestTarget: {
    description: "Where a request to a model is sent. Its secrets are replaced by variables of a shell.",
    ...object({
      url: text,
      headers: about("By name, such as `Bearer $OPENAI_API_KEY`.", { type: "object", additionalProperties: text }),
      variables: about("The names of the variables.", list(text)),
    }),
  },
};
