import assert from 'node:assert/strict';
import { request } from 'node:http';
import { afterEach, test } from 'node:test';
import { listUserTags } from '../../src/queries/tags/list-user-tags.ts';
import { invitation, linkOf, mailsOf } from '../activities/invitations/support.ts';
import { SoftAuthenticator } from '../support/authenticator.ts';
import { type Answer, type Client, newKeys, post, resultOf, stampOf, submitPath } from '../support/client.ts';
import { sharedInstance } from '../support/instance.ts';
import { addPasskey } from '../support/passkey-client.ts';
import { NOBODY, refused } from '../support/refusals.ts';
import { newPolicy, newWallet, publishedServer, signing } from './authority.ts';

/** The tests are the proxy: they say where a request comes from. Without a word, it is 127.0.0.1. */
const instance = await sharedInstance({ TRUSTED_PROXIES: '127.0.0.1' });
const { root } = instance;

const HOME = { cidr: '127.0.0.1' };
const OFFICE = '192.0.2.10';
const ELSEWHERE = '198.51.100.7';
const FOREIGN: [number, string, RegExp] = [403, 'REQUEST_NOT_AUTHORIZED', /^request not authorized$/];

const set = async (parameters: object) => resultOf(await root.submit('SET_IP_ALLOWLIST', parameters), 'setIpAllowlistResult');
const remove = async (parameters: object = {}) =>
  resultOf(await root.submit('REMOVE_IP_ALLOWLIST', parameters), 'removeIpAllowlistResult');
const office = (...more: object[]) => set({ enabled: true, rules: [HOME, { cidr: '192.0.2.0/24' }, ...more] });

afterEach(() => remove());

/** The status of a query that has X-Forwarded-For in several lines. */
function inTwoLines({ url, keys, organizationId }: Client, lines: readonly string[]): Promise<number> {
  const body = JSON.stringify({ organizationId });
  const headers = { 'x-stamp': stampOf(keys, body), 'x-forwarded-for': [...lines] };
  return new Promise((done, fail) => {
    const sent = request(`${url}/public/v1/query/whoami`, { method: 'POST', headers }, (answer) => {
      answer.resume().on('end', () => done(answer.statusCode!));
    });
    sent.on('error', fail).end(body);
  });
}

async function signer(): Promise<{ client: Client; userId: string; sign(from: string): Promise<Answer> }> {
  const { client, userId } = await instance.newUser('Signer');
  const { addresses } = await newWallet(root);
  await newPolicy(root, { condition: "activity.action == 'SIGN'", consensus: `approvers.any(u, u.id == '${userId}')` });
  const sign = (from: string) => client.from(from).submit('SIGN_RAW_PAYLOAD_V2', signing(addresses[0]!));
  return { client, userId, sign };
}

const activities = async (): Promise<number> => {
  const [row] = await instance.raw('SELECT COUNT(*) AS n FROM activities');
  return Number(row!.n);
};

test('from an address of the list everything works; from elsewhere submits and queries are refused, and leave nothing', async () => {
  const { client, sign } = await signer();
  await office();
  assert.equal((await sign(OFFICE)).status, 200);
  assert.equal((await client.from(OFFICE).query('whoami')).status, 200);
  const before = await activities();
  for (const caller of [client, root]) {
    refused(await caller.from(ELSEWHERE).query('whoami'), FOREIGN);
    refused(await caller.from(ELSEWHERE).query('get_ip_allowlist'), FOREIGN);
    refused(await caller.from(ELSEWHERE).submit('CREATE_WALLET', { walletName: 'W', accounts: [] }), FOREIGN);
    refused(await caller.from(ELSEWHERE).submit('SET_IP_ALLOWLIST', { enabled: false }), FOREIGN);
    refused(await caller.from(ELSEWHERE).submit('APPROVE_ACTIVITY', { fingerprint: `sha256:${'0'.repeat(64)}` }), FOREIGN);
  }
  for (let i = 0; i < 3; i++) refused(await sign(ELSEWHERE), FOREIGN);
  assert.equal(await activities(), before);
});

test('a client that contradicts the proxy is not taken for the proxy, whose address may be in the list', async () => {
  await office();
  const body = JSON.stringify({ organizationId: root.organizationId });
  const asked = (headers: Record<string, string>) =>
    post(`${instance.url}/public/v1/query/whoami`, body, { 'x-stamp': stampOf(root.keys, body), ...headers });
  assert.equal((await asked({ 'x-forwarded-for': OFFICE, forwarded: `for=${OFFICE}` })).status, 200);
  for (const onEvaluationError of ['DENY', 'ALLOW']) {
    await set({ onEvaluationError });
    refused(await asked({ 'x-forwarded-for': ELSEWHERE, forwarded: 'for=203.0.113.9' }), FOREIGN);
    refused(await asked({ 'x-forwarded-for': OFFICE, forwarded: 'for=203.0.113.9' }), FOREIGN);
    refused(await asked({ forwarded: `for=", for=${ELSEWHERE}` }), FOREIGN);
    refused(await asked({ 'x-forwarded-for': 'unknown' }), FOREIGN);
  }
});

test('nothing else is told first: wrong parameters, unknown ids and other organizations answer alike', async () => {
  const { client } = await instance.newUser('Curious');
  await office();
  const away = client.from(ELSEWHERE);
  const { body } = await away.query('whoami');
  for (const answer of [
    await away.query('get_user', { userId: 'x' }),
    await away.query('get_user', { userId: NOBODY }),
    await away.submit('CREATE_WALLET', { walletName: '' }),
    await away.submit('CREATE_WALLET', { walletName: 'W', accounts: [] }, { timestampMs: '1' }),
    await away.submit('SIGN_RAW_PAYLOAD_V2', signing(NOBODY)),
  ])
    assert.deepEqual([answer.status, answer.body], [403, body]);
});

test('a caller without a key here learns nothing of the list', async () => {
  const stranger = root.as(newKeys());
  const before = await stranger.from(ELSEWHERE).query('whoami');
  await office();
  const after = await stranger.from(ELSEWHERE).query('whoami');
  assert.deepEqual([after.status, after.body], [before.status, before.body]);
  assert.equal(after.status, 401);
});

test('a stored answer is not given to a foreign address, and neither is a stored refusal', async () => {
  const { client, sign } = await signer();
  const { addresses } = await newWallet(root);
  const body = client.bodyOf('SIGN_RAW_PAYLOAD_V2', signing(addresses[0]!));
  const bad = client.bodyOf('CREATE_WALLET', { walletName: 'W', accounts: [] });
  const path = submitPath('SIGN_RAW_PAYLOAD_V2');
  const first = await client.send(path, body);
  assert.equal(first.status, 200);
  assert.equal((await client.send(submitPath('CREATE_WALLET'), bad)).status, 403);
  await office();
  for (let i = 0; i < 2; i++) refused(await client.from(ELSEWHERE).send(path, body), FOREIGN);
  refused(await client.from(ELSEWHERE).send(submitPath('CREATE_WALLET'), bad), FOREIGN);
  const again = await client.from(OFFICE).send(path, body);
  assert.equal(again.body.activity.id, first.body.activity.id);
  assert.equal((await sign(OFFICE)).status, 200);
});

test('a disabled list has no effect; an enabled one without rules admits no caller', async () => {
  const { client } = await instance.newUser('Anywhere');
  await set({ enabled: false, rules: [HOME] });
  assert.equal((await client.from(ELSEWHERE).query('whoami')).status, 200);
  // A list of its own lets the root user's key remove the organization's.
  await set({ publicKey: root.keys.publicKey, rules: [HOME] });
  await set({ enabled: true, rules: [] });
  for (const from of [OFFICE, ELSEWHERE, '127.0.0.1', '::1']) refused(await client.from(from).query('whoami'), FOREIGN);
  assert.equal((await root.query('whoami')).status, 200);
  await remove();
  await remove({ publicKey: root.keys.publicKey });
});

test('a passkey is held to the list as a key is, in its organization and below', async () => {
  const { client, userId } = await instance.newUser('Passkey');
  const passkey = new SoftAuthenticator();
  await addPasskey(client, userId, passkey);
  const sub = await instance.newSubOrganization('Below', 1, 1);
  await office();
  const ask = (path: string, body: string, from: string) =>
    post(`${instance.url}${path}`, body, { ...passkey.stamp(body), 'x-forwarded-for': from });
  for (const organizationId of [root.organizationId, sub.organizationId]) {
    const body = JSON.stringify({ organizationId });
    refused(await ask('/public/v1/query/whoami', body, ELSEWHERE), FOREIGN);
    assert.equal((await ask('/public/v1/query/whoami', body, OFFICE)).status, 200);
  }
  const body = client.bodyOf('CREATE_WALLET', { walletName: 'W', accounts: [] });
  const before = await activities();
  refused(await ask(submitPath('CREATE_WALLET'), body, ELSEWHERE), FOREIGN);
  assert.equal(await activities(), before);
  assert.match((await ask(submitPath('CREATE_WALLET'), body, OFFICE)).body.message, /sufficient permissions/);
});

test('an invited person is let in from an address of the list alone, and may try again from there', async () => {
  const wanted = { invitations: [invitation('Guest', instance.credentials.userId)] };
  resultOf(await root.submit('CREATE_INVITATIONS', wanted), 'createInvitationsResult');
  const { invitationId, userId, secret } = linkOf((await mailsOf(instance)).at(-1)!);
  await office();
  const passkey = new SoftAuthenticator();
  const parameters = { invitationId, userId, authenticator: passkey.register({ challenge: secret }) };
  const body = root.bodyOf('ACCEPT_INVITATION_V2', parameters);
  const accept = (from: string) =>
    post(`${instance.url}${submitPath('ACCEPT_INVITATION_V2')}`, body, { ...passkey.stamp(body), 'x-forwarded-for': from });
  refused(await accept(ELSEWHERE), FOREIGN);
  resultOf(await accept(OFFICE), 'acceptInvitationResult');
  refused(await accept(ELSEWHERE), FOREIGN);
});

test('IPv4, IPv6 and IPv4 in IPv6', async () => {
  const { client } = await instance.newUser('Both');
  await office({ cidr: '2001:db8:1::/48' }, { cidr: '::ffff:203.0.113.0/120' });
  for (const [from, status] of [
    ['2001:db8:1:ffff::1', 200],
    ['[2001:DB8:1::1]:4711', 200],
    ['2001:db8:2::1', 403],
    ['::ffff:192.0.2.10', 200],
    ['192.0.2.255', 200],
    ['192.0.3.0', 403],
    ['203.0.113.9', 200],
    ['::ffff:203.0.113.9', 200],
    ['::ffff:198.51.100.7', 403],
    ['::192.0.2.10', 403],
  ] as const)
    assert.equal((await client.from(from).query('whoami')).status, status, from);
});

test('a client cannot say where it comes from', async () => {
  const { client } = await instance.newUser('Liar');
  await office();
  assert.equal((await client.from(`${ELSEWHERE}, ${OFFICE}`).query('whoami')).status, 200);
  refused(await client.from(`${OFFICE}, ${ELSEWHERE}`).query('whoami'), FOREIGN);
  refused(await client.from(`${OFFICE}, ${ELSEWHERE}, 127.0.0.1`).query('whoami'), FOREIGN);
  for (const [lines, status] of [
    [[ELSEWHERE, OFFICE], 200],
    [[OFFICE, ELSEWHERE], 403],
  ] as const)
    assert.equal(await inTwoLines(client, lines), status, 'lines of one header are one list');
});

test('a client gains nothing by headers that contradict its proxy, though the proxy’s own address is on the list', async () => {
  const { client } = await instance.newUser('Contrarian');
  for (const onEvaluationError of ['DENY', 'ALLOW'])
    for (const [forwarded, chain] of [
      ['for=127.0.0.1', ELSEWHERE],
      ['nonsense', ELSEWHERE],
      [`for=${OFFICE}`, ELSEWHERE],
      ['for="', undefined],
    ]) {
      await set({ enabled: true, rules: [HOME, { cidr: OFFICE }], onEvaluationError });
      const body = JSON.stringify({ organizationId: client.organizationId });
      const headers = {
        'x-stamp': stampOf(client.keys, body),
        forwarded: forwarded!,
        ...(chain && { 'x-forwarded-for': chain }),
      };
      refused(await post(`${instance.url}/public/v1/query/whoami`, body, headers), FOREIGN);
    }
});

test('a key’s own list counts in place of the organization’s, while that is on and its own has rules', async () => {
  const { client, keys } = await instance.newUser('Server');
  const { publicKey } = keys;
  const other = await instance.newUser('Other');
  const statuses = async (who: Client) => {
    const answers = await Promise.all([OFFICE, ELSEWHERE].map((from) => who.from(from).query('whoami')));
    return answers.map(({ status }) => status);
  };
  await set({ publicKey, rules: [{ cidr: ELSEWHERE }] });
  assert.deepEqual(await statuses(client), [200, 200], 'without the organization’s list, a key’s does not count');
  await set({ enabled: false, rules: [HOME] });
  assert.deepEqual(await statuses(client), [200, 200], 'nor while that is off');
  await office();
  assert.deepEqual(
    [await statuses(client), await statuses(other.client)],
    [
      [403, 200],
      [200, 403],
    ],
  );
  await set({ publicKey, rules: [] });
  assert.deepEqual(await statuses(client), [200, 403], 'without rules it is as if there were none');
  await set({ publicKey, rules: [{ cidr: ELSEWHERE }] });
  await remove({ publicKey });
  assert.deepEqual(await statuses(client), [200, 403]);
});

test('a key that is deleted takes its list with it', async () => {
  const { keys, userId } = await instance.newUser('Gone');
  const { publicKey } = keys;
  await set({ publicKey, rules: [{ cidr: ELSEWHERE }] });
  resultOf(await root.submit('DELETE_USERS', { userIds: [userId] }), 'deleteUsersResult');
  refused(await root.query('get_ip_allowlist', { publicKey }), [404, 'UNSPECIFIED', /not found/]);
});

test('a parent’s list binds its users everywhere, and no others', async () => {
  const sub = await instance.newSubOrganization('Sub', 1, 1);
  const parent = root.as(root.keys, sub.organizationId);
  await office();
  refused(await parent.from(ELSEWHERE).query('whoami'), FOREIGN);
  refused(await parent.from(ELSEWHERE).submit('CREATE_WALLET', { walletName: 'W', accounts: [] }), FOREIGN);
  assert.equal((await parent.from(OFFICE).query('whoami')).status, 200);
  const own = sub.clients[0]!.from(ELSEWHERE);
  assert.equal((await own.query('whoami')).status, 200);
  assert.equal((await own.submit('CREATE_WALLET', { walletName: 'W', accounts: [] })).status, 200);
  // A user of the sub-organization who names the parent to find their own.
  const found = await own.as(sub.clients[0]!.keys, root.organizationId).query('whoami');
  assert.deepEqual([found.status, found.body.organizationId], [200, sub.organizationId]);
});

test('a long list ends when its reader’s address is taken off', async (t) => {
  const { client } = await instance.newUser('Reader');
  await office();
  let slices = 0;
  const slice = async () => {
    if (++slices === 2) await set({ rules: [HOME] });
    return { text: `{"tagId":"${slices}"}`, isLast: slices === 2 };
  };
  t.mock.method(listUserTags, 'run', async () => ({ list: 'userTags', slice }));
  await assert.rejects(client.from(OFFICE).query('list_user_tags'), /terminated|aborted/);
});

test('a published client sets, reads and removes a list, and reads the refusal', async () => {
  const client = publishedServer(instance, root.keys, root.organizationId);
  await client.setIpAllowlist({ enabled: true, rules: [{ cidr: '127.0.0.1/32', label: 'Here' }] });
  const { allowlist } = await client.getIpAllowlist({});
  assert.deepEqual(
    allowlist.rules.map(({ cidr, label }) => [cidr, label]),
    [['127.0.0.1/32', 'Here']],
  );
  await set({ publicKey: root.keys.publicKey, rules: [HOME] });
  const { keys } = await instance.newUser('Elsewhere');
  await set({ publicKey: keys.publicKey, rules: [{ cidr: ELSEWHERE }] });
  const other = publishedServer(instance, keys, root.organizationId);
  await assert.rejects(other.getWhoami(), /Turnkey error 7: request not authorized/);
  await client.removeIpAllowlist({});
  assert.deepEqual((await client.getIpAllowlist({})).allowlist.rules, []);
  await client.removeIpAllowlist({ publicKey: root.keys.publicKey });
});
