/** The page that an invitation's link leads to, in Chromium with a virtual authenticator. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page, Request } from 'playwright-core';
import { invitation, linkOf } from '../activities/invitations/support.ts';
import { marksOf } from '../activities/tokens.ts';
import { type Browser, chromiumProgram, NO_CHROMIUM, startBrowser } from '../support/chromium.ts';
import { resultOf } from '../support/client.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import { type MailServer, startMail } from '../support/mail.ts';

const SUBMIT = '/public/v1/submit/accept_invitation';

/** Runs in the page: asks who the passkey's user is. */
async function whoAmI([organizationId, credentialId]: [string, string]): Promise<{ userId: string }> {
  const encode = (buffer: ArrayBuffer) =>
    btoa(String.fromCharCode(...new Uint8Array(buffer)))
      .replaceAll('+', '-')
      .replaceAll('/', '_')
      .replaceAll('=', '');
  const text = new TextEncoder();
  const body = JSON.stringify({ organizationId });
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', text.encode(body)));
  const challenge = text.encode(Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join(''));
  const id = Uint8Array.from(atob(credentialId.replaceAll('-', '+').replaceAll('_', '/')), (c) => c.charCodeAt(0));
  const made = await navigator.credentials.get({ publicKey: { challenge, allowCredentials: [{ type: 'public-key', id }] } });
  const { response } = made as PublicKeyCredential & { response: AuthenticatorAssertionResponse };
  const stamp = {
    credentialId,
    authenticatorData: encode(response.authenticatorData),
    clientDataJson: encode(response.clientDataJSON),
    signature: encode(response.signature),
  };
  const headers = { 'X-Stamp-WebAuthn': JSON.stringify(stamp) };
  return (await fetch('/public/v1/query/whoami', { method: 'POST', body, headers })).json();
}

describe('accepting an invitation in Chromium', { skip: chromiumProgram() === undefined && NO_CHROMIUM }, () => {
  let mail: MailServer;
  let instance: Instance;
  let browser: Browser;

  before(async () => {
    mail = await startMail();
    // With the console on, the link leads there.
    instance = await startInstance({ ...mail.env, CONSOLE: 'off' });
    browser = await startBrowser();
  });
  after(async () => {
    await browser?.close();
    await instance?.close();
    await mail?.close();
  });

  /** The link in the mail of a new invitation, at this instance: a passkey needs a host name. */
  async function invited(name: string): Promise<{ url: string; userId: string; secret: string; invitationId: string }> {
    const one = invitation(name, instance.credentials.userId);
    const made = await instance.root.submit('CREATE_INVITATIONS', { invitations: [one] });
    resultOf(made, 'createInvitationsResult');
    const { text } = await mail.next(one.receiverUserEmail);
    const [link] = /^http:\S+\/accept-invitation#\S+$/m.exec(text)!;
    const { pathname, hash } = new URL(link);
    return { ...linkOf({ link }), url: `http://localhost:${new URL(instance.url).port}${pathname}${hash}` };
  }

  const passkeysOf = async (userId: string): Promise<{ credentialId: string; authenticatorName: string }[]> =>
    (await instance.root.query('get_user', { userId })).body.user.authenticators;

  const says = (page: Page, text: RegExp) => page.getByRole('status').filter({ hasText: text }).waitFor();
  const click = (page: Page) => page.getByRole('button').click();

  test('an invited person makes a passkey, which is theirs, and their email is verified', async () => {
    const { url, userId, secret } = await invited('Cleo');
    const page = await browser.page('about:blank');
    const requests: Request[] = [];
    page.on('request', (request) => void requests.push(request));
    await page.goto(url);
    await page.getByText('You are invited to').waitFor();
    assert.match(await page.locator('#invited').innerText(), /as cleo@example\.com\.$/);
    assert.equal(new URL(page.url()).hash, '', 'the secret left the address bar');
    assert.ok(!(await page.content()).includes(secret));
    assert.equal((await marksOf(instance, userId)).email, false);
    await page.getByLabel('A name for this passkey').fill('Cleo’s phone');
    await click(page);
    await says(page, /^Done: the invitation is accepted/);
    const [passkey, ...more] = await passkeysOf(userId);
    assert.deepEqual([more.length, passkey!.authenticatorName], [0, 'Cleo’s phone']);
    assert.equal((await marksOf(instance, userId)).email, true);
    const asked: [string, string] = [instance.root.organizationId, passkey!.credentialId];
    assert.equal((await page.evaluate(whoAmI, asked)).userId, userId);

    // The secret is in one body, and nowhere else; nothing came from elsewhere.
    const told = requests.filter((request) => request.postData()?.includes(secret));
    assert.deepEqual(
      told.map((request) => new URL(request.url()).pathname),
      [SUBMIT],
    );
    for (const request of requests) {
      assert.equal(new URL(request.url()).host, new URL(url).host);
      const headers = JSON.stringify(await request.allHeaders());
      assert.ok(!request.url().split('#')[0]!.includes(secret) && !headers.includes(secret), request.url());
      assert.ok(!headers.includes('referer'));
    }
    await page.close();

    const late = await browser.page(url);
    await click(late);
    await says(
      late,
      /cannot be accepted\. It may have been used already, been revoked, or have expired\. Ask whoever invited you/,
    );
    assert.ok(await late.locator('form').isHidden());
    assert.equal((await passkeysOf(userId)).length, 1);
    await late.close();
  });

  test('an expired invitation, and an address without one, are explained', async () => {
    const { url, invitationId, userId } = await invited('Late');
    await instance.raw('UPDATE invitations SET expires_at = $1 WHERE id = $2', instance.clock.now() - 1, invitationId);
    const page = await browser.page(url);
    await click(page);
    await says(page, /have expired\. Ask whoever invited you for a new invitation/);
    assert.equal((await passkeysOf(userId)).length, 0);
    await page.goto(url.split('#')[0]!);
    await says(page, /There is no invitation in this address\. Open the whole link in the mail again/);
    // The whole link, in the same page.
    await page.goto(url);
    await page.getByText('You are invited').waitFor();
    await page.close();
  });

  test('what was cancelled or did not arrive is done again from there', async () => {
    const { url, userId } = await invited('Patient');
    const page = await browser.page(url);
    await page.evaluate(() => {
      const { credentials } = navigator;
      const get = credentials.get.bind(credentials);
      credentials.get = async () => {
        credentials.get = get;
        throw new DOMException('no', 'NotAllowedError');
      };
    });
    await page.route(`**${SUBMIT}`, (route) => route.abort(), { times: 1 });
    await click(page);
    await says(page, /That was cancelled, or took too long/);
    assert.equal(await page.getByRole('button').innerText(), 'Confirm with the passkey');
    await click(page);
    await says(page, /The service could not be reached\. Try again/);
    assert.equal((await passkeysOf(userId)).length, 0);
    await click(page);
    await says(page, /^Done/);
    assert.equal((await passkeysOf(userId)).length, 1);
    await page.close();
  });

  test('another link with the same ids replaces no passkey', async () => {
    const { url, userId } = await invited('Twice');
    const page = await browser.page(url);
    await click(page);
    await says(page, /^Done/);
    const [passkey] = await passkeysOf(userId);
    const asked: [string, string] = [instance.root.organizationId, passkey!.credentialId];
    await page.goto('about:blank');
    await page.goto(url.replace(/secret=[^&]+/, `secret=${'A'.repeat(43)}`));
    await page.getByText('You are invited').waitFor();
    await click(page);
    await says(page, /cannot be accepted/);
    assert.equal((await page.evaluate(whoAmI, asked)).userId, userId);
    await page.close();
  });

  test('where the organization takes passkeys of its own site only, the page says so', async () => {
    const feature = 'FEATURE_NAME_WEBAUTHN_ORIGINS';
    const { url, userId } = await invited('Elsewhere');
    const set = { name: feature, value: 'https://app.example.com' };
    resultOf(await instance.root.submit('SET_ORGANIZATION_FEATURE', set), 'setOrganizationFeatureResult');
    const page = await browser.page(url);
    await click(page);
    await says(page, /takes passkeys only from a site of its own/);
    assert.equal((await passkeysOf(userId)).length, 0);
    resultOf(await instance.root.submit('REMOVE_ORGANIZATION_FEATURE', { name: feature }), 'removeOrganizationFeatureResult');
    await page.close();
  });
});
