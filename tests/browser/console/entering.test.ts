/** Ways into the console and out of it, where something is missing, slow or lost. */
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { chromiumProgram, NO_CHROMIUM } from '../../support/chromium.ts';
import { type Client, type Keys, newKeys, resultOf, submitPath } from '../../support/client.ts';
import { type People, people } from './requests.ts';
import { consoleWorld, enrolAddress, enrolling, linkOf } from './world.ts';

const skip = chromiumProgram() === undefined && NO_CHROMIUM;

const ADDING = '**/submit/create_authenticators';

/** Counts the passkeys that the page tells the device to drop. */
async function watchDropped(page: Page): Promise<() => Promise<number>> {
  const dropped = await page.evaluateHandle(() => {
    const ids: string[] = [];
    Object.assign(PublicKeyCredential, {
      signalUnknownCredential: async ({ credentialId }: { credentialId: string }) => void ids.push(credentialId),
    });
    return ids;
  });
  return () => dropped.evaluate((ids) => ids.length);
}

/** The next answer of a path is lost on its way, when the service has done what it was asked. */
const loseAnswer = (page: Page, path: string) =>
  page.route(
    path,
    async (route) => {
      await route.fetch();
      await route.abort();
    },
    { times: 1 },
  );

const fileOf = (organizationId: string, { privateKey: apiPrivateKey }: Keys, name = 'key.json') => ({
  name,
  mimeType: 'application/json',
  buffer: Buffer.from(JSON.stringify({ organizationId, apiPrivateKey })),
});

/** A page of a user who signed in by a key file. */
async function byFile(page: Page, client: Client): Promise<void> {
  await page.getByText('Other ways').click();
  await page.getByLabel('A key file').setInputFiles(fileOf(client.organizationId, client.keys));
}

/** The session that the browser keeps ends in five minutes. */
const endSoon = () =>
  new Promise<void>((done) => {
    const opened = indexedDB.open('countersign.console');
    opened.onsuccess = () => {
      const store = opened.result.transaction('kept', 'readwrite').objectStore('kept');
      const found = store.get('session');
      found.onsuccess = () => {
        store.put({ ...found.result, endsMs: Date.now() + 300_000 }, 'session').onsuccess = () => done();
      };
    };
  });

describe('entering the console', { skip }, () => {
  const world = consoleWorld();
  let all: People;
  before(async () => {
    all = await people(world);
  });

  const make = (page: Page) => page.getByRole('button', { name: 'Make a passkey' }).click();

  test('a link and its passkey that wait for a quorum say so, and the passkey is kept', async () => {
    const { clients } = await world.instance.newSubOrganization('Pair', 2, 2);
    const [first, second] = clients as [Client, Client];
    const keys = newKeys();
    const login = first.bodyOf('STAMP_LOGIN', enrolling(keys));
    await first.send(submitPath('STAMP_LOGIN'), login);
    const page = await world.open(await linkOf(world.origin, first, keys));
    const dropped = await watchDropped(page);
    await make(page);
    await page.getByText('others must approve it first').waitFor();
    resultOf(await second.send(submitPath('STAMP_LOGIN'), login), 'stampLoginResult');
    await make(page);
    await page.getByText('The passkey waits for the others: keep it').waitFor();
    assert.equal(await dropped(), 0);
    const asked = { filterByStatus: ['ACTIVITY_STATUS_CONSENSUS_NEEDED'] };
    const [{ fingerprint }] = (await second.query('list_activities', asked)).body.activities;
    resultOf(await second.submit('APPROVE_ACTIVITY', { fingerprint }), 'createAuthenticatorsResult');
    await page.goto(`${world.origin}/console/`);
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await page.getByRole('heading', { name: 'Approvals' }).waitFor();
    await page.close();
  });

  test('a passkey whose answer was lost is kept and signs in, and a refused one is dropped', async () => {
    const page = await world.open(await enrolAddress(world.origin, all.approver));
    const dropped = await watchDropped(page);
    await loseAnswer(page, ADDING);
    await make(page);
    await page.getByRole('heading', { name: 'You are signed in' }).waitFor();
    assert.equal(await dropped(), 0);
    await page.close();

    const { client } = await world.instance.newUser('Adder');
    const other = await world.open('/console/account');
    await byFile(other, client);
    const add = async () => {
      await other.getByRole('textbox', { name: 'Name of a new passkey' }).fill('The blue one');
      await other.getByRole('button', { name: 'Add a passkey' }).click();
      await other.getByRole('button', { name: 'Add it' }).click();
    };
    await other.getByText('There is no passkey yet.').waitFor();
    const droppedThere = await watchDropped(other);
    await other.route(ADDING, (route) => route.fulfill({ status: 400, json: { code: 3, message: 'no', details: [] } }), {
      times: 1,
    });
    await add();
    await other.getByText('Adding the passkey failed').waitFor();
    assert.equal(await droppedThere(), 1);
    await loseAnswer(other, ADDING);
    await add();
    await other.getByText('The blue one').waitFor();
    assert.equal(await droppedThere(), 1);
    await other.close();
  });

  /** Ends the sessions of a user, and with `also` deletes the passkeys. */
  async function endSessions(client: Client, also = false): Promise<void> {
    const { root } = world.instance;
    const { userId } = (await client.query('whoami')).body;
    const { user } = (await root.query('get_user', { userId })).body;
    const sessions = user.apiKeys.filter((key: { credential: { sessionProfileId?: string } }) => key.credential.sessionProfileId);
    const apiKeyIds = sessions.map((key: { apiKeyId: string }) => key.apiKeyId);
    const authenticatorIds = user.authenticators.map((one: { authenticatorId: string }) => one.authenticatorId);
    if (also) resultOf(await root.submit('DELETE_AUTHENTICATORS', { userId, authenticatorIds }), 'deleteAuthenticatorsResult');
    else resultOf(await root.submit('DELETE_API_KEYS', { userId, apiKeyIds }), 'deleteApiKeysResult');
  }

  test('a session that ended is left by another passkey of the same person, by signing out, or by a link', async () => {
    const page = await world.enrolled(all.second);
    await page.getByRole('link', { name: 'Go to approvals' }).click();
    await endSessions(all.second);
    const dialog = page.getByRole('dialog', { name: 'Sign in again' });
    await page.reload();
    await byFile(page, all.asker);
    await dialog.getByText(/this is Asker: sign out first/).waitFor();
    await dialog.getByRole('button', { name: 'Use another passkey' }).click();
    await dialog.waitFor({ state: 'detached' });
    await endSessions(all.second, true);
    const refused = page.waitForResponse((answer) => answer.status() === 401);
    const link = await enrolAddress(world.origin, all.second);
    world.secrets.note(link);
    await page.goto(link);
    await refused;
    await make(page);
    await page.getByRole('heading', { name: 'You are signed in' }).waitFor();
    await endSessions(all.second);
    await page.goto(`${world.origin}/console/`);
    await dialog.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    assert.equal(await dialog.count(), 0);
    await page.close();
  });

  test('a link that is pasted into an open tab is taken, and leaves the address', async () => {
    const page = await world.open('/console/enrol');
    await page.getByRole('link', { name: 'Sign in' }).waitFor();
    const address = await enrolAddress(world.origin, all.asker);
    world.secrets.note(address);
    await page.evaluate((link) => location.assign(link), address);
    await page.getByRole('button', { name: 'Make a passkey' }).waitFor();
    assert.equal(new URL(page.url()).hash, '');
    await page.close();
  });

  test('a page that did not find its service can be loaded again', async () => {
    const page = await world.open('/console/');
    await page.route('**/console/service.json', (route) => route.abort(), { times: 1 });
    await page.reload();
    await page.getByRole('heading', { name: 'The console did not start' }).waitFor();
    await page.getByRole('button', { name: 'Load it again' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await page.close();
  });

  test('a service elsewhere keeps the path of its address', async () => {
    const page = await world.open('/console/');
    const asked: string[] = [];
    page.on('request', (request) => void asked.push(new URL(request.url()).pathname));
    const about = { url: `${world.origin}/sign`, elsewhere: true };
    await page.route('**/console/service.json', (route) => route.fulfill({ json: about }));
    await page.route('**/sign/**', (route) => route.continue({ url: route.request().url().replace('/sign/', '/') }));
    await page.reload();
    await byFile(page, all.asker);
    await page.getByRole('heading', { name: 'Approvals' }).waitFor();
    const ofService = asked.filter((path) => path.includes('/public/'));
    assert.ok(ofService.length > 0 && ofService.every((path) => path.startsWith('/sign/public/v1/')), ofService.join());
    await page.close();
  });

  test('a device with a wrong clock keeps its session', async () => {
    const page = await world.enrolled(all.approver);
    await page.addInitScript(() => {
      const { now } = Date;
      Date.now = () => now() + 7_200_000;
    });
    await page.goto(`${world.origin}/console/account`);
    await page.getByText('My passkey').first().waitFor();
    assert.doesNotMatch(await page.locator('.credentials').first().innerText(), /hr\. ago/);
    assert.equal(await page.getByRole('dialog').count(), 0);
    await page.getByText(/^(60|59) min left$/).waitFor();
    await page.close();
  });

  test('a sign-out happens here first, says what the service was not told, and forgets one key alone', async () => {
    const page = await world.open('/console/account');
    await page.getByText('Other ways').click();
    await page.getByRole('button', { name: 'Make a key' }).click();
    const made = await page.locator('.way code.address').innerText();
    await page.getByLabel('Keep the key in this browser').check();
    await page.getByLabel('A key file').setInputFiles(fileOf(all.asker.organizationId, all.asker.keys));
    const out = page.getByRole('button', { name: 'Sign out, and forget the key here' });
    await out.waitFor();
    const asked = page.waitForRequest('**/submit/delete_api_keys');
    let lose = () => {};
    const lost = new Promise<void>((resolve) => {
      lose = resolve;
    });
    await page.route('**/submit/delete_api_keys', async (route) => {
      await lost;
      await route.abort();
    });
    await out.click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await asked;
    lose();
    await page.getByText('The service was not told').waitFor();
    await page.getByText('Other ways').click();
    await page.getByRole('button', { name: 'Make another key' }).waitFor();
    assert.deepEqual(await page.locator('.way code.address').allInnerTexts(), [made]);
    await page.close();
  });

  test('a sign-in that needs a further factor asks for it', async () => {
    const { root, newUser } = world.instance;
    const { client, userId } = await newUser('Twofold');
    const page = await world.enrolled(client);
    const steps = ['PASSKEY', 'API_KEY'].map((type) => ({ any: [{ type: `AUTHENTICATION_TYPE_${type}` }] }));
    const policy = { userId, mfaPolicyName: 'Both', condition: "activity.kind == 'STAMP_LOGIN'", order: 0 };
    const mfa = { ...policy, requiredAuthenticationMethods: steps };
    resultOf(await root.submit('CREATE_MFA_POLICY', mfa), 'createMfaPolicyResult');
    await page.getByRole('link', { name: 'Add a second passkey' }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await page.getByText('This sign-in needs a further factor').waitFor();
    await page.getByText('With another key of yours, as a command').click();
    await page.getByText(/^\.\/countersign approvals approve [0-9a-f-]{36}$/).waitFor();
    await page.getByLabel('A key file').setInputFiles(fileOf(client.organizationId, client.keys));
    await page.getByRole('heading', { name: 'Twofold' }).waitFor();
    await page.close();
  });

  test('plain http at another name offers no way that cannot work', async () => {
    const page = await world.open('/console/', { origin: world.origin.replace('localhost', 'plain.test') });
    await page.getByText('Signing in needs https').waitFor();
    assert.equal(await page.getByText('Other ways').count(), 0);
    // Chromium says that it ignores a header there.
    world.said.splice(0, world.said.length, ...world.said.filter((text) => !text.startsWith('The Cross-Origin-Opener-Policy')));
    await page.close();
  });

  test('a link at a number says how to open it, and a typed organization counts more than that of a file', async () => {
    const number = world.instance.url;
    const page = await world.open(await enrolAddress(number, all.asker), { origin: number });
    await page.getByText(`Open the whole link again, with ${world.origin} at its beginning`).waitFor();
    await page.goto(`${number}/console/account`);
    await page.getByRole('textbox', { name: 'Organization' }).fill(all.asker.organizationId);
    await page.getByLabel('A key file').setInputFiles(fileOf('00000000-0000-4000-8000-000000000009', all.asker.keys));
    await page.getByRole('heading', { name: 'Asker' }).waitFor();
    await page.close();
  });

  test('a sign-in that was left does not say that the passkey failed', async () => {
    const page = await world.open(await enrolAddress(world.origin, all.asker));
    await page.route('**/submit/stamp_login', (route) => route.abort(), { times: 1 });
    await make(page);
    await page.getByText('The passkey is added: only the sign-in is left').waitFor();
    await page.getByText('Signing in failed').waitFor();
    await page.getByRole('button', { name: 'Sign in with the passkey' }).click();
    await page.getByRole('heading', { name: 'You are signed in' }).waitFor();
    await page.close();
  });

  test('a browser that cleared its data while the page was open still signs out', async () => {
    const page = await world.enrolled(all.second);
    await page.getByRole('link', { name: 'Add a second passkey' }).click();
    const storage = await page.context().newCDPSession(page);
    await storage.send('Storage.clearDataForOrigin', { origin: world.origin, storageTypes: 'indexeddb' });
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await page.close();
  });

  test('a session that is renewed early deletes its key', async () => {
    const page = await world.enrolled(all.second);
    await page.getByRole('link', { name: 'Go to approvals' }).click();
    await page.evaluate(endSoon);
    await page.reload();
    await page.getByRole('button', { name: /min left: sign in again$/ }).click();
    const dialog = page.getByRole('dialog', { name: 'Sign in again' });
    const deleted = page.waitForResponse('**/submit/delete_api_keys');
    await dialog.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await dialog.waitFor({ state: 'detached' });
    assert.equal((await deleted).status(), 200);
    await page.close();
  });
});
