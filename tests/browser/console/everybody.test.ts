/** Each page as each kind of person. It shows what the service answered, ends its waits, and gives nothing to a hostile script. */
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { chromiumProgram, NO_CHROMIUM } from '../../support/chromium.ts';
import type { Client } from '../../support/client.ts';
import { hostileScripts } from './hostile-scripts.ts';
import { hostileTexts } from './hostile-texts.ts';
import { APART, type Asked, answersOf, pagesOf, saysNothingOf, settled, signedIn } from './people-pages.ts';
import { type People, people, tag, waiting } from './requests.ts';
import { consoleWorld } from './world.ts';

const skip = chromiumProgram() === undefined && NO_CHROMIUM;

const UUID = /[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/g;

describe('every page for everybody', { skip }, () => {
  const world = consoleWorld();
  let all: People;
  /** A request that waits, of the organization and of another one. */
  let ours: Asked;
  let theirs: Asked;
  let stranger: Client;
  before(async () => {
    all = await people(world);
    const asked = async (client: Client, name: string): Promise<Asked> => {
      const { userId } = (await client.query('whoami')).body;
      return { userId, ...(await waiting(client, ...tag(name))) };
    };
    ours = await asked(all.asker, 'Ours');
    const other = await world.instance.newSubOrganization('Strangers', 2, 2);
    stranger = other.clients[0]!;
    theirs = await asked(stranger, 'Theirs');
  });

  for (const who of ['root user', 'approver', 'user without rights', 'user of a sub-organization'] as const)
    test(`the pages of a ${who} show what the service answered, and ask nothing else`, async () => {
      const { root, newUser } = world.instance;
      const clients = { 'root user': () => root, approver: () => all.approver, 'user of a sub-organization': () => stranger };
      const client = who === 'user without rights' ? (await newUser('Powerless')).client : clients[who]();
      const page = await signedIn(world, client);
      const { organizationId, userId } = (await client.query('whoami')).body;
      const { answers, asked, submits } = answersOf(page);
      const isTheirs = who === 'user of a sub-organization';
      for (const path of pagesOf(isTheirs ? theirs : ours, isTheirs ? ours : theirs)) {
        const text = await settled(world, page, path);
        assert.ok(text.length > 100, `${path}: ${text}`);
        const known = [...(await Promise.all(answers)), organizationId, userId, path].join('\n');
        for (const [id] of text.matchAll(UUID)) assert.ok(known.includes(id), `${path} shows ${id}, which was not answered`);
        assert.ok(!text.includes(isTheirs ? 'Ours' : 'Theirs'), `${path} shows the other organization's`);
        await saysNothingOf(page, path, isTheirs ? ours : theirs);
      }
      assert.deepEqual(submits, []);
      assert.deepEqual([...asked.keys()], [organizationId]);
      await page.close();
    });

  test('a parent’s user reads every page of a child, asks about these two alone, and stamps nothing', async () => {
    const page = await signedIn(world, all.approver);
    const { organizationId: own, userId } = (await all.approver.query('whoami')).body;
    const child = stranger.organizationId;
    await settled(world, page, 'overview');
    // On a busy machine that page asks later, about its own organization.
    await page.goto('about:blank');
    const { answers, asked, submits } = answersOf(page);
    const at = (path: string) => `${path}${path.includes('?') ? '&' : '?'}org=${child}`;
    for (const path of pagesOf(theirs, ours)) {
      const text = await settled(world, page, at(path));
      if (path !== 'account' && !APART.includes(path)) await page.getByText('You read Strangers').waitFor();
      const known = [...(await Promise.all(answers)), own, userId, child, path].join('\n');
      for (const [id] of text.matchAll(UUID)) assert.ok(known.includes(id), `${path} shows ${id}, which was not answered`);
      assert.ok(!text.includes('Ours'), `${path} shows a request of the parent`);
      await saysNothingOf(page, path, ours);
      if (path === `approvals?open=${theirs.id}` || path === `activities/${theirs.id}`)
        await page.getByText('Theirs').first().waitFor();
      const changes = page.getByRole('button', { name: /^(?:Approve|Reject|Remove|Add)/ }).and(page.locator(':enabled'));
      if (path !== 'account') assert.equal(await changes.count(), 0, path);
    }
    assert.deepEqual([...asked.keys()].sort(), [own, child].sort());
    // The search for its name, and what the account's page asks.
    const mayAsk = ['find_suborgs', 'whoami', 'get_user', 'list_waiting_activities', 'create_stream_ticket'];
    assert.deepEqual(
      [...asked.get(own)!].filter((name) => !mayAsk.includes(name)),
      [],
    );
    assert.deepEqual(submits, []);
    // No organization has such an id, so the pages are those of the person's own.
    for (const wrong of ['5', 'Strangers', `${child}0`, encodeURIComponent(JSON.stringify([child]))]) {
      await settled(world, page, `approvals?org=${wrong}`);
      await page.getByRole('heading', { name: 'Approvals' }).waitFor();
      assert.equal(await page.locator('.band').count(), 0, wrong);
    }
    await page.close();
  });

  test('without a session each page asks to sign in, and asks the service for nothing', async () => {
    const page = await world.open('/console/');
    page.setDefaultTimeout(120_000);
    const asked: string[] = [];
    page.on('request', (request) => void (request.url().includes('/public/') && asked.push(request.url())));
    for (const path of pagesOf(ours, theirs)) {
      const text = await settled(world, page, path);
      if (APART.includes(path)) assert.match(text, /Sign in|No page waits for this sign-in/);
      else await page.getByRole('button', { name: 'Sign in with a passkey' }).waitFor();
      for (const [id] of text.matchAll(UUID)) assert.ok(path.includes(id), `${path} shows ${id}`);
    }
    assert.deepEqual(asked, []);
    await page.close();
  });

  // They share the service and the browser.
  hostileScripts(world, () => all);
  hostileTexts(world, () => all);
});
