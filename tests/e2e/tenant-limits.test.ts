import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Answer, type Client, newKeys, resultOf, submitPath, userWith } from '../support/client.ts';
import { sharedInstance } from '../support/instance.ts';
import { newTarget } from '../support/published.ts';
import { refused } from '../support/refusals.ts';

const WINDOW = 600_000;
/** A service whose time is ahead of its clock lets it run slower by a thousandth. */
const SLOWER = WINDOW / 1000;
const MOST = 10;
const instance = await sharedInstance({ LIMIT_LIVE_OTPS: '100', LIMIT_MESSAGES_OF_SUB_ORGANIZATION: '25' });
const { root } = instance;
const FULL: [number, string, RegExp] = [
  429,
  'MAX_OTP_INITIATED',
  /^Max number of OTPs have been initiated: at most 10 .*LIMIT_OTP_INITIATIONS/,
];

type Sub = { own: Client; parent: Client };

/** A sub-organization whose root user has this email. */
async function sub(userEmail: string): Promise<Sub> {
  const keys = newKeys();
  const rootUsers = [userWith('Somebody', [keys], { userEmail })];
  const parameters = { subOrganizationName: 'Sub', rootQuorumThreshold: 1, rootUsers };
  const made = resultOf(await root.submit('CREATE_SUB_ORGANIZATION_V8', parameters), 'createSubOrganizationResultV8');
  return { own: root.as(keys, made.subOrganizationId), parent: root.as(root.keys, made.subOrganizationId) };
}

const code = (contact: string) => ({ otpType: 'OTP_TYPE_EMAIL', contact, appName: 'Sample' });
const key = (email: string) => ({
  email,
  targetPublicKey: newTarget().publicKeyUncompressed,
  emailCustomization: { appName: 'A' },
});
const { userId: senderUserId } = (await root.query('whoami')).body;
const invitation = (receiverUserEmail: string) => ({
  invitations: [{ receiverUserName: 'A', receiverUserEmail, receiverUserTags: [], accessType: 'ACCESS_TYPE_ALL', senderUserId }],
});

type Call = (client: Client, email: string) => Promise<Answer>;
/** Everything that sends a message. */
const calls: Record<string, Call> = {
  INIT_OTP: (client, email) => client.submit('INIT_OTP_V3', code(email)),
  INIT_OTP_AUTH: (client, email) => client.submit('INIT_OTP_AUTH_V3', code(email)),
  EMAIL_AUTH: (client, email) => client.submit('EMAIL_AUTH_V3', key(email)),
  INIT_USER_EMAIL_RECOVERY: (client, email) => client.submit('INIT_USER_EMAIL_RECOVERY_V2', key(email)),
};
const invite: Call = (client, email) => client.submit('CREATE_INVITATIONS', invitation(email));
for (const featureName of ['FEATURE_NAME_EMAIL_AUTH', 'FEATURE_NAME_EMAIL_RECOVERY'] as const)
  resultOf(await root.submit('SET_ORGANIZATION_FEATURE', { name: featureName, value: '' }), 'setOrganizationFeatureResult');

const isDone = (answer: Answer) => assert.equal(answer.body.activity?.status, 'ACTIVITY_STATUS_COMPLETED', answer.text);

test('ten messages in ten minutes for one contact, whatever they are and wherever below the organization they are from', async () => {
  const email = 'everywhere@example.com';
  const subs = [await sub(email), await sub(email)];
  for (const call of Object.values(calls)) for (const { parent } of subs) isDone(await call(parent, email));
  isDone(await calls.INIT_OTP!(root, email));
  isDone(await invite(root, email));
  assert.equal(2 * Object.keys(calls).length + 2, MOST);
  for (const call of Object.values(calls)) {
    const answer = await call(subs[0]!.parent, email);
    refused(answer, FULL);
    const wait = Number(answer.headers.get('retry-after'));
    assert.ok(wait > 0 && wait <= WINDOW / 1000, `${wait}`);
  }
  refused(await calls.INIT_OTP!(root, email), FULL);
  refused(await invite(root, email), FULL);
  isDone(await calls.INIT_OTP!(root, 'somebody.else@example.com'));
  instance.clock.advance(WINDOW + SLOWER);
  for (const call of Object.values(calls)) isDone(await call(subs[1]!.parent, email));
});

test('other spellings of a contact are the same contact', async () => {
  const spellings = ['victim@example.com', 'Victim@EXAMPLE.com', 'victim+1@example.com', 'VICTIM+shop+2@example.com'];
  for (let i = 0; i < MOST; i++) isDone(await calls.INIT_OTP!(root, spellings[i % 2 ? 2 : 0]!.replace('1', `${i}`)));
  for (const email of spellings) refused(await calls.INIT_OTP!(root, email), FULL);
  for (let i = 0; i < MOST; i++) isDone(await calls.INIT_OTP!(root, `v.i.c.t.i.m+${i}@gmail.com`.replace('.', i % 2 ? '' : '.')));
  for (const email of ['victim@gmail.com', 'vic.tim@googlemail.com']) refused(await calls.INIT_OTP!(root, email), FULL);
});

test('users of sub-organizations share ten for a contact, and leave the application its own', async () => {
  const email = 'stranger@example.com';
  const attackers = [await sub(email), await sub(email), await sub(email)];
  for (let i = 0; i < MOST; i++) isDone(await Object.values(calls)[i % 4]!(attackers[i % 3]!.own, email));
  for (const { own } of attackers) for (const call of Object.values(calls)) refused(await call(own, email), FULL);
  const { parent } = attackers[0]!;
  for (let i = 0; i < MOST; i++) isDone(await calls.INIT_OTP!(i % 2 ? parent : root, email));
  refused(await calls.INIT_OTP!(root, email), FULL);
});

test('users of one sub-organization have a limit for all contacts together', async () => {
  const { own, parent } = await sub('sender@example.com');
  for (let i = 0; i < 25; i++) isDone(await calls.INIT_OTP!(own, `many.${i}@example.com`));
  const answer = await calls.INIT_OTP!(own, 'many.more@example.com');
  refused(answer, [429, 'MAX_OTP_INITIATED', /at most 25 messages.*LIMIT_MESSAGES_OF_SUB_ORGANIZATION/]);
  assert.ok(Number(answer.headers.get('retry-after')) > 0);
  isDone(await calls.INIT_OTP!(parent, 'many.more@example.com'));
  isDone(await calls.INIT_OTP!((await sub('sender@example.com')).own, 'many.other@example.com'));
});

test('of several invitations, all are sent or none', async () => {
  const [one] = invitation('full@example.com').invitations;
  for (let i = 0; i < MOST - 1; i++) isDone(await calls.INIT_OTP!(root, 'full@example.com'));
  const many = ['first@example.com', 'full@example.com', 'FULL@example.com'].map((receiverUserEmail) => ({
    ...one,
    receiverUserEmail,
  }));
  refused(await root.submit('CREATE_INVITATIONS', { invitations: many }), FULL);
  const { invitations } = (await root.query('get_organization')).body.organizationData;
  assert.ok(!invitations.some((made: { receiverEmail: string }) => made.receiverEmail === 'first@example.com'));
  isDone(await root.submit('CREATE_INVITATIONS', { invitations: many.slice(0, 2) }));
});

test('a caller over the limit may send the same body again later, and nothing of it was stored', async () => {
  const email = 'again@example.com';
  for (let i = 0; i < MOST; i++) isDone(await calls.INIT_OTP!(root, email));
  const body = root.bodyOf('INIT_OTP_V3', code(email));
  const path = submitPath('INIT_OTP_V3');
  for (let i = 0; i < 2; i++) {
    const answer = await root.send(path, body);
    refused(answer, FULL);
    assert.ok(answer.headers.has('retry-after'));
    assert.ok(!answer.text.includes('activityId'), answer.text);
  }
  instance.clock.advance(WINDOW + SLOWER);
  isDone(await root.send(path, body));
  const again = await root.send(path, body);
  isDone(again);
  assert.equal(again.headers.get('retry-after'), null);
});

test('an approval that meets the limit is not counted, and the activity waits on', async () => {
  const pair = await instance.newSubOrganization('Pair', 2, 2);
  const [first, second] = pair.clients as [Client, Client];
  const email = 'waits@example.com';
  const own = (await sub(email)).own;
  for (let i = 0; i < MOST; i++) isDone(await calls.INIT_OTP!(own, email));
  const waiting = await first.submit('INIT_OTP_V3', code(email));
  const { id: activityId, fingerprint, status } = waiting.body.activity;
  assert.equal(status, 'ACTIVITY_STATUS_CONSENSUS_NEEDED');
  const approval = second.bodyOf('APPROVE_ACTIVITY', { fingerprint });
  const path = submitPath('APPROVE_ACTIVITY');
  refused(await second.send(path, approval), FULL);
  const seen = (await first.query('get_activity', { activityId })).body.activity;
  assert.deepEqual([seen.status, seen.votes.length], ['ACTIVITY_STATUS_CONSENSUS_NEEDED', 1]);
  instance.clock.advance(WINDOW + SLOWER);
  const approved = await second.send(path, approval);
  assert.equal(approved.body.activity?.status, 'ACTIVITY_STATUS_COMPLETED', approved.text);
});

test('neither contacts nor addresses are stored where they are counted', async () => {
  isDone(await calls.INIT_OTP!(root, 'hidden@example.com'));
  const rows = await instance.raw('SELECT * FROM rates');
  assert.ok(rows.length > 0);
  for (const { key } of rows) assert.doesNotMatch(Buffer.from(key as Uint8Array).toString('latin1'), /example|hidden/);
});
