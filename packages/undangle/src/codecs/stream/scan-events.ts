/**
 * Reads events that repeat one another in less than half the time, where the platform runs WebAssembly with vectors: sixteen
 * bytes at a time. It is assembled from scan-events.wat, gives up at whatever is not plain, and where it gives up, or cannot
 * be had, what is written in JavaScript goes on.
 */
export interface EventScanner {
  /**
   * Looks at bytes from the index on at which the text of an event begins. Gives the index behind the last event that was
   * read, -1 for none; how many they were, what they say and where each text ends, from a place on, is there until anything else is asked.
   */
  readonly scan: (bytes: Uint8Array, from: number, pattern: ScanPattern, place: number) => number;
  readonly count: () => number;
  readonly text: () => Uint8Array;
  readonly ends: () => Int32Array;
  /** True for the text of a JSON object; false for any other, and where it cannot tell. */
  readonly isObject: (text: string) => boolean;
}

/**
 * What stands between the texts of two events, in the first bytes; how long it is, and how much of it ends an event. It does not
 * change: another one is another list.
 */
export type ScanPattern = readonly [bytes: Uint8Array, length: number, tail: number];

/** So many bytes are looked at together, at most. */
const mostScanned = 48 * 1024;

/** Fewer are not worth to be brought to where they are looked at in this way. */
const few = 1024;

/** So many have to come before one is made: most processes that read a few short answers need none. */
const enough = 256 * 1024;

// Where things are in its memory: three pages of 64 kB. Sixteen bytes behind the last are read and written.
const places = { between: 512, input: 8 * 1024, output: 64 * 1024, ends: 128 * 1024 };

/** What stands between texts may be so long. */
const mostBetween = places.input - places.between - 16;

const leastBetween = 16;

/** Gives a scanner for so many bytes, where it is worth it for them, and has been for those before. */
export type ScannerFor = (bytes: number) => EventScanner | undefined;

/** What a platform runs it with; undefined where there is nothing. */
export interface Runner {
  readonly Module: new (code: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: object };
}

/** One for many streams: it is made when enough was read. */
export function supplyScanner(runner: Runner | undefined): ScannerFor {
  let seen = 0;
  let known: EventScanner | null | undefined; // null where there can be none
  return (bytes) => {
    if (bytes < few) return undefined;
    seen += bytes;
    if (known === undefined && seen >= enough) known = createScanner(runner) ?? null;
    return known ?? undefined;
  };
}

/** Undefined where it cannot be had: some platforms make nothing executable while they run. */
export function createScanner(runner: Runner | undefined): EventScanner | undefined {
  try {
    if (runner === undefined) return undefined;
    const code = Uint8Array.from(atob(assembled), (sign) => sign.charCodeAt(0));
    const { exports } = new runner.Instance(new runner.Module(code));
    return scannerOf(exports as Exports); // of what is assembled below
  } catch {
    return undefined; // it is not needed, only faster
  }
}

/** What scan-events.wat gives out. */
interface Exports {
  readonly memory: { readonly buffer: ArrayBuffer };
  /** Its places are named there. */
  readonly scan: (...places: number[]) => number;
  readonly isObject: (from: number, end: number) => number;
}

function scannerOf({ memory, scan, isObject }: Exports): EventScanner {
  const bytes = new Uint8Array(memory.buffer);
  const numbers = new Int32Array(memory.buffer);
  const { between, input, output, ends } = places;
  const encoder = new TextEncoder();
  const room = bytes.subarray(input, bytes.length - 16); // for the text of an object
  let last: ScanPattern | undefined;
  const count = (): number => ((numbers[1] ?? ends) - ends) / 4;
  return {
    scan(given, from, pattern, place) {
      const [written, length, tail] = pattern;
      if (length < leastBetween || length > mostBetween) return -1;
      if (pattern !== last) bytes.set(written.subarray(0, length), between);
      last = pattern;
      const size = Math.min(given.length - from, mostScanned);
      bytes.set(given.subarray(from, from + size), input);
      bytes[input + size] = 0;
      const behind = scan(input, input + size, between, length, tail, output, output - place, ends);
      return behind === 0 ? -1 : from + behind - input;
    },
    count,
    text: () => bytes.subarray(output, numbers[0]),
    ends: () => numbers.subarray(ends / 4, ends / 4 + count()),
    isObject(text) {
      if (text.length > room.length) return false;
      const { read, written } = encoder.encodeInto(text, room);
      bytes[input + written] = 0;
      return read === text.length && isObject(input, input + written) === 1;
    },
  };
}

/** scan-events.wat, as `wabt` assembles it. */
export const assembled =
  "AGFzbQEAAAABEwJgCH9/f39/f39/AX9gAn9/AX8DBAMAAQEFAwEAAwccAwZtZW1vcnkCAARzY2FuAAAIaXNPYmplY3QAAQq7CQORAwMBewZ/AXsgBSEMIANBEGsh" +
  "DgJAA0ACQANAIAD9AAQAIQggBSAI/QsEACAIQSL9D/0jIAhB3AD9D/0j/VAgCEEg/Q/9Jv1Q/WQhCSAJRQRAIABBEGohACAFQRBqIQUMAQsgCWghCSAAIAlqIQAg" +
  "BSAJaiEFIAAtAAAhCiAKQSJGDQEgCkHcAEcNAyAALQABLQCAAiEKIApFDQMgBSAKOgAAIABBAmohACAFQQFqIQUMAAsLIAAgBGogAUsNAQJAIAAgA2ogAUsNACAA" +
  "IA5q/QAEACACIA5q/QAEAP1RIQ9BACENA0AgDyAAIA1q/QAEACACIA1q/QAEAP1R/VAhDyANQRBqIQ0gDSAOSQ0ACyAP/VMNACAHIAUgBms2AgAgB0EEaiEHIAUh" +
  "DCAAIARqIQsgACADaiEADAELQQAhDQNAIAAgDWotAAAgAiANai0AAEcNAiANQQFqIQ0gDSAESQ0ACyAHIAUgBms2AgAgB0EEaiEHIAUhDCAAIARqIQsLC0EAIAw2" +
  "AgBBBCAHNgIAIAsLhQYDBH8BewF/AkADQANAIAAtAAAhAiACQSBGIAJBCkZyIAJBDUYgAkEJRnJyBEAgAEEBaiEADAELCyADRQRAIAdBAUYEQCAAIAFGDwsgAkH7" +
  "AEcNAgsCQCAHQQFGBEAgAiAERg0BIAJBLEcNA0EDQQAgBEH9AEYbIQcgAEEBaiEADAILIAJBIkYEQCAAQQFqIQACQANAIAD9AAQAIQYgBkEi/Q/9IyAGQdwA/Q/9" +
  "I/1QIAZBIP0P/Sb9UP1kIQUgBUUEQCAAQRBqIQAMAQsgACAFaGohACAALQAAIQIgAkEiRg0BIAJB3ABHDQUgAC0AASECIABBAmohACACLQCAAg0AIAJB9QBHDQVB" +
  "BCEFA0AgAC0AACECIAJBMGtBCk8gAkEgckHhAGtBBk9xDQYgAEEBaiEAIAVBAWshBSAFDQALDAALCyAAQQFqIQAgB0EGcUECRgRAA0AgAC0AACECIABBAWohACAC" +
  "QSBGIAJBCkZyIAJBDUYgAkEJRnJyDQALIAJBOkcNBEEAIQcFQQEhBwsMAgsgB0EDRg0CIAdBAkYEQCACQf0ARg0BDAMLIAdBBEYgAkHdAEZxDQAgAkEgckH7AEYE" +
  "QCADQcgBRg0DIAJBAmohBCADQQFqIQMgAyAEOgAQQQJBBCACQfsARhshByAAQQFqIQAMAgtBASEHIAAoAgAhBSAFQfTk1asGRiAFQe7qseMGRnIEQCAAQQRqIQAM" +
  "AgsgBUHmwrGbB0YgAC0ABEHlAEZxBEAgAEEFaiEADAILIAJBLUYEQCAAQQFqIQAgAC0AACECCyACQTBrQQpPDQIgACACQTBGEAIhACAALQAAQS5GBEAgAEEBaiEA" +
  "IAAtAAAhAiACQTBrQQpPDQMgAEEAEAIhAAsgAC0AAEEgckHlAEYEQCAAQQFqIQAgAC0AACECIAJBK0YgAkEtRnIEQCAAQQFqIQAgAC0AACECCyACQTBrQQpPDQMg" +
  "AEEAEAIhAAsMAQsgAEEBaiEAIANBAWshAyADLQAQIQRBASEHDAALC0EACx8AA0AgAEEBaiEAIAFFIAAtAABBMGtBCklxDQALIAALCzkIAEGiAgsBIgBBrwILAS8A" +
  "QdwCCwFcAEHiAgsBCABB5gILAQwAQe4CCwEKAEHyAgsBDQBB9AILAQk=";
