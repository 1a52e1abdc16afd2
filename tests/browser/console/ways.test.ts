/** Invitations, organizations below one's own, credentials that go, and a console with an origin of its own. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { consoleServer } from '../../../src/cli/console-serve.ts';
import { invitation, mailsOf } from '../../activities/invitations/support.ts';
import { temporaryFolder } from '../../scripts/setup.ts';
import { chromiumProgram, NO_CHROMIUM } from '../../support/chromium.ts';
import { type Client, resultOf } from '../../support/client.ts';
import { freePort } from '../../support/free-port.ts';
import { startProcess } from '../../support/process.ts';
import { type People, people, tag, waiting } from './requests.ts';
import { consoleWorld, enrolAddress } from './world.ts';

const skip = chromiumProgram() === undefined && NO_CHROMIUM;

describe('ways into the console, and between organizations', { skip }, () => {
  const world = consoleWorld();
  let all: People;
  before(async () => {
    all = await people(world);
  });

  /** The page's own copy of the link of a new invitation. */
  async function invited(name: string): Promise<{ url: string; secret: string }> {
    const { root, credentials } = world.instance;
    const one = invitation(name, credentials.userId);
    resultOf(await root.submit('CREATE_INVITATIONS', { invitations: [one] }), 'createInvitationsResult');
    const { link } = (await mailsOf(world.instance)).find(({ to }) => to === one.receiverUserEmail)!;
    const { pathname, hash } = new URL(link);
    assert.equal(pathname, '/accept-invitation');
    return { url: world.origin + pathname + hash, secret: new URLSearchParams(hash.slice(1)).get('secret')! };
  }

  test('an invitation by its mailed link is accepted in the console, after a prompt that was closed', async () => {
    const { url, secret } = await invited('Cleo');
    const page = await world.open(url);
    await page.getByText(/^You are invited to .* as cleo@example\.com\.$/).waitFor();
    assert.deepEqual([new URL(page.url()).pathname, new URL(page.url()).hash], ['/console/join', '']);
    assert.ok(!(await page.content()).includes(secret));
    const asked: string[] = [];
    page.on('request', (request) => {
      if (request.postData()?.includes(secret)) asked.push(new URL(request.url()).pathname);
    });
    await page.evaluate(() => {
      const { credentials } = navigator;
      const get = credentials.get.bind(credentials);
      credentials.get = async () => {
        credentials.get = get;
        throw new DOMException('no', 'NotAllowedError');
      };
    });
    await page.getByRole('button', { name: 'Make a passkey' }).click();
    await page.getByText('The prompt was closed').waitFor();
    await page.getByRole('button', { name: 'Confirm with the passkey' }).click();
    await page.getByRole('heading', { name: 'You are signed in' }).waitFor();
    assert.deepEqual(asked, ['/public/v1/submit/accept_invitation']);
    await page.getByRole('link', { name: 'Add a second passkey' }).click();
    await page.getByRole('heading', { name: 'Cleo' }).waitFor();
    await page.getByText('There is one passkey').waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('textbox', { name: 'Organization' }).fill('');
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await page.getByText('There is one passkey').waitFor();
    await page.close();

    const late = await world.open(url);
    await late.getByRole('button', { name: 'Make a passkey' }).click();
    await late.getByText('it may have been used already, been revoked, or have expired').waitFor();
    await late.goto(url.split('#')[0]!);
    await late.getByText('There is no invitation in this address').waitFor();
    await late.close();

    // After a failure no service knows the passkey, so the next press makes another.
    const failing = await world.open((await invited('Dora')).url);
    const failed = { status: 'ACTIVITY_STATUS_FAILED', failure: { code: 9, message: 'no room', details: [] } };
    await failing.route('**/submit/accept_invitation', (route) => route.fulfill({ json: { activity: failed } }), { times: 1 });
    const make = failing.getByRole('button', { name: 'Make a passkey' });
    await make.click();
    await failing.getByText('no room').waitFor();
    await make.click();
    await failing.getByRole('heading', { name: 'You are signed in' }).waitFor();
    await failing.close();
  });

  test('a forged invitation with a person’s own ids leaves their passkey', async () => {
    const page = await world.enrolled(all.approver);
    const { organizationId, userId } = (await all.approver.query('whoami')).body;
    const forged = new URLSearchParams({ organizationId, userId, invitationId: userId, secret: 'A'.repeat(43) });
    await page.goto(`${world.origin}/accept-invitation#${forged}`);
    await page.getByRole('button', { name: 'Make a passkey' }).click();
    await page.getByText('it may have been used already, been revoked, or have expired').waitFor();
    await page.getByRole('link', { name: 'Account', exact: true }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await page.getByRole('heading', { name: 'Approver' }).waitFor();
    await page.close();
  });

  /** A sub-organization in which a request waits for a second root user. */
  async function child(name: string): Promise<{ organizationId: string; id: string }> {
    const { organizationId, clients } = await world.instance.newSubOrganization(name, 2, 2);
    const { id } = await waiting(clients[0]!, ...tag(`Tag of ${name}`));
    return { organizationId, id };
  }

  const change = (page: Page) => page.getByRole('button', { name: /^Organization .*: change$/ });

  test('a parent finds a child, reads all of it, and can change nothing', async () => {
    const { organizationId, id } = await child('Harbour');
    await child('Lighthouse');
    const page = await world.enrolled(all.approver);
    await page.getByRole('link', { name: 'Go to approvals' }).click();
    const submits: string[] = [];
    page.on('request', (request) => {
      if (request.url().includes('/submit/')) submits.push(request.url());
    });
    await change(page).click();
    const dialog = page.getByRole('dialog', { name: 'Organizations' });
    await dialog.getByRole('link', { name: /^Lighthouse/ }).waitFor();
    // Part of a name finds what is loaded, and no request.
    const searches: string[] = [];
    page.on('request', (request) => void (request.url().endsWith('/find_suborgs') && searches.push(request.postData()!)));
    await dialog.getByRole('textbox').fill('ghthou');
    await dialog.getByRole('link', { name: /^Harbour/ }).waitFor({ state: 'detached' });
    await dialog.getByRole('link', { name: /^Lighthouse/ }).waitFor();
    await dialog.getByRole('textbox').fill('nowhere');
    await dialog.getByText(/^None of the \d+ that are loaded has this/).waitFor();
    assert.deepEqual(searches, []);
    await dialog.getByRole('textbox').fill('Harbour 0');
    await dialog.getByRole('button', { name: 'Search' }).click();
    await dialog.getByRole('link', { name: /^Lighthouse/ }).waitFor({ state: 'detached' });
    await dialog.getByText('As a command').click();
    await dialog.getByText(`./countersign query find_suborgs '{"search":"Harbour 0"}'`).waitFor();
    await dialog.getByRole('link', { name: /^Harbour/ }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('You read Harbour as a user of the organization above').waitFor();
    assert.equal(new URL(page.url()).searchParams.get('org'), organizationId);

    await page.getByRole('link', { name: /^All \d/ }).click();
    await page.getByRole('link', { name: /^Create user tag/ }).click();
    await page.getByText('Tag of Harbour').first().waitFor();
    await page.getByText('These buttons are off').waitFor();
    for (const name of [/^Approve/, /^Reject/]) assert.ok(await page.getByRole('button', { name }).isDisabled());
    await page.getByRole('link', { name: 'Activities', exact: true }).click();
    await page.locator('table.activities').waitFor();
    assert.equal(new URL(page.url()).searchParams.get('org'), organizationId, 'links keep it');
    await page.getByText('As a command').first().click();
    await page.getByText(`--organization ${organizationId}`).first().waitFor();
    await page.goto(`${world.origin}/console/activities/${id}?org=${organizationId}`);
    await page.getByText('You read Harbour').waitFor();
    await page.getByText('Tag of Harbour').first().waitFor();
    assert.deepEqual(submits, []);

    await page.getByRole('link', { name: 'Account', exact: true }).click();
    await page.getByRole('heading', { name: 'Approver' }).waitFor();
    assert.equal(new URL(page.url()).search, '');
    await page.close();
  });

  test('an organization that is not below one’s own shows nothing, and ends no session', async () => {
    const { organizationId, clients } = await world.instance.newSubOrganization('Apart', 1, 1);
    await child('Other');
    const page = await world.open(await enrolAddress(world.origin, clients[0]!));
    await page.getByRole('button', { name: 'Make a passkey' }).click();
    await page.getByRole('heading', { name: 'You are signed in' }).waitFor();
    const refused = page.waitForResponse((answer) => answer.status() === 401);
    await page.goto(`${world.origin}/console/approvals?org=${world.instance.root.organizationId}`);
    await refused;
    await page.getByText('No organization below yours has this id').waitFor();
    await page.getByRole('link', { name: 'Back to Apart' }).click();
    await page.getByText('Nothing waits').waitFor();
    assert.equal(await page.getByRole('dialog').count(), 0);
    await page.close();
    assert.ok(organizationId);
  });

  /** Deletes all passkeys of a user, as an administrator does. */
  async function deletePasskeys(client: Client): Promise<void> {
    const { root } = world.instance;
    const { userId } = (await client.query('whoami')).body;
    const { user } = (await root.query('get_user', { userId })).body;
    const authenticatorIds = user.authenticators.map((one: { authenticatorId: string }) => one.authenticatorId);
    resultOf(await root.submit('DELETE_AUTHENTICATORS', { userId, authenticatorIds }), 'deleteAuthenticatorsResult');
  }

  test('a passkey that another user removes ends the open session, which says so by itself', async () => {
    const page = await world.enrolled(all.second);
    await page.getByRole('link', { name: 'Go to approvals' }).click();
    await page.getByText('Nothing waits').waitFor();
    await deletePasskeys(all.second);
    const dialog = page.getByRole('dialog', { name: 'Sign in again' });
    await dialog.getByText('The service no longer knows this session').waitFor();
    await dialog.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await dialog.getByText('The organization does not know this passkey').waitFor();
    await dialog.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await page.close();
  });

  test('a person removes the passkey that signed in, and is led to sign in', async () => {
    const page = await world.enrolled(all.asker);
    await page.getByRole('link', { name: 'Add a second passkey' }).click();
    await page.getByRole('button', { name: 'Remove the passkey My passkey' }).click();
    const dialog = page.getByRole('dialog', { name: 'Remove the passkey?' });
    await dialog.getByText('It is your only passkey').waitFor();
    await dialog.getByText('As a command').click();
    await dialog.getByText('./countersign submit delete_authenticators').waitFor();
    await dialog.getByRole('button', { name: 'Remove it' }).click();
    await page.getByText('The passkey that signed in is removed, and your sessions have ended').waitFor();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await page.close();
  });

  test('a console with a host of its own below that of the service signs in and stamps, by passkeys of the service', async () => {
    const [port, apart] = [await freePort(), await freePort()];
    const [url, own] = [`http://sign.localhost:${port}`, `http://console.sign.localhost:${apart}`];
    const addresses = { PORT: `${port}`, BASE_URL: url, CONSOLE_PORT: `${apart}`, CONSOLE_URL: own };
    const service = await startProcess({ HOST: '127.0.0.1', LOG_LEVEL: 'debug', DATA_DIR: temporaryFolder(), ...addresses });
    await service.ready();
    const page = await world.open(await enrolAddress(own, service.root()), { origin: own, others: [url] });
    await page.evaluate(() => {
      const domains: unknown[] = [];
      const { credentials } = navigator;
      const [create, get] = [credentials.create.bind(credentials), credentials.get.bind(credentials)];
      Object.assign(globalThis, { domains });
      Object.assign(credentials, {
        create(options: CredentialCreationOptions) {
          domains.push(options.publicKey!.rp.id);
          return create(options);
        },
        get(options: CredentialRequestOptions) {
          domains.push(options.publicKey!.rpId);
          return get(options);
        },
      });
    });
    await page.getByRole('button', { name: 'Make a passkey' }).click();
    await page.getByRole('heading', { name: 'You are signed in' }).waitFor();
    assert.deepEqual(await page.evaluate(() => (globalThis as unknown as { domains: unknown[] }).domains), [
      'sign.localhost',
      'sign.localhost',
    ]);
    await page.getByRole('link', { name: 'Go to approvals' }).click();
    await page.getByText('Nothing waits').waitFor();
    await page.getByRole('link', { name: 'Account', exact: true }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await page.getByText('There is one passkey').waitFor();
    await page.getByRole('button', { name: 'Remove the passkey My passkey' }).click();
    await page.getByRole('button', { name: 'Remove it' }).click();
    await page.getByText('The passkey that signed in is removed').waitFor();
    await page.close();
    service.child.kill('SIGTERM');
    assert.equal(await service.exited, 0, service.output());
    world.secrets.search('the log of the second service', service.output());
  });

  test('a console that a checkout serves for a service elsewhere signs in by a key file, and approves', async () => {
    const { url } = world.instance;
    const server = consoleServer(url);
    await new Promise<void>((listens) => server.listen(0, '127.0.0.1', listens));
    const origin = `http://localhost:${(server.address() as AddressInfo).port}`;
    const { id } = await waiting(all.asker, ...tag('From another machine'));
    const page = await world.open(`/console/approvals?open=${id}`, { origin, others: [url] });
    const { organizationId, keys } = all.approver;
    const buffer = Buffer.from(JSON.stringify({ organizationId, apiPrivateKey: keys.privateKey }));
    await page.getByText('Other ways').click();
    await page.getByLabel('A key file').setInputFiles({ name: 'key.json', mimeType: 'application/json', buffer });
    await page.getByText('Read here from the signed bytes').waitFor();
    await page.getByRole('button', { name: 'Approve…' }).click();
    await page.getByRole('button', { name: 'Approve it' }).click();
    await page.getByText('Approved: it is completed.').waitFor();
    server.close();
    server.closeAllConnections();
    // At the same address, for another service: it is told nothing of the session.
    const asked: string[] = [];
    const other = createServer((request, response) => void response.end(String(asked.push(request.url!))));
    await new Promise<void>((listens) => other.listen(0, '127.0.0.1', listens));
    const elsewhere = consoleServer(`http://127.0.0.1:${(other.address() as AddressInfo).port}`);
    await new Promise<void>((listens) => elsewhere.listen(Number(new URL(origin).port), '127.0.0.1', listens));
    await page.reload();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await page.close();
    for (const one of [elsewhere, other]) {
      one.close();
      one.closeAllConnections();
    }
    assert.deepEqual(
      asked.filter((path) => path !== '/ready'),
      [],
    );
    const { activity } = (await world.instance.root.query('get_activity', { activityId: id })).body;
    assert.equal(activity.status, 'ACTIVITY_STATUS_COMPLETED');
  });
});
