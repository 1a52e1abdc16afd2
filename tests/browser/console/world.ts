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
import { type Secrets, secretsOf } from './secrets.ts';

export type ConsoleWorld = {
  instance: Instance;
  browser: Browser;
  /** Passkeys need a name in place of a number. */
  origin: string;
  /** What consoles said, and what the policy forbade: nothing. */
  said: string[];
  /** Keys of clients and links that are opened are noted already. */
  secrets: Secrets;
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
  const secrets = secretsOf();
  const world = { said: [] as string[], secrets } as ConsoleWorld;
  const pages = new Set<Page>();
  before(async () => {
    await makeConsole(ROOT, put);
    world.browser = await startBrowser();
    const instance = await startInstance(
      { LOG_LEVEL: 'debug', ...(typeof env === 'function' ? await env() : env) },
      {
        output: secrets.output,
      },
    );
    secrets.note(instance.credentials.apiPrivateKey);
    world.instance = {
      ...instance,
      async newUser(...given) {
        const made = await instance.newUser(...given);
        secrets.note(made.keys.privateKey);
        return made;
      },
      async newSubOrganization(...given) {
        const made = await instance.newSubOrganization(...given);
        secrets.note(...made.clients.map(({ keys }) => keys.privateKey));
        return made;
      },
    };
    world.origin = world.instance.url.replace('127.0.0.1', 'localhost');
  });
  after(async () => {
    await Promise.all([...pages].map((page) => page.close()));
    await world.browser?.close();
    await world.instance?.close();
    assert.deepEqual(world.said, []);
    assert.deepEqual(secrets.found(), []);
  });
  /** The first complaint of a page fails the tests, and the first request to another origin. */
  const watch = (page: Page, origins: readonly string[]) => {
    secrets.watch(page);
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
    pages.add(page);
    const close = page.close.bind(page);
    page.close = async () => {
      if (!pages.delete(page)) return;
      await secrets.leave(page);
      await close();
    };
    watch(page, [origin, ...others]);
    // Windows that it opens.
    page.context().on('page', (opened) => watch(opened, [origin, ...others]));
    await page.setViewportSize({ width, height: 900 });
    const address = path.startsWith('http') ? path : origin + path;
    secrets.note(...(address.includes('#') ? [address] : []));
    await page.goto(address);
    return page;
  };
  world.enrolled = async (client) => {
    const page = await world.open(await enrolAddress(world.origin, client));
    await page.getByRole('button', { name: 'Make a passkey' }).click();
    const heading = page.getByRole('heading', { name: 'You are signed in' });
    await heading.waitFor().catch(async (cause) => {
      throw new Error(`not signed in: the page says ${JSON.stringify(await page.locator('body').innerText())}`, { cause });
    });
    return page;
  };
  return world;
}
