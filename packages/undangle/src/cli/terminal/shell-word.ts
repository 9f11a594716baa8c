/** A text as one shell word. */
export const shellWord = (text: string): string =>
  /^[\w./@:+=-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
