/** A signature, or something encrypted, with which a provider knows again what its model said. Only its owner can read it. */
export interface Seal {
  readonly owner: Owner;
  /** Empty where the id, or the phase, is all there is. */
  readonly value: string;
  /** The id under which the owner keeps it. */
  readonly id?: string;
  /** The server that made it, where several speak the owner's format: no other takes it back. */
  readonly server?: string;
  /** What kind of message OpenAI says that it is, which it wants to hear again. */
  readonly phase?: string;
}

/** Whose servers made a thing that no other can read. */
export type Owner = "openai" | "anthropic" | "gemini" | "openrouter";
