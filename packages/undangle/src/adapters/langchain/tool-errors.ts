/** A tool call that an agent is about to run, as far as it matters here. */
export interface ToolRequest {
  readonly toolCall: { readonly id?: string | undefined; readonly name: string };
}

/**
 * Runs a tool, and makes a result of what it throws. Without it the exception ends the run, the results of the calls beside it
 * are lost, and the next turn has to guess what became of all of them.
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
    return message as Result; // what an agent takes as a result
  }
}

/** Interrupts and aborts are not the tool's. LangChain answers wrong input itself, before the tool runs. */
function isControlFlow(error: unknown): boolean {
  if (typeof error !== "object" || error === null) return false;
  if ("is_bubble_up" in error && error.is_bubble_up === true) return true;
  return "name" in error && (error.name === "AbortError" || error.name === "ToolInvocationError");
}
