/** Signing in by a code from a mail, and at an OpenID provider. Each change then has a credential of its own. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { enabledProxy } from '../../support/auth-proxy.ts';
import { chromiumProgram, NO_CHROMIUM } from '../../support/chromium.ts';
import { apiKey, type Client, newKeys, resultOf, userWith } from '../../support/client.ts';
import { type MailServer, startMail } from '../../support/mail.ts';
import { type Issuer, startIssuer } from '../../support/oidc.ts';
import { consoleWorld } from './world.ts';

const skip = chromiumProgram() === undefined && NO_CHROMIUM;

/** The service names it to the console, so it is known before the start. */
const CONFIG = '5b1f7a52-6b1c-4a06-9d3f-2f7f0c6f8a11';

describe('signing in without a credential', { skip }, () => {
  let mail: MailServer;
  let issuer: Issuer;
  // Also after a complaint of a page, which the world's own end reports.
  after(async () => {
    await issuer?.close();
    await mail?.close();
  });
  const world = consoleWorld(async () => {
    mail = await startMail();
    issuer = await startIssuer();
    const logins = { CONSOLE_AUTH_PROXY: CONFIG, CONSOLE_OIDC_URL: `${issuer.url}/auth?client_id=page` };
    return { ...mail.env, ...logins, OUTBOUND_ALLOW: issuer.hostAndPort };
  });
  before(async () => {
    const { configId } = await enabledProxy(world.instance.root);
    await world.instance.raw('UPDATE auth_proxy_configs SET id = $1 WHERE id = $2', CONFIG, configId);
  });

  /** A sub-organization of a user with this member, and of another one with a key. */
  async function household(name: string, more: object): Promise<{ organizationId: string; userId: string; other: Client }> {
    const { root } = world.instance;
    const keys = newKeys();
    const rootUsers = [userWith(name, [], more), userWith('Keyed', [keys])];
    const sent = { subOrganizationName: `${name}’s`, rootQuorumThreshold: 1, rootUsers };
    const made = resultOf(await root.submit('CREATE_SUB_ORGANIZATION_V8', sent), 'createSubOrganizationResultV8');
    const organizationId = made.subOrganizationId;
    return { organizationId, userId: made.rootUserIds[0], other: root.as(keys, organizationId) };
  }

  const openSignIn = async (organizationId: string): Promise<Page> => {
    const page = await world.open('/console/account', { others: [issuer.url] });
    await page.getByRole('textbox', { name: 'Organization' }).fill(organizationId);
    await page.getByText('Other ways').click();
    return page;
  };

  async function byCode(page: Page, address: string, label: string): Promise<string> {
    await page.getByRole('textbox', { name: 'Your email address' }).fill(address);
    await page.getByRole('button', { name: 'Mail a code' }).click();
    const code = await mail.nextCode(address);
    world.secrets.note(code);
    await page.getByRole('textbox', { name: 'The code in the mail' }).fill(code);
    await page.getByRole('button', { name: `${label} with the code` }).click();
    return code;
  }

  /** The session reads, and stamps nothing. */
  async function onlyReads({ other, userId }: { other: Client; userId: string }, type: string): Promise<void> {
    const { apiKeys } = (await other.query('get_api_keys', { userId })).body;
    const profiles = apiKeys.map(({ credential }: { credential: { sessionProfileId?: string } }) => credential.sessionProfileId);
    assert.deepEqual(profiles, ['00000000-0000-4000-8000-000000000001']);
    const [{ type: submitted, votes }] = (await other.query('list_activities', { filterByType: ['ACTIVITY_TYPE_STAMP_LOGIN'] }))
      .body.activities;
    assert.deepEqual(
      [submitted, votes[0].publicKey === undefined, votes[0].scheme],
      ['ACTIVITY_TYPE_STAMP_LOGIN', false, 'SIGNATURE_SCHEME_TK_ATTESTED_P256'],
    );
    assert.ok(type);
  }

  test('a code signs in to a session that reads, and a fresh one adds the first passkey', async () => {
    const address = 'ada@example.com';
    const ada = await household('Ada', { userEmail: address });
    const page = await openSignIn(ada.organizationId);
    const bodies: string[] = [];
    page.on('request', (request) => void bodies.push(`${request.url()} ${request.postData() ?? ''}`));
    const code = await byCode(page, address, 'Sign in');
    await page.getByRole('heading', { name: 'Ada' }).waitFor();
    await onlyReads(ada, 'code');
    assert.ok(!bodies.some((body) => body.includes(code)), 'the code is sealed');

    await page.getByText('There is no passkey yet.').waitFor();
    await page.getByRole('textbox', { name: 'Name of a new passkey' }).fill('First');
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await page.getByRole('dialog').waitFor();
    await byCode(page, address, 'Add it');
    await page.getByText('There is one passkey').waitFor();

    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await page.getByRole('heading', { name: 'Ada' }).waitFor();
    await page.close();
  });

  test('a failure of the service takes no code away that is being typed', async () => {
    const page = await openSignIn(world.instance.root.organizationId);
    await page.getByRole('textbox', { name: 'Your email address' }).fill('reader@example.com');
    await page.getByRole('button', { name: 'Mail a code' }).click();
    const code = page.getByRole('textbox', { name: 'The code in the mail' });
    await code.fill('ABC');
    await page.route('**/v1/wallet_kit_config', (route) =>
      route.fulfill({ status: 403, json: { code: 7, message: 'no', details: [] } }),
    );
    // The person looks at the mail, and comes back.
    await page.clock.install();
    await page.clock.fastForward(6000);
    const asked = page.waitForResponse('**/v1/wallet_kit_config');
    await page.evaluate(() => window.dispatchEvent(new Event('visibilitychange')));
    await asked;
    await page.evaluate(async () => {
      for (let i = 0; i < 10; i++) await new Promise(requestAnimationFrame);
    });
    assert.equal(await code.inputValue(), 'ABC');
    await page.close();
  });

  test('a wrong code, and an address that no user has, are told', async () => {
    const eve = await household('Eve', { userEmail: 'eve@example.com' });
    const page = await openSignIn(eve.organizationId);
    await page.getByRole('textbox', { name: 'Your email address' }).fill('eve@example.com');
    await page.getByRole('button', { name: 'Mail a code' }).click();
    await mail.nextCode('eve@example.com');
    await page.getByRole('textbox', { name: 'The code in the mail' }).fill('ZZZZZZZZZ');
    await page.getByRole('button', { name: 'Sign in with the code' }).click();
    await page.getByText('Invalid OTP code').waitFor();
    await page.reload();
    await page.getByText('Other ways').click();
    await byCode(page, 'stranger@example.com', 'Sign in');
    await page.getByText('no user there receives mail at this address').waitFor();
    assert.equal(await page.getByRole('heading', { name: 'Sign in' }).count(), 1);
    await page.close();
  });

  test('a provider signs in, in a window of its own that leaves no token, and again over the page', async () => {
    const oauthProviders = [{ providerName: 'Issuer', oidcToken: issuer.signNow({ sub: 'grace', aud: 'page' }) }];
    const grace = await household('Grace', { oauthProviders });
    const page = await openSignIn(grace.organizationId);
    const { host } = new URL(issuer.url);
    issuer.be('stranger');
    const press = page.getByRole('button', { name: `Sign in at ${host}` });
    const opened = page.context().waitForEvent('page');
    await press.click();
    await page.getByText('no user there has this account').waitFor();
    const first = await opened;
    if (!first.isClosed()) assert.equal(new URL(first.url()).hash, '');

    await page.context().clearCookies();
    issuer.be('grace');
    await press.click();
    await page.getByRole('heading', { name: 'Grace' }).waitFor();
    await onlyReads(grace, 'provider');

    const { user } = (await grace.other.query('get_user', { userId: grace.userId })).body;
    const apiKeyIds = user.apiKeys.map(({ apiKeyId }: { apiKeyId: string }) => apiKeyId);
    await page.getByRole('textbox', { name: 'Name of a new passkey' }).fill('typed before');
    resultOf(await grace.other.submit('DELETE_API_KEYS', { userId: grace.userId, apiKeyIds }), 'deleteApiKeysResult');
    const dialog = page.getByRole('dialog', { name: 'Sign in again' });
    await dialog.getByRole('button', { name: `Sign in at ${host}` }).click();
    await dialog.waitFor({ state: 'detached' });
    assert.equal(await page.getByRole('textbox', { name: 'Name of a new passkey' }).inputValue(), 'typed before');
    await page.close();
    // Chromium says so of a window that closes while its icon is loaded.
    world.said.splice(
      0,
      world.said.length,
      ...world.said.filter((text) => !text.startsWith('Error while trying to use the following icon')),
    );
  });

  test('factors sign in where the organization above is named, and the record raises no alarm', async () => {
    const address = 'ida@example.com';
    const keys = newKeys();
    world.secrets.note(keys.privateKey);
    const { organizationId, userId, other } = await household('Ida', { userEmail: address, apiKeys: [apiKey(keys)] });
    const steps = ['EMAIL_OTP', 'API_KEY'].map((type) => ({ any: [{ type: `AUTHENTICATION_TYPE_${type}` }] }));
    const policy = { userId, mfaPolicyName: 'Both', condition: "activity.kind == 'STAMP_LOGIN'", order: 0 };
    const mfa = { ...policy, requiredAuthenticationMethods: steps };
    resultOf(await other.submit('CREATE_MFA_POLICY', mfa), 'createMfaPolicyResult');
    const above = world.instance.root.organizationId;
    const content = JSON.stringify({ organizationId: above, apiPrivateKey: keys.privateKey });
    const file = { name: 'key.json', mimeType: 'application/json', buffer: Buffer.from(content) };

    // The first sign-in by a code verifies the address. Only then the organization above finds its user.
    const page = await openSignIn(organizationId);
    await byCode(page, address, 'Sign in');
    await page.getByText('Your MFA policy asks for a stamp by api key.').waitFor();
    await page.getByLabel('A key file').setInputFiles(file);
    await page.getByRole('heading', { name: 'Ida' }).waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();

    await page.getByText('Other ways').click();
    await page.getByRole('textbox', { name: 'Organization' }).fill('');
    await byCode(page, address, 'Sign in');
    await page.getByText('Your MFA policy asks for a stamp by api key.').waitFor();
    await page.getByLabel('A key file').setInputFiles(file);
    await page.getByRole('heading', { name: 'Ida' }).waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();

    await page.getByText('Other ways').click();
    await page.getByRole('textbox', { name: 'Organization' }).fill(above);
    await page.getByLabel('A key file').setInputFiles(file);
    await page.getByText('Your MFA policy asks for a stamp by email otp.').waitFor();
    await byCode(page, address, 'Go on');
    await page.getByRole('heading', { name: 'Ida' }).waitFor();

    const asked = { filterByType: ['ACTIVITY_TYPE_STAMP_LOGIN'] };
    const [{ id, status }] = (await other.query('list_activities', asked)).body.activities;
    assert.equal(status, 'ACTIVITY_STATUS_COMPLETED');
    await page.goto(`${world.origin}/console/activities/${id}`);
    await page
      .getByText(`The body names the organization ${above}. It runs in ${organizationId}, as the service says.`)
      .waitFor();
    assert.equal(await page.getByRole('alert').count(), 0);
    await page.close();
  });

  test('ways that are off name their setting', async () => {
    const page = await world.open('/console/');
    await page.getByText('Other ways').click();
    await page.getByRole('textbox', { name: 'Your email address' }).waitFor();
    resultOf(
      await world.instance.root.submit('REMOVE_ORGANIZATION_FEATURE', { name: 'FEATURE_NAME_OTP_EMAIL_AUTH' }),
      'removeOrganizationFeatureResult',
    );
    await page.reload();
    await page.getByText('Other ways').click();
    await page.getByText('The service sends no codes. The operator sets SMTP_URL').waitFor();
    await page.route('**/console/service.json', (route) => route.fulfill({ json: { url: world.origin, elsewhere: false } }));
    await page.reload();
    await page.getByText('Other ways').click();
    await page.getByText('Codes by mail are off: the operator sets CONSOLE_AUTH_PROXY').waitFor();
    await page.getByText('Sign-in at a provider is off: the operator sets CONSOLE_OIDC_URL').waitFor();
    await page.close();
  });
});
