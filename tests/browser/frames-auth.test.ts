/** A login key in the auth frame, with the published SDK: a mailed bundle, stamps, resets and reloads. */
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { newCustomer, setFeature } from '../activities/email/support.ts';
import { chromiumProgram, NO_CHROMIUM } from '../support/chromium.ts';
import { framesWorld } from '../support/frames.ts';
import { sharedMail } from '../support/mail.ts';

declare const app: typeof import('@turnkey/sdk-browser');
declare global {
  var client: Awaited<ReturnType<InstanceType<typeof import('@turnkey/sdk-browser').Turnkey>['iframeClient']>>;
}

const HOUR = 3_600_000;
const mail = await sharedMail();

describe('the auth frame', { skip: chromiumProgram() === undefined && NO_CHROMIUM }, () => {
  const world = framesWorld(mail.env, '127.0.0.1', ['@turnkey/sdk-browser']);
  before(() => setFeature(world.instance.root, 'FEATURE_NAME_EMAIL_AUTH', true));

  /** The SDK's client with a frame, as an app makes it on each load. The key of the frame. */
  const opens = (page: Page, organizationId: string, name = 'auth', ttl?: number): Promise<string | null> =>
    page.evaluate(
      async ([apiBaseUrl, defaultOrganizationId, path, dangerouslyOverrideIframeKeyTtl]) => {
        globalThis.client = await new app.Turnkey({ apiBaseUrl, defaultOrganizationId }).iframeClient({
          iframeContainer: document.body,
          iframeUrl: `${apiBaseUrl}/frames/${path}`,
          ...(dangerouslyOverrideIframeKeyTtl && { dangerouslyOverrideIframeKeyTtl }),
        });
        return client.iframePublicKey;
      },
      [world.instance.url, organizationId, name, ttl] as const,
    );
  const injects = (page: Page, bundle: string) => page.evaluate((text) => client.injectCredentialBundle(text), bundle);
  const whoami = (page: Page): Promise<string> => page.evaluate(async () => (await client.getWhoami()).userId);

  for (const name of ['auth', 'recovery'])
    test(`a mailed bundle is opened on the page ${name}, stamps requests, and is gone after a reload or reset`, async () => {
      const customer = await newCustomer(world.instance, `customer of ${name}`);
      const page = await world.blank();
      const key = await opens(page, customer.organizationId, name);
      assert.match(key!, /^04[0-9a-f]{128}$/);
      await assert.rejects(whoami(page), /must be injected first/);
      const parameters = { email: customer.email, targetPublicKey: key };
      await customer.parent.submit('EMAIL_AUTH_V3', { ...parameters, emailCustomization: { appName: 'Harbour' } });
      const bundle = await mail.nextBundle(customer.email);
      await assert.rejects(injects(page, `${bundle.slice(0, -1)}1`), /not base58 with a checksum|cannot be opened/);
      await assert.rejects(injects(page, 'x'.repeat(5000)), /more than 4096 characters/);
      assert.equal(await injects(page, bundle), true);
      assert.equal(await whoami(page), customer.userId);
      await page.reload();
      await world.equip(page);
      assert.equal(await opens(page, customer.organizationId, name), key, 'within the TTL the key is kept');
      await assert.rejects(whoami(page), /must be injected first/);
      assert.equal(await injects(page, bundle), true);
      assert.equal(await whoami(page), customer.userId);
      assert.equal(await page.evaluate(() => client.clearEmbeddedKey()), null);
      await assert.rejects(whoami(page), /must be injected first/);
      await assert.rejects(injects(page, bundle), /the page has no key/);
      const next = await page.evaluate(() => client.initEmbeddedKey());
      assert.match(next!, /^04[0-9a-f]{128}$/);
      assert.notEqual(next, key);
      await page.close();
    });

  test('a key expires after two days, or as the app wishes', async () => {
    const { organizationId } = world.instance.root;
    const page = await world.blank();
    const after = async (ms: number, ttl?: number) => {
      await page.clock.setFixedTime(Date.now() + ms);
      await page.reload();
      await world.equip(page);
      return opens(page, organizationId, 'auth', ttl);
    };
    const first = await after(0);
    assert.equal(await after(47 * HOUR), first);
    const second = await after(49 * HOUR, HOUR);
    assert.notEqual(second, first);
    assert.equal(await after(49.5 * HOUR), second);
    assert.notEqual(await after(50.5 * HOUR), second);
    await page.close();
  });
});
