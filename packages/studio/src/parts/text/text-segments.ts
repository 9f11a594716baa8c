/** A segment of a text. A marked one replaces characters that deceive a reader. */
export interface TextSegment {
  readonly text: string;
  readonly isMarked: boolean;
}

/** A run of characters that would deceive a reader. */
interface Deception {
  readonly start: number;
  readonly end: number;
  /** What is shown in its place. */
  readonly text: string;
}

/**
 * Characters that hide or reorder text: controls, bidi overrides, zero-width characters, tags, variation selectors and
 * fillers that look empty. Line ends and tabs are shown as they are, and so are the joiners and selectors of emoji.
 */
const hidden =
  /(?:(?![\n\t]|\r\n)(?!(?<=\p{Extended_Pictographic}\uFE0F?|\p{Emoji_Modifier})\u200D)(?!(?<=(?![0-9#*])\p{Emoji}|[0-9#*](?=\uFE0F\u20E3))\uFE0F)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800])+/gu;

/** Spaces and empty lines that push text out of sight. */
const gap = / {100,}|\t{20,}|\n(?:[^\S\n]*\n){9,}/gu;

/** Greek and Cyrillic, with their signs. */
const greekOrCyrillic = String.raw`\u0370-\u03FF\u0400-\u052F`;

/** Scripts that occur next to Latin letters in ordinary text, and letters of no script, such as that of "µm". */
const ordinary = ["Latin", "Common", "Inherited", "Han", "Hiragana", "Katakana", "Hangul", "Bopomofo"]
  .map((script) => String.raw`\p{Script=${script}}`)
  .join("");

/** A letter of another script. A character matches one alternative only, or a search would try all combinations. */
const otherLetter = `(?:[${greekOrCyrillic}]|(?![${greekOrCyrillic}${ordinary}])${String.raw`\p{L}`})`;

/** Signs that look like a slash or a full stop, but are in ordinary text of East Asia and in drawings. */
const wideSigns = String.raw`[\u2571\uFF0E\uFF0F]`;

/** A run of `signs` that touches one of `neighbours`. It is looked for from its start only: time grows with the length. */
const touching = (signs: string, neighbours: string): string =>
  `(?<=${neighbours})${signs}+|(?<!${signs})${signs}+(?=${neighbours})`;

/** A letter of another script that touches a Latin letter, and characters that are drawn as Latin letters or as signs of addresses. */
const foreign = new RegExp(
  [
    touching(otherLetter, String.raw`\p{Script=Latin}`),
    String.raw`[\uFF10-\uFF19\uFF21-\uFF3A\uFF41-\uFF5A\u{1D400}-\u{1D7FF}\u2024\u2044\u2215\u29F8\u2170-\u217F]+`,
    touching(wideSigns, String.raw`[\p{Script=Latin}0-9]`),
    touching("[ɑɡ]", "[A-Za-z]"),
  ].join("|"),
  "gu",
);

/** What could be a path or an address: Latin letters, or signs between letters. */
const name = /[^\s"'<>(){}[\],;]+/gu;
const isName = /[A-Za-z]|[\p{L}\p{N}][./@]+[\p{L}\p{N}]/u;

/** A word of Cyrillic or Greek letters that looks like a word of Latin ones. */
const disguise = /(?<!\p{L})(?:[асԁеһіјӏорѕԛԝхуѵАВЕКМНОРСТХУЅІЈԌ]+|[οναικυρΑΒΕΖΗΙΚΜΝΟΡΤΥΧ]+)(?!\p{L})/gu;

const isForeign = new RegExp(`[${greekOrCyrillic}]`, "u");

const codeOf = (character: string): string =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;

/** How many different characters a mark lists. */
const mostListed = 4;

/** Code points of a run, such as "U+200B ×1900". */
function codesOf(run: string): string {
  const codes = Array.from(run, codeOf);
  const different = [...new Set(codes)];
  if (different.length > mostListed) return `${different.slice(0, mostListed).join(" ")} … ×${codes.length}`;
  return different.length < codes.length ? `${different.join(" ")} ×${codes.length}` : codes.join(" ");
}

function deceptionsIn(text: string): readonly Deception[] {
  const found: Deception[] = [];
  const add = (run: string, start: number, isSeen: boolean): void => {
    found.push({ start, end: start + run.length, text: isSeen ? `${run} ${codesOf(run)}` : codesOf(run) });
  };
  for (const { 0: run, index } of text.matchAll(hidden)) add(run, index, false);
  for (const { 0: run, index } of text.matchAll(gap)) {
    const isBlank = run.startsWith("\n");
    const lines = run.split("\n").length - 1;
    found.push({
      start: index + (isBlank ? 1 : 0), // the lines before and after it stay lines
      end: index + run.length - (isBlank ? 1 : 0),
      text: isBlank ? `U+000A ×${lines}` : codesOf(run),
    });
  }
  for (const { 0: run, index } of text.matchAll(foreign)) add(run, index, true);
  if (isForeign.test(text))
    for (const { 0: word, index } of text.matchAll(name))
      if (isName.test(word)) for (const { 0: run, index: at } of word.matchAll(disguise)) add(run, index + at, true);
  return found.sort((one, other) => one.start - other.start);
}

/** Beyond so many marks, code points are written into the text: each mark is an element of the page. */
const mostMarks = 1_000;

/** The segments of a text, with marks for what deceives a reader. */
export function textSegments(text: string): readonly TextSegment[] {
  const segments: TextSegment[] = [];
  let plain = "";
  let end = 0;
  for (const deception of deceptionsIn(text)) {
    if (deception.start < end) continue;
    plain += text.slice(end, deception.start);
    end = deception.end;
    if (segments.length >= 2 * mostMarks) {
      plain += `[${deception.text}]`;
      continue;
    }
    if (plain !== "") segments.push({ text: plain, isMarked: false });
    plain = "";
    segments.push({ text: deception.text, isMarked: true });
  }
  plain += text.slice(end);
  if (plain !== "") segments.push({ text: plain, isMarked: false });
  return segments;
}
