/**
 * The model name of a chat model, even if it is wrapped; undefined if unknown. Models on the Responses API get a prefix
 * (`openai.responses/gpt-5.1`), because that API requires unique ids.
 */
export function modelName(model: unknown, tools?: unknown): string | undefined {
  const name = nameOf(model);
  return name !== undefined && usesResponses(model, tools) ? `openai.responses/${name}` : name;
}

type Fields = Readonly<Record<string, unknown>>;

/** The fields of a chat model; any may be missing. */
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

/** `ChatOpenAI` decides by its settings, the model name and the tools. */
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
    return false; // unknown tools: it reports them itself
  }
}
