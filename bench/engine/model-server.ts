// A provider of the chat format in a process of its own, so that its work is not counted. The path says how many calls a step has:
// `/16/v1/chat/completions`.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { completionOf, eventsOf } from "./provider-stream.ts";
import { callsOf, stepsWithCalls } from "./workload.ts";
import type { ChatMessage } from "./workload.ts";

const server = createServer((request, response) => {
  const parts: Buffer[] = [];
  request.on("data", (part: Buffer) => parts.push(part));
  request.on("end", () => {
    const { messages, stream } = JSON.parse(Buffer.concat(parts).toString()) as Asked; // of the contenders
    const step = messages.length - 1 - messages.findLastIndex(({ role }) => role === "user");
    const count = Number(/\d+/u.exec(request.url ?? "")?.[0]);
    const done = Math.round(step / (count + 1)); // a message with the calls, and a result for each
    const calls = done < stepsWithCalls ? callsOf(done, count) : [];
    response.setHeader("content-type", stream === true ? "text/event-stream" : "application/json");
    response.end(stream === true ? eventsOf(calls) : JSON.stringify(completionOf(calls)));
  });
});

interface Asked {
  readonly messages: readonly ChatMessage[];
  readonly stream?: boolean;
}

server.keepAliveTimeout = 60_000;
server.listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port)); // it listens on a port
process.once("disconnect", () => process.exit());
