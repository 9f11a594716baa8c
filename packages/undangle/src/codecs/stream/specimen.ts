/** What is said in the short streams of nobody's that the formats write: enough of the same for it to be read as a run. */
export const specimenPieces: readonly string[] = Array.from({ length: 16 }, (_, i) => `word ${i}\n`);

const text = specimenPieces.join("");

/** What is called in them. */
export const specimenCalls = ["call_1", "call_2"].map((id) => ({
  id,
  name: "note",
  pieces: ['{"text":', JSON.stringify(text), "}"].join("").match(/.{1,12}/gsu) ?? [],
}));
