import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import Database from 'better-sqlite3';
import pg from 'pg';
import { signRawPayload } from '../../src/activities/signing/sign-raw-payload.ts';
import { systemRandom } from '../../src/base/random.ts';
import { envelope } from '../../src/custody/envelope.ts';
import { openMasterKeys } from '../../src/custody/masters.ts';
import { fileRoot } from '../../src/custody/roots/file.ts';
import { EnvelopeError } from '../../src/custody/types.ts';
import { KnownFacts } from '../../src/engine/request/known-facts.ts';
import { apiKey, ethereumAccount, newKeys, resultOf, submitPath } from '../support/client.ts';
import { engineName } from '../support/database.ts';
import { sharedInstance } from '../support/instance.ts';
import { denied, newWallet, signing } from './authority.ts';
import { newScene } from './known-facts.ts';

const instance = await sharedInstance();

const TYPE = 'SIGN_RAW_PAYLOAD_V2';
const PATH = submitPath(TYPE);

/** What workers ask for by the clock, which may fall into a test. A request has no statement of its own about these tables. */
const OF_WORKERS = /\b(clock|leases|deleted_organizations|outbox|webhook_queues|webhook_events|send_accounts|scans)\b/;

/** Every statement that requests bring to the database, until the test ends. */
function statementsOf(t: TestContext): string[] {
  const sent: string[] = [];
  const note = (sql: string) => {
    if (!OF_WORKERS.test(sql) || sql.includes('activities')) sent.push(sql);
  };
  if (engineName === 'postgres') {
    const { query } = pg.Client.prototype;
    t.mock.method(pg.Client.prototype, 'query', function (this: pg.Client, ...args: unknown[]) {
      note((args[0] as { text?: string }).text ?? String(args[0]));
      return query.apply(this, args as never);
    });
    return sent;
  }
  const statement = Object.getPrototypeOf(new Database(':memory:').prepare('SELECT 1'));
  for (const name of ['all', 'run', 'get']) {
    const own = statement[name];
    t.mock.method(statement, name, function (this: Database.Statement, ...args: unknown[]) {
      note(this.source);
      return own.apply(this, args);
    });
  }
  return sent;
}

/** What asks SQLite for a count of changes reads no row. */
const isRead = (sql: string): boolean => /^\s*select\b(?! total_changes)/i.test(sql);

for (const who of ['a root user', 'a user whom a policy allows'])
  test(`a signature of ${who} reads nothing but the version, with its record`, async (t) => {
    const { root, signer, address } = await newScene(instance);
    const client = who === 'a root user' ? root : signer;
    for (let i = 0; i < 3; i++) resultOf(await client.submit(TYPE, signing(address)), 'signRawPayloadResult');
    const sent = statementsOf(t);
    const answer = await client.submit(TYPE, signing(address));
    const seen = [...sent];
    t.mock.restoreAll();
    resultOf(answer, 'signRawPayloadResult');
    if (engineName === 'postgres') {
      assert.equal(seen.length, 1, seen.join('\n'));
      assert.match(seen[0]!, /INSERT INTO activities/);
    } else {
      const reads = seen.filter(isRead);
      assert.equal(reads.length, 1, reads.join('\n'));
      assert.match(reads[0]!, /^select "o"."version", .* from "organizations"/);
    }
  });

test('queries, votes, activities that write, and callers of the parent never use what is kept', async (t) => {
  const { root, signer, address, walletId } = await newScene(instance);
  for (let i = 0; i < 2; i++) resultOf(await signer.submit(TYPE, signing(address)), 'signRawPayloadResult');
  resultOf(await root.submit(TYPE, signing(address)), 'signRawPayloadResult');
  const recall = t.mock.method(KnownFacts.prototype, 'recall');
  assert.equal((await signer.query('whoami')).status, 200);
  resultOf(await root.submit('UPDATE_WALLET', { walletId, walletName: 'renamed' }), 'updateWalletResult');
  await root.submit('APPROVE_ACTIVITY', { fingerprint: `sha256:${'0'.repeat(64)}` });
  assert.equal(recall.mock.callCount(), 0);
  const parent = instance.root.as(instance.root.keys, root.organizationId);
  assert.equal((await parent.submit(TYPE, signing(address))).status, 400);
  assert.deepEqual(
    recall.mock.calls.map(({ result }) => result),
    [undefined],
  );
});

/** Keeps the cached facts, as if another process had made the change. */
const asElsewhere = (t: TestContext) => t.mock.method(KnownFacts.prototype, 'forget', () => {});

/** Counts how often keys are used. */
const signaturesOf = (t: TestContext) => t.mock.method(signRawPayload, 'execute').mock;

const recorded = async (organizationId: string): Promise<string[]> =>
  (
    await instance.raw(
      'SELECT status FROM activities WHERE organization_id = $1 AND type = $2',
      organizationId,
      `ACTIVITY_TYPE_${TYPE}`,
    )
  )
    .map(({ status }) => String(status).replace('ACTIVITY_STATUS_', ''))
    .sort();

test('a kept fact refuses no request: anything that it does not allow is decided by the database, and stored once', async (t) => {
  const { signer, address, root, organizationId } = await withDeny();
  asElsewhere(t);
  denied(await signer.submit(TYPE, signing(address.denied)), /policies denied/);
  resultOf(await root.submit('DELETE_POLICY', { policyId: address.policyId }), 'deletePolicyResult');
  resultOf(await signer.submit(TYPE, signing(address.denied)), 'signRawPayloadResult');
  assert.deepEqual(await recorded(organizationId), ['COMPLETED', 'COMPLETED', 'COMPLETED', 'FAILED', 'FAILED']);
});

/** A wallet that a DENY keeps the signer from, with all of it in memory. */
async function withDeny() {
  const { root, signer, address } = await newScene(instance);
  const other = await newWallet(root);
  const policy = { policyName: 'no', effect: 'EFFECT_DENY', condition: `wallet.id == '${other.walletId}'`, notes: '' };
  const { policyId } = resultOf(await root.submit('CREATE_POLICY_V3', policy), 'createPolicyResult');
  for (let i = 0; i < 2; i++) resultOf(await signer.submit(TYPE, signing(address)), 'signRawPayloadResult');
  denied(await signer.submit(TYPE, signing(other.addresses[0]!)));
  return { root, signer, organizationId: root.organizationId, address: { denied: other.addresses[0]!, policyId } };
}

test('an activity that needs approval is stored as waiting, once, and completed by the next approval', async (t) => {
  const { clients, organizationId } = await instance.newSubOrganization('Two', 2, 2);
  const [first, second] = [clients[0]!, clients[1]!];
  const made = first.bodyOf('CREATE_WALLET', { walletName: 'W', accounts: [ethereumAccount()] });
  await first.send(submitPath('CREATE_WALLET'), made);
  const { addresses } = resultOf(await second.send(submitPath('CREATE_WALLET'), made), 'createWalletResult');
  const used = signaturesOf(t);
  for (let i = 0; i < 3; i++) {
    const body = first.bodyOf(TYPE, signing(addresses[0]));
    assert.equal((await first.send(PATH, body)).body.activity.status, 'ACTIVITY_STATUS_CONSENSUS_NEEDED');
    assert.equal(used.callCount(), i);
    resultOf(await second.send(PATH, body), 'signRawPayloadResult');
  }
  assert.deepEqual(await recorded(organizationId), ['COMPLETED', 'COMPLETED', 'COMPLETED']);
});

test('a body that comes again is answered, not signed, where this process remembers it; what another signs is dropped', async (t) => {
  const { signer, address, root } = await newScene(instance);
  for (let i = 0; i < 2; i++) resultOf(await signer.submit(TYPE, signing(address)), 'signRawPayloadResult');
  const body = signer.bodyOf(TYPE, signing(address));
  const { activity } = (await signer.send(PATH, body)).body;
  const used = signaturesOf(t);
  const again = await signer.send(PATH, body);
  assert.equal(used.callCount(), 0);
  assert.deepEqual(again.body.activity, activity);
  t.mock.method(KnownFacts.prototype, 'remembers', () => false);
  const elsewhere = await signer.send(PATH, body);
  assert.equal(used.callCount(), 1);
  assert.deepEqual(elsewhere.body.activity, activity);
  const another = signer.bodyOf(TYPE, signing(address));
  const answers = await Promise.all(Array.from({ length: 20 }, () => signer.send(PATH, another)));
  const first = answers[0]!.body.activity;
  for (const answer of answers) assert.deepEqual(answer.body.activity, first);
  assert.deepEqual(await recorded(root.organizationId), Array(4).fill('COMPLETED'));
});

test('the expiry of a kept key is judged at each use, and no record is dated after it', async (t) => {
  const { root, signerId, address } = await newScene(instance);
  const keys = newKeys();
  const apiKeys = [apiKey(keys, { expirationSeconds: '60' })];
  const before = instance.clock.now();
  resultOf(await root.submit('CREATE_API_KEYS_V2', { userId: signerId, apiKeys }), 'createApiKeysResult');
  const brief = root.as(keys);
  for (let i = 0; i < 3; i++) resultOf(await brief.submit(TYPE, signing(address)), 'signRawPayloadResult');
  const { execute } = signRawPayload;
  t.mock.method(signRawPayload, 'execute', (...args: Parameters<typeof execute>) => {
    instance.clock.advance(61_000);
    return execute(...args);
  });
  const late = await brief.submit(TYPE, signing(address));
  t.mock.restoreAll();
  // It was sent in time, and is dated when its sender was judged.
  resultOf(late, 'signRawPayloadResult');
  const { createdAt } = late.body.activity;
  assert.ok(Number(createdAt.seconds) * 1000 < before + 60_000);
  const answer = await brief.submit(TYPE, signing(address));
  assert.equal(answer.status, 401, answer.text);
  assert.equal(answer.body.details[0].turnkeyErrorCode, 'API_KEY_EXPIRED');
});

test('a kept key that does not open is read again, once: keys may be sealed anew without a new version', async (t) => {
  const { signer, root, address, accountId } = await newScene(instance);
  for (let i = 0; i < 3; i++) resultOf(await signer.submit(TYPE, signing(address)), 'signRawPayloadResult');
  const sealedNow = async () => {
    const [row] = await instance.raw(
      'SELECT sealed FROM secrets WHERE organization_id = $1 AND id = $2',
      root.organizationId,
      accountId,
    );
    return row!.sealed as Buffer;
  };
  const old = await sealedNow();
  const wrapped = await instance.raw('SELECT version, root_id AS "rootId", wrapped FROM master_keys');
  const masters = await openMasterKeys(
    fileRoot(join(instance.dataDir, 'root.key'), systemRandom),
    wrapped.map((row) => ({ ...row, version: Number(row.version) })) as never,
  );
  const sealing = envelope(masters, systemRandom);
  const name = { organizationId: root.organizationId, id: accountId, purpose: 'account-key' };
  const anew = sealing.seal(name, sealing.open(name, old));
  await instance.raw(
    'UPDATE secrets SET sealed = $1 WHERE organization_id = $2 AND id = $3',
    anew,
    root.organizationId,
    accountId,
  );
  const met: Buffer[] = [];
  const { execute } = signRawPayload;
  /** As if the master key of the old form were gone. */
  const opensUnless = (fails: (sealed: Buffer) => boolean) =>
    t.mock.method(signRawPayload, 'execute', (step: Parameters<typeof execute>[0]) => {
      const { sealed } = step.subject as { sealed: Buffer };
      met.push(sealed);
      if (fails(sealed)) throw new EnvelopeError('does not open');
      return execute(step);
    });
  let mocked = opensUnless((sealed) => sealed.equals(old));
  for (let i = 0; i < 3; i++) resultOf(await signer.submit(TYPE, signing(address)), 'signRawPayloadResult');
  assert.deepEqual(
    met.map((sealed) => sealed.equals(old)),
    [true, false, false, false],
  );
  mocked.mock.restore();
  met.length = 0;
  mocked = opensUnless(() => true);
  const failed = await signer.submit(TYPE, signing(address));
  assert.equal(failed.status, 500);
  assert.equal(met.length, 2, 'then the error stands');
  mocked.mock.restore();
  resultOf(await signer.submit(TYPE, signing(address)), 'signRawPayloadResult');
  assert.deepEqual(await recorded(root.organizationId), Array(7).fill('COMPLETED'), 'what failed left nothing');
});

test('an organization is forgotten here when it changes here, before the change is answered', async (t) => {
  const { signer, root, address } = await newScene(instance);
  for (let i = 0; i < 3; i++) resultOf(await signer.submit(TYPE, signing(address)), 'signRawPayloadResult');
  const forget = t.mock.method(KnownFacts.prototype, 'forget');
  resultOf(await root.submit('UPDATE_ORGANIZATION_NAME', { organizationName: 'New' }), 'updateOrganizationNameResult');
  assert.deepEqual(
    forget.mock.calls.map(({ arguments: [organizationId] }) => organizationId),
    [root.organizationId],
  );
  const recall = t.mock.method(KnownFacts.prototype, 'recall');
  resultOf(await signer.submit(TYPE, signing(address)), 'signRawPayloadResult');
  assert.equal(recall.mock.calls[0]!.result, undefined);
});
