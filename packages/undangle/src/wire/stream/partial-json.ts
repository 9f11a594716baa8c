/** The text of a JSON object while it comes. Numbers and words are not looked at closely: what it refuses is not JSON. */
export interface PartialJson {
  /** Reads on; false when no object can begin with all that was read. */
  readonly add: (text: string) => boolean;
  /** The object is over. */
  readonly isComplete: () => boolean;
}

/** What may come next. */
type Place = "start" | "member" | "key" | "colon" | "value" | "item" | "next" | "string" | "word" | "over" | "broken";

export function createPartialJson(): PartialJson {
  const closers: string[] = []; // of what is open
  let place: Place = "start";
  let isKey = false; // the string is one
  let isEscaped = false;
  let digits = 0; // of an escape that are still to come

  const open = (closer: "}" | "]"): Place => {
    closers.push(closer);
    return closer === "}" ? "member" : "item";
  };

  const close = (): Place => {
    closers.pop();
    return closers.length === 0 ? "over" : "next";
  };

  const begin = (is: "key" | "value"): Place => {
    isKey = is === "key";
    return "string";
  };

  const spell = (sign: string): Place => {
    if (digits > 0) {
      digits--;
      return isDigit.test(sign) ? "string" : "broken";
    }
    if (isEscaped) {
      isEscaped = false;
      if (sign === "u") digits = 4;
      return escapes.includes(sign) ? "string" : "broken";
    }
    isEscaped = sign === "\\";
    if (sign === '"') return isKey ? "colon" : "next";
    return sign < " " ? "broken" : "string";
  };

  const value = (sign: string): Place => {
    if (sign === "{") return open("}");
    if (sign === "[") return open("]");
    if (sign === '"') return begin("value");
    if (sign === "]" && place === "item") return close();
    return isOfWord.test(sign) ? "word" : "broken";
  };

  const next = (sign: string): Place => {
    const closer = closers.at(-1);
    if (sign === closer) return close();
    if (sign !== ",") return "broken";
    return closer === "}" ? "key" : "value";
  };

  const read = (sign: string): Place => {
    if (place === "string") return spell(sign);
    if (place === "word" && isOfWord.test(sign)) return "word";
    if (blanks.includes(sign)) return place === "word" ? "next" : place;
    switch (place) {
      case "start":
        return sign === "{" ? open("}") : "broken";
      case "member":
        return sign === "}" ? close() : sign === '"' ? begin("key") : "broken";
      case "key":
        return sign === '"' ? begin("key") : "broken";
      case "colon":
        return sign === ":" ? "value" : "broken";
      case "value":
      case "item":
        return value(sign);
      case "word":
      case "next":
        return next(sign);
      default:
        return "broken";
    }
  };

  return {
    add(text) {
      for (let at = 0; at < text.length && place !== "broken"; at++) place = read(text.charAt(at));
      return place !== "broken";
    },
    isComplete: () => place === "over",
  };
}

const blanks = " \t\n\r";
const escapes = '"\\/bfnrtu';
const isDigit = /[\da-f]/iu;
const isOfWord = /[-+.\w]/u;
