import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { SoftAuthenticator } from '../support/authenticator.ts';
import { type Answer, type Client, clientOf, ethereumAccount, newKeys, resultOf, userWith } from '../support/client.ts';
import { engineName, freshMigrated, plainSql } from '../support/database.ts';
import { amount } from '../support/full.ts';
import { addPasskey, byPasskey } from '../support/passkey-client.ts';
import { type ServiceProcess, startProcess } from '../support/process.ts';
import { waitFor } from '../support/wait.ts';
import { approvedBy, denied, newPolicy, newWallet, signing, waitingIn } from './authority.ts';

const ROUNDS = amount(3, 20);

describe('two processes on one database', { skip: engineName === 'sqlite' && 'needs PostgreSQL' }, () => {
  let dataDir: string;
  let database: NonNullable<Awaited<ReturnType<typeof freshMigrated>>>;
  let services: ServiceProcess[] = [];
  let one: Client;
  let two: Client;

  before(async () => {
    dataDir = mkdtempSync(join(tmpdir(), 'countersign-two-'));
    database = (await freshMigrated(dataDir))!;
    const env = { DATA_DIR: dataDir, DATABASE_URL: database.url };
    services = await Promise.all([startProcess(env), startProcess(env)]);
    await Promise.all(services.map((service) => service.ready()));
    [one, two] = services.map((service) => service.root()) as [Client, Client];
  });

  after(async () => {
    for (const service of services) service.child.kill('SIGTERM');
    for (const service of services) await service.exited;
    await database?.drop();
    if (dataDir) rmSync(dataDir, { recursive: true, force: true });
  });

  /** The same key at the other process. */
  const beside = (client: Client): Client =>
    clientOf(client.url === one.url ? two.url : one.url, client.keys, client.organizationId);

  async function quorum(name: string, threshold: number): Promise<[Client, Client, Client]> {
    const keys = [newKeys(), newKeys(), newKeys()];
    const parameters = {
      subOrganizationName: name,
      rootQuorumThreshold: threshold,
      rootUsers: keys.map((k, i) => userWith(`${name} ${i}`, [k])),
    };
    const made = resultOf(await one.submit('CREATE_SUB_ORGANIZATION_V8', parameters), 'createSubOrganizationResultV8');
    return keys.map((k) => one.as(k, made.subOrganizationId)) as [Client, Client, Client];
  }

  const approve = (client: Client, fingerprint: string) => client.submit('APPROVE_ACTIVITY', { fingerprint });
  const statusOf = (answer: Answer): string => answer.body.activity?.status ?? String(answer.status);

  async function names(client: Client): Promise<string[]> {
    const { wallets } = (await client.query('list_wallets')).body;
    return wallets.map((wallet: { walletName: string }) => wallet.walletName).sort();
  }

  test('two approvals at one instant, of which one is enough, carry it out once', async () => {
    const [first, second, third] = await quorum('One is enough', 2);
    const expected: string[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const walletName = `round ${String(round).padStart(2, '0')}`;
      expected.push(walletName);
      const waiting = waitingIn(await first.submit('CREATE_WALLET', { walletName, accounts: [ethereumAccount()] }));
      const both = [approve(second, waiting.fingerprint), approve(beside(third), waiting.fingerprint)];
      const answers = await Promise.all(round % 2 === 0 ? both : both.reverse());
      assert.deepEqual(answers.map(statusOf).sort(), ['403', 'ACTIVITY_STATUS_COMPLETED'], answers.map((a) => a.text).join('\n'));
      denied(answers.find((answer) => answer.status !== 200)!, /the activity has ended/);
      const { activity } = (await beside(first).query('get_activity', { activityId: waiting.id })).body;
      assert.equal(activity.votes.length, 2);
      const done = answers.find((answer) => answer.status === 200)!.body.activity;
      assert.deepEqual(activity.result.createWalletResult, done.result.createWalletResult);
    }
    assert.deepEqual(await names(first), expected);
  });

  test('two approvals at one instant, of which both are needed, are both counted and carry it out once', async () => {
    const [first, second, third] = await quorum('Both are needed', 3);
    const expected: string[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const walletName = `round ${String(round).padStart(2, '0')}`;
      expected.push(walletName);
      const waiting = waitingIn(await first.submit('CREATE_WALLET', { walletName, accounts: [ethereumAccount()] }));
      const answers = await Promise.all([approve(second, waiting.fingerprint), approve(beside(third), waiting.fingerprint)]);
      assert.deepEqual(
        answers.map(statusOf).sort(),
        ['ACTIVITY_STATUS_COMPLETED', 'ACTIVITY_STATUS_CONSENSUS_NEEDED'],
        answers.map((a) => a.text).join('\n'),
      );
      const { activity } = (await first.query('get_activity', { activityId: waiting.id })).body;
      assert.equal(activity.votes.length, 3);
      assert.equal(new Set(activity.votes.map((vote: { userId: string }) => vote.userId)).size, 3);
    }
    assert.deepEqual(await names(first), expected);
  });

  test('an approval and a rejection at one instant: one of them counts', async () => {
    const [first, second, third] = await quorum('Approved or rejected', 2);
    let completed = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const parameters = { walletName: `round ${round}`, accounts: [ethereumAccount()] };
      const { id, fingerprint } = waitingIn(await first.submit('CREATE_WALLET', parameters));
      const answers = await Promise.all([approve(second, fingerprint), beside(third).submit('REJECT_ACTIVITY', { fingerprint })]);
      const [status] = answers.filter((answer) => answer.status === 200).map(statusOf);
      assert.deepEqual(answers.map((answer) => answer.status).sort(), [200, 403], answers.map((a) => a.text).join('\n'));
      const { activity } = (await first.query('get_activity', { activityId: id })).body;
      assert.equal(activity.status, status);
      if (status === 'ACTIVITY_STATUS_COMPLETED') completed++;
    }
    assert.equal((await names(first)).length, completed);
  });

  async function newUser(name: string): Promise<{ userId: string; client: Client }> {
    const keys = newKeys();
    const users = [{ ...userWith(name, [keys]), userTags: [] }];
    const { userIds } = resultOf(await one.submit('CREATE_USERS_V4', { users }), 'createUsersResult');
    return { userId: userIds[0], client: one.as(keys) };
  }

  test('an API key deleted at one process is refused by the other at once', async () => {
    const { userId } = await newUser('Rotates');
    for (let round = 0; round < ROUNDS; round++) {
      const keys = newKeys();
      const apiKeys = [{ apiKeyName: `key ${round}`, publicKey: keys.publicKey, curveType: 'API_KEY_CURVE_P256' }];
      const { apiKeyIds } = resultOf(await one.submit('CREATE_API_KEYS_V2', { userId, apiKeys }), 'createApiKeysResult');
      const there = two.as(keys);
      assert.equal((await there.query('whoami')).status, 200);
      denied(await there.submit('CREATE_WALLET', { walletName: 'No', accounts: [] }));
      resultOf(await one.submit('DELETE_API_KEYS', { userId, apiKeyIds }), 'deleteApiKeysResult');
      const answers = [await there.query('whoami'), await there.submit('CREATE_WALLET', { walletName: 'No', accounts: [] })];
      for (const answer of answers) {
        assert.equal(answer.status, 401, answer.text);
        assert.equal(answer.body.details[0].turnkeyErrorCode, 'PUBLIC_KEY_NOT_FOUND');
      }
    }
  });

  test('passkeys added to a user at both processes at once are never more than ten', async () => {
    const { userId } = await newUser('Many passkeys');
    for (let round = 0; round < 3; round++) {
      const answers = await Promise.all(
        Array.from({ length: 14 }, (_, i) => {
          const authenticators = [new SoftAuthenticator().register()];
          return (i % 2 === 0 ? one : two).submit('CREATE_AUTHENTICATORS_V2', { userId, authenticators });
        }),
      );
      const { authenticators } = (await two.query('get_authenticators', { userId })).body;
      const of = (wanted: number) => answers.filter(({ status }) => status === wanted).length;
      const room = round === 0 ? 10 : 9;
      assert.deepEqual([of(200), of(429)], [room, answers.length - room], answers.map(({ text }) => text).join('\n'));
      assert.equal(authenticators.length, 10);
      const ids = authenticators.slice(1).map((one: { authenticatorId: string }) => one.authenticatorId);
      resultOf(await one.submit('DELETE_AUTHENTICATORS', { userId, authenticatorIds: ids }), 'deleteAuthenticatorsResult');
    }
  });

  test('a passkey deleted at one process is refused by the other at once', async () => {
    const { userId } = await newUser('Loses a passkey');
    for (let round = 0; round < ROUNDS; round++) {
      const authenticator = new SoftAuthenticator();
      const id = await addPasskey(one, userId, authenticator);
      const there = byPasskey(two, authenticator);
      assert.equal((await there.query('whoami')).status, 200);
      resultOf(await one.submit('DELETE_AUTHENTICATORS', { userId, authenticatorIds: [id] }), 'deleteAuthenticatorsResult');
      for (const answer of [await there.query('whoami'), await there.submit('CREATE_WALLET', { walletName: 'No', accounts: [] })])
        assert.deepEqual([answer.status, answer.body.details[0].turnkeyErrorCode], [401, 'CREDENTIAL_NOT_FOUND']);
    }
  });

  test('a policy deleted, or forbidding, at one process holds at the other at once', async () => {
    const { userId, client } = await newUser('Signs');
    const there = beside(client);
    const { walletId, addresses } = await newWallet(one);
    const condition = `activity.action == 'SIGN' && wallet.id == '${walletId}'`;
    for (let round = 0; round < ROUNDS; round++) {
      denied(await there.submit('SIGN_RAW_PAYLOAD_V2', signing(addresses[0]!)));
      const policyId = await newPolicy(one, { condition, consensus: approvedBy(userId) });
      resultOf(await there.submit('SIGN_RAW_PAYLOAD_V2', signing(addresses[0]!)), 'signRawPayloadResult');
      const deny = await newPolicy(one, { effect: 'EFFECT_DENY', condition });
      denied(await there.submit('SIGN_RAW_PAYLOAD_V2', signing(addresses[0]!)), new RegExp(`denied this action: ${deny}`));
      resultOf(await one.submit('DELETE_POLICIES', { policyIds: [deny] }), 'deletePoliciesResult');
      resultOf(await there.submit('SIGN_RAW_PAYLOAD_V2', signing(addresses[0]!)), 'signRawPayloadResult');
      resultOf(await one.submit('DELETE_POLICIES', { policyIds: [policyId] }), 'deletePoliciesResult');
    }
    denied(await there.submit('SIGN_RAW_PAYLOAD_V2', signing(addresses[0]!)));
  });

  // The last one: neither process does anything afterwards.
  test('a newer program that migrates the database ends the work of both, and each says so once', async () => {
    const { addresses } = await newWallet(one);
    await plainSql({ folder: dataDir, url: database.url }, "INSERT INTO migrations VALUES (999, 'later', 0)");
    const told = (service: ServiceProcess) =>
      service.output().match(/"level":"error".*schema version 999.*refuses all requests/g);
    for (const service of services) {
      await waitFor('it sees the newer schema by itself', () => told(service));
      const ready = await fetch(`${service.url}/ready`);
      assert.deepEqual([ready.status, /schema version 999/.test(await ready.text())], [503, true]);
      assert.equal((await fetch(`${service.url}/health`)).status, 200);
    }
    const asked = await Promise.all([
      one.submit('SIGN_RAW_PAYLOAD_V2', signing(addresses[0]!)),
      two.submit('CREATE_WALLET', { walletName: 'Too late', accounts: [] }),
      two.query('whoami'),
    ]);
    for (const { status, body } of asked)
      assert.deepEqual(
        [status, body.details[0].turnkeyErrorCode, /older than its database/.test(body.message)],
        [503, 'UNAVAILABLE', true],
      );
    for (const service of services) {
      service.child.kill('SIGTERM');
      assert.equal(await service.exited, 0, service.output());
      assert.equal(told(service)!.length, 1, service.output());
      // A worker that was writing at that moment may name it as a warning.
      assert.equal(service.output().match(/"level":"error".*schema version 999/g)!.length, 1, service.output());
    }
    const next = await startProcess({ DATA_DIR: dataDir, DATABASE_URL: database.url });
    assert.equal(await next.exited, 1);
    assert.match(next.output(), /schema version 999.*start the newer program/);
  });
});

// On SQLite the file has one skipped test, so that the runner does not take it for an empty one.
if (engineName === 'sqlite') test('two processes on one database', { skip: 'needs PostgreSQL' }, () => {});
