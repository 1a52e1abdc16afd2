import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { type Archiving, DAY, dayOf, startArchiving } from '../support/archiving.ts';
import { type Client, ethereumAccount, newKeys, resultOf, submitPath, userWith } from '../support/client.ts';

const SIGN = 'SIGN_RAW_PAYLOAD_V2';
const POLICY = 'CREATE_POLICY_V3';

let service: Archiving;
let then: number;
let signWith: string;
let sent = 0;

/** A body's time by the machine's clock, however that was set; no two are the same. */
const at = () => ({ timestampMs: String(Math.floor(service.clock.now()) + ++sent) });

beforeEach(async () => {
  service = await startArchiving();
  then = service.clock.now();
  const wallet = await service.root.submit('CREATE_WALLET', { walletName: 'One', accounts: [ethereumAccount()] }, at());
  [signWith] = resultOf(wallet, 'createWalletResult').addresses;
});
afterEach(() => service.close());

const payload = () => ({
  signWith,
  payload: '00ff',
  encoding: 'PAYLOAD_ENCODING_HEXADECIMAL',
  hashFunction: 'HASH_FUNCTION_SHA256',
});

const sign = async () => assert.equal((await service.root.submit(SIGN, payload(), at())).status, 200);

/** Lets the machine's clock run from this time. */
function setClock(time: number): void {
  const ahead = time - Date.now();
  service.clock.now = () => Date.now() + ahead;
}

/** Ten days later, all but today's activities are archived. */
async function archived(): Promise<void> {
  service.toPresent();
  await service.root.submit('CREATE_USER_TAG', { userTagName: 'New', userIds: [] }, at());
  const { code, complaint } = await service.archiveBetween(['--before', dayOf(Date.now() - 5 * DAY)]);
  assert.equal(code, 0, complaint);
  const [left] = await service.raw('SELECT count(*) AS n FROM activities');
  assert.ok(Number(left!.n) < 3, 'the others are archived');
}

const activities = async () => Number((await service.raw('SELECT count(*) AS n FROM activities'))[0]!.n);

test('an archived body does not run again when the machine’s clock is back at its time', async () => {
  const { root } = service;
  const bodies = [
    { path: submitPath(SIGN), body: root.bodyOf(SIGN, payload(), at()) },
    {
      path: submitPath(POLICY),
      body: root.bodyOf(
        POLICY,
        { policyName: 'P', effect: 'EFFECT_ALLOW', condition: 'true', consensus: 'true', notes: '' },
        at(),
      ),
    },
  ];
  const answers: string[] = [];
  for (const { path, body } of bodies) answers.push((await root.send(path, body)).text);
  const { policyId } = resultOf(await root.send(bodies[1]!.path, bodies[1]!.body), 'createPolicyResult');
  assert.equal((await root.submit('DELETE_POLICY', { policyId }, at())).status, 200);
  // Kept in memory: a service that goes on has it from before.
  await sign();
  await archived();
  setClock(then);
  await sign();
  const before = await activities();
  for (const [i, { path, body }] of bodies.entries()) assert.equal((await root.send(path, body)).text, answers[i]);
  assert.equal(await activities(), before);
  assert.equal(Number((await service.raw('SELECT count(*) AS n FROM policies'))[0]!.n), 0, 'the deleted policy is not back');
});

test('an archived body does not run again when the right time reaches its timestamp', async () => {
  const { root } = service;
  setClock(Date.now());
  const body = root.bodyOf(SIGN, payload(), at());
  const first = await root.send(submitPath(SIGN), body);
  assert.equal(first.status, 200, first.text);
  setClock(then);
  await archived();
  setClock(Date.now());
  await sign();
  const before = await activities();
  assert.equal((await root.send(submitPath(SIGN), body)).text, first.text);
  assert.equal(await activities(), before);
});

test('a body that is older than an archived one, and is not archived, is a new one', async () => {
  const body = service.root.bodyOf(SIGN, payload(), at());
  await sign();
  await archived();
  const late = await service.root.send(submitPath(SIGN), body);
  assert.equal(late.status, 400);
  assert.match(late.text, /too old/);
  setClock(then);
  assert.equal((await service.root.send(submitPath(SIGN), body)).status, 200);
});

test('an archived vote takes no more stamps, whatever the clock', async () => {
  const keys = [newKeys(), newKeys(), newKeys()];
  const made = await service.root.submit(
    'CREATE_SUB_ORGANIZATION_V8',
    {
      subOrganizationName: 'Three',
      rootQuorumThreshold: 3,
      rootUsers: keys.map((one, i) => userWith(`User ${i}`, [one])),
    },
    at(),
  );
  const { subOrganizationId } = resultOf(made, 'createSubOrganizationResultV8');
  const [first, second, third] = keys.map((one) => service.root.as(one, subOrganizationId)) as [Client, Client, Client];
  const waiting = (await first.submit('CREATE_WALLET', { walletName: 'Agreed', accounts: [] }, at())).body.activity;
  const path = submitPath('APPROVE_ACTIVITY');
  const vote = second.bodyOf('APPROVE_ACTIVITY', { fingerprint: waiting.fingerprint }, at());
  assert.equal((await second.send(path, vote)).status, 200);
  const filter = { filterByType: ['ACTIVITY_TYPE_APPROVE_ACTIVITY'], paginationOptions: { limit: '1' } };
  const [{ id }] = (await first.query('list_activities', filter)).body.activities;
  await archived();
  const before = (await second.query('get_activity', { activityId: id })).text;
  setClock(then);
  const refused = await third.send(path, vote);
  assert.equal(refused.status, 400, refused.text);
  assert.match(refused.text, /this vote was archived and accepts no more stamps/);
  assert.equal((await second.query('get_activity', { activityId: id })).text, before);
  const own = await third.submit('APPROVE_ACTIVITY', { fingerprint: waiting.fingerprint }, at());
  assert.equal(own.status, 200, 'a vote of its own counts');
});
