/** Requests that change who decides, that send, and that need a further factor. With PICTURES, pictures are kept in that folder. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { serializeTransaction } from 'viem';
import { type Anvil, startAnvil } from '../../support/anvil.ts';
import { auditSettled } from '../../support/audit-settled.ts';
import { chromiumProgram, NO_CHROMIUM } from '../../support/chromium.ts';
import { type Client, ethereumAccount, resultOf } from '../../support/client.ts';
import { rpc } from '../../support/rpc-liar.ts';
import { tag, waiting } from './requests.ts';
import { consoleWorld } from './world.ts';

const skip = chromiumProgram() === undefined && NO_CHROMIUM;
const { PICTURES } = process.env;
const CHAIN = 'eip155:31337';
const TOKEN = '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48';
const ETHER = 10n ** 18n;
const SENDS = "activity.kind == 'ETH_SEND_TRANSACTION'";

describe('forms of the console', { skip }, () => {
  const env: Record<string, string> = {};
  const folder = mkdtempSync(join(tmpdir(), 'countersign-console-forms-'));
  let anvil: Anvil;
  before(async () => {
    anvil = await startAnvil('--no-mining');
    env.RPC_URL_EIP155_31337 = anvil.url;
    env.TOKENS = join(folder, 'tokens.json');
    const token = { caip19: `${CHAIN}/erc20:${TOKEN}`, symbol: 'USDC', name: 'USD Coin', decimals: 6, stable: true };
    writeFileSync(env.TOKENS, JSON.stringify([token]));
  });
  after(async () => {
    rmSync(folder, { recursive: true, force: true });
    await anvil?.stop();
  });
  const world = consoleWorld(env);
  let [asker, approver] = [] as unknown as [Client, Client];
  let page: Page;
  before(async () => {
    const { root, newUser } = world.instance;
    const [one, other] = [await newUser('Asker'), await newUser('Approver')];
    [asker, approver] = [one.client, other.client];
    const by = (id: string) => `approvers.any(user, user.id == '${id}')`;
    for (const policy of [
      {
        ...{ policyName: 'Small sends', consensus: by(one.userId) },
        condition: `${SENDS} && eth.tx.value <= ${ETHER / 10n} && eth.tx.data == '0x'`,
      },
      { policyName: 'Large sends by two', consensus: `${by(one.userId)} && ${by(other.userId)}`, condition: SENDS },
      {
        policyName: 'Tags by two',
        consensus: `${by(one.userId)} && ${by(other.userId)}`,
        condition: "activity.kind == 'CREATE_USER_TAG'",
      },
      { policyName: 'Links', consensus: 'true', condition: "activity.kind == 'STAMP_LOGIN'" },
    ])
      resultOf(await root.submit('CREATE_POLICY_V3', { effect: 'EFFECT_ALLOW', notes: '', ...policy }), 'createPolicyResult');
    // Later another root user would have to agree to a new passkey.
    page = await world.enrolled(approver);
  });

  async function opens(id: string): Promise<void> {
    await page.goto(`${world.origin}/console/approvals?open=${id}`);
    await page.getByText('Read here from the signed bytes').waitFor();
    await page.locator('article:not([aria-busy=true])').waitFor();
  }

  async function pictured(name: string): Promise<void> {
    for (const [width, colorScheme] of [
      [1280, 'light'],
      [390, 'dark'],
    ] as const) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 900 });
      const fits = await page.evaluate(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth);
      assert.ok(fits, `${name} scrolls to the side at ${width} pixels`);
      if (PICTURES) await page.screenshot({ path: join(PICTURES, `form-${name}-${width}.png`), fullPage: true });
    }
    await page.setViewportSize({ width: 1280, height: 900 });
  }

  test('a send above the limit is approved by a second user, and its receipt is seen live', async () => {
    const { root } = world.instance;
    const wallet = { walletName: 'Treasury', accounts: [ethereumAccount()] };
    const [from] = resultOf(await root.submit('CREATE_WALLET', wallet), 'createWalletResult').addresses;
    await rpc(anvil.url, 'anvil_setBalance', [from, `0x${(10n * ETHER).toString(16)}`]);
    const send = (to: string, value: bigint): [string, object] => [
      'ETH_SEND_TRANSACTION',
      { from, caip2: CHAIN, to, value: String(value), data: '0x', gasLimit: '21000' },
    ];
    const paid = `0x1111${'0'.repeat(32)}2222`;
    const small = await asker.submit(...send(paid, 1n));
    assert.equal(small.body.activity?.status, 'ACTIVITY_STATUS_COMPLETED', small.text);
    await auditSettled(world.instance);
    const alike = `0x1111${'f'.repeat(32)}2222`;
    const { id } = await waiting(asker, ...send(alike, ETHER));
    await opens(id);
    const review = await page.locator('.review').innerText();
    assert.match(review, /begins and ends like 0x1111000/);
    assert.match(review, /for the first time/);
    await pictured('send');
    const record = await page.context().newPage();
    await record.goto(`${world.origin}/console/activities/${id}?tab=related`);
    await record.getByText('The service sent nothing for it').waitFor();
    await page.getByRole('button', { name: 'Approve with passkey…' }).and(page.locator(':enabled')).click();
    await page.getByText('Approved: it is completed.').waitFor();
    await record.getByText('sent, in no block yet').waitFor();
    await record.close();
    await page.getByRole('link', { name: 'The activity on record' }).click();
    await page.getByRole('tab', { name: 'Related' }).click();
    const related = page.getByRole('tabpanel', { name: 'Related' });
    await related.getByText('sent, in no block yet').waitFor();
    await rpc(anvil.url, 'anvil_mine', ['0x2']);
    await related.getByText(/^receipt in block \d+/).waitFor();
    await pictured('related');
  });

  test('a token transfer begins with its recipient and whole tokens, and a signature alone is not sent', async () => {
    const { root } = world.instance;
    const wallet = { walletName: 'Tokens', accounts: [ethereumAccount()] };
    const [from] = resultOf(await root.submit('CREATE_WALLET', wallet), 'createWalletResult').addresses;
    const to = `0x3333${'0'.repeat(32)}4444`;
    const data = `0xa9059cbb${to.slice(2).padStart(64, '0')}${(4_200_000_000).toString(16).padStart(64, '0')}`;
    const { id } = await waiting(asker, 'ETH_SEND_TRANSACTION', { from, caip2: CHAIN, to: TOKEN, value: '0', data });
    await opens(id);
    const main = page.locator('.review .fact.main');
    assert.equal(await main.nth(0).locator('code').innerText(), to);
    const amount = main.nth(1).locator('.value');
    assert.equal(await amount.innerText(), '4,200 USDC (as the service says: 6 decimals) · 4,200,000,000 smallest units');
    const row = page.locator(`.requests a[href*="${id}"]`);
    await row.getByText('to 0x3333…4444').waitFor();
    const value = page.locator('.review .value', { hasText: /^0 ETH$/ });
    const style = (locator: typeof value, name: 'color' | 'fontWeight') =>
      locator.evaluate((one, key) => getComputedStyle(one)[key], name);
    assert.ok(Number(await style(value, 'fontWeight')) < Number(await style(amount, 'fontWeight')));
    await pictured('token');
    const unsigned = serializeTransaction({ to: TOKEN, chainId: 1, nonce: 7, gas: 60_000n, gasPrice: 1n, type: 'legacy' }).slice(
      2,
    );
    const signing = { signWith: from, type: 'TRANSACTION_TYPE_ETHEREUM', unsignedTransaction: unsigned };
    const signed = await root.submit('SIGN_TRANSACTION_V2', signing);
    await page.goto(`${world.origin}/console/activities/${signed.body.activity.id}`);
    await page.getByText('signed (not sent)').waitFor();
    const note = page.locator('.review .note', { hasText: `It uses nonce 7 of ${from}` });
    await note.waitFor();
    // A word beside a value is no warning.
    assert.equal(await style(note, 'color'), await style(page.locator('.review dt').first(), 'color'));
    await pictured('signed');
  });

  test('a quorum that would lock out says so, with who decides before and after', async () => {
    const { root } = world.instance;
    const { userId } = (await approver.query('whoami')).body;
    const { userId: own } = (await root.query('whoami')).body;
    const without = { userName: 'Newcomer', userEmail: 'new@example.com', apiKeys: [], authenticators: [], oauthProviders: [] };
    const made = await root.submit('CREATE_USERS_V4', { users: [{ ...without, userTags: [] }] });
    const [newcomer] = resultOf(made, 'createUsersResult').userIds;
    // Two root users, so that the next change waits.
    await root.submit('UPDATE_ROOT_QUORUM', { threshold: 2, userIds: [own, userId] });
    const { id } = await waiting(root, 'UPDATE_ROOT_QUORUM', { threshold: 2, userIds: [userId, newcomer] });
    await opens(id);
    const review = await page.locator('.review').innerText();
    assert.match(review, /new root user/);
    assert.match(review, /no root user any more/);
    assert.match(review, /“Approver”, \d keys? (?:or|and) passkeys? that lasts?/);
    assert.match(review, /Only 1 of these users have a key or passkey that lasts, the service says, and 2 must agree/);
    await pictured('quorum');
  });

  test('an approval that needs a further factor says which, and counts once it has it', async () => {
    const { userId } = (await approver.query('whoami')).body;
    const policy = {
      ...{ userId, mfaPolicyName: 'Tags by key and passkey', order: 0, condition: "activity.kind == 'CREATE_USER_TAG'" },
      requiredAuthenticationMethods: [
        { any: [{ type: 'AUTHENTICATION_TYPE_PASSKEY' }] },
        { any: [{ type: 'AUTHENTICATION_TYPE_API_KEY' }] },
      ],
    };
    const made = await world.instance.root.submit('CREATE_MFA_POLICY', policy);
    await approver.submit('APPROVE_ACTIVITY', { fingerprint: made.body.activity.fingerprint });
    const { id, fingerprint } = await waiting(asker, ...tag('By two factors'));
    await opens(id);
    await page.getByRole('button', { name: 'Approve with passkey…' }).and(page.locator(':enabled')).click();
    await page.getByText(/Your vote counts only with a further stamp\s+by api key/).waitFor();
    await pictured('factors');
    // The passkey has shown what it can: the same stamp again would show nothing new.
    await page.getByRole('button', { name: 'Approve…', exact: true }).and(page.locator(':enabled')).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText(/Your vote still needs a stamp by api key/).waitFor();
    await pictured('factors-asked');
    const { organizationId, keys } = approver;
    const content = JSON.stringify({ organizationId, apiPrivateKey: keys.privateKey });
    const file = { name: 'key.json', mimeType: 'application/json', buffer: Buffer.from(content) };
    await dialog.getByLabel('Or a key file').setInputFiles(file);
    await dialog.getByRole('button', { name: 'Approve it', exact: true }).click();
    await page.getByText('Approved: it is completed.').waitFor();
    const { votes, status } = (await approver.query('get_activity', { activityId: id })).body.activity;
    assert.deepEqual([status, JSON.parse(votes[1].message).parameters.fingerprint], ['ACTIVITY_STATUS_COMPLETED', fingerprint]);
  });
});
