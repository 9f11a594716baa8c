/** The relevant part of a tool call. */
export interface ToolRequest {
  readonly toolCall: { readonly id?: string | undefined; readonly name: string };
}

/**
 * Runs a tool, and turns an exception into its result. Otherwise the exception ends the run, results of parallel calls
 * are lost, and the next turn has to guess.
 */
export async function withToolErrors<Request extends ToolRequest, Result>(
  request: Request,
  handler: (request: Request) => Result | Promise<Result>,
): Promise<Result> {
  try {
    return await handler(request);
  } catch (error) {
    if (isControlFlow(error)) throw error;
    const { ToolMessage } = await import("@langchain/core/messages");
    const { id = "", name } = request.toolCall;
    const message = new ToolMessage({ content: String(error), tool_call_id: id, name, status: "error" });
    return message as Result; // an agent accepts it as a result
  }
}

/** Interrupts and aborts are not errors of the tool. LangChain handles invalid input itself. */
function isControlFlow(error: unknown): boolean {
  if (typeof error !== "object" || error === null) return false;
  if ("is_bubble_up" in error && error.is_bubble_up === true) return true;
  return "name" in error && (error.name === "AbortError" || error.name === "ToolInvocationError");
}
