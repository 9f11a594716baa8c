/**
 * The name of the model of a chat model, however it is wrapped; undefined when it does not say. One that is asked through the
 * Responses API is named as such (`openai.responses/gpt-5.1`): that API wants an id once in a request.
 */
export function modelName(model: unknown, tools?: unknown): string | undefined {
  const name = nameOf(model);
  return name !== undefined && usesResponses(model, tools) ? `openai.responses/${name}` : name;
}

type Fields = Readonly<Record<string, unknown>>;

/** The fields of a chat model: any of them may be missing. */
const fieldsOf = (model: unknown): Fields | undefined =>
  typeof model === "object" && model !== null ? (model as Fields) : undefined;

function nameOf(model: unknown): string | undefined {
  if (typeof model === "string") return model;
  const fields = fieldsOf(model);
  if (fields === undefined) return undefined;
  const { model: name, modelName: alias, bound, _defaultConfig: config } = fields;
  if (typeof name === "string") return name;
  return typeof alias === "string" ? alias : nameOf(bound ?? config);
}

/** `ChatOpenAI` decides by its settings, by the name of the model and by the tools. */
function usesResponses(model: unknown, tools: unknown): boolean {
  const fields = fieldsOf(model);
  if (fields === undefined) return false;
  const { useResponsesApi, _useResponsesApi: decides, bound, _defaultConfig: config, constructor } = fields;
  if (useResponsesApi === true) return true;
  if (typeof constructor === "function" && constructor.name.endsWith("OpenAIResponses")) return true;
  if (typeof decides !== "function") return usesResponses(bound ?? config, tools);
  try {
    return decides.call(model, { tools }) === true;
  } catch {
    return false; // tools of a kind that it does not know: it will say so itself
  }
}
