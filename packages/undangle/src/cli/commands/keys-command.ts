import { loadConfig, openStore } from "#config";
import { UndangleError } from "#core";

import type { Io } from "../io.ts";
import { loadServer, runWithServer } from "../server/load-server.ts";
import type { KeyRing, ServerPackage, StoredKey } from "../server/load-server.ts";
import { serverTextsIn } from "../server/server-texts.ts";
import type { ServerTexts } from "../server/server-texts.ts";
import { flagOf } from "../option-table.ts";
import type { OptionName } from "../option-table.ts";
import { complaint } from "../terminal/complaint.ts";
import { printable } from "../terminal/printable.ts";
import { pad, textWidth } from "../terminal/text-width.ts";
import { usageTextsIn } from "../texts/usage-texts.ts";
import { openSession } from "./session.ts";
import type { Arguments, Session } from "./session.ts";

/** `undangle keys …`: manages the keys of a server, which are in its store. */
export async function keysCommand(args: Arguments, io: Io): Promise<number> {
  const session = openSession(args, io);
  const texts = serverTextsIn(session.language);
  const [action, ...operands] = args.operands;
  if (action !== "create" && action !== "list" && action !== "revoke")
    return refuse(io, texts.unknownAction(action, ["create", "list", "revoke"]));
  const extra = operands.slice(action === "revoke" ? 1 : 0);
  if (extra.length > 0) return refuse(io, usageTextsIn(session.language).noOperands(`keys ${action}`, extra));
  const server = await loadServer(io.folder);
  if (server === undefined) {
    await io.stderr.write(`${texts.fetching(io.version)}\n`);
    const argv = ["keys", ...args.operands, ...given(args)];
    return (await runWithServer(argv, io.version)) ?? refuse(io, texts.noServer(io.version));
  }
  const { store: named, config } = args.options;
  const loaded = await loadConfig({ path: config, folder: io.folder });
  const store = await openStore(named, { folder: io.folder, loaded, create: action === "create" }).catch(
    (error: unknown) => {
      if (action === "list" && error instanceof UndangleError && error.is("store/missing")) return undefined;
      throw error;
    },
  );
  if (store === undefined) return await list(session, [], texts);
  try {
    const ring = server.createKeyRing(store);
    if (action === "create") return await create(session, ring, server, texts);
    return action === "list"
      ? await list(session, await ring.list(), texts)
      : await revoke(session, ring, operands, texts);
  } finally {
    await store.close();
  }
}

/** The options as written. */
const given = ({ options }: Arguments): readonly string[] =>
  Object.entries(options).flatMap(([name, value]) => {
    const flag = flagOf(name as OptionName); // the keys of options are their names
    return value === true ? [flag] : [flag, String(value)];
  });

const day = 24 * 60 * 60 * 1000;

async function create(
  { options, io }: Session,
  ring: KeyRing,
  server: ServerPackage,
  texts: ServerTexts,
): Promise<number> {
  const { name = "key", project = "default", scopes = "chat,threads,approve", expires } = options;
  const wanted = scopes.split(",").map((scope) => scope.trim());
  const unknown = wanted.find((scope) => !server.scopes.includes(scope));
  if (unknown !== undefined) return refuse(io, texts.badScope(unknown, server.scopes));
  if (!/^[a-z\d-]{1,40}$/u.test(project)) return refuse(io, texts.badProject(project));
  const days = expires === undefined ? undefined : Number(expires);
  if (days !== undefined && !(days > 0 && days < 100_000)) return refuse(io, texts.badDays(expires ?? ""));
  const expiresAt = days === undefined ? undefined : Date.now() + days * day;
  const { key, text } = await ring.create({ name, scopes: wanted, project, expiresAt });
  if (options.json === true) await io.stdout.write(`${JSON.stringify({ ...shown(key), key: text })}\n`);
  else {
    await io.stdout.write(`${texts.made(text)}\n`);
    if (options.quiet !== true) await io.stderr.write(`${texts.keepIt}\n`);
  }
  return 0;
}

async function list({ options, io }: Session, keys: readonly StoredKey[], texts: ServerTexts): Promise<number> {
  if (options.json === true) await io.stdout.write(`${JSON.stringify(keys.map(shown))}\n`);
  else if (keys.length === 0) await io.stderr.write(`${texts.none}\n`);
  else {
    const rows = keys.map((key) =>
      [
        key.id,
        key.name,
        key.project,
        key.scopes.join(","),
        new Date(key.createdAt).toISOString().slice(0, 10),
        texts[statusOf(key)],
      ].map(printable),
    );
    const table = [texts.head, ...rows];
    const widths = texts.head.map((_, i) => Math.max(...table.map((row) => textWidth(row[i] ?? ""))));
    const lines = table.map((row) =>
      row
        .map((cell, i) => pad(cell, widths[i] ?? 0))
        .join("  ")
        .trimEnd(),
    );
    await io.stdout.write(`${lines.join("\n")}\n`);
  }
  return 0;
}

async function revoke({ io }: Session, ring: KeyRing, [id]: readonly string[], texts: ServerTexts): Promise<number> {
  if (id === undefined) return refuse(io, texts.needsId);
  if (!(await ring.revoke(id))) return refuse(io, texts.noKey(id));
  await io.stdout.write(`${texts.revokedOne(printable(id))}\n`);
  return 0;
}

/** A key without its hash. */
const shown = (key: StoredKey): object => {
  const { id, name, scopes, project, createdAt, expiresAt } = key;
  return { id, name, scopes, project, createdAt, ...(expiresAt !== undefined && { expiresAt }), status: statusOf(key) };
};

function statusOf({ revokedAt, expiresAt }: StoredKey): "revoked" | "expired" | "holds" {
  if (revokedAt !== undefined) return "revoked";
  return expiresAt !== undefined && expiresAt <= Date.now() ? "expired" : "holds";
}

async function refuse(io: Io, why: string): Promise<2> {
  await io.stderr.write(complaint(why, io.stderr));
  return 2;
}
