import { useMemo } from "react";

/**
 * Characters that hide or reorder text: controls, bidi overrides, zero-width characters, tags and fillers that look
 * empty. Line feeds and tabs are shown as they are, and so are the joiners of emoji.
 */
const hidden =
  /(?![\n\t])(?!(?<=\p{Extended_Pictographic}\uFE0F?)\u200D)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u115F\u1160\u3164\uFFA0]/gu;

/** A letter of another script inside a word of Latin letters, such as a Cyrillic а. */
const lookAlike = /(?<=[A-Za-z])[\u0370-\u03FF\u0400-\u052F]|[\u0370-\u03FF\u0400-\u052F](?=[A-Za-z])/gu;

const nameOf = (character: string): string =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;

interface Piece {
  readonly text: string;
  readonly isMarked: boolean;
}

function piecesOf(text: string): readonly Piece[] {
  const pieces: Piece[] = [];
  let end = 0;
  const marked = [...text.matchAll(hidden), ...text.matchAll(lookAlike)].sort((one, other) => one.index - other.index);
  for (const { 0: character, index } of marked) {
    if (index < end) continue;
    if (index > end) pieces.push({ text: text.slice(end, index), isMarked: false });
    const isHidden = character.search(hidden) === 0;
    pieces.push({ text: isHidden ? nameOf(character) : `${character} ${nameOf(character)}`, isMarked: true });
    end = index + character.length;
  }
  if (end < text.length) pieces.push({ text: text.slice(end), isMarked: false });
  return pieces;
}

/** Text exactly as it is, never as markup. Characters that deceive a reader are replaced by their code points. */
export function ExactText({ text }: { readonly text: string }) {
  const pieces = useMemo(() => piecesOf(text), [text]);
  return (
    <bdi dir="ltr">
      {pieces.map(({ text: piece, isMarked }, i) =>
        isMarked ? (
          <mark key={i} className="rounded bg-bad-soft px-0.5 font-mono text-[0.85em] text-bad">
            {piece}
          </mark>
        ) : (
          piece
        ),
      )}
    </bdi>
  );
}
