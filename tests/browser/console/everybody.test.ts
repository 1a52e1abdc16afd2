/** Each page as each kind of person. It shows what the service answered, ends its waits, and gives nothing to a hostile script. */
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { encodeFunctionData, erc20Abi } from 'viem';
import { chromiumProgram, NO_CHROMIUM } from '../../support/chromium.ts';
import { type Client, resultOf } from '../../support/client.ts';
import { isFull } from '../../support/full.ts';
import { type People, people, signer, TO, TOKEN, tag, waiting } from './requests.ts';
import { consoleWorld } from './world.ts';

const skip = chromiumProgram() === undefined ? NO_CHROMIUM : !isFull && 'in --full';

const UUID = /[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/g;
/** Markup, and an override of the direction of text. Below, as pages show it. */
const HOSTILE = '"><img src=x onerror=alert(1)>\u202eevil';
const SHOWN = '"><img src=x onerror=alert(1)>⟨U+202E⟩evil';
const NOWHERE = '0191f3c2-0000-7000-8000-000000000000';

/** Pages that need no session: of links, and of a window that comes back. */
const APART = ['enrol', 'join', 'signed-in'];

type Asked = { id: string; fingerprint: string; userId: string };

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

  const pagesOf = (own: Asked, foreign: Asked): readonly string[] => [
    'overview',
    'approvals',
    'approvals?show=all',
    'approvals?show=decided',
    `approvals?open=${own.id}`,
    `approvals?open=${foreign.id}`,
    'activities',
    'activities?status=FAILED',
    `activities?user=${own.userId}`,
    `activities?user=${foreign.userId}`,
    `activities/${own.id}`,
    ...['votes', 'decision', 'body', 'result', 'related'].map((tab) => `activities/${own.id}?tab=${tab}`),
    `activities/${foreign.id}`,
    `activities/${foreign.fingerprint}`,
    `activities/${NOWHERE}`,
    'activities/no-id',
    'account',
    ...APART,
    'nowhere',
  ];

  /** A page of a person who signed in by the key of a client. */
  async function signedIn({ organizationId, keys }: Client): Promise<Page> {
    const page = await world.open('/console/overview');
    // Dozens of pages are loaded one after the other, beside other tests.
    page.setDefaultTimeout(120_000);
    const content = JSON.stringify({ organizationId, apiPrivateKey: keys.privateKey });
    await page.getByText('Other ways').click();
    const choice = { name: 'key.json', mimeType: 'application/json', buffer: Buffer.from(content) };
    await page.getByLabel('A key file').setInputFiles(choice);
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    return page;
  }

  /** Text of a page that has nothing left to read. Each has a heading. */
  async function settled(page: Page, path: string): Promise<string> {
    await page.goto(`${world.origin}/console/${path}`);
    const heading = page.locator('main h1').first();
    await heading.waitFor().catch((error: Error) => assert.fail(`${path}: ${error.message}`));
    await page.waitForFunction(
      () => document.querySelector('[aria-busy=true]') === null && !/Reading(?: the signed body)?…/.test(document.body.innerText),
    );
    return page.locator('body').innerText();
  }

  /** What the service answers to a page, the queries by their organization, and the paths of activities. */
  function answersOf(page: Page) {
    const answers: Promise<string>[] = [];
    const asked = new Map<string, Set<string>>();
    const submits: string[] = [];
    page.on('response', (answer) => {
      const { pathname } = new URL(answer.url());
      if (pathname.includes('/submit/')) submits.push(pathname);
      if (!pathname.startsWith('/public/v1/query/')) return;
      const { organizationId } = answer.request().postDataJSON();
      asked.set(organizationId, (asked.get(organizationId) ?? new Set()).add(pathname.split('/').at(-1)!));
      // A failure shows the request's id.
      answers.push(
        Promise.resolve(answer.headers()['x-request-id'] ?? ''),
        answer.text().catch(() => ''),
      );
    });
    return { answers, asked, submits };
  }

  /** What another organization has is not there. */
  async function saysNothingOf(page: Page, path: string, { id, fingerprint, userId }: Asked): Promise<void> {
    const says = (text: RegExp) => page.getByText(text).first().waitFor();
    if (path.includes(id)) await says(/not found/i);
    if (path.includes(fingerprint)) await says(/No activity of this organization has this fingerprint/);
    if (path.includes(userId)) {
      await says(/No activity fits these filters/);
      await says(/This organization has no such user now/);
    }
  }

  for (const who of ['root user', 'approver', 'user without rights', 'user of a sub-organization'] as const)
    test(`the pages of a ${who} show what the service answered, and ask nothing else`, async () => {
      const { root, newUser } = world.instance;
      const clients = { 'root user': () => root, approver: () => all.approver, 'user of a sub-organization': () => stranger };
      const client = who === 'user without rights' ? (await newUser('Powerless')).client : clients[who]();
      const page = await signedIn(client);
      const { organizationId, userId } = (await client.query('whoami')).body;
      const { answers, asked, submits } = answersOf(page);
      const isTheirs = who === 'user of a sub-organization';
      for (const path of pagesOf(isTheirs ? theirs : ours, isTheirs ? ours : theirs)) {
        const text = await settled(page, path);
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
    const page = await signedIn(all.approver);
    const { organizationId: own, userId } = (await all.approver.query('whoami')).body;
    const child = stranger.organizationId;
    await settled(page, 'overview');
    const { answers, asked, submits } = answersOf(page);
    const at = (path: string) => `${path}${path.includes('?') ? '&' : '?'}org=${child}`;
    for (const path of pagesOf(theirs, ours)) {
      const text = await settled(page, at(path));
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
      await settled(page, `approvals?org=${wrong}`);
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
      const text = await settled(page, path);
      if (APART.includes(path)) assert.match(text, /Sign in|No page waits for this sign-in/);
      else await page.getByRole('button', { name: 'Sign in with a passkey' }).waitFor();
      for (const [id] of text.matchAll(UUID)) assert.ok(path.includes(id), `${path} shows ${id}`);
    }
    assert.deepEqual(asked, []);
    await page.close();
  });

  test('a script that got into the page brings about no activity without a prompt of the passkey', async () => {
    const { root } = world.instance;
    const page = await world.enrolled(all.approver);
    const { id, fingerprint } = await waiting(all.asker, ...tag('Wanted by a thief'));
    await page.goto(`${world.origin}/console/approvals?open=${id}`);
    await page.getByRole('button', { name: 'Approve with passkey…' }).and(page.locator(':enabled')).waitFor();
    const { organizationId } = all.approver;
    const tried = await page.evaluate(
      async ({ organizationId, fingerprint }) => {
        const prompts: string[] = [];
        // The person does not touch the passkey: each prompt waits for ever.
        navigator.credentials.get = () => {
          prompts.push('asked');
          return new Promise(() => {});
        };
        const db = await new Promise<IDBDatabase>((done) => {
          const opened = indexedDB.open('countersign.console');
          opened.onsuccess = () => done(opened.result);
        });
        const session = await new Promise<{ key: { publicKey: string; privateKey: CryptoKey } }>((done) => {
          const found = db.transaction('kept').objectStore('kept').get('session');
          found.onsuccess = () => done(found.result);
        });
        const { key } = session;
        const secret = Object.values(key).find((value) => value instanceof CryptoKey) as CryptoKey;
        const taken = await crypto.subtle.exportKey('pkcs8', secret).then(
          () => 'taken',
          (error: Error) => error.name,
        );
        const integer = (bytes: number[]): number[] => {
          const short = bytes.slice(bytes.findIndex((byte) => byte !== 0));
          const whole = short[0]! >= 0x80 ? [0, ...short] : short;
          return [2, whole.length, ...whole];
        };
        const send = async (name: string, type: string, parameters: object) => {
          const body = JSON.stringify({ type, timestampMs: String(Date.now()), organizationId, parameters });
          const signed = await crypto.subtle.sign({ name: 'ECDSA', hash: 'SHA-256' }, secret, new TextEncoder().encode(body));
          const raw = [...new Uint8Array(signed)];
          const both = [...integer(raw.slice(0, 32)), ...integer(raw.slice(32))];
          const signature = [0x30, both.length, ...both].map((byte) => byte.toString(16).padStart(2, '0')).join('');
          const stamp = { publicKey: key.publicKey, scheme: 'SIGNATURE_SCHEME_TK_API_P256', signature };
          const answer = await fetch(`/public/v1/${name}`, {
            method: 'POST',
            body,
            headers: { 'x-stamp': btoa(JSON.stringify(stamp)).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '') },
          });
          return `${name} ${answer.status}`;
        };
        const answers = [
          await send('submit/approve_activity', 'ACTIVITY_TYPE_APPROVE_ACTIVITY', { fingerprint }),
          await send('submit/reject_activity', 'ACTIVITY_TYPE_REJECT_ACTIVITY', { fingerprint }),
          await send('submit/create_user_tag', 'ACTIVITY_TYPE_CREATE_USER_TAG', { userTagName: 'Stolen', userIds: [] }),
          await send('submit/create_read_only_session', 'ACTIVITY_TYPE_CREATE_READ_ONLY_SESSION', {}),
        ];
        // The page's own buttons, pressed by the script.
        document.querySelector<HTMLElement>('.button.primary')!.click();
        while (prompts.length === 0) await new Promise(requestAnimationFrame);
        // Markup that scripts write is refused, so none of it runs.
        let markup = 'taken';
        try {
          document.body.insertAdjacentHTML('beforeend', '<img src=x onerror="globalThis.ran = true">');
        } catch (error) {
          markup = (error as Error).name;
        }
        return { prompts, taken, answers, markup };
      },
      { organizationId, fingerprint },
    );
    assert.deepEqual(tried, {
      prompts: ['asked'],
      taken: 'InvalidAccessError',
      answers: [
        'submit/approve_activity 403',
        'submit/reject_activity 403',
        'submit/create_user_tag 403',
        'submit/create_read_only_session 403',
      ],
      markup: 'TypeError',
    });
    const { activity } = (await root.query('get_activity', { activityId: id })).body;
    assert.equal(activity.status, 'ACTIVITY_STATUS_CONSENSUS_NEEDED');
    assert.equal(activity.votes.length, 1);
    // Of the policy, which the script has met on purpose.
    assert.ok(
      world.said.every((text) => /TrustedHTML|Trusted Type/i.test(text)),
      world.said.join(),
    );
    world.said.length = 0;
    await page.close();
  });

  test('a page of another origin shows no console in a frame', async () => {
    const page = await world.browser.person(`${world.instance.url}/health`);
    const refused = new Promise<string>((said) => {
      page.on('console', (line) => /frame-ancestors/.test(line.text()) && said(line.text()));
    });
    await page.evaluate((src) => {
      const frame = document.createElement('iframe');
      frame.src = src;
      document.body.append(frame);
    }, `${world.origin}/console/`);
    assert.match(await refused, /frame-ancestors 'none'/);
    await page.close();
  });

  /** A page of the approver, and a check that a path shows the hostile text as text. */
  async function hostilePage() {
    const page = await signedIn(all.approver);
    const dialogs: string[] = [];
    page.on('dialog', (dialog) => {
      dialogs.push(dialog.message());
      void dialog.dismiss();
    });
    const isText = async (path: string, shown = SHOWN) => {
      await settled(page, path);
      await page.getByText(shown).first().waitFor();
      const text = await page.locator('body').innerText();
      assert.ok(!text.includes('\u202e'), path);
      assert.equal(await page.locator('main img').count(), 0, path);
      assert.deepEqual(dialogs, [], path);
      return text;
    };
    return { page, isText };
  }

  test('hostile names and texts are shown as text on every page', async () => {
    const { root, newUser } = world.instance;
    const { client, userId } = await newUser(HOSTILE);
    const one = (id: string) => `approvers.any(user, user.id == '${id}')`;
    const { userId: approverId } = (await all.approver.query('whoami')).body;
    const policy = {
      ...{ policyName: HOSTILE, effect: 'EFFECT_ALLOW', notes: HOSTILE, condition: "activity.kind == 'CREATE_POLICY'" },
      consensus: `${one(userId)} && ${one(approverId)}`,
    };
    resultOf(await root.submit('CREATE_POLICY_V3', policy), 'createPolicyResult');
    const asked = { policyName: HOSTILE, effect: 'EFFECT_ALLOW', condition: 'true', notes: HOSTILE };
    const { id } = await waiting(client, 'CREATE_POLICY_V3', asked);
    const { page, isText } = await hostilePage();
    for (const path of [
      `approvals?open=${id}`,
      `activities/${id}`,
      `activities/${id}?tab=votes`,
      `activities/${id}?tab=decision`,
      'overview',
      'approvals',
      'activities',
    ])
      await isText(path);
    await page.close();
  });

  test('hostile names in an interface, a hostile argument, and a hostile symbol of a token are shown as text', async () => {
    const { root } = world.instance;
    const abi = (name: string) =>
      [{ type: 'function', name: 'remark', inputs: [{ name, type: 'string' }], outputs: [] }] as const;
    const made = await root.submit('CREATE_SMART_CONTRACT_INTERFACE', {
      ...{ type: 'SMART_CONTRACT_INTERFACE_TYPE_ETHEREUM', label: HOSTILE, notes: HOSTILE },
      ...{ smartContractAddress: TO, smartContractInterface: JSON.stringify(abi(HOSTILE)) },
    });
    resultOf(made, 'createSmartContractInterfaceResult');
    const { signs } = await signer(world);
    const { page, isText } = await hostilePage();
    const data = encodeFunctionData({ abi: abi('text'), args: [HOSTILE] });
    const call = await waiting(all.asker, ...signs({ to: TO, data }));
    const text = await isText(`approvals?open=${call.id}`);
    assert.ok(text.includes(`remark(string ${SHOWN})`), text);
    // The function, the name of its argument, the value, and what is named in the warnings.
    assert.ok(text.split(SHOWN).length > 3, text);
    // The operator names tokens, so this is a service that lies.
    const symbol = '<img src=x onerror=alert(1)>';
    const token = { caip19: `eip155:1/erc20:${TOKEN.toLowerCase()}`, symbol, decimals: 6, name: HOSTILE, stable: true };
    await page.route('**/query/list_supported_assets', (route) => route.fulfill({ json: { assets: [token] } }));
    const transfer = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [TO, 5_000_000n] });
    const { id } = await waiting(all.asker, ...signs({ to: TOKEN, data: transfer }));
    const amount = `5 ${symbol} (as the service says: 6 decimals)`;
    for (const path of [`approvals?open=${id}`, `activities/${id}`])
      assert.ok((await isText(path, amount)).includes(amount), path);
    // With hidden characters, it is no symbol.
    token.symbol = HOSTILE;
    const refused = 'decimals unknown, so whole tokens are not shown';
    assert.ok(!(await isText(`activities/${id}`, refused)).includes('6 decimals'));
    await page.close();
  });
});
