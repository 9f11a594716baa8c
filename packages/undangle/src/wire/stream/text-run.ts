import type { Frame, PlainText, StreamDialect } from "#codecs";

import type { EndOfEvent } from "./framing.ts";
import type { StreamRepair } from "./perform.ts";

/**
 * Passes events that contain nothing but text without parsing them. It starts after an event of the same notation with text in the same
 * place that was read in full and passed as it arrived, before any call, end or error. Then the next text is valid too.
 */
export interface TextRun {
  /** A frame with one text was read from this event and passed as it arrived. More text may follow. */
  readonly start: (raw: string, frame: Frame) => void;
  /** Another event follows. */
  readonly stop: () => void;
  /** Passes the text events from an index on. Returns the index after them. */
  readonly pass: (bytes: Uint8Array, from: number) => number;
}

/** The place of the text, and the frame that had text there. */
interface Place {
  readonly name: string;
  readonly frame: Frame;
}

/** The number of bytes that are examined at once. Less than all, so that short runs in a long chunk cost no more. */
const portion = 16_384;

export function createTextRun(repair: StreamRepair, dialect: StreamDialect, endOfEvent: EndOfEvent): TextRun {
  const { reader, writer, output, template } = repair;
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const plain = dialect.plainText;
  let place: Place | undefined;

  const matchAt = (text: string, at: number, { pattern }: PlainText): RegExpExecArray | null => {
    pattern.lastIndex = at;
    return pattern.exec(text);
  };

  return {
    start(raw, frame) {
      const match = plain && matchAt(raw, 0, plain);
      place = match?.[0].length === raw.length ? { name: plain?.placeOf(match.groups ?? {}) ?? "", frame } : undefined;
    },
    stop() {
      place = undefined;
    },
    pass(bytes, from) {
      if (place === undefined || plain === undefined) return from;
      const window = bytes.subarray(from, from + portion);
      const text = decoder.decode(window);
      const isAscii = text.length === window.length;
      const { kept } = plain;
      let [start, at, end, events] = [0, 0, from, 0]; // the last event in the text, the end of the bytes, and the number of events
      let json = "";
      let number = kept?.numberOf(place.frame.value) ?? 0;
      for (let match = matchAt(text, at, plain); match !== null; match = matchAt(text, at, plain)) {
        const groups = match.groups ?? {};
        if (plain.placeOf(groups) !== place.name) break;
        if (kept !== undefined) {
          const read = kept.read(groups);
          if (read === undefined || !(read.number > number)) break;
          number = read.number;
          json += read.json;
        }
        start = at;
        at += match[0].length;
        end = isAscii ? from + at : endOfEvent(bytes, end);
        events++;
      }
      if (events === 0) return from;
      const texts = json === "" ? "" : String(JSON.parse(`"${json}"`)); // a text of its own, which does not keep the chunk
      if (kept !== undefined) {
        const { frame } = place;
        place = { ...place, frame: { ...frame, value: kept.write(frame.value, texts, number) } };
        writer.emitted(place.frame);
      }
      reader.skip(events, texts);
      template.setRaw(text.slice(start, at));
      output.select(from, end);
      output.pass();
      return end;
    },
  };
}
