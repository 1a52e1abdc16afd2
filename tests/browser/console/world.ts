/** The console in a browser: a real service, virtual authenticators, and pages whose every complaint fails the tests. */
import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import type { Page } from 'playwright-core';
import { put, ROOT } from '../../../scripts/bundle-place.ts';
import { makeConsole } from '../../../scripts/console/build.ts';
import { ENROL_PROFILE } from '../../../src/model/session-profile.ts';
import { type Browser, startBrowser } from '../../support/chromium.ts';
import { type Client, type Keys, newKeys, resultOf } from '../../support/client.ts';
import { type Instance, startInstance } from '../../support/instance.ts';

export type ConsoleWorld = {
  instance: Instance;
  browser: Browser;
  /** Passkeys need a name in place of a number. */
  origin: string;
  /** What consoles said, and what the policy forbade: nothing. */
  said: string[];
  /** A page with storage of its own, as each person has a browser. `others`: further origins that it may ask. */
  open(path: string, options?: { origin?: string; width?: number; others?: readonly string[] }): Promise<Page>;
  /** A page whose user enrolled a passkey and signed in. */
  enrolled(client: Client): Promise<Page>;
};

/** The address of an enrol page for the user of a client, by a key that logs in. */
export async function linkOf(origin: string, client: Client, { publicKey: apiPublicKey, privateKey }: Keys): Promise<string> {
  const { organizationId, userId } = (await client.query('whoami')).body;
  const content = JSON.stringify({ organizationId, userId, apiPublicKey, apiPrivateKey: privateKey });
  return `${origin}/console/enrol#${Buffer.from(content).toString('base64url')}`;
}

export const enrolling = ({ publicKey }: Keys) => ({ publicKey, sessionProfileId: ENROL_PROFILE.id });

/** The same, after the key has logged in. */
export async function enrolAddress(origin: string, client: Client): Promise<string> {
  const keys = newKeys();
  resultOf(await client.submit('STAMP_LOGIN', enrolling(keys)), 'stampLoginResult');
  return linkOf(origin, client, keys);
}

/** `env`: may depend on what is started before the service. */
export function consoleWorld(env: Record<string, string> | (() => Promise<Record<string, string>>) = {}): ConsoleWorld {
  const world = { said: [] as string[] } as ConsoleWorld;
  before(async () => {
    await makeConsole(ROOT, put);
    world.browser = await startBrowser();
    world.instance = await startInstance(typeof env === 'function' ? await env() : env);
    world.origin = world.instance.url.replace('127.0.0.1', 'localhost');
  });
  after(async () => {
    await world.browser?.close();
    await world.instance?.close();
    assert.deepEqual(world.said, []);
  });
  /** The first complaint of a page fails the tests, and the first request to another origin. */
  const watch = (page: Page, origins: readonly string[]) => {
    page.on('console', (line) => {
      // Refusals of the service are no fault of a page, which shows them.
      const isRefusal = line.text().startsWith('Failed to load resource');
      if (['error', 'warning'].includes(line.type()) && !isRefusal) world.said.push(line.text());
    });
    page.on('pageerror', ({ message }) => void world.said.push(message));
    page.on('request', (request) => {
      if (!origins.includes(new URL(request.url()).origin)) world.said.push(`a request to ${request.url()}`);
    });
  };
  world.open = async (path, { origin = world.origin, width = 1280, others = [] } = {}) => {
    const page = await world.browser.person('about:blank');
    watch(page, [origin, ...others]);
    // Windows that it opens.
    page.context().on('page', (opened) => watch(opened, [origin, ...others]));
    await page.setViewportSize({ width, height: 900 });
    await page.goto(path.startsWith('http') ? path : origin + path);
    return page;
  };
  world.enrolled = async (client) => {
    const page = await world.open(await enrolAddress(world.origin, client));
    await page.getByRole('button', { name: 'Make a passkey' }).click();
    await page.getByRole('heading', { name: 'You are signed in' }).waitFor();
    return page;
  };
  return world;
}
