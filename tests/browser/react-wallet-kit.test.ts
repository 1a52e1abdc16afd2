/** The example with `@turnkey/react-wallet-kit` in Chromium: the kit's own dialogs export and import through the frames. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { mnemonicToAccount } from 'viem/accounts';
import { buildPage, settingsOf } from '../../examples/react-wallet-kit/build.ts';
import { makeFrames } from '../../scripts/bundle-frames.ts';
import { BESIDE, put, ROOT } from '../../scripts/bundle-place.ts';
import { missing, WALLET_KIT } from '../../scripts/test/own-packages.ts';
import { enabledProxy } from '../support/auth-proxy.ts';
import { type Browser, chromiumProgram, NO_CHROMIUM, startBrowser } from '../support/chromium.ts';
import { type Instance, startInstance } from '../support/instance.ts';

const WORDS = 'legal winner thank year wave sausage worth useful legal winner thank yellow';
const skip = (chromiumProgram() === undefined && NO_CHROMIUM) || missing(ROOT, WALLET_KIT) || false;

/** The page runs its own script, and reaches the service alone. The kit sets styles. */
const policyOf = (api: string) =>
  `default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; frame-src ${api}; connect-src 'self' ${api}`;

test('the auth proxy may have an address of its own', async () => {
  const instance = await startInstance();
  try {
    const { configId } = await enabledProxy(instance.root, {});
    const [API_URL, AUTH_PROXY_URL] = ['http://localhost:9', `${instance.url}/`];
    const { apiBaseUrl, authProxyUrl } = await settingsOf({ API_URL, AUTH_PROXY_URL, CONFIG_ID: configId });
    assert.deepEqual([apiBaseUrl, authProxyUrl], [API_URL, instance.url]);
  } finally {
    await instance.close();
  }
});

describe('the wallet kit', { skip }, () => {
  const outdir = mkdtempSync(join(tmpdir(), 'countersign-wallet-kit-'));
  let instance: Instance;
  let browser: Browser;
  let server: Server;
  let url: string;
  const said: string[] = [];

  before(async () => {
    await makeFrames(ROOT, BESIDE, put);
    instance = await startInstance({ FRAMES: '' });
    browser = await startBrowser();
    const { configId } = await enabledProxy(instance.root, { allowedAuthMethods: ['passkey'] });
    await buildPage(await settingsOf({ API_URL: instance.url, CONFIG_ID: configId }), outdir);
    const types: Record<string, string> = { 'page.js': 'text/javascript', 'page.css': 'text/css' };
    server = createServer((request, response) => {
      const name = request.url!.slice(1) || 'index.html';
      response.writeHead(200, { 'content-type': types[name] ?? 'text/html', 'content-security-policy': policyOf(instance.url) });
      response.end(readFileSync(join(outdir, name)));
    });
    await new Promise<void>((listening) => server.listen(0, 'localhost', listening));
    url = `http://localhost:${(server.address() as AddressInfo).port}`;
  });
  after(async () => {
    await browser?.close();
    server?.close();
    await instance?.close();
    rmSync(outdir, { recursive: true, force: true });
  });

  const click = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true }).click();

  async function opened(): Promise<Page> {
    const page = await browser.page('about:blank');
    page.on('console', (line) => void said.push(line.text()));
    page.on('pageerror', ({ message }) => void said.push(message));
    await page.goto(url);
    return page;
  }

  const frameOf = (page: Page) => page.frameLocator('#turnkey-default-iframe-element-id');
  const wallets = (page: Page) => page.getByRole('heading', { name: 'Your wallets' }).waitFor();

  /** What the kit's export dialog shows. */
  async function exported(page: Page, button: string): Promise<string> {
    await click(page, button);
    const box = frameOf(page).locator('#key-div');
    // The kit exports to no key if its button comes before the frame. It sets the looks last.
    await box.and(frameOf(page).locator('[style*="font-size"]')).waitFor({ state: 'attached' });
    await click(page, 'Export Wallet');
    const text = await box.filter({ hasText: /\w/ }).textContent();
    await click(page, 'Done');
    await page.locator('iframe').waitFor({ state: 'detached' });
    return text!;
  }

  test('a user signs up, imports a wallet and exports it in the dialogs of the kit, also after another login', async () => {
    const page = await opened();
    await click(page, 'Sign in');
    await click(page, 'Sign up with passkey');
    await wallets(page);
    await click(page, 'Import a wallet');
    await frameOf(page).locator('#plaintext').fill(WORDS);
    await page.getByPlaceholder('Enter your wallet name').fill('Brought');
    await click(page, 'Import');
    const address = page.getByText(mnemonicToAccount(WORDS).address);
    await address.waitFor();
    await page.locator('iframe').waitFor({ state: 'detached' });
    assert.equal(await exported(page, 'Export Brought'), WORDS);
    const key = mnemonicToAccount(WORDS).getHdKey().privateKey!;
    assert.equal(await exported(page, 'Export key of Brought'), `0x${Buffer.from(key).toString('hex')}`);
    await click(page, 'Make a wallet');
    const words = await exported(page, 'Export Made here');
    await page.getByText(mnemonicToAccount(words).address).waitFor();
    await click(page, 'Sign out');
    await click(page, 'Sign in');
    await click(page, 'Log in with passkey');
    await address.waitFor();
    assert.equal(await exported(page, 'Export Brought'), WORDS);
    assert.deepEqual(
      said.filter((line) => /Content Security Policy|TrustedHTML|Uncaught/i.test(line)),
      [],
    );
    assert.ok(!said.some((line) => line.includes(WORDS)));
    await page.close();
  });
});
