/** The update that replaces all messages of a graph's state. */
export async function replaceAll(messages: readonly unknown[]): Promise<readonly unknown[]> {
  return [await removal(), ...messages];
}

/** LangGraph's REMOVE_ALL_MESSAGES. */
const everything = "__remove_all__";

async function removal(): Promise<unknown> {
  try {
    const { RemoveMessage } = await import("@langchain/core/messages");
    return new RemoveMessage({ id: everything });
  } catch {
    return { type: "remove", id: everything }; // the package cannot be resolved; the graph accepts the plain form too
  }
}
