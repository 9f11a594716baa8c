import { createRequire } from "node:module";

import { Ajv2020 } from "ajv/dist/2020.js";
import type { ValidateFunction } from "ajv/dist/2020.js";
import type { FormatsPlugin } from "ajv-formats";

type Json = Readonly<Record<string, unknown>>;

/** An OpenAPI document, as far as tests read it. */
export interface Description {
  readonly security: readonly object[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>;
  readonly components: { readonly schemas: Json; readonly responses: Readonly<Record<string, DescribedResponse>> };
}

export interface DescribedOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly security?: readonly object[];
  readonly parameters?: readonly DescribedParameter[];
  readonly requestBody?: DescribedResponse & { readonly required: boolean };
  readonly responses: Readonly<Record<string, DescribedResponse & { readonly $ref?: string }>>;
}

export interface DescribedParameter {
  readonly name: string;
  readonly in: string;
  readonly schema: Json;
}

export interface DescribedResponse {
  readonly content?: Readonly<Record<string, { readonly schema: Json }>>;
  readonly headers?: Json;
}

export interface Answer {
  readonly method: string;
  readonly url: string;
  /** The body of the request, if it is JSON. */
  readonly sent?: unknown;
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

/** Compares requests and responses with a description. Fields that it does not mention are errors. */
export interface DescriptionCheck {
  /** What is wrong with a response, or with the request if it was accepted; empty if they fit. */
  readonly faults: (answer: Answer) => readonly string[];
  /** The routes whose successful responses were checked, such as `GET /threads`. */
  readonly checked: ReadonlySet<string>;
}

const addFormats = createRequire(import.meta.url)("ajv-formats") as FormatsPlugin; // its types describe another module form

export function checkAgainst(description: Description): DescriptionCheck {
  const ajv = new Ajv2020({ strict: false, allErrors: true, discriminator: false });
  addFormats(ajv);
  const components = closed(description.components);
  const validators = new Map<object, ValidateFunction>();
  const validatorOf = (schema: Json): ValidateFunction => {
    const known = validators.get(schema) ?? ajv.compile({ ...(closed(schema) as Json), components });
    validators.set(schema, known);
    return known;
  };
  const checked = new Set<string>();
  const fits = (schema: Json, value: unknown): readonly string[] => {
    const validate = validatorOf(schema);
    if (validate(value)) return [];
    return (validate.errors ?? []).map(
      ({ instancePath, message, params }) => `${instancePath} ${message ?? ""} ${JSON.stringify(params)}`,
    );
  };

  const requestFaults = ({ requestBody, parameters = [] }: DescribedOperation, { url, sent }: Answer) => {
    const schema = requestBody?.content?.["application/json"]?.schema;
    const mayBeAbsent = sent === undefined && requestBody?.required !== true;
    const ofBody = schema === undefined || mayBeAbsent ? [] : fits(schema, sent);
    const query = [...new URL(url, "http://localhost").searchParams];
    const ofQuery = query.flatMap(([name, text]) => {
      const parameter = parameters.find((each) => each.in === "query" && each.name === name);
      if (parameter === undefined) return [`the parameter ${name} is not described`];
      const isText = parameter.schema["type"] === "string" || parameter.schema["type"] === undefined;
      return fits(parameter.schema, isText ? text : JSON.parse(text));
    });
    return [...ofBody, ...ofQuery].map((fault) => `request: ${fault}`);
  };

  const faults = (answer: Answer): readonly string[] => {
    const { method, url, status, type, text } = answer;
    const path = templateOf(description, method, url);
    const operation = path === undefined ? undefined : description.paths[path]?.[method.toLowerCase()];
    if (operation === undefined) return [`${method} ${url} is not described`];
    const ofRequest = status < 400 ? requestFaults(operation, answer) : [];
    if (ofRequest.length > 0) return ofRequest;
    const given = operation.responses[status];
    const [name = ""] = /Error\d+$/u.exec(given?.$ref ?? "") ?? [];
    const response = given?.$ref === undefined ? given : description.components.responses[name];
    if (response === undefined) return [`the status ${status} is not described`];
    if (status < 400 && path !== undefined) checked.add(`${method} ${path}`);
    if (response.content === undefined) return text === "" ? [] : ["a body is not described"];
    const mime = type.split(";")[0] ?? "";
    const media = response.content[mime] ?? response.content["*/*"];
    if (media === undefined) return [`the type ${mime} is not described`];
    if (mime === "application/json") return fits(media.schema, JSON.parse(text));
    if (mime !== "text/event-stream") return [];
    return eventsIn(text).flatMap((event) => fits(schemaOf(description, media.schema, event), event));
  };
  return { faults, checked };
}

/** The schema of one event, so that its faults are not hidden among those of all other events. */
function schemaOf({ components }: Description, schema: Json, event: unknown): Json {
  const name = String(schema["$ref"]).replace("#/components/schemas/", "");
  const { oneOf = [] } = components.schemas[name] as { readonly oneOf?: readonly Json[] }; // a component
  const { event: type } = event as { readonly event?: string }; // read above
  const isOf = (each: Json): boolean =>
    (each["properties"] as { readonly event?: { readonly const?: unknown } }).event?.const === type; // an object
  return oneOf.find(isOf) ?? schema;
}

/** The path of the description that a URL belongs to. A fixed segment comes before a parameter. */
function templateOf({ paths }: Description, method: string, url: string): string | undefined {
  const path = url.replace(/\?.*$/u, "");
  const fitting = Object.keys(paths).filter((each) => {
    const pattern = each
      .replaceAll(/[.]/gu, "\\.")
      .replace("{path}", ".+")
      .replaceAll(/\{\w+\}/gu, "[^/]+");
    return paths[each]?.[method.toLowerCase()] !== undefined && new RegExp(`^${pattern}$`, "u").test(path);
  });
  return fitting.sort((one, other) => one.split("{").length - other.split("{").length)[0];
}

/** The events of a stream: fields of threads, or the data of chunks. */
function eventsIn(text: string): readonly unknown[] {
  return text.split("\n\n").flatMap((block) => {
    const fields = Object.fromEntries(
      block
        .split("\n")
        .map((line): [string, string] => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 2)]),
    );
    const { id, event, data } = fields;
    if (data === undefined || data === "[DONE]") return [];
    const value: unknown = JSON.parse(data);
    return [event === undefined ? value : { ...(id !== undefined && { id }), event, data: value }];
  });
}

/** The schema with every object closed that names its fields. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== "object" || schema === null) return schema;
  const entries = Object.entries(schema).map(([key, value]): [string, unknown] => [
    key,
    key === "enum" || key === "const" || key === "required" ? value : closed(value),
  ]);
  const copy = Object.fromEntries(entries);
  return copy["type"] === "object" && "properties" in copy && !("additionalProperties" in copy)
    ? { ...copy, additionalProperties: false }
    : copy;
}
