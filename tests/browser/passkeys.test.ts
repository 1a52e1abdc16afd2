/** Passkeys end to end: a page in Chromium registers one with a virtual authenticator, and stamps requests with the published client. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { build } from 'esbuild';
import { type Browser, chromiumProgram, NO_CHROMIUM, startBrowser } from '../support/chromium.ts';
import { post, resultOf, submitPath } from '../support/client.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import { refused } from '../support/refusals.ts';
import type * as here from './passkey-page.ts';

async function bundle(): Promise<string> {
  const built = await build({
    entryPoints: [new URL('passkey-page.ts', import.meta.url).pathname],
    bundle: true,
    platform: 'browser',
    format: 'iife',
    globalName: 'passkeys',
    target: 'es2022',
    write: false,
    logLevel: 'silent',
  });
  return built.outputFiles[0]!.text;
}

/** A page that holds the script, and nothing else. */
async function servePage(script: string): Promise<Server> {
  const server = createServer((request, response) => {
    const isScript = request.url === '/script.js';
    response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html');
    response.end(isScript ? script : '<!doctype html><title>page</title><script src="/script.js"></script>');
  });
  await new Promise<void>((listening) => server.listen(0, 'localhost', listening));
  return server;
}

declare const passkeys: typeof here;

const RP_ID = 'localhost';
const WRONG: [number, string, RegExp] = [401, 'SIGNATURE_INVALID', /could not verify WebAuthN signature/];

describe('passkeys in Chromium', { skip: chromiumProgram() === undefined && NO_CHROMIUM }, () => {
  let instance: Instance;
  let server: Server;
  let browser: Browser;
  let origin: string;

  before(async () => {
    instance = await startInstance();
    server = await servePage(await bundle());
    origin = `http://localhost:${(server.address() as AddressInfo).port}`;
    browser = await startBrowser();
  });
  after(async () => {
    await browser?.close();
    server?.close();
    await instance?.close();
  });

  /** A user with a passkey that a page registered, and the page. */
  async function registered(name: string, algorithm: number, attestation: 'none' | 'direct' = 'none') {
    const user = await instance.newUser(name);
    const page = await browser.page(origin);
    const challenge = randomBytes(32);
    const made = await page.evaluate((given) => passkeys.register(given), {
      rpId: RP_ID,
      challenge: [...challenge],
      algorithms: [algorithm],
      attestation,
    });
    const authenticator = { authenticatorName: name, challenge: challenge.toString('base64url'), attestation: made };
    const parameters = { userId: user.userId, authenticators: [authenticator] };
    return { ...user, page, parameters };
  }

  type Registered = Awaited<ReturnType<typeof registered>>;

  const create = async ({ client, parameters }: Registered) =>
    resultOf(await client.submit('CREATE_AUTHENTICATORS_V2', parameters), 'createAuthenticatorsResult');

  const stampedBy = (page: Registered['page'], body: string, path?: string) =>
    page.evaluate(([rpId, text, url]) => passkeys.stamped(rpId!, text!, url), [RP_ID, body, path && instance.url + path]);

  for (const [name, algorithm] of [
    ['ES256', -7],
    ['RS256', -257],
  ] as const)
    test(`${name}: registered on a page, it stamps a query and a submit from there`, async () => {
      const user = await registered(name, algorithm);
      await create(user);
      const { organizationId } = user.client;
      const who = await stampedBy(user.page, JSON.stringify({ organizationId }), '/public/v1/query/whoami');
      assert.deepEqual([who.status, who.answer.userId], [200, user.userId]);
      const { authenticators } = (await user.client.query('get_authenticators', { userId: user.userId })).body;
      assert.deepEqual(authenticators[0].transports, ['AUTHENTICATOR_TRANSPORT_INTERNAL']);
      // Everybody may delete their own passkeys, but not the last credential: here the API key stays.
      const type = 'DELETE_AUTHENTICATORS';
      const body = user.client.bodyOf(type, {
        userId: user.userId,
        authenticatorIds: [authenticators[0].authenticatorId],
      });
      const done = await stampedBy(user.page, body, submitPath(type));
      assert.equal(done.answer.activity.status, 'ACTIVITY_STATUS_COMPLETED', JSON.stringify(done));
      assert.equal(done.answer.activity.votes[0].scheme, 'SIGNATURE_SCHEME_TK_WEBAUTHN');
      const gone = await stampedBy(user.page, JSON.stringify({ organizationId }), '/public/v1/query/whoami');
      assert.deepEqual([gone.status, gone.answer.details[0].turnkeyErrorCode], [401, 'CREDENTIAL_NOT_FOUND']);
      await user.page.close();
    });

  test('with the authenticator’s own attestation', async () => {
    const user = await registered('Direct', -7, 'direct');
    await create(user);
    const { authenticators } = (await user.client.query('get_authenticators', { userId: user.userId })).body;
    assert.equal(authenticators[0].attestationType, 'packed');
    await user.page.close();
  });

  test('another challenge, origin, relying party or user, and changed data are refused', async () => {
    const user = await registered('Wrong', -7);
    const wanted: [number, string, RegExp] = [400, 'REQUEST_INVALID', /invalid authenticator attestation/];
    const [authenticator] = user.parameters.authenticators;
    const elsewhere = { ...user.parameters, authenticators: [{ ...authenticator, challenge: 'AAAA' }] };
    refused(await user.client.submit('CREATE_AUTHENTICATORS_V2', elsewhere), wanted, 'parameters.authenticators[0].challenge');
    await create(user);
    const path = '/public/v1/query/whoami';
    const body = JSON.stringify({ organizationId: user.client.organizationId });
    const { header } = await stampedBy(user.page, body);
    const [name, value] = Object.entries(header)[0]! as [string, string];
    const stamp = JSON.parse(value) as Record<string, string>;
    const send = (changed: Record<string, string>, text = body) =>
      post(instance.url + path, text, { [name]: JSON.stringify({ ...stamp, ...changed }) });
    assert.equal((await send({})).status, 200);
    refused(await send({}, `${body} `), WRONG);
    const data = Buffer.from(stamp.authenticatorData!, 'base64url');
    data.writeUInt32BE(data.readUInt32BE(33) + 1, 33);
    refused(await send({ authenticatorData: data.toString('base64url') }), WRONG);
    const client = Buffer.from(stamp.clientDataJson!, 'base64url').toString();
    for (const [from, to] of [
      [origin, 'http://localhost:1'],
      ['webauthn.get', 'webauthn.create'],
    ] as const)
      refused(await send({ clientDataJson: Buffer.from(client.replace(from, to)).toString('base64url') }), WRONG);
    // Another user's passkey, under this one's credential id.
    const other = await registered('Other', -7);
    await create(other);
    const theirs = await stampedBy(other.page, body);
    const foreign = JSON.parse(Object.values(theirs.header)[0] as string) as Record<string, string>;
    refused(await send({ ...foreign, credentialId: stamp.credentialId! }), WRONG);
    refused(await send({ credentialId: foreign.credentialId! }), WRONG);
    assert.equal((await send(foreign)).body.userId, other.userId);
    // Where only another origin is allowed, the page’s passkeys neither register nor stamp.
    const feature = 'FEATURE_NAME_WEBAUTHN_ORIGINS';
    const set = { name: feature, value: 'https://app.example.com' };
    resultOf(await instance.root.submit('SET_ORGANIZATION_FEATURE', set), 'setOrganizationFeatureResult');
    refused(await send({}), WRONG);
    const third = await registered('Third', -7);
    refused(await third.client.submit('CREATE_AUTHENTICATORS_V2', third.parameters), wanted);
    resultOf(await instance.root.submit('REMOVE_ORGANIZATION_FEATURE', { name: feature }), 'removeOrganizationFeatureResult');
    assert.equal((await send({})).status, 200);
    for (const { page } of [user, other, third]) await page.close();
  });
});
