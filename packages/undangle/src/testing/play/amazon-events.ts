import { crc32 } from "node:zlib";

/** One event in Amazon's binary framing: lengths, headers, payload, and checksums of both. */
export function amazonEvent(type: string, payload: unknown): Uint8Array {
  const isFault = type.endsWith("Exception");
  const headers = Buffer.concat([
    header(isFault ? ":exception-type" : ":event-type", type),
    header(":content-type", "application/json"),
    header(":message-type", isFault ? "exception" : "event"),
  ]);
  const body = Buffer.from(JSON.stringify(payload));
  const prelude = Buffer.alloc(12);
  prelude.writeUInt32BE(12 + headers.length + body.length + 4, 0);
  prelude.writeUInt32BE(headers.length, 4);
  prelude.writeUInt32BE(crc32(prelude.subarray(0, 8)), 8);
  const message = Buffer.concat([prelude, headers, body]);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(message), 0);
  return Buffer.concat([message, sum]);
}

const textType = 7;

function header(name: string, value: string): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(Buffer.byteLength(value), 0);
  return Buffer.concat([
    Buffer.from([Buffer.byteLength(name)]),
    Buffer.from(name),
    Buffer.from([textType]),
    length,
    Buffer.from(value),
  ]);
}
