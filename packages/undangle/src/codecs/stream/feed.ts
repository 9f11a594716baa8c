import { isRecord, jsonText, textOf } from "#core";
import type { Assembly, JsonObject, StreamFault } from "#core";

import type { StreamDecoder } from "./decoder.ts";
import { dialects } from "./events/dialects.ts";
import type { StreamDialect } from "./events/dialects.ts";
import { createEventReader, isEndMarker, isKeepAliveName, valuesIn } from "./events/sse.ts";
import type { TakeEvent } from "./events/sse.ts";
import { takeUnreadable } from "./events/unreadable-event.ts";
import type { StreamFormat } from "./formats.ts";

/** Receives the chunks of a source. */
interface Feed {
  readonly add: (delta: unknown) => void;
  readonly end: () => void;
}

/** Passes chunks of any kind to the decoder as frames. Some formats end with a marker line. */
export function createFeed(decoder: StreamDecoder, assembly: Assembly, format: StreamFormat | undefined): Feed {
  const bytes = new TextDecoder();
  /** Gemini streams a list, which may also arrive as one value. */
  const takeAll = (value: unknown, event: string | undefined): void => {
    if (Array.isArray(value) && value.length === 0) assembly.doubt();
    for (const frame of Array.isArray(value) ? value : [value]) takeFrame(frame, event, decoder, assembly);
  };
  const takeEvent = parsing(assembly, format && dialects[format], {
    take(value, event, data) {
      if (event === "error" && !isRecord(value)) assembly.fail({ message: data, from: "provider" });
      else takeAll(value, event);
    },
  });
  const reader = createEventReader(takeEvent);
  return {
    add(delta) {
      if (typeof delta === "string") reader.add(delta);
      else if (ArrayBuffer.isView(delta) || delta instanceof ArrayBuffer)
        reader.add(bytes.decode(delta as Uint8Array, { stream: true })); // a view of any type, including one from another realm
      else takeAll(delta, undefined);
    },
    end() {
      reader.add(bytes.decode());
      reader.end();
      decoder.end?.();
    },
  };
}

/** What becomes of the data of events. */
interface ParsedEvents {
  readonly take: (value: unknown, event: string | undefined, data: string) => void;
  /** Data contains several values, which no client can read. */
  readonly onSeveral?: () => void;
  /** Data is not JSON, and a call may lack it. */
  readonly onLoss?: () => void;
}

/** Parses the data of events: values, the end marker, several values in one, and data that is not JSON. */
export function parsing(
  assembly: Assembly,
  dialect: StreamDialect | undefined,
  { take, onSeveral, onLoss }: ParsedEvents,
): TakeEvent {
  const takeEvent: TakeEvent = (data, event, rest = "") => {
    const isObject = data.charCodeAt(0) === 0x7b; // the common case
    if (!isObject && isEndMarker(data)) {
      if (dialect?.end === "end-marker") assembly.close("stream");
      return;
    }
    if (!isObject && data.trim() === "") return;
    let value: unknown;
    try {
      value = JSON.parse(data);
    } catch {
      const inner = event === "error" ? undefined : valuesIn(data);
      if (inner !== undefined) {
        onSeveral?.();
        for (const each of inner) takeEvent(each, event);
      } else if (takeUnreadable({ data, event, rest }, assembly, dialect?.lossOf)) onLoss?.();
      return;
    }
    take(value, event, data);
  };
  return takeEvent;
}

/** Decodes one frame of any type. */
export function takeFrame(frame: unknown, event: string | undefined, decoder: StreamDecoder, assembly: Assembly): void {
  assembly.frames++;
  if (!isRecord(frame)) {
    assembly.note("frame-unknown");
    if (!isKeepAliveName(event)) assembly.doubt();
    return;
  }
  const fault = faultIn(frame, event);
  if (fault !== undefined) assembly.fail(fault);
  if (fault === undefined || saysMore(frame)) decoder.frame(frame, event);
}

type Frame = JsonObject;

/** A frame with an error may also contain a delta of the response. */
const saysMore = (frame: Frame): boolean => "choices" in frame || "candidates" in frame || "output" in frame;

/** The error in a frame, in any of the shapes that servers use. */
function faultIn(frame: Frame, event: string | undefined): StreamFault | undefined {
  const { error, choices } = frame;
  if (!error && event !== "error") {
    if (Array.isArray(choices)) return faultInChoices(choices); // the common case: no error
    if (frame["delta"] !== undefined) return undefined;
    if (frame["type"] !== "error") return faultWithoutName(frame);
  }
  const inner = isRecord(error) ? error : frame;
  const message = typeof error === "string" ? error : textOf(inner["message"] ?? inner["detail"] ?? frame["message"]);
  const code = textOf(inner["type"] === "error" ? inner["code"] : (inner["code"] ?? inner["type"] ?? inner["status"]));
  return { message: message ?? jsonText(error ?? frame), from: "provider", ...(code !== undefined && { code }) };
}

/** The error in a choice, as OpenRouter reports it. */
function faultInChoices(choices: readonly unknown[]): StreamFault | undefined {
  for (const choice of choices) if (isRecord(choice) && choice["error"]) return faultIn({ error: choice["error"] }, "");
  return undefined;
}

/** Errors under other keys: vLLM's object, MiniMax's base_resp, and a message with a code in place of a response. */
function faultWithoutName(frame: Frame): StreamFault | undefined {
  const { object, message, base_resp: base } = frame;
  const status = isRecord(base) ? base["status_code"] : undefined;
  if (isRecord(base) && typeof status === "number" && status !== 0) {
    return { message: textOf(base["status_msg"]) ?? String(status), from: "provider", code: String(status) };
  }
  if (typeof message !== "string") return undefined;
  const code = textOf(frame["code"] ?? frame["statusCode"] ?? frame["status"]);
  if (object !== "error" && code === undefined) return undefined;
  return { message, from: "provider", ...(code !== undefined && { code }) };
}
