import { rules } from "#core";

import type { Words } from "./words.ts";

export const englishWords: Words = {
  language: "en",
  rules,
  faults: {
    empty: "the input is empty; it must be a request body or an array of messages",
    "cut-off": "the text ends in the middle of a value; was the file cut off?",
    extra: "there is text after the end of the value",
    "trailing-comma": "a comma precedes a closing bracket",
    "single-quotes": "a string has single quotes; JSON needs double quotes (is this Python's repr? use json.dumps)",
    comment: "a comment, which JSON does not allow",
    "python-word": "None, True or False of Python; JSON has null, true and false (use json.dumps)",
    "no-number": "NaN, Infinity and undefined are not JSON",
    shortened: "the program that printed this left something out; print it with JSON.stringify or json.dumps",
    "control-character": "a line break, tab or other control character inside a string; JSON writes \\n, \\t …",
    "bad-escape": "a backslash before a character that needs none; JSON writes \\\\ for a backslash",
    "bad-number": "not a JSON number",
    value: "a value is missing here",
    key: "a key in double quotes is missing here",
    colon: "a colon is missing here",
    comma: "a comma or a closing bracket is missing here",
  },
  problem: ({ message }) => message,
  anomaly: ({ message }) => message,
  error: ({ message }) => message,
};
