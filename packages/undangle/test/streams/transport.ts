import { cut, failed, ready, sse, streams, turn } from "./build.ts";
import { DONE, begin, calls, chat, chunk, delta, end, more, role, says } from "./build-chat.ts";

const city = { city: "Łódź 🏙️" };
const frames = [
  role,
  says("Zażółć "),
  calls(begin(0, "w1", "visit", '{"city":')),
  calls(more(0, '"Łódź 🏙️"}')),
  end(),
  DONE,
];
const plain = sse(...frames);
const got = turn({ text: "Zażółć ", calls: [ready("w1", "visit", city)] });
const events = plain.trimEnd().split("\n\n");

const body = {
  id: "chatcmpl-W",
  object: "chat.completion",
  choices: [
    {
      index: 0,
      message: {
        role: "assistant",
        content: "Zażółć ",
        tool_calls: [{ id: "w1", type: "function", function: { name: "visit", arguments: '{"city":"Łódź 🏙️"}' } }],
      },
      finish_reason: "tool_calls",
    },
  ],
  usage: { total_tokens: 3 },
};

export const transport = streams("openai-chat", {
  "line ends": {
    CRLF: { sent: plain.replaceAll("\n", "\r\n"), expect: got },
    "CR alone": { sent: plain.replaceAll("\n", "\r"), expect: got },
    "all three in turn": {
      sent: events.map((event, i) => event + ["\n\n", "\r\n\r\n", "\r\r"][i % 3]).join(""),
      expect: got,
    },
    "blank lines too many": { sent: `\n\n${plain.replaceAll("\n\n", "\n\n\n\n")}`, expect: got },
  },
  "comments and keep-alives": {
    "comments between the events": {
      sent: `: ROUTER PROCESSING\n\n${plain.replaceAll("\n\n", "\n\n:\n\n: ping {}\n\n")}`,
      expect: got,
    },
    "comments inside the events": { sent: plain.replaceAll("data:", ": note\ndata:"), expect: got },
    "empty data": { sent: plain.replaceAll("\n\n", "\n\ndata:\n\ndata: \n\n"), expect: got },
    "data that is no JSON": {
      sent: plain.replaceAll("\n\n", "\n\ndata: ping\n\n"),
      expect: got,
      anomalies: ["frame-not-json"],
    },
    "a ping in the same event as the data": { sent: plain.replaceAll("data: {", "data: ping\ndata: {"), expect: got },
  },
  "other fields": {
    "id, event and retry": {
      sent: events.map((event, i) => `id: ${i}\nevent: message\nretry: 10\n${event}\n\n`).join(""),
      expect: got,
    },
    "fields that do not exist, and lines without a colon": {
      sent: events.map((event) => `foo: bar\nhello\n${event}\ndata-x: 1\n\n`).join(""),
      expect: got,
    },
  },
  spaces: {
    "none behind the colon": { sent: plain.replaceAll("data: ", "data:"), expect: got },
    "two behind the colon": { sent: plain.replaceAll("data: ", "data:  "), expect: got },
  },
  "data in several lines": {
    "JSON that is printed prettily": {
      sent: frames
        .map((frame) => (typeof frame === "string" ? frame : JSON.stringify(frame, null, 2)))
        .map(
          (text) =>
            `${text
              .split("\n")
              .map((line) => `data: ${line}\n`)
              .join("")}\n`,
        )
        .join(""),
      expect: got,
    },
    "no blank line between the events": { sent: `${events.join("\n")}\n\n`, expect: got },
  },
  "byte order mark": {
    "at the beginning": { sent: `\uFEFF${plain}`, expect: got },
    "in front of a body": { sent: `\uFEFF${JSON.stringify(body)}`, expect: got },
  },
  "the end of the bytes": {
    "no blank line behind the last event": { sent: sse(...frames.slice(0, -1)).trimEnd(), expect: got },
    "not even [DONE] has one": { sent: plain.trimEnd(), expect: got },
    "in the middle of a frame": { sent: plain.slice(0, plain.indexOf("visit")), expect: cut({ text: "Zażółć " }) },
  },
  "frames that are no chunks": {
    "numbers, texts and lists": {
      sent: sse(role, "12", '"hello"', "[]", "null", says("ok"), end("stop"), DONE),
      expect: turn({ text: "ok" }),
    },
    "objects of somebody else": {
      sent: sse({ type: "ping" }, role, { event: "heartbeat", ts: 5 }, says("ok"), end("stop"), DONE),
      expect: turn({ text: "ok" }),
      anomalies: ["frame-unknown"],
    },
  },
  "a body and no stream": {
    "in one line": { sent: JSON.stringify(body), expect: got, anomalies: ["whole-body"] },
    "printed prettily": { sent: `${JSON.stringify(body, null, 2)}\n`, expect: got },
    "as data of one event": { sent: sse(body, DONE), expect: got },
    "an error": { sent: '{\n  "error": { "message": "no such model", "code": 404 }\n}', expect: failed() },
    "chunks as lines of JSON": {
      sent: frames.map((frame) => `${typeof frame === "string" ? frame : JSON.stringify(frame)}\n`).join(""),
      expect: got,
    },
    "a notice in JSON, and then events": { sent: `{"notice":"queued"}\n\n${plain}`, expect: got },
  },
  "errors in fields": {
    "an error field": {
      sent: `${sse(role, says("Hal"))}error: {"code":500,"message":"kv cache"}\n\n`,
      expect: failed({ text: "Hal" }),
    },
    "an error event with JSON": {
      sent: `${sse(role, says("Hal"))}event: error\ndata: {"error":{"message":"gone"}}\n\n`,
      expect: failed({ text: "Hal" }),
    },
    "an error event with text": {
      sent: `${sse(role, says("Hal"))}event: error\ndata: upstream closed\n\n${sse(DONE)}`,
      expect: failed({ text: "Hal" }),
    },
  },
  combined: {
    "CRLF, no space, comments, index 1, cumulative, finish stop": {
      sent: sse(
        ...chat(
          calls(begin(1, null, "visit", '{"ci')),
          calls(begin(1, "w2", "visit", '{"city":"X')),
          calls(begin(1, "w2", "visit", '{"city":"Xi"}')),
        ).slice(0, -2),
        delta({}, "stop"),
      )
        .replaceAll("\n\n", "\n\n: hm\n\n")
        .replaceAll("data: ", "data:")
        .replaceAll("\n", "\r\n"),
      expect: turn({ calls: [ready("w2", "visit", { city: "Xi" })] }),
    },
    "a body with usage only, then the stream": {
      sent: sse(chunk([], { usage: { total_tokens: 1 } }), ...frames),
      expect: got,
    },
  },
});
