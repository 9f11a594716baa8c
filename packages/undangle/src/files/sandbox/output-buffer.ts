export interface KeptOutput {
  readonly output: Uint8Array;
  readonly omitted: number;
}

/**
 * Keeps the first and the last half of the output of a command. It uses at most `limit` bytes of memory, however much a
 * command writes and however small its chunks are.
 */
export class OutputBuffer {
  readonly #limit: number;
  /** Where the last half begins. */
  readonly #half: number;
  #bytes = new Uint8Array(0);
  #total = 0;

  constructor(limit: number) {
    this.#limit = limit;
    this.#half = Math.ceil(limit / 2);
  }

  push(chunk: Uint8Array): void {
    const room = Math.max(this.#limit - this.#total, 0);
    if (room > 0) this.#append(chunk.subarray(0, room));
    if (chunk.length > room) this.#overwrite(chunk.subarray(room));
  }

  read(): KeptOutput {
    if (this.#total <= this.#limit) return { output: this.#bytes.slice(0, this.#total), omitted: 0 };
    const output = new Uint8Array(this.#limit);
    const oldest = this.#half + this.#position();
    output.set(this.#bytes.subarray(0, this.#half));
    output.set(this.#bytes.subarray(oldest, this.#limit), this.#half);
    output.set(this.#bytes.subarray(this.#half, oldest), this.#half + this.#limit - oldest);
    return { output, omitted: this.#total - this.#limit };
  }

  #append(chunk: Uint8Array): void {
    const length = this.#total + chunk.length;
    if (length > this.#bytes.length) {
      const grown = new Uint8Array(Math.min(this.#limit, Math.max(length, this.#bytes.length * 2)));
      grown.set(this.#bytes);
      this.#bytes = grown;
    }
    this.#bytes.set(chunk, this.#total);
    this.#total = length;
  }

  /** The last half is a ring: new bytes replace the oldest. */
  #overwrite(chunk: Uint8Array): void {
    const size = this.#limit - this.#half;
    const skipped = Math.max(chunk.length - size, 0);
    this.#total += skipped;
    let rest = chunk.subarray(skipped);
    while (rest.length > 0) {
      const position = this.#position();
      const part = rest.subarray(0, size - position);
      this.#bytes.set(part, this.#half + position);
      this.#total += part.length;
      rest = rest.subarray(part.length);
    }
  }

  /** Where the next byte goes in the last half. */
  #position(): number {
    const size = this.#limit - this.#half;
    return size === 0 ? 0 : (this.#total - this.#limit) % size;
  }
}
