/** The first byte of a body that is no blank; undefined where there is none. The stream that is given back has all of them. */
export async function firstByteOf(
  body: ReadableStream<Uint8Array>,
): Promise<{ readonly first: number | undefined; readonly stream: ReadableStream<Uint8Array> }> {
  const reader = body.getReader();
  const read: Uint8Array[] = [];
  let first: number | undefined;
  while (first === undefined) {
    const { done, value } = await reader.read();
    if (done) break;
    read.push(value);
    first = value.find((byte) => !blanks.has(byte));
  }
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> => {
    const known = read.shift();
    const { done, value } = known === undefined ? await reader.read() : { done: false, value: known };
    if (done || value === undefined) controller.close();
    else controller.enqueue(value);
  };
  const cancel = (reason: unknown): Promise<void> => reader.cancel(reason);
  return { first, stream: new ReadableStream({ pull, cancel }, { highWaterMark: 0 }) };
}

/** White space, and the mark at the beginning of a text. */
const blanks: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d, 0xef, 0xbb, 0xbf]);
