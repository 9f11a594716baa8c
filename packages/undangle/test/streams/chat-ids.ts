import { ready, streams, turn } from "./build.ts";
import { begin, calls, chat, entry, more } from "./build-chat.ts";

const order = { order: "A-17" };

export const chatIds = streams("openai-chat", {
  "the shape that OpenAI sends": {
    "one call in four deltas": {
      frames: chat(
        calls(begin(0, "call_k1", "lookup_order")),
        calls(more(0, '{"or')),
        calls(more(0, 'der":"A')),
        calls(more(0, '-17"}')),
      ),
      expect: turn({ calls: [ready("call_k1", "lookup_order", order)] }),
    },
    "two calls one after the other": {
      frames: chat(
        calls(begin(0, "call_k1", "lookup_order")),
        calls(more(0, '{"order":"A-17"}')),
        calls(begin(1, "call_k2", "send_mail")),
        calls(more(1, '{"to":"bo@example.org",')),
        calls(more(1, '"body":"hi"}')),
      ),
      expect: turn({
        calls: [
          ready("call_k1", "lookup_order", order),
          ready("call_k2", "send_mail", { to: "bo@example.org", body: "hi" }),
        ],
      }),
    },
    "numbers of every kind": {
      frames: chat(
        calls(begin(0, "call_k3", "resize_image", '{"w":-0.5e2,"h":')),
        calls(more(0, "1")),
        calls(more(0, "080}")),
      ),
      expect: turn({ calls: [ready("call_k3", "resize_image", { w: -50, h: 1080 })] }),
    },
  },
  "id late": {
    "null in the first delta": {
      frames: chat(
        calls(begin(0, null, null)),
        calls(begin(0, "call_l1", "lookup_order")),
        calls(more(0, '{"order":"A-17"}')),
      ),
      expect: turn({ calls: [ready("call_l1", "lookup_order", order)] }),
    },
    "after the name and half of the arguments": {
      frames: chat(
        calls(entry({ index: 0, name: "lookup_order", args: '{"order"' })),
        calls(entry({ index: 0, id: "call_l2", args: ':"A-17"}' })),
      ),
      expect: turn({ calls: [ready("call_l2", "lookup_order", order)] }),
      anomalies: ["id-late"],
    },
    "blank, then late, for the second of two": {
      frames: chat(
        calls(begin(0, "call_l3", "ping", "{}")),
        calls(begin(1, "  ", "lookup_order", '{"order":"A-17"}')),
        calls(entry({ index: 1, id: "call_l4" })),
      ),
      expect: turn({ calls: [ready("call_l3", "ping"), ready("call_l4", "lookup_order", order)] }),
    },
    "late, with the name again and no arguments": {
      frames: chat(
        calls(entry({ name: "lookup_order", args: '{"order":"A-17"}' })),
        calls(entry({ id: "call_l5", name: "lookup_order", args: "" })),
      ),
      expect: turn({ calls: [ready("call_l5", "lookup_order", order)] }),
    },
  },
  "nulls on continuations": {
    "null everywhere": {
      frames: chat(
        calls(begin(0, "call_n1", "lookup_order")),
        calls({ index: 0, id: null, type: null, function: { name: null, arguments: '{"order":' } }),
        calls({ index: 0, id: null, type: null, function: { name: null, arguments: '"A-17"}' } }),
      ),
      expect: turn({ calls: [ready("call_n1", "lookup_order", order)] }),
    },
    "null for two that take turns": {
      frames: chat(
        calls(begin(0, "call_n2", "lookup_order"), begin(1, "call_n3", "convert")),
        calls({ index: 1, id: null, function: { name: null, arguments: '{"amount":' } }),
        calls({ index: 0, id: null, function: { name: null, arguments: '{"order":"A-17"}' } }),
        calls({ index: 1, id: null, function: { name: null, arguments: "3}" } }),
      ),
      expect: turn({ calls: [ready("call_n2", "lookup_order", order), ready("call_n3", "convert", { amount: 3 })] }),
    },
  },
  "empty strings on continuations": {
    "id and name empty": {
      frames: chat(
        calls(begin(0, "call_e1", "lookup_order", "{")),
        calls(begin(0, "", "", '"order":')),
        calls(begin(0, "", "", '"A-17"}')),
      ),
      expect: turn({ calls: [ready("call_e1", "lookup_order", order)] }),
    },
    "white space instead of an id, and a type that is empty": {
      frames: chat(
        calls(begin(0, "call_e2", "lookup_order")),
        calls({ index: 0, id: " ", type: "", function: { name: "\n", arguments: '{"order":"A-17"}' } }),
      ),
      expect: turn({ calls: [ready("call_e2", "lookup_order", order)] }),
    },
    "empty, on reused indexes": {
      frames: chat(
        calls(begin(0, "call_e3", "ping", "{}")),
        calls(begin(0, "call_e4", "lookup_order", '{"order":')),
        calls(begin(0, "", "", '"A-17"}')),
      ),
      expect: turn({ calls: [ready("call_e3", "ping"), ready("call_e4", "lookup_order", order)] }),
    },
  },
  "id never sent": {
    "one call": {
      frames: chat(calls(entry({ index: 0, type: "function", name: "lookup_order", args: '{"order":"A-17"}' }))),
      expect: turn({ calls: [ready(null, "lookup_order", order)] }),
      anomalies: ["id-missing"],
    },
    "three equal calls": {
      frames: chat(
        calls(begin(0, null, "ping", "{}")),
        calls(begin(1, "", "ping", "{}")),
        calls(entry({ index: 2, name: "ping", args: "{}" })),
      ),
      expect: turn({ calls: [ready(null, "ping"), ready(null, "ping"), ready(null, "ping")] }),
    },
    "with the name on every delta and an empty one at the end": {
      frames: chat(
        calls(entry({ index: 0, name: "lookup_order", args: '{"order"' })),
        calls(entry({ index: 0, name: "lookup_order", args: ':"A-17"}' })),
        calls(entry({ index: 0, name: "lookup_order", args: "" })),
      ),
      expect: turn({ calls: [ready(null, "lookup_order", order)] }),
    },
    "the word null as the id of every delta but the first": {
      frames: chat(
        calls(begin(0, "call_w", "lookup_order", '{"order":')),
        calls(begin(0, "null", "lookup_order", '"A-17"}')),
      ),
      expect: turn({ calls: [ready("call_w", "lookup_order", order)] }),
    },
    "the word null as the id": {
      frames: chat(calls(begin(0, "null", "ping", "{}"), begin(1, "null", "ping", "{}"))),
      expect: turn({ calls: [ready(null, "ping"), ready(null, "ping")] }),
    },
  },
  "id on every delta": {
    "id alone": {
      frames: chat(
        calls(begin(0, "call_r1", "lookup_order", '{"or')),
        calls(entry({ index: 0, id: "call_r1", args: 'der":' })),
        calls(entry({ index: 0, id: "call_r1", args: '"A-17"}' })),
      ),
      expect: turn({ calls: [ready("call_r1", "lookup_order", order)] }),
    },
    "id, type and name, for two calls": {
      frames: chat(
        calls(begin(0, "call_r2", "lookup_order", '{"order":')),
        calls(begin(1, "call_r3", "lookup_order", '{"order":')),
        calls(begin(0, "call_r2", "lookup_order", '"A-17"}')),
        calls(begin(1, "call_r3", "lookup_order", '"B-2"}')),
      ),
      expect: turn({
        calls: [ready("call_r2", "lookup_order", order), ready("call_r3", "lookup_order", { order: "B-2" })],
      }),
      anomalies: ["name-repeated"],
    },
    "id and no index": {
      frames: chat(
        calls(entry({ id: "call_r4", name: "lookup_order", args: '{"order":' })),
        calls(entry({ id: "call_r5", name: "ping", args: "{" })),
        calls(entry({ id: "call_r4", args: '"A-17"}' })),
        calls(entry({ id: "call_r5", args: "}" })),
      ),
      expect: turn({ calls: [ready("call_r4", "lookup_order", order), ready("call_r5", "ping")] }),
    },
  },
  "id changes in mid-call": {
    "another id without a name": {
      frames: chat(
        calls(begin(0, "call_c1", "lookup_order")),
        calls(entry({ index: 0, id: "call_c2", args: '{"order":' })),
        calls(entry({ index: 0, id: "call_c3", args: '"A-17"}' })),
      ),
      expect: turn({ calls: [ready("call_c1", "lookup_order", order)] }),
      anomalies: ["id-changed"],
    },
    "a new id on every delta of the second call": {
      frames: chat(
        calls(begin(0, "x0", "ping", "{}")),
        calls(begin(1, "x1", "lookup_order", "")),
        calls(entry({ index: 1, id: "x2", name: null, args: '{"order"' })),
        calls(entry({ index: 1, id: "x3", name: "", args: ':"A-17"}' })),
      ),
      expect: turn({ calls: [ready("x0", "ping"), ready("x1", "lookup_order", order)] }),
    },
  },
  "id is a number": {
    "one call": {
      frames: chat(calls(begin(0, 90_210, "lookup_order", '{"order":"A-17"}'))),
      expect: turn({ calls: [ready("90210", "lookup_order", order)] }),
      anomalies: ["id-not-text"],
    },
    "zero is an id, and comes again as text": {
      frames: chat(
        calls(begin(0, 0, "lookup_order", '{"order":')),
        calls(entry({ index: 0, id: "0", args: '"A-17"}' })),
      ),
      expect: turn({ calls: [ready("0", "lookup_order", order)] }),
    },
  },
  "two calls with one id": {
    "different indexes": {
      frames: chat(
        calls(begin(0, "call_d", "lookup_order", '{"order":"A-17"}')),
        calls(begin(1, "call_d", "ping", "{}")),
      ),
      expect: turn({ calls: [ready("call_d", "lookup_order", order), ready(null, "ping")] }),
      anomalies: ["id-repeated"],
    },
    "different indexes, in pieces that take turns": {
      frames: chat(
        calls(begin(0, "call_d", "lookup_order"), begin(1, "call_d", "lookup_order")),
        calls(more(1, '{"order":"B-2"}')),
        calls(more(0, '{"order":"A-17"}')),
      ),
      expect: turn({ calls: [ready("call_d", "lookup_order", order), ready(null, "lookup_order", { order: "B-2" })] }),
    },
    "an id that the conversation had before": {
      knownIds: ["ping:0"],
      frames: chat(calls(begin(0, "ping:0", "ping", "{}")), calls(begin(1, "ping:1", "ping", "{}"))),
      expect: turn({ calls: [ready(null, "ping"), ready("ping:1", "ping")] }),
    },
  },
});
