/** A signature, or something encrypted, with which a provider knows again what its model said. Only its owner can read it. */
export interface Seal {
  readonly owner: Owner;
  /** Empty where the id is all there is. */
  readonly value: string;
  /** The id under which the owner keeps it. */
  readonly id?: string;
}

/** Whose servers made a thing that no other can read. */
export type Owner = "openai" | "anthropic" | "gemini" | "openrouter";
