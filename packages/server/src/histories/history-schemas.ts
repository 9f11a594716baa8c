import { list, record } from "../openapi/json-schema.ts";

/** The schemas of `/check`, `/repair`, `/convert` and `/explain`, for the OpenAPI document. */
const text = { type: "string", minLength: 1 } as const;
const closed = { type: "object", additionalProperties: false } as const;

const target = {
  format: { ...text, description: "By default it is detected." },
  provider: { ...text, description: "The provider that receives the history. Some providers have additional rules." },
  model: text,
} as const;

const language = { enum: ["en", "zh"], description: "The language of notices." } as const;

const options = {
  check: target,
  repair: {
    ...target,
    language,
    notices: { enum: ["by-cause", "classic"] },
    orphans: { enum: ["restore", "quote", "drop"] },
    duplicates: { enum: ["merge", "last"] },
    danglingAtEnd: { enum: ["answer", "leave"] },
  },
  convert: {
    from: { ...text, description: "By default it is detected." },
    to: { ...text, description: "The format of the output." },
    provider: target.provider,
    model: text,
    language,
  },
} as const;

export type HistoryAct = keyof typeof options;

export const optionNames = (act: HistoryAct): readonly string[] => Object.keys(options[act]);

const history = {
  description: "The body of a request to a model, or its list of messages, in any format.",
  anyOf: [list(record), { ...record, properties: { messages: list(record), model: { type: "string" } } }],
} as const;

/** The body: a history with options, or the history itself with options in the query. */
const taking = (act: HistoryAct): object => ({
  body: {
    anyOf: [
      {
        ...closed,
        description: "A history and options.",
        required: act === "convert" ? ["history", "to"] : ["history"],
        properties: { history, ...options[act] },
      },
      { ...history, description: "The history itself; the options are in the query." },
    ],
  },
  querystring: { ...closed, properties: options[act] },
});

export const check = taking("check");
export const repair = taking("repair");
export const convert = taking("convert");

export const explain = {
  body: {
    ...closed,
    required: ["text"],
    properties: {
      text: { ...text, description: "The error text of a provider. It may be wrapped in other text." },
      format: { ...text, description: "The format of the request, if known. Its rules come first." },
    },
  },
} as const;
