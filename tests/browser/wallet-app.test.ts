/** The example application in Chromium, with a virtual passkey and real mail. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import type { Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { parseEther, verifyMessage } from 'viem';
import { generatePrivateKey, mnemonicToAccount, privateKeyToAddress } from 'viem/accounts';
import { buildPage, optionsOf, refusal, Unready } from '../../examples/wallet-app/build.ts';
import { servePage } from '../../examples/wallet-app/serve.ts';
import { makeFrames } from '../../scripts/bundle-frames.ts';
import { BESIDE, put, ROOT } from '../../scripts/bundle-place.ts';
import { startWorld, type World } from '../contracts/support.ts';
import { enabledProxy, type TestProxy } from '../support/auth-proxy.ts';
import { type Browser, chromiumProgram, NO_CHROMIUM, startBrowser } from '../support/chromium.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import { codeIn, type MailServer, startMail } from '../support/mail.ts';

describe('the wallet application in Chromium', { skip: chromiumProgram() === undefined && NO_CHROMIUM }, () => {
  const outdir = mkdtempSync(join(tmpdir(), 'countersign-wallet-app-'));
  let mail: MailServer;
  let instance: Instance;
  let world: World;
  let browser: Browser;
  const pages: Page[] = [];
  let proxy: TestProxy;
  const servers: Server[] = [];
  let appUrl: string;
  /** Of the same page, with a network. */
  let sendingUrl: string;
  /** Of the same page, where fees are paid for people. */
  let sponsoredUrl: string;

  async function served(name: string, env: NodeJS.ProcessEnv): Promise<string> {
    const all = { API_URL: instance.url, CONFIG_ID: proxy.configId, OUTDIR: join(outdir, name), ...env };
    const { server, url } = await servePage(optionsOf(all), 0);
    servers.push(server);
    return url;
  }

  before(async () => {
    await makeFrames(ROOT, BESIDE, put);
    browser = await startBrowser();
    mail = await startMail();
    world = await startWorld();
    const chain = { RPC_URL_EIP155_31337: world.anvil.url, GAS_PRICES_USD: 'eip155:31337=3000' };
    instance = await startInstance({ FRAMES: '', ...mail.env, ...chain });
    proxy = await enabledProxy(instance.root, { emailCustomizationParams: { appName: 'Harbour' } });
    appUrl = await served('', {});
    sendingUrl = await served('sending', { SEND_ON: 'eip155:31337' });
    sponsoredUrl = await served('sponsored', { SEND_ON: 'eip155:31337', SPONSORED: '1' });
    await proxy.set({ allowedOrigins: [appUrl, sendingUrl, sponsoredUrl] });
  });
  after(async () => {
    await browser?.close();
    for (const server of servers) server.close();
    await instance?.close();
    await world?.stop();
    await mail?.close();
    rmSync(outdir, { recursive: true, force: true });
  });

  afterEach(async () => {
    for (const page of pages.splice(0)) await page.close();
  });

  /** A page with storage of its own, until its test ends. */
  async function person(url: string): Promise<Page> {
    const page = await browser.person(url);
    pages.push(page);
    return page;
  }

  const click = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
  const heading = (page: Page, name: string) => page.getByRole('heading', { name, exact: true }).waitFor();
  const complains = (page: Page, text: RegExp) => page.getByRole('alert').filter({ hasText: text }).waitFor();

  /** What went wrong in the page, and what its policy forbade. */
  function faultsOf(page: Page): string[] {
    const faults: string[] = [];
    page.on('pageerror', ({ message }) => void faults.push(message));
    page.on('console', (line) => {
      if (/Content Security Policy|Uncaught/.test(line.text())) faults.push(line.text());
    });
    return faults;
  }

  async function opened(url = appUrl) {
    const page = await person('about:blank');
    const faults = faultsOf(page);
    await page.goto(url);
    await heading(page, 'Sign in to your wallet');
    return { page, faults };
  }

  async function makesWallet(page: Page): Promise<string> {
    await click(page, 'Make a wallet');
    await page.getByRole('status').filter({ hasText: 'Your wallet is made.' }).waitFor();
    return await page.locator('#address').innerText();
  }

  /** Signs on the page; the signature is checked here. */
  async function signs(page: Page, message: string): Promise<void> {
    await page.getByLabel('Sign a message').fill(message);
    await click(page, 'Sign');
    await page.getByText('Signed and verified').waitFor();
    const address = (await page.locator('#address').innerText()) as `0x${string}`;
    const signature = (await page.locator('#signature').innerText()) as `0x${string}`;
    assert.ok(await verifyMessage({ address, message, signature }));
  }

  /** The picture of the README, made where PICTURE names a file. */
  async function picture(page: Page, path: string): Promise<void> {
    await page.setViewportSize({ width: 720, height: 600 });
    await page.mouse.move(0, 0);
    await page.screenshot({ path, fullPage: true });
  }

  async function asksForCode(page: Page, email: string): Promise<void> {
    await page.getByLabel('Email', { exact: true }).fill(email);
    await click(page, 'Email me a code');
    await heading(page, 'Look at your mail');
    await page.getByText(`A code is on its way to ${email}`).waitFor();
  }

  async function entersWithCode(page: Page, email: string): Promise<void> {
    await asksForCode(page, email);
    const { subject, text } = await mail.next(email);
    assert.match(subject, /Harbour/);
    await page.getByLabel('Code').fill(codeIn(text));
    await click(page, 'Continue');
    await heading(page, `Hello, ${email}`);
  }

  test('with a passkey somebody signs up, makes a wallet, signs, and comes back to it', async () => {
    const { page, faults } = await opened();
    await click(page, 'New here? Make a passkey');
    await page.getByLabel('Your name').fill('Zoë Hopper');
    await click(page, 'Make a passkey');
    await heading(page, 'Hello, Zoë Hopper');
    const address = await makesWallet(page);
    await signs(page, 'I agree to the terms of Harbour.');
    await click(page, 'Copy address');
    await page.getByRole('status').filter({ hasText: 'The address is copied.' }).waitFor();
    await page.setViewportSize({ width: 320, height: 600 });
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'it fits a small phone');
    // The session and its key stay in the browser.
    await page.reload();
    await heading(page, 'Hello, Zoë Hopper');
    await signs(page, 'Still here — ✓');
    await click(page, 'Sign out');
    await heading(page, 'Sign in to your wallet');
    await page.reload();
    await heading(page, 'Sign in to your wallet');
    await click(page, 'Sign in with a passkey');
    await heading(page, 'Hello, Zoë Hopper');
    assert.equal(await page.locator('#address').innerText(), address);
    await signs(page, 'Back again');
    assert.deepEqual(faults, []);
  });

  const fund = (address: string, value: string) =>
    world.admin.setBalance({ address: address as `0x${string}`, value: parseEther(value) });

  async function sends(page: Page, to: string, amount: string): Promise<void> {
    await page.getByLabel('To').fill(to);
    await page.getByLabel('Amount').fill(amount);
    await click(page, 'Send');
  }

  test('a person sends, sees the outcome, and reads in plain words what went wrong', async () => {
    const { page, faults } = await opened(sendingUrl);
    await entersWithCode(page, 'sam@example.com');
    const from = await makesWallet(page);
    await heading(page, 'Send ETH on Anvil');
    const to = privateKeyToAddress(generatePrivateKey());
    await sends(page, '0x1234', '0.25');
    await complains(page, /"To" is no address/);
    await sends(page, to, 'all');
    await complains(page, /The amount must be a number like 0\.001/);
    await sends(page, to, '0.25');
    await page.getByText('This wallet has too few coins').waitFor();
    await fund(from, '1');
    await sends(page, to, '0.25');
    const newest = page.locator('#sends li').first();
    await newest.getByText('In a block', { exact: true }).waitFor();
    const hash = (await newest.locator('.hash').innerText()) as `0x${string}`;
    const sent = await world.node.getTransaction({ hash });
    assert.deepEqual([sent.from, sent.to, sent.value], [from.toLowerCase(), to.toLowerCase(), parseEther('0.25')]);
    assert.equal(await world.node.getBalance({ address: to }), parseEther('0.25'));
    assert.equal(await newest.getByRole('link').isVisible(), false, 'this chain has no explorer');
    if (process.env.PICTURE) await picture(page, process.env.PICTURE);
    assert.deepEqual(faults, []);
  });

  test('a person with an empty wallet sends where fees are sponsored, and is told where they are not', async () => {
    const { page, faults } = await opened(sponsoredUrl);
    await entersWithCode(page, 'pat@example.com');
    const from = await makesWallet(page);
    await page.getByText('The fee is paid for you.').waitFor();
    const to = privateKeyToAddress(generatePrivateKey());
    await sends(page, to, '0');
    await complains(page, /The service does not pay fees yet/);
    const limits = { orgWindowLimitUsd: '100', subOrgWindowLimitUsd: '0', windowDurationMinutes: '60' };
    await instance.root.submit('UPSERT_GAS_USAGE_CONFIG', limits);
    await sends(page, to, '0');
    await complains(page, /as many fees as it may/);
    await instance.root.submit('UPSERT_GAS_USAGE_CONFIG', { ...limits, subOrgWindowLimitUsd: '100' });
    await fund(instance.engine.vault.paymaster.address('eip155'), '1');
    await sends(page, to, '0');
    const newest = page.locator('#sends li').first();
    await newest.getByText('In a block', { exact: true }).waitFor();
    const hash = (await newest.locator('.hash').innerText()) as `0x${string}`;
    assert.equal((await world.node.getTransactionReceipt({ hash })).status, 'success');
    assert.equal(await world.node.getBalance({ address: from as `0x${string}` }), 0n);
    assert.deepEqual(faults, []);
  });

  test('with a mailed code somebody signs up, and another code from another browser leads to the same wallet', async () => {
    const email = 'grace@example.com';
    const { page, faults } = await opened();
    await entersWithCode(page, email);
    const address = await makesWallet(page);
    await signs(page, 'By mail');
    const { page: another } = await opened();
    await entersWithCode(another, email);
    assert.equal(await another.locator('#address').innerText(), address);
    await signs(another, 'By mail again');
    assert.deepEqual(faults, []);
  });

  test('a wallet is exported and imported in frames of the service, and the page has none of its words', async () => {
    const { page, faults } = await opened();
    await entersWithCode(page, 'amy@example.com');
    const address = await makesWallet(page);
    await click(page, 'Show recovery phrase');
    await heading(page, 'Your recovery phrase');
    const phrase = page.frameLocator('#phrase-frame iframe').getByRole('textbox', { name: 'Recovery phrase' });
    const words = (await phrase.filter({ hasText: /\w+ \w+/ }).textContent())!;
    assert.equal(mnemonicToAccount(words).address, address);
    assert.ok(!(await page.content()).includes(words));
    if (process.env.PICTURE) await picture(page, `${process.env.PICTURE}.export.png`);
    await click(page, 'Done');
    await heading(page, 'Hello, amy@example.com');
    assert.equal(await page.locator('iframe').count(), 0);

    const { page: another, faults: others } = await opened();
    await entersWithCode(another, 'bea@example.com');
    await click(another, 'Import a wallet');
    const typed = another.frameLocator('#import-frame iframe').getByRole('textbox', { name: 'Recovery phrase' });
    await typed.waitFor();
    // The page takes no press while it sets the frame up.
    await another.locator('body:not(.busy)').waitFor();
    await click(another, 'Import');
    await complains(another, /Type the words of the wallet first/);
    await typed.fill('legal winner thank');
    await click(another, 'Import');
    await complains(another, /These words are no recovery phrase/);
    await typed.fill(words);
    if (process.env.PICTURE) await picture(another, `${process.env.PICTURE}.import.png`);
    await click(another, 'Import');
    await another.getByRole('status').filter({ hasText: 'Your wallet is imported.' }).waitFor();
    assert.equal(await another.locator('#address').innerText(), address);
    await signs(another, 'The same wallet');
    assert.deepEqual([...faults, ...others], []);
  });

  test('what goes wrong is said, and can be done again', async () => {
    const { page } = await opened();
    await click(page, 'Sign in with a passkey');
    await complains(page, /cancelled, or took too long/);
    await page.evaluate(() => {
      const of = (name: string) => ({ id: crypto.getRandomValues(new Uint8Array(16)), name, displayName: name });
      const pubKeyCredParams = [{ type: 'public-key' as const, alg: -7 }];
      const challenge = crypto.getRandomValues(new Uint8Array(32));
      const authenticatorSelection = { residentKey: 'required' as const };
      const publicKey = { rp: { name: '' }, user: of('unknown'), challenge, pubKeyCredParams, authenticatorSelection };
      return navigator.credentials.create({ publicKey }).then(() => undefined);
    });
    await click(page, 'Sign in with a passkey');
    await complains(page, /No account here has this passkey/);
    await asksForCode(page, 'ida@example.com');
    const code = await mail.nextCode('ida@example.com');
    await page.getByLabel('Code').fill(code.replace(/./, (first) => (first === '2' ? '3' : '2')));
    await click(page, 'Continue');
    await complains(page, /This code is wrong, or too old/);
    await click(page, 'Mail me another code');
    await page.getByRole('status').filter({ hasText: 'Another code is on its way.' }).waitFor();
    const another = await mail.nextCode('ida@example.com');
    // As it is copied out of a mail.
    await page.getByLabel('Code').fill(` ${another.slice(0, 4)} ${another.slice(4).toLowerCase()} `);
    await click(page, 'Continue');
    await heading(page, 'Hello, ida@example.com');
  });

  test('its keyboard alone is enough', async () => {
    const { page } = await opened();
    await page.keyboard.press('Tab');
    await page.keyboard.type('kay@example.com');
    await page.keyboard.press('Enter');
    await heading(page, 'Look at your mail');
    await page.keyboard.type(await mail.nextCode('kay@example.com'));
    await page.keyboard.press('Enter');
    await heading(page, 'Hello, kay@example.com');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('status').filter({ hasText: 'Your wallet is made.' }).waitFor();
  });

  test('a page of an origin that is not allowed gets nothing, and says so', async () => {
    const outside = { outdir: join(outdir, 'outside'), apiUrl: instance.url, configId: proxy.configId };
    const { server, url } = await servePage(outside, 0);
    servers.push(server);
    await complains(await person(url), /could not be reached|is not allowed/);
  });

  test('where the service does not answer at first, it can be asked again', async () => {
    const page = await person('about:blank');
    await page.route('**/v1/wallet_kit_config', (route) => route.abort());
    await page.goto(appUrl);
    await complains(page, /could not be reached/);
    await page.unroute('**/v1/wallet_kit_config');
    await click(page, 'Try again');
    await heading(page, 'Sign in to your wallet');
    assert.equal(await page.getByRole('button', { name: 'Try again' }).isVisible(), false);
  });

  test('a page that the proxy refuses is not built, and the reason is said', async () => {
    const options = optionsOf({ API_URL: `${instance.url}/`, OUTDIR: join(outdir, 'refused'), CONFIG_ID: 'typo' });
    await assert.rejects(
      buildPage(options),
      new Unready(`${instance.url} answered 400: X-Auth-Proxy-Config-ID header must be a UUID`),
    );
    const known = { ...options, configId: proxy.configId };
    assert.match((await refusal(known, 'http://localhost:1')) ?? '', /answered 403: origin not allowed/);
    assert.equal(await refusal(known, appUrl), undefined);
    await assert.rejects(buildPage({ ...known, apiUrl: 'http://localhost:1' }), Unready);
    assert.throws(() => optionsOf({ API_URL: 'localhost:8080', CONFIG_ID: 'a' }), /API_URL must be like/);
    await assert.rejects(
      buildPage({ ...known, framesUrl: `${instance.url}/v1` }),
      /FRAMES_URL: .* answered 40\d: has the service frames/,
    );
    assert.throws(() => optionsOf({}), /set CONFIG_ID/);
    assert.throws(() => optionsOf({ CONFIG_ID: 'a', SEND_ON: 'sepolia' }), /SEND_ON must be like eip155:11155111/);
  });

  test('a session that ended is said', async () => {
    const { page } = await opened();
    await entersWithCode(page, 'lou@example.com');
    instance.clock.advance(20 * 60_000);
    await click(page, 'Make a wallet');
    await complains(page, /Your session has ended\. Sign in again\./);
    await heading(page, 'Sign in to your wallet');
  });
});
