import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { describe, expect, onTestFinished, test } from "vitest";

import { operations } from "../src/openapi/operations/operations.ts";
import type { Description } from "./described-response.ts";
import { serve } from "./serve-fixture.ts";

const redocly = fileURLToPath(import.meta.resolve("@redocly/cli/bin/cli.js"));

const described = async (): Promise<{ readonly text: string; readonly description: Description }> => {
  const { text } = await serve().call("GET", "/openapi.json");
  return { text, description: JSON.parse(text) as Description };
};

const routesIn = ({ paths }: Description): readonly string[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );

describe("GET /openapi.json", () => {
  test("has no error and no warning of the recommended rules of redocly", async () => {
    const folder = await mkdtemp(join(tmpdir(), "undangle-openapi-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    const file = join(folder, "openapi.json");
    await writeFile(file, (await described()).text);
    const env = { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" };
    const lint = promisify(execFile)(
      process.execPath,
      [redocly, "lint", "--extends", "recommended", "--format", "json", file],
      { env, cwd: folder },
    );
    const { stdout } = await lint.catch((error: unknown) => error as { readonly stdout: string }); // it exits with 1 for errors
    const { totals, problems } = JSON.parse(stdout) as { readonly totals: object; readonly problems: unknown };
    expect(problems).toStrictEqual([]);
    expect(totals).toMatchObject({ errors: 0, warnings: 0 });
  });

  test("describes every route, and nothing else", async () => {
    const { description } = await described();
    expect([...routesIn(description)].sort()).toStrictEqual(Object.keys(operations).sort());
  });

  test("has a summary, an id of its own and a schema of the successful response for every route", async () => {
    const { description } = await described();
    const all = Object.values(description.paths).flatMap((methods) => Object.values(methods));
    expect(new Set(all.map(({ operationId }) => operationId)).size).toBe(all.length);
    const incomplete = all.flatMap(({ operationId, summary, responses }) => {
      const successes = Object.entries(responses).filter(([status]) => Number(status) < 300);
      const isWithoutSchema = ([status, { content = {} }]: (typeof successes)[number]): boolean => {
        const schemas = Object.values(content).map(({ schema }) => schema);
        const mayBeEmpty = status === "201" || status === "204";
        return mayBeEmpty ? false : schemas.length === 0 || schemas.some((each) => Object.keys(each).length === 0);
      };
      const isComplete = /^[A-Z].*[^.]$/u.test(summary) && successes.length > 0 && !successes.some(isWithoutSchema);
      return isComplete ? [] : [operationId];
    });
    expect(incomplete).toStrictEqual([]);
  });

  test("has no schema of which generators make an empty or unknown type", async () => {
    const { description } = await described();
    const vague: string[] = [];
    const look = (schema: unknown, place: string): void => {
      if (typeof schema !== "object" || schema === null) return;
      const {
        type,
        properties,
        additionalProperties,
        items,
        enum: values,
      } = schema as Readonly<Record<string, unknown>>;
      const isEmpty = type === "object" && properties === undefined && additionalProperties === undefined;
      if (isEmpty || (type === "array" && items === undefined) || (values !== undefined && type === undefined))
        vague.push(place);
      for (const [key, value] of Object.entries(schema)) look(value, `${place}/${key}`);
    };
    look(description, "");
    expect(vague).toStrictEqual([]);
    const { requestBody: fork } = description.paths["/threads/{id}/fork"]?.["post"] ?? {};
    expect(fork?.required).toBe(false);
  });

  test("requires the token of a session for changes, not for reading", async () => {
    const { description } = await described();
    const ways = (path: string, method: string) => {
      const { security = description.security } = description.paths[path]?.[method] ?? {};
      return security.map((way) => Object.keys(way).join("+"));
    };
    expect(ways("/threads", "get")).toEqual(["bearer", "apiKey", "cookie", ""]);
    expect(ways("/threads", "post")).toEqual(["bearer", "apiKey", "cookie+csrf", ""]);
    expect(ways("/threads/{id}", "delete")).toEqual(["bearer", "apiKey", "cookie+csrf", ""]);
    expect(ways("/session", "post")).toEqual([]);
  });

  test("names the rate headers of every response that has them", async () => {
    const { description } = await described();
    const { call } = serve();
    const opened = await call("POST", "/session", { key: "ud_any" });
    const named = Object.keys(description.paths["/session"]?.["post"]?.responses["200"]?.headers ?? {});
    const sent = Object.keys(opened.headers).filter((name) => name.startsWith("x-ratelimit-"));
    expect(sent).toHaveLength(3);
    expect(named).toEqual(expect.arrayContaining(sent));
  });

  test("needs no key", async () => {
    const { app, call } = serve();
    await app.ready();
    await app.service.keys.create({ name: "k", scopes: ["chat"], project: "p" });
    expect((await call("GET", "/openapi.json")).status).toBe(200);
    expect((await call("GET", "/personas")).status).toBe(401);
  });

  test("describes a route that a program adds", async () => {
    const { app } = serve();
    app.get("/own/:name", () => "Hello.");
    const { paths } = (await app.inject("/openapi.json")).json<Description>();
    expect(paths["/own/{name}"]?.["get"]).toMatchObject({ operationId: "get_own_name", summary: "GET /own/{name}" });
  });
});
