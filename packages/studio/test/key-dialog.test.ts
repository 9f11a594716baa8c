import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";

import type { Page } from "playwright-core";
import { tool } from "undangle/agent";
import { createClient } from "undangle/client";
import { describe, expect, onTestFinished, test } from "vitest";

import { press } from "./bank.ts";
import { accessibilityFaults, noBrowser, openStudio } from "./browser.ts";
import type { Stage } from "./browser.ts";

const pay = tool({ name: "pay", description: "Pays.", approval: true, execute: () => "paid" });

/** A server with an admin key and a key of a person, and a thread whose call waits. */
async function withKeys(scopes: readonly string[], stage: Stage = {}) {
  const studio = await openStudio({
    agent: { tools: [pay] },
    turns: [{ calls: [{ name: "pay" }] }, { text: "Paid." }],
    ...stage,
  });
  const { text: adminKey } = await studio.client.keys.create({ name: "Admin", scopes: ["admin"] });
  const admin = createClient({ url: studio.url, key: adminKey });
  const key = await admin.keys.create({ name: "Ann", scopes });
  await admin.threads.create({ id: "bills", title: "Bills" });
  await admin.threads.send("bills", "Pay.");
  return { ...studio, admin, key };
}

async function signIn(page: Page, key: string): Promise<void> {
  await page.getByLabel("Key", { exact: true }).fill(key);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("link", { name: "Settings" }).waitFor();
}

describe.skipIf(noBrowser)("the key dialog", () => {
  test("opens a session with a key, keeps no key in the page, and survives a reload", async () => {
    const { open, key } = await withKeys(["threads", "approve"]);
    const page = await open("/t/bills");
    await page.getByRole("heading", { name: "This server requires a key" }).waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.getByLabel("Key", { exact: true }).fill("ud_wrong");
    await page.keyboard.press("Enter");
    await page.getByRole("alert").getByText("does not exist, has expired or was revoked").waitFor();
    await signIn(page, key.text);
    expect(page.url()).toContain("/t/bills");
    await page.reload();
    await page.getByRole("link", { name: "Settings" }).waitFor();
    const kept = await page.evaluate(() => JSON.stringify([document.cookie, localStorage, sessionStorage]));
    expect(kept).not.toContain("ud_");
    expect(await page.evaluate(() => document.cookie)).toBe("");
    expect(await page.content()).not.toContain(key.text);
  });

  test("takes the place of the page when the key is revoked, and shows nothing of the session", async () => {
    const { open, key, admin } = await withKeys(["threads", "approve"]);
    const page = await open("/");
    await signIn(page, key.text);
    await page.getByText("Bills").first().waitFor();
    /** Whether this tab keeps notifications of the others back. */
    const isInUse = (): Promise<boolean> =>
      page.evaluate(
        async () => (await navigator.locks.query()).held?.some(({ name }) => name === "undangle-in-use") === true,
      );
    await expect.poll(isInUse).toBe(true);
    await admin.keys.revoke(key.id);
    await page.getByRole("button", { name: "New thread" }).click();
    await page.getByRole("heading", { name: "This server requires a key" }).waitFor();
    expect(await page.getByText("Bills").count()).toBe(0);
    await expect.poll(isInUse).toBe(false);
  });

  test("stays with what is written in it, however slow the server is, and reads nothing else", async () => {
    const { open, url } = await withKeys(["threads"]);
    const page = await open("/doctor");
    await page.goto("about:blank"); // so that only requests of the next page are counted
    const requests: string[] = [];
    await page.route(/\/(?:session|queue\/events|(?:threads|personas|allowances).*)$/u, async (route) => {
      requests.push(new URL(route.request().url()).pathname);
      await pause(60);
      await route.continue();
    });
    await page.goto(`${url}/t/bills`);
    const field = page.getByLabel("Key", { exact: true });
    await field.fill("ud_half");
    await page.evaluate(() => {
      dispatchEvent(new Event("visibilitychange"));
      document.dispatchEvent(new Event("visibilitychange"));
    });
    await page.waitForTimeout(600);
    expect(await field.inputValue()).toBe("ud_half");
    expect(new Set(requests)).toEqual(new Set(["/session"]));
    expect(requests.length).toBeLessThan(5);
  });

  test("speaks Chinese, and leaves the doctor usable", async () => {
    const { open } = await withKeys(["threads"]);
    const page = await open("/", { locale: "zh-CN", colorScheme: "dark", viewport: { width: 360, height: 740 } });
    await page.getByRole("heading", { name: "此服务器需要密钥" }).waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.getByRole("link", { name: "不用密钥，直接诊断对话历史" }).click();
    await page.waitForURL(/\/doctor$/u);
    await page.locator("main h1").first().waitFor();
    expect(await page.getByRole("heading", { name: "此服务器需要密钥" }).count()).toBe(0);
  });

  test("other tabs of the browser follow a sign-out and a sign-in at once", async () => {
    const { open, url, key } = await withKeys(["threads", "approve"]);
    const page = await open("/settings");
    await signIn(page, key.text);
    const other = await page.context().newPage();
    await other.goto(`${url}/`);
    await other.getByText("Bills").first().waitFor();
    await page.getByRole("button", { name: "Sign out" }).click();
    const asked = other.getByRole("heading", { name: "This server requires a key" });
    await asked.waitFor({ timeout: 2_000 });
    expect(await other.getByText("Bills").count()).toBe(0);
    await page.getByRole("heading", { name: "This server requires a key" }).waitFor();
    await signIn(page, key.text);
    await other.getByText("Bills").first().waitFor({ timeout: 3_000 });
  });

  test("a change works in a tab whose session another tab has replaced", async () => {
    const { open, url, key } = await withKeys(["threads", "approve"]);
    const page = await open("/");
    await signIn(page, key.text);
    await page.evaluate(async (text) => {
      const body = JSON.stringify({ key: text });
      await fetch("/session", { method: "POST", headers: { "content-type": "application/json" }, body });
    }, key.text); // as another tab does
    await page.getByRole("button", { name: "New thread" }).click();
    await expect.poll(() => page.url()).toContain(`${url}/t/`);
  });

  test("another person who signs in sees neither the draft nor the reasons of the last one, who finds both again", async () => {
    const { open, url, admin, key } = await withKeys(["threads", "approve"], {
      turns: [{ calls: [{ name: "pay" }, { name: "pay" }] }, { text: "Paid." }],
    });
    const bob = await admin.keys.create({ name: "Bob", scopes: ["threads", "approve"] });
    const page = await open("/t/bills");
    const draft = page.getByRole("textbox", { name: "Message" });
    const earlier = page.getByRole("group", { name: "Earlier reasons" });
    const openReject = (id: string) => page.getByRole("button", { name: `Reject pay (${id}) …` }).click();
    const change = async (next: string): Promise<void> => {
      await page.getByRole("link", { name: "Settings" }).click();
      await page.getByRole("button", { name: "Sign out" }).click();
      await signIn(page, next);
      await page.goto(`${url}/t/bills`);
      await openReject("call_2");
    };
    await signIn(page, key.text);
    await openReject("call_1");
    await page.getByRole("textbox", { name: "Reason" }).fill("A private reason");
    await press(page.getByRole("button", { name: "Reject pay (call_1) with this reason" }));
    await draft.fill("A private draft");
    await change(bob.text);
    expect(await draft.inputValue()).toBe("");
    expect(await earlier.count()).toBe(0);
    await draft.fill("The draft of Bob");
    await change(key.text);
    await expect.poll(() => draft.inputValue()).toBe("A private draft");
    expect(await earlier.getByRole("button").allInnerTexts()).toEqual(["A private reason"]);
  });

  test("a tab in which another person signed in decides nothing in that person's name", async () => {
    const { open, admin, key } = await withKeys(["threads", "approve"]);
    const other = await admin.keys.create({ name: "Bob", scopes: ["threads", "approve"] });
    const page = await open("/t/bills");
    await signIn(page, key.text);
    const approve = page.getByRole("button", { name: "Approve pay (call_1)", exact: true });
    await approve.waitFor();
    await page.waitForTimeout(600);
    await page.evaluate(async (text) => {
      const body = JSON.stringify({ key: text });
      await fetch("/session", { method: "POST", headers: { "content-type": "application/json" }, body });
    }, other.text); // as another tab does
    const reloaded = page.waitForEvent("load");
    await approve.click();
    await reloaded;
    await approve.waitFor();
    expect((await admin.threads.pending("bills")).pending).toHaveLength(1);
    await page.getByRole("link", { name: "Settings" }).click();
    await page.getByText("Bob").first().waitFor();
  });
});

describe.skipIf(noBrowser)("scopes", () => {
  test("a key with threads can choose the persona, and sees who decided", async () => {
    const { open, url, key } = await withKeys(["threads", "approve"]);
    const page = await open("/t/bills");
    await signIn(page, key.text);
    await page.getByRole("combobox", { name: "Persona" }).waitFor();
    await createClient({ url, key: key.text }).threads.decide("bills", { call_1: { type: "approve" } });
    await page.getByText("Approved by Ann").first().waitFor();
    expect(await page.getByText("key:").count()).toBe(0); // the id that the server records
  });

  test("a key with approve alone decides, and is told why it sees no threads", async () => {
    const { open, key } = await withKeys(["approve"]);
    const page = await open("/");
    await signIn(page, key.text);
    await page.getByText("Your key does not have the threads scope, so it cannot see threads.").waitFor();
    expect(await page.getByText("No threads yet.").count()).toBe(0);
    expect(await page.getByRole("button", { name: "New thread" }).count()).toBe(0);
    await page.getByRole("button", { name: "Open pay (call_1)" }).click();
    await page.getByRole("button", { name: "Approve pay (call_1)", exact: true }).click();
    await page.getByText("Approved by Ann, in this tab").waitFor();
  });

  test("a key without approve sees no buttons for decisions, and the API refuses its decisions", async () => {
    const { open, key, admin } = await withKeys(["threads"]);
    const page = await open("/t/bills");
    await signIn(page, key.text);
    await page.getByText("pay").first().waitFor();
    await page.waitForTimeout(1000); // cards become active
    await page.getByText("Details below the conversation").waitFor();
    expect(await page.getByRole("button", { name: /approve|reject|edit|respond/iu }).count()).toBe(0);
    const refused = await page.evaluate(async () => {
      const session = (await (await fetch("/session")).json()) as { readonly csrf_token: string };
      const response = await fetch("/threads/bills/decisions", {
        method: "POST",
        headers: { "content-type": "application/json", "x-undangle-csrf": session.csrf_token },
        body: JSON.stringify({ decisions: { call_1: { type: "approve" } } }),
      });
      return [response.status, ((await response.json()) as { error: { code: string } }).error.code];
    });
    expect(refused).toEqual([403, "scope-missing"]);
    expect((await admin.threads.get("bills")).status).toBe("waiting");
    await page.getByRole("link", { name: "Settings" }).click();
    await page.getByText("Your key cannot decide about calls").waitFor();
    await page.getByText("Your key does not have the admin scope").waitFor();
  });
});

describe.skipIf(noBrowser)("a page of an attacker", () => {
  test("on the same site can neither decide nor read nor show the studio in a frame", async () => {
    const { open, url, key, admin } = await withKeys(["threads", "approve"]);
    const evil = createServer((request, response) => {
      response
        .setHeader("content-type", "text/html")
        .end(`<!doctype html><title>Evil</title>${request.url === "/" ? `<iframe src="${url}/"></iframe>` : ""}`);
    }).listen(0, "127.0.0.1");
    onTestFinished(() => void evil.close());
    await once(evil, "listening");
    const evilUrl = `http://127.0.0.1:${(evil.address() as AddressInfo).port}/`;
    const page = await open("/");
    await signIn(page, key.text);

    const attack = await page.context().newPage(); // another port of the same host is the same site
    const statuses: number[] = []; // as the server knows them: the browser hides refused responses from the page
    const note = (message: unknown): void => {
      const { request, response } = message as { request: IncomingMessage; response: ServerResponse }; // as Node sends it
      if (request.headers["sec-fetch-site"] === "same-site") statuses.push(response.statusCode);
    };
    subscribe("http.server.response.finish", note);
    onTestFinished(() => void unsubscribe("http.server.response.finish", note));
    await attack.goto(`${evilUrl}empty`);
    const read = await attack.evaluate(async (server) => {
      const body = JSON.stringify({ decisions: { call_1: { type: "approve" } } });
      const target = `${server}/threads/bills/decisions`;
      const common = { method: "POST", credentials: "include", body } as const;
      const plain = await fetch(target, { ...common, mode: "no-cors" }).then(
        ({ type }) => type,
        () => "refused",
      );
      const json = await fetch(target, { ...common, headers: { "content-type": "application/json" } }).then(
        () => "sent",
        () => "refused",
      );
      const listed = await fetch(`${server}/threads`, { credentials: "include" }).then(
        () => "read",
        () => "refused",
      );
      const embedded = await fetch(`${server}/threads`, { credentials: "include", mode: "no-cors" }).then(
        () => "embedded",
        () => "refused",
      );
      return { plain, json, listed, embedded };
    }, url);
    expect(read).toEqual({ plain: "refused", json: "refused", listed: "refused", embedded: "refused" });
    expect(statuses).toEqual([403, 403, 403, 403]); // the change, the preflight of the other one, and both reads
    const withoutToken = await page.evaluate(async () => {
      const response = await fetch("/threads", { method: "POST" });
      return [response.status, ((await response.json()) as { error: { code: string } }).error.code];
    });
    expect(withoutToken).toEqual([403, "csrf-missing"]);
    expect((await admin.threads.get("bills")).status).toBe("waiting");

    await attack.goto(evilUrl);
    const framed = attack.frames().find((frame) => frame !== attack.mainFrame());
    await attack.waitForTimeout(500);
    expect(
      await framed
        ?.locator("body")
        .innerText()
        .catch(() => ""),
    ).not.toContain("Undangle");
    expect(framed?.url()).not.toBe(`${url}/`);
  });
});
