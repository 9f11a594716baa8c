/** The update after which the state of a graph holds these messages and no others. */
export async function replaceAll(messages: readonly unknown[]): Promise<readonly unknown[]> {
  return [await removal(), ...messages];
}

/** What LangGraph calls REMOVE_ALL_MESSAGES. */
const everything = "__remove_all__";

async function removal(): Promise<unknown> {
  try {
    const { RemoveMessage } = await import("@langchain/core/messages");
    return new RemoveMessage({ id: everything });
  } catch {
    return { type: "remove", id: everything }; // the package cannot be found from here: the graph takes the plain form too
  }
}
