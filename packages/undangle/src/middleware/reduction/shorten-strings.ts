/**
 * Replaces long strings in the text of JSON. Everything else, such as numbers with many digits, keeps its characters. The
 * same text if there is nothing to replace.
 */
export function shortenStrings(json: string, over: number, shorten: (text: string) => string): string {
  let written = "";
  let from = 0;
  for (let at = json.indexOf('"'); at !== -1;) {
    const end = endOfString(json, at);
    if (end - at - 2 > over && !isKey(json, end)) {
      const text = JSON.parse(json.slice(at, end)) as string; // between two quotes of valid JSON
      if (text.length > over) {
        written += json.slice(from, at) + JSON.stringify(shorten(text));
        from = end;
      }
    }
    at = json.indexOf('"', end);
  }
  return from === 0 ? json : written + json.slice(from);
}

/** The index after the quote that closes the string at `start`. */
function endOfString(json: string, start: number): number {
  let at = start + 1;
  while (at < json.length && json[at] !== '"') at += json[at] === "\\" ? 2 : 1;
  return at + 1;
}

const isKey = (json: string, end: number): boolean => {
  let at = end;
  while (json[at] === " " || json[at] === "\n" || json[at] === "\r" || json[at] === "\t") at++;
  return json[at] === ":";
};
