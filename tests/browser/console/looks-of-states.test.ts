/** Accessibility and width of seldom states: a sign-in that waits, a typed code, failures, and a lying service. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { ROOT } from '../../../scripts/bundle-place.ts';
import { consoleIn } from '../../../src/app/console/built.ts';
import { enabledProxy } from '../../support/auth-proxy.ts';
import { chromiumProgram, NO_CHROMIUM } from '../../support/chromium.ts';
import { type Client, newKeys, resultOf, submitPath } from '../../support/client.ts';
import { type MailServer, startMail } from '../../support/mail.ts';
import { looking } from './looking.ts';
import { type People, people, tag, waiting } from './requests.ts';
import { consoleWorld, enrolling, linkOf } from './world.ts';

const skip = chromiumProgram() === undefined && NO_CHROMIUM;

/** The service names it to the console, so it is known before the start. */
const CONFIG = '5b1f7a52-6b1c-4a06-9d3f-2f7f0c6f8a12';

describe('looks of seldom states', { skip }, () => {
  let mail: MailServer;
  after(() => mail?.close());
  const world = consoleWorld(async () => {
    mail = await startMail();
    return { ...mail.env, CONSOLE_AUTH_PROXY: CONFIG };
  });
  const { against, looks } = looking();
  let all: People;
  before(async () => {
    const { configId } = await enabledProxy(world.instance.root);
    await world.instance.raw('UPDATE auth_proxy_configs SET id = $1 WHERE id = $2', CONFIG, configId);
    all = await people(world);
  });

  const fileOf = ({ organizationId, keys }: Client) => ({
    name: 'key.json',
    mimeType: 'application/json',
    buffer: Buffer.from(JSON.stringify({ organizationId, apiPrivateKey: keys.privateKey })),
  });

  async function byFile(page: Page, client: Client): Promise<void> {
    await page.getByText('Other ways').click();
    await page.getByLabel('A key file').setInputFiles(fileOf(client));
  }

  test('of a sign-in that waits, of a typed code, and of a passkey that waits', async () => {
    const { root, newUser, newSubOrganization } = world.instance;
    const { client, userId } = await newUser('Twofold');
    const steps = ['API_KEY', 'PASSKEY'].map((type) => ({ any: [{ type: `AUTHENTICATION_TYPE_${type}` }] }));
    const policy = { userId, mfaPolicyName: 'Both', condition: "activity.kind == 'STAMP_LOGIN'", order: 0 };
    const mfa = { ...policy, requiredAuthenticationMethods: steps };
    resultOf(await root.submit('CREATE_MFA_POLICY', mfa), 'createMfaPolicyResult');
    const page = await world.open('/console/');
    await page.getByText('Other ways').click();
    await page.getByRole('textbox', { name: 'Your email address' }).fill('reader@example.com');
    await page.getByRole('button', { name: 'Mail a code' }).click();
    await page.getByRole('textbox', { name: 'The code in the mail' }).fill('ABC123');
    await looks(page, 'typed-code');
    await page.reload();
    await byFile(page, client);
    await page.getByText('This sign-in needs a further factor').waitFor();
    await looks(page, 'waits-for-factor');
    await page.reload();
    await page.route('**/submit/stamp_login', async (route) => {
      const response = await route.fetch();
      const text = (await response.text()).replace('AUTHENTICATORS_NEEDED', 'CONSENSUS_NEEDED');
      await route.fulfill({ response, body: text });
    });
    await byFile(page, client);
    await page.getByText('Others must approve this sign-in first').waitFor();
    await looks(page, 'waits-for-others');
    await page.close();

    const { clients } = await newSubOrganization('Pair', 2, 2);
    const [first, second] = clients as [Client, Client];
    const keys = newKeys();
    const login = first.bodyOf('STAMP_LOGIN', enrolling(keys));
    await first.send(submitPath('STAMP_LOGIN'), login);
    resultOf(await second.send(submitPath('STAMP_LOGIN'), login), 'stampLoginResult');
    const link = await world.open(await linkOf(world.origin, first, keys));
    await link.getByRole('button', { name: 'Make a passkey' }).click();
    await link.getByText('The passkey waits for the others: keep it').waitFor();
    await looks(link, 'passkey-waits');
    await link.close();
    assert.deepEqual(against, []);
  });

  test('of a page that failed, of an old page, and of a service that lies', async () => {
    const { id } = await waiting(all.asker, ...tag('Honest'));
    const page = await world.open(`/console/approvals?open=${id}`);
    await byFile(page, all.approver);
    await page.getByText('Read here from the signed bytes').waitFor();
    const says = (change: (activity: { fingerprint: string; votes: unknown }) => void) =>
      page.route('**/query/get_activity', async (route) => {
        const response = await route.fetch();
        const json = await response.json();
        change(json.activity);
        await route.fulfill({ response, json });
      });
    await says((activity) => {
      activity.fingerprint = `sha256:${'0'.repeat(64)}`;
    });
    await page.reload();
    await page.getByText('Approving is off: what was read here').waitFor();
    await looks(page, 'differences');
    await page.unrouteAll();

    assert.deepEqual(world.said, []);
    await says((activity) => {
      activity.votes = null;
    });
    await page.goto(`${world.origin}/console/activities/${id}`);
    await page.getByRole('heading', { name: 'This page failed' }).waitFor();
    await looks(page, 'failed');
    await page.unrouteAll();
    // React tells of the page's own failure, and of nothing else, in the browser's console.
    assert.ok(world.said.length > 0 && world.said.every((text) => /TypeError.* null/.test(text)), world.said.join('\n'));
    world.said.length = 0;

    const { later } = consoleIn(ROOT)!.loads;
    const parts = later['review/index.ts']!.filter((path) => !later['console/src/pages/approvals.tsx']!.includes(path));
    await page.route(
      ({ pathname }) => parts.some((path) => pathname === `/console/${path}`),
      (route) => route.abort(),
    );
    await page.goto(`${world.origin}/console/approvals?open=${id}`);
    await page.getByText('This page is old, or offline').waitFor();
    await looks(page, 'old');
    await page.close();
    assert.deepEqual(against, []);
  });
});
