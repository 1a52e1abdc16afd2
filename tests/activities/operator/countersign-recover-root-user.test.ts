import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { activities } from '../../../src/activities/index.ts';
import { openEnvelope } from '../../../src/app/root-key.ts';
import { systemRandom } from '../../../src/base/random.ts';
import { readConfig } from '../../../src/config.ts';
import type { Envelope } from '../../../src/custody/envelope.ts';
import { sealedSwitch } from '../../../src/custody/recovery-switch.ts';
import { ENROL_PROFILE, READ_PROFILE } from '../../../src/model/session-profile.ts';
import { verifyActivity } from '../../../src/operator/record/verify-activity.ts';
import { cancelIn } from '../../../src/operator/recovery/manage.ts';
import { beginRecovery } from '../../../src/operator/recovery/recover.ts';
import { type Client, type Keys, newKeys, resultOf, userWith } from '../../support/client.ts';
import { sharedInstance } from '../../support/instance.ts';
import { waitFor } from '../../support/wait.ts';
import { login } from '../sessions/support.ts';

const HOUR_MS = 3_600_000;
const TYPE = 'ACTIVITY_TYPE_COUNTERSIGN_RECOVER_ROOT_USER';

const instance = await sharedInstance();
let config: ReturnType<typeof readConfig>;
let envelope: Envelope;
before(async () => {
  const { dataDir, databaseUrl, engine } = instance;
  config = readConfig({ DATA_DIR: dataDir, ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }) });
  envelope = await openEnvelope(config, engine.store.read, systemRandom);
});

type Lost = { organizationId: string; userId: string; email: string; old: Client; parent: Client; outsider: Client };
let made = 0;

/** An organization with one root user, whose key the test keeps, and a user who may look on. */
async function lostRoot(): Promise<Lost> {
  const [mine, theirs] = [newKeys(), newKeys()];
  const email = `lost${++made}@example.com`;
  const parameters = {
    subOrganizationName: `Lost ${made}`,
    rootQuorumThreshold: 1,
    rootUsers: [userWith('Root', [mine], { userEmail: email })],
  };
  const { subOrganizationId: organizationId, rootUserIds } = resultOf(
    await instance.root.submit('CREATE_SUB_ORGANIZATION_V8', parameters),
    'createSubOrganizationResultV8',
  );
  const old = instance.root.as(mine, organizationId);
  resultOf(
    await old.submit('CREATE_USERS_V4', { users: [{ ...userWith('Reader', [theirs]), userTags: [] }] }),
    'createUsersResult',
  );
  const parent = instance.root.as(instance.root.keys, organizationId);
  return { organizationId, userId: rootUserIds[0], email, old, parent, outsider: old.as(theirs) };
}

async function begin({ organizationId, userId }: Lost, keys: Keys = newKeys(), removeMfaPolicyIds: string[] = []) {
  const wish = { organizationId, userId, publicKey: keys.publicKey, reason: 'lost laptop', removeMfaPolicyIds };
  // A stamp of the same millisecond is no contradiction.
  instance.clock.advance(10);
  const done = await beginRecovery(instance.engine.store, config, envelope, wish, instance.clock.now());
  instance.clock.advance(10);
  return { keys, activityId: done.activityId!, done };
}

const pendingOf = async ({ parent }: Lost) =>
  (await parent.query('get_organization')).body.organizationData.countersignRootRecovery?.pending;

/** The service has told the root users. */
const announced = (lost: Lost) =>
  waitFor('the recovery to be announced', async () => (await pendingOf(lost))?.takesEffectAtMs, 50);

const activityOf = async ({ parent }: Lost, activityId: string) =>
  (await parent.query('get_activity', { activityId })).body.activity;

const ended = (lost: Lost, activityId: string) =>
  waitFor(
    'the recovery to end',
    async () => {
      const activity = await activityOf(lost, activityId);
      return activity.status !== 'ACTIVITY_STATUS_PENDING' && activity;
    },
    50,
  );

type Kept = { to: string; subject: string; text: string };

const mailsTo = async (to: string): Promise<Kept[]> =>
  (await (await fetch(`${instance.url}/dev/outbox`, { headers: { accept: 'application/json' } })).json()).messages.filter(
    (mail: Kept) => mail.to === to,
  );

/** As if the database had been copied now. `ended`: null keeps the workers waiting. */
function quarantined(ended: string | null, copiedAt = 0) {
  const row = { cause: 'copied', detail: '', since: '', refusesBefore: copiedAt, sendsBefore: copiedAt, ended, held: [] };
  return instance.engine.store.exclusively((tx) => tx.instance.put('quarantine', JSON.stringify(row)));
}

test('a recovery is shown as pending, waits for its delay, and then adds the key while MFA policies go on', async () => {
  const lost = await lostRoot();
  const { organizationId, userId, old, parent, outsider } = lost;
  const policy = async (mfaPolicyName: string) =>
    resultOf(
      await old.submit('CREATE_MFA_POLICY', {
        userId,
        mfaPolicyName,
        condition: "activity.type == 'ACTIVITY_TYPE_CREATE_USER_TAG'",
        order: 0,
        requiredAuthenticationMethods: [{ any: [{ type: 'AUTHENTICATION_TYPE_PASSKEY' }] }],
      }),
      'createMfaPolicyResult',
    ).mfaPolicyId;
  const [goes, stays] = [await policy('goes'), await policy('stays')];
  const { keys, activityId, done } = await begin(lost, newKeys(), [goes]);
  assert.deepEqual(done.bindingMfaPolicies, [{ mfaPolicyId: stays, name: 'stays' }]);
  assert.equal(done.removedMfaPolicies[0]?.mfaPolicyId, goes);
  const takesEffectAt = Number(await announced(lost));
  assert.ok(takesEffectAt >= Date.parse(done.notBefore));

  const { activities: shown } = (await outsider.query('list_activities', { filterByStatus: ['ACTIVITY_STATUS_PENDING'] })).body;
  const [activity] = shown;
  assert.deepEqual([shown.length, activity.id, activity.type], [1, activityId, TYPE]);
  const intent = activity.intent.countersignRecoverRootUserIntent;
  assert.deepEqual([intent.userId, intent.reason, intent.delaySeconds], [userId, 'lost laptop', 86_400]);
  assert.equal(intent.notBeforeMs, String(Date.parse(done.notBefore)));
  assert.deepEqual([activity.canApprove, activity.canReject], [false, false]);

  // A published key has stamped the body.
  const { problems, unchecked } = await verifyActivity({ activity });
  assert.deepEqual(problems, []);
  // An export asks for them.
  const evaluated = await outsider.query('get_policy_evaluations', { activityId });
  assert.equal(evaluated.status, 200, evaluated.text);
  const { keys: discovered } = await (await fetch(`${instance.url}/public/v1/discovery/keys`)).json();
  const published = discovered.find(({ name }: { name: string }) => name === 'operator-signer').publicKey;
  assert.equal(unchecked.length, 1);
  assert.ok(unchecked[0]!.endsWith(`operator-signer in /public/v1/discovery/keys begins with ${published.slice(0, 66)}`));

  const stranger = (await instance.newSubOrganization('Stranger', 1, 1)).clients[0]!;
  assert.deepEqual((await stranger.query('list_activities', { filterByType: [TYPE] })).body.activities, []);
  assert.equal((await stranger.as(stranger.keys, organizationId).query('get_activity', { activityId })).status, 401);
  assert.equal((await stranger.query('get_organization')).body.organizationData.countersignRootRecovery, undefined);

  instance.clock.advance(23 * HOUR_MS);
  const recovered = old.as(keys);
  assert.equal((await recovered.query('whoami')).status, 401);
  assert.equal((await activityOf(lost, activityId)).status, 'ACTIVITY_STATUS_PENDING');
  instance.clock.advance(2 * HOUR_MS);
  const completed = await ended(lost, activityId);
  assert.equal(completed.status, 'ACTIVITY_STATUS_COMPLETED', JSON.stringify(completed.failure));
  const result = completed.result.countersignRecoverRootUserResult;
  assert.deepEqual([result.removedMfaPolicyIds, result.bindingMfaPolicyIds], [[goes], [stays]]);
  assert.equal((await recovered.query('whoami')).body.userId, userId);
  const waits = await recovered.submit('CREATE_USER_TAG', { userTagName: 'mine', userIds: [] });
  assert.equal(waits.body.activity?.status, 'ACTIVITY_STATUS_AUTHENTICATORS_NEEDED', waits.text);
  assert.equal((await parent.query('get_organization')).body.organizationData.countersignRootRecovery, undefined);
  const mails = await waitFor('both mails', async () => (await mailsTo(lost.email)).length === 2 && mailsTo(lost.email), 50);
  assert.deepEqual(mails.map(({ subject }) => subject).sort(), [
    'A recovery of “Root” is pending',
    'The recovery of “Root” took effect',
  ]);
  assert.ok(mails.every(({ text }) => text.includes('lost laptop')));
});

test('a root user’s stamp ends a pending recovery: of a query, of a submit, and of a signature from memory', async () => {
  for (const how of ['query', 'submit', 'signature'] as const) {
    const lost = await lostRoot();
    const { old, userId } = lost;
    const wallet = {
      walletName: 'W',
      accounts: [
        {
          curve: 'CURVE_SECP256K1',
          pathFormat: 'PATH_FORMAT_BIP32',
          path: "m/44'/60'/0'/0/0",
          addressFormat: 'ADDRESS_FORMAT_ETHEREUM',
        },
      ],
    };
    const [signWith] = resultOf(await old.submit('CREATE_WALLET', wallet), 'createWalletResult').addresses;
    const payload = {
      signWith,
      payload: '00'.repeat(32),
      encoding: 'PAYLOAD_ENCODING_HEXADECIMAL',
      hashFunction: 'HASH_FUNCTION_NO_OP',
    };
    const sign = () => old.submit('SIGN_RAW_PAYLOAD_V2', payload);
    resultOf(await sign(), 'signRawPayloadResult');
    const { keys, activityId } = await begin(lost);
    await announced(lost);
    const answer =
      how === 'query'
        ? await old.query('whoami')
        : how === 'submit'
          ? await old.submit('CREATE_USER_TAG', { userTagName: how, userIds: [] })
          : await sign();
    assert.equal(answer.status, 200, answer.text);
    const activity = await activityOf(lost, activityId);
    assert.equal(activity.status, 'ACTIVITY_STATUS_FAILED');
    assert.match(activity.failure.message, new RegExp(`^the recovery has ended: root user ${userId} stamped a request`));
    assert.equal(await pendingOf(lost), undefined);
    instance.clock.advance(25 * HOUR_MS);
    assert.equal((await old.as(keys).query('whoami')).status, 401);
  }
});

test('a session that only reads or enrols ends no recovery: its key may be stolen', async () => {
  const lost = await lostRoot();
  const sessions = await Promise.all(
    [READ_PROFILE, ENROL_PROFILE].map(({ id }) => login(lost.old, { sessionProfileId: id }).then(({ client }) => client)),
  );
  await begin(lost);
  await announced(lost);
  for (const session of sessions) {
    assert.equal((await session.query('whoami')).status, 200);
    assert.equal((await session.submit('CREATE_WALLET', { walletName: 'a', accounts: [] })).status, 403);
  }
  assert.ok(await pendingOf(lost));
  assert.equal((await lost.old.query('whoami')).status, 200);
  assert.equal(await pendingOf(lost), undefined);
});

test('a root user’s query ends a pending recovery while other requests change the organization', async () => {
  const lost = await lostRoot();
  const { organizationId, old } = lost;
  const { activityId } = await begin(lost);
  await announced(lost);
  const { store } = instance.engine;
  const { transaction } = store;
  let changes = 3;
  // Each change comes right before the write that ends the recovery.
  store.transaction = async (work, ...more) => {
    if (changes-- > 0)
      await transaction((tx) => tx.organizations.change(organizationId, { name: `Changed ${changes}` }, instance.clock.now()));
    return transaction(work, ...more);
  };
  try {
    assert.equal((await old.query('whoami')).status, 200);
  } finally {
    store.transaction = transaction;
  }
  assert.equal((await activityOf(lost, activityId)).status, 'ACTIVITY_STATUS_FAILED');
});

test('a recorded stamp that is sent again, a parent’s user and a user outside the quorum end nothing', async () => {
  const lost = await lostRoot();
  const { old, outsider, parent } = lost;
  const body = old.bodyOf('CREATE_USER_TAG', { userTagName: 'before', userIds: [] });
  assert.equal((await old.send('/public/v1/submit/create_user_tag', body)).status, 200);
  const { activityId } = await begin(lost);
  await announced(lost);
  assert.equal((await old.send('/public/v1/submit/create_user_tag', body)).status, 200);
  assert.equal((await old.send('/public/v1/query/whoami', body)).status, 200);
  assert.equal((await outsider.query('whoami')).status, 200);
  assert.equal((await parent.query('list_users')).status, 200);
  assert.equal((await activityOf(lost, activityId)).status, 'ACTIVITY_STATUS_PENDING');
  const vote = { fingerprint: (await activityOf(lost, activityId)).fingerprint };
  assert.equal((await outsider.submit('APPROVE_ACTIVITY', vote)).status, 403);
  assert.equal((await activityOf(lost, activityId)).status, 'ACTIVITY_STATUS_PENDING');
});

test('a recovery that the operator cancels ends before its delay, and the switch refuses one that is due', async () => {
  const cancelled = await lostRoot();
  const { activityId } = await begin(cancelled);
  await announced(cancelled);
  const { organizationId } = cancelled;
  const { store } = instance.engine;
  await cancelIn(store, instance.clock.now(), { organizationId, reason: 'laptop found' }, async () => {});
  const failure = (await ended(cancelled, activityId)).failure.message;
  assert.equal(failure, 'the recovery has ended: the operator cancelled it: laptop found');

  const off = await lostRoot();
  const second = await begin(off);
  await announced(off);
  const turn = (isOn: boolean) =>
    store.exclusively((tx) => tx.instance.putServiceKey(sealedSwitch(envelope, isOn), instance.clock.now()));
  await turn(false);
  instance.clock.advance(25 * HOUR_MS);
  assert.match((await ended(off, second.activityId)).failure.message, /switched off on this instance/);
  await assert.rejects(begin(off), /switched off in this database/);
  // Neither a removed row nor one of another name turns it on.
  await instance.raw("DELETE FROM service_keys WHERE name = 'operator-recovery'");
  await assert.rejects(begin(off), /switched off in this database/);
  await instance.raw(
    "INSERT INTO service_keys (name, public_key, sealed, created_at) SELECT 'operator-recovery', '', sealed, 0 FROM service_keys WHERE name = 'operator-signer'",
  );
  await assert.rejects(begin(off));
  await turn(true);
});

test('a recovery is submitted by no path: not by the root quorum, and not with the type of another activity', async () => {
  const { old, userId } = await lostRoot();
  const parameters = { userId, apiKeyName: 'k', publicKey: newKeys().publicKey, reason: 'r', delaySeconds: 0, notBeforeMs: '0' };
  const body = old.bodyOf('COUNTERSIGN_RECOVER_ROOT_USER', { ...parameters, removeMfaPolicyIds: [], bindingMfaPolicyIds: [] });
  assert.equal(JSON.parse(body).type, TYPE);
  const paths = ['/public/v1/submit/countersign_recover_root_user', ...activities.map(({ path }) => path)];
  for (const path of paths) {
    const { status, text } = await old.send(path, body);
    assert.ok(status >= 400 && status < 500, `${path} answers ${status} ${text}`);
  }
  assert.deepEqual((await old.query('list_activities', { filterByType: [TYPE] })).body.activities, []);
});

test('a pending recovery in a copied database is told again, and its delay begins anew', async () => {
  const lost = await lostRoot();
  const { activityId } = await begin(lost);
  const first = Number(await announced(lost));
  instance.clock.advance(HOUR_MS);
  // The original may have had a root user’s stamp since.
  const copiedAt = instance.clock.now() - 1;
  const { engine } = instance;
  const isKnown = async () => {
    await quarantined('now', copiedAt);
    return engine.refusesBefore() === copiedAt;
  };
  await waitFor('the process to know of the copy', isKnown, 50);
  instance.clock.advance(25 * HOUR_MS);
  const again = async () => Number((await pendingOf(lost))?.takesEffectAtMs ?? Number.NaN) !== first;
  await waitFor('the recovery to go on', again, 50);
  assert.equal((await activityOf(lost, activityId)).status, 'ACTIVITY_STATUS_PENDING');
  instance.clock.advance(25 * HOUR_MS);
  assert.equal((await ended(lost, activityId)).status, 'ACTIVITY_STATUS_COMPLETED');
  await quarantined('now');
});

test('a root user’s stamp ends a recovery although the service’s time is ahead of the clocks of clients', async () => {
  const lost = await lostRoot();
  await instance.raw(`UPDATE clock SET reached = reached + ${2 * HOUR_MS}`);
  const { activityId } = await begin(lost);
  await lost.old.submit('CREATE_USER_TAG', { userTagName: 'mine', userIds: [] });
  assert.match((await activityOf(lost, activityId)).failure?.message ?? '', /stamped a request/);
});

test('a root quorum refuses recoveries for good, also of its sub-organizations, and a refused one takes no effect', async () => {
  const lost = await lostRoot();
  resultOf(await lost.old.submit('COUNTERSIGN_REFUSE_ROOT_RECOVERY', {}), 'countersignRefuseRootRecoveryResult');
  await assert.rejects(begin(lost), /the root quorum of the organization refuses recoveries/);
  // A body from before the recovery ends nothing, but it refuses. The quarantine keeps the root users from being told before that.
  const early = await lostRoot();
  const timestampMs = String(instance.clock.now());
  await quarantined(null);
  const pending = await begin(early);
  const refusal = await early.old.submit('COUNTERSIGN_REFUSE_ROOT_RECOVERY', {}, { timestampMs });
  resultOf(refusal, 'countersignRefuseRootRecoveryResult');
  await quarantined('now');
  await announced(early);
  instance.clock.advance(25 * HOUR_MS);
  assert.match((await ended(early, pending.activityId)).failure.message, /the root quorum of the organization refuses/);
  const other = await lostRoot();
  const { activityId } = await begin(other);
  await announced(other);
  resultOf(await instance.root.submit('COUNTERSIGN_REFUSE_ROOT_RECOVERY', {}), 'countersignRefuseRootRecoveryResult');
  instance.clock.advance(25 * HOUR_MS);
  assert.match((await ended(other, activityId)).failure.message, /the root quorum of the parent organization refuses/);
  await assert.rejects(begin(other), /parent organization refuses/);
});
