import { expect, test } from "vitest";

import { failureOf } from "./call-failure.ts";

const error = (message: string, more: object = {}) => Object.assign(new Error(message), more);

test.each([
  ["version 1, without a connection", error("Not connected"), "unsent"],
  ["version 2, without a connection", error("Not connected", { code: "NOT_CONNECTED" }), "unsent"],
  ["the AI SDK, closed", error("Attempted to send a request from a closed client"), "unsent"],
  [
    "version 1, session forgotten",
    error("Streamable HTTP error: Error POSTing to endpoint: x", { code: 404 }),
    "unsent",
  ],
  ["version 2, session forgotten", error("Error POSTing to endpoint: x", { status: 404 }), "unsent"],
  ["a server that is away", error("fetch failed", { cause: error("", { code: "ECONNREFUSED" }) }), "unsent"],
  ["a connection that broke", error("fetch failed", { cause: error("", { code: "ECONNRESET" }) }), "lost"],
  ["version 1, closed in the middle", error("MCP error -32000: Connection closed", { code: -32000 }), "lost"],
  ["version 2, closed in the middle", error("Connection closed", { code: "CONNECTION_CLOSED" }), "lost"],
  ["the AI SDK, closed in the middle", error("Connection closed"), "lost"],
  ["version 1, too late", error("MCP error -32001: Request timed out", { code: -32001 }), "late"],
  ["version 2, too late", error("Request timed out", { code: "REQUEST_TIMEOUT" }), "late"],
  ["an error of the server with a code that others use", error("MCP error -32000: no", { code: -32000 }), "answered"],
  [
    "an error of the server that has the number of a status",
    error("MCP error 404: no such user", { code: 404 }),
    "answered",
  ],
  ["a tool that says so of its database", error("database: Not connected"), "answered"],
  [
    "a tool that failed with the texts of a client",
    error("MCP error -32603: Not connected", { code: -32603 }),
    "answered",
  ],
  ["the same, as version 2 tells it", error("Not connected", { code: -32603 }), "answered"],
  ["a tool that reached nobody itself", error("fetch failed", { code: -32603 }), "answered"],
  ["a tool that found nothing", error("Not Found", { status: 404 }), "answered"],
  ["a tool that found nothing, of the AI SDK", error("Not Found", { statusCode: 404 }), "answered"],
  [
    "the AI SDK, session forgotten",
    error("MCP HTTP Transport Error: POSTing to endpoint (HTTP 404): x", { statusCode: 404 }),
    "unsent",
  ],
  ["wrong arguments", error("MCP error -32602: no", { code: -32602 }), "answered"],
  ["a string", "no", "answered"],
  ["nothing", undefined, "answered"],
])("%s", (_, thrown, fate) => {
  expect(failureOf(thrown, false)).toBe(fate);
});

test("whatever is thrown by a client that was closed meanwhile, the call is lost", () => {
  expect(failureOf(new Error("read ECONNRESET"), true)).toBe("lost");
});
