import type { Socket } from "node:net";

import { ApiError, errorBody } from "./api-error.ts";

/** Responds to a request that is not HTTP or did not arrive in time, and closes the connection. */
export function respondToBrokenRequest(fault: Error & { readonly code?: string }, socket: Socket): void {
  if (!socket.writable || socket.bytesWritten > 0) return void socket.destroy(); // a response has already started
  const { status, code, message } = errorOf(fault.code);
  const body = JSON.stringify(errorBody(new ApiError(status, code, message)));
  socket.end(
    `HTTP/1.1 ${status} ${words[status] ?? "Bad Request"}\r\ncontent-type: application/json; charset=utf-8\r\nconnection: close\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}

const words: Readonly<Record<number, string>> = {
  408: "Request Timeout",
  431: "Request Header Fields Too Large",
};

function errorOf(code: string | undefined): { status: number; code: string; message: string } {
  if (code === "ERR_HTTP_REQUEST_TIMEOUT")
    return { status: 408, code: "too-slow", message: "The request did not arrive in time." };
  if (code === "HPE_HEADER_OVERFLOW")
    return { status: 431, code: "headers-too-large", message: "The headers of the request are too large." };
  return { status: 400, code: "not-http", message: "The request is not valid HTTP." };
}
