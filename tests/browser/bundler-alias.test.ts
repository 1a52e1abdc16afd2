/** What the example application's README says of bundlers: with one module in place of a package, the client takes our key for codes. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { enabledProxy } from '../support/auth-proxy.ts';
import { type Browser, chromiumProgram, NO_CHROMIUM, startBrowser } from '../support/chromium.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import { type MailServer, startMail } from '../support/mail.ts';
import { publishedKey } from '../support/published.ts';

declare const core: typeof import('@turnkey/core');
declare const codeOf: (to: string) => Promise<string>;

const README = new URL('../../examples/wallet-app/README.md', import.meta.url);

/** A script that leaves the client where the page's other scripts find it. `standIn`: the module of the README. */
async function bundle(standIn: string, otpSigner: string): Promise<string> {
  const built = await build({
    stdin: { contents: "export { OtpType, TurnkeyClient } from '@turnkey/core';", resolveDir: import.meta.dirname },
    bundle: true,
    write: false,
    globalName: 'core',
    alias: { '@turnkey/crypto': standIn, 'turnkey-crypto': fileURLToPath(import.meta.resolve('@turnkey/crypto')) },
    define: { OTP_SIGNER: JSON.stringify(otpSigner) },
    logLevel: 'silent',
  });
  return built.outputFiles[0]!.text;
}

describe('a bundler’s alias', { skip: chromiumProgram() === undefined && NO_CHROMIUM }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-alias-'));
  let mail: MailServer;
  let instance: Instance;
  let browser: Browser;
  let server: Server;

  before(async () => {
    mail = await startMail();
    instance = await startInstance(mail.env);
    browser = await startBrowser();
    server = createServer((_, response) => response.setHeader('content-type', 'text/html').end('<!doctype html>'));
    await new Promise<void>((listening) => server.listen(0, 'localhost', listening));
  });
  after(async () => {
    await browser?.close();
    server?.close();
    await instance?.close();
    await mail?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test('completeOtp signs somebody up with a mailed code', async () => {
    const [module] = /(?<=^```js\n)\/\/ turnkey-crypto\.js\n(?:.*\n)*?(?=```)/m.exec(readFileSync(README, 'utf8'))!;
    const standIn = join(folder, 'turnkey-crypto.js');
    writeFileSync(standIn, module);
    const page = await browser.page(`http://localhost:${(server.address() as AddressInfo).port}`);
    await page.addScriptTag({ content: await bundle(standIn, await publishedKey(instance.url, 'otp-signer')) });
    await page.exposeFunction('codeOf', (to: string) => mail.nextCode(to));
    const { configId } = await enabledProxy(instance.root);
    const config = {
      apiBaseUrl: instance.url,
      authProxyUrl: instance.url,
      authProxyConfigId: configId,
      organizationId: instance.root.organizationId,
    };
    const done = await page.evaluate(async (given) => {
      const client = new core.TurnkeyClient(given);
      await client.init();
      const to = { contact: 'max@example.com', otpType: core.OtpType.Email };
      const sent = await client.initOtp(to);
      return client.completeOtp({ ...sent, ...to, otpCode: await codeOf(to.contact) });
    }, config);
    assert.equal(done.action, 'SIGNUP');
  });
});
