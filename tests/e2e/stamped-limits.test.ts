import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ethereumAccount, newKeys, resultOf, submitPath } from '../support/client.ts';
import { sharedInstance } from '../support/instance.ts';
import { refused } from '../support/refusals.ts';

/** So slow that no test is slower. */
const SLOW = 0.001;
const tooMany = (text: RegExp): [number, string, RegExp] => [429, 'RATE_LIMIT_EXCEEDED', text];
const OF_USER = tooMany(/^Too many requests\. Please wait and try again in a few seconds$/);
const OF = (what: string) => tooMany(new RegExp(`^this ${what} cannot execute activities because it has been rate limited\\.`));

const [byUser, bySub, byTop] = await Promise.all([
  sharedInstance({ RATE_USER: `${SLOW}/20` }),
  sharedInstance({ RATE_SUB_ORGANIZATION: `${SLOW}/6` }),
  sharedInstance({ RATE_ORGANIZATION: `${SLOW}/30` }),
]);

/** One more for everybody. Clients stamp by one clock. */
const refill = () => [byUser, bySub, byTop].forEach(({ clock }) => void clock.advance(1_000_000));

test("a user's rate limit counts activities and queries alike, and affects no other user", async () => {
  const { client } = await byUser.newUser('Fast');
  for (let i = 0; i < 19; i++) assert.equal((await client.query('whoami')).status, 200);
  refused(await client.submit('CREATE_WALLET', { walletName: 'No', accounts: [] }), [
    403,
    'REQUEST_NOT_AUTHORIZED',
    /permission/,
  ]);
  for (const answer of [await client.query('whoami'), await client.submit('CREATE_WALLET', { walletName: 'No', accounts: [] })]) {
    refused(answer, OF_USER);
    assert.match(answer.headers.get('retry-after')!, /^(9\d\d|1000)$/);
    assert.ok(!answer.text.includes('activityId'));
  }
  assert.equal((await byUser.root.query('whoami')).status, 200);
  refused(await client.as(newKeys()).query('whoami'), [401, 'PUBLIC_KEY_NOT_FOUND', /./]);
  refill();
  assert.equal((await client.query('whoami')).status, 200);
});

test('a signature is limited as well, from memory or not, and a repeat of a known body is answered', async () => {
  const { organizationId, clients } = await byUser.newSubOrganization('Signs', 1, 1);
  const [client] = clients;
  const wallet = { walletName: 'First', accounts: [ethereumAccount()] };
  const [signWith] = resultOf(await client!.submit('CREATE_WALLET', wallet), 'createWalletResult').addresses;
  const signing = (payload: string) =>
    client!.bodyOf('SIGN_RAW_PAYLOAD_V2', {
      signWith,
      payload,
      encoding: 'PAYLOAD_ENCODING_TEXT_UTF8',
      hashFunction: 'HASH_FUNCTION_KECCAK256',
    });
  const path = submitPath('SIGN_RAW_PAYLOAD_V2');
  const bodies = Array.from({ length: 19 }, (_, i) => signing(`text ${i}`));
  const answers = [];
  for (const body of bodies) answers.push(await client!.send(path, body));
  for (const answer of answers) resultOf(answer, 'signRawPayloadResult');
  const late = signing('too late');
  for (let i = 0; i < 2; i++) refused(await client!.send(path, late), OF_USER);
  for (const [i, body] of bodies.entries()) {
    const again = await client!.send(path, body);
    assert.equal(again.body.activity.id, answers[i]!.body.activity.id, again.text);
  }
  refill();
  resultOf(await client!.send(path, late), 'signRawPayloadResult');
  assert.ok(organizationId);
});

test('a request is counted once, also where it is decided twice', async () => {
  const { client } = await byUser.newUser('Denied');
  for (let i = 0; i < 20; i++) {
    const answer = await client.submit('SIGN_RAW_PAYLOAD_V2', {
      signWith: 'nothing',
      payload: `${i}`,
      encoding: 'PAYLOAD_ENCODING_TEXT_UTF8',
      hashFunction: 'HASH_FUNCTION_KECCAK256',
    });
    assert.notEqual(answer.status, 429, `${i}`);
  }
  refused(await client.query('whoami'), OF_USER);
});

test('users of a sub-organization share its limit; what its parent does there is not theirs', async () => {
  const one = await bySub.newSubOrganization('One', 2, 1);
  const other = await bySub.newSubOrganization('Other', 1, 1);
  for (let i = 0; i < 6; i++) assert.equal((await one.clients[i % 2]!.query('whoami')).status, 200);
  for (const client of one.clients) {
    refused(await client.submit('CREATE_WALLET', { walletName: 'No', accounts: [] }), OF('sub-organization'));
    refused(await client.query('whoami'), OF_USER);
  }
  assert.equal((await other.clients[0]!.query('whoami')).status, 200);
  const parent = bySub.root.as(bySub.root.keys, one.organizationId);
  for (let i = 0; i < 10; i++) assert.equal((await parent.query('list_wallets')).status, 200);
});

test('users of a top-level organization share its limit; users of its sub-organizations cannot use it up', async () => {
  const { clients } = await byTop.newSubOrganization('Below', 1, 1);
  for (let i = 0; i < 40; i++) assert.equal((await clients[0]!.query('whoami')).status, 200);
  const { client } = await byTop.newUser('Somebody');
  for (let i = 0; i < 28; i++) assert.equal((await client.query('whoami')).status, 200);
  refused(await byTop.root.submit('CREATE_WALLET', { walletName: 'No', accounts: [] }), OF('organization'));
  refused(await client.query('whoami'), OF_USER);
  assert.equal((await clients[0]!.query('whoami')).status, 200);
});

test('a vote is a request too; an activity that waits takes nothing of others', async () => {
  const { clients } = await bySub.newSubOrganization('Votes', 2, 2);
  const [first, second] = clients;
  const waiting = await first!.submit('CREATE_WALLET', { walletName: 'First', accounts: [] });
  const { fingerprint } = waiting.body.activity;
  for (let i = 0; i < 4; i++) assert.equal((await first!.query('whoami')).status, 200);
  const body = second!.bodyOf('APPROVE_ACTIVITY', { fingerprint });
  const approved = await second!.send(submitPath('APPROVE_ACTIVITY'), body);
  assert.equal(approved.body.activity.status, 'ACTIVITY_STATUS_COMPLETED', approved.text);
  refused(await second!.query('whoami'), OF_USER);
  assert.equal((await second!.send(submitPath('APPROVE_ACTIVITY'), body)).status, 200);
});
