import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { tables } from '../../src/store/tables/index.ts';
import { bulk } from '../store/many.ts';
import {
  type Answer,
  type Client,
  clientOf,
  ethereumAccount,
  type Keys,
  newKeys,
  resultOf,
  submitPath,
  userWith,
} from '../support/client.ts';
import { engineName, freshMigrated, rawSql } from '../support/database.ts';
import { amount } from '../support/full.ts';
import { type ServiceProcess, startProcess } from '../support/process.ts';
import { refused } from '../support/refusals.ts';
import { newWallet, signing } from './authority.ts';

const UNKNOWN: [number, string, RegExp] = [404, 'ORGANIZATION_NOT_FOUND', /no organization found/];
const TYPE = 'CREATE_SUB_ORGANIZATION_V8';
const DELETE = 'DELETE_SUB_ORGANIZATION';

let dataDir: string;
let database: Awaited<ReturnType<typeof freshMigrated>>;
let env: Record<string, string>;

before(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'countersign-subs-'));
  database = await freshMigrated(dataDir);
  env = { DATA_DIR: dataDir, ...(database ? { DATABASE_URL: database.url } : {}) };
});
after(async () => {
  await database?.drop();
  rmSync(dataDir, { recursive: true, force: true });
});

const raw = (sql: string, ...values: unknown[]) => rawSql({ folder: dataDir, url: database?.url }, sql, values);

async function started(): Promise<ServiceProcess> {
  const service = await startProcess(env);
  await service.ready();
  return service;
}

async function ended(service: ServiceProcess, signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
  service.child.kill(signal);
  const code = await service.exited;
  if (signal === 'SIGTERM') assert.equal(code, 0, service.output());
}

const wanted = (name: string, keys: Keys) => ({
  subOrganizationName: name,
  rootQuorumThreshold: 1,
  rootUsers: [userWith(name, [keys])],
  wallet: { walletName: 'W', accounts: [ethereumAccount()] },
});

async function newSub(root: Client, name: string): Promise<{ id: string; keys: Keys; client: Client }> {
  const keys = newKeys();
  const made = resultOf(await root.submit(TYPE, wanted(name, keys)), 'createSubOrganizationResultV8');
  return { id: made.subOrganizationId, keys, client: root.as(keys, made.subOrganizationId) };
}

/** Rows that each sub-organization of the test has, by table. */
const WHOLE = { users: 1, credentials: 1, wallets: 1, wallet_accounts: 1, signers: 1, secrets: 2 };

async function rowsOf(id: string): Promise<Record<string, number>> {
  const found: Record<string, number> = {};
  for (const table of Object.keys(WHOLE)) {
    const [row] = await raw(`SELECT count(*) AS n FROM ${table} WHERE organization_id = $1`, id);
    found[table] = Number(row!.n);
  }
  return found;
}

test('kill -9 while sub-organizations are made: each is there whole, or not at all', async () => {
  const acknowledged = new Map<string, Keys>();
  for (let round = 0; round < amount(2, 2, 5); round++) {
    const service = await started();
    const root = service.root();
    let left = 10 + 7 * round;
    const make = async (worker: number): Promise<void> => {
      for (let i = 0; ; i++) {
        const keys = newKeys();
        const sent = root.submit(TYPE, wanted(`r${round}w${worker}i${i}`, keys));
        left -= 1;
        if (left === 0) service.child.kill('SIGKILL');
        let answer: Answer;
        try {
          answer = await sent;
        } catch {
          return;
        }
        acknowledged.set(resultOf(answer, 'createSubOrganizationResultV8').subOrganizationId, keys);
      }
    };
    await Promise.all([service.exited, ...Array.from({ length: 4 }, (_, worker) => make(worker))]);
  }
  const service = await started();
  const root = service.root();
  const ids: string[] = [];
  for (let more = true; more; ) {
    const paginationOptions = { limit: '100', ...(ids.length > 0 && { after: ids.at(-1) }) };
    const { organizationIds } = (await root.query('list_suborgs', { paginationOptions })).body;
    ids.push(...organizationIds);
    more = organizationIds.length === 100;
  }
  assert.ok(acknowledged.size > 10, `${acknowledged.size} were acknowledged`);
  for (const id of ids) assert.deepEqual(await rowsOf(id), WHOLE, id);
  for (const [id, keys] of acknowledged) {
    assert.ok(ids.includes(id), `${id} was acknowledged`);
    assert.equal((await root.as(keys, id).query('whoami')).body.organizationId, id);
  }
  await ended(service, 'SIGTERM');
  const orphans =
    'SELECT count(*) AS n FROM users u WHERE NOT EXISTS (SELECT 1 FROM organizations o WHERE o.id = u.organization_id)';
  const [row] = await raw(orphans);
  assert.equal(Number(row!.n), 0, 'no users without their organization');
});

test('a large sub-organization that was deleted stays deleted after kill -9, and the rest of it goes', async () => {
  const ACCOUNTS = amount(5_000, 10_000, 20_000);
  let service = await started();
  const { id, client } = await newSub(service.root(), 'Large');
  const { addresses } = await newWallet(client);
  const signed = await client.submit('SIGN_RAW_PAYLOAD_V2', signing(addresses[0]!));
  await ended(service, 'SIGTERM');
  const rows = await bulk({ folder: dataDir, url: database?.url });
  const idAt = (n: number) => `${String(n).padStart(8, '0')}-0001-7000-8000-000000000000`;
  const [wallet, times] = [idAt(ACCOUNTS), { createdAt: 1, updatedAt: 1 }];
  await rows.insert(tables.walletAccounts, ACCOUNTS, (n) => {
    const of = { organizationId: id, id: idAt(n), walletId: wallet, curve: 'c', publicKey: 'p', exported: false, ...times };
    return { ...of, path: `m/${n}`, addressFormat: 'f', address: `address ${n}`, name: null };
  });
  await rows.insert(tables.secrets, ACCOUNTS, (n) => {
    return { organizationId: id, id: idAt(n), purpose: 'account-key' as const, sealed: Buffer.alloc(60) };
  });
  await rows.close();

  service = await started();
  const at = (url: string) => clientOf(url, client.keys, id);
  const sent = at(service.url).bodyOf(DELETE, { deleteWithoutExport: true });
  const deleted = await at(service.url).send(submitPath(DELETE), sent);
  assert.deepEqual(resultOf(deleted, 'deleteSubOrganizationResult'), { subOrganizationUuid: id });
  refused(await at(service.url).submit('SIGN_RAW_PAYLOAD_V2', signing(addresses[0]!)), UNKNOWN);
  await ended(service, 'SIGKILL');
  assert.ok(((await rowsOf(id)).secrets ?? 0) > 0, 'the deletion did not wait for all keys');

  service = await started();
  refused(await at(service.url).query('whoami'), UNKNOWN);
  refused(await at(service.url).send(submitPath(DELETE), sent), UNKNOWN);
  const root = service.root();
  while (Object.values(await rowsOf(id)).some((count) => count > 0)) {
    // Others are served meanwhile.
    assert.equal((await root.submit('CREATE_USER_TAG', { userTagName: 'x', userIds: [] })).status < 500, true);
    await pause(20);
  }
  const parent = root.as(root.keys, id);
  for (const activity of [signed, deleted].map((answer) => answer.body.activity)) {
    const found = (await parent.query('get_activity', { activityId: activity.id })).body.activity;
    assert.equal(found.status, 'ACTIVITY_STATUS_COMPLETED');
  }
  await ended(service, 'SIGTERM');
});

test('no key signs once its deletion was acknowledged, whatever another process keeps in memory', async () => {
  const services = [await started(), ...(engineName === 'sqlite' ? [] : [await started()])];
  const [one, other] = [services[0]!.url, services.at(-1)!.url];
  for (let round = 0; round < amount(2, 3, 8); round++) {
    const { id, client } = await newSub(services[0]!.root(), `Signs ${round}`);
    const there = clientOf(other, client.keys, id);
    const { addresses } = await newWallet(client);
    const sign = () => there.submit('SIGN_RAW_PAYLOAD_V2', signing(addresses[0]!));
    // From here on, what the signature needs is kept.
    for (let i = 0; i < 3; i++) resultOf(await sign(), 'signRawPayloadResult');
    const underWay = Array.from({ length: 8 }, sign);
    resultOf(await clientOf(one, client.keys, id).submit(DELETE, { deleteWithoutExport: true }), 'deleteSubOrganizationResult');
    const later = await Promise.all(Array.from({ length: 4 }, sign));
    for (const answer of later) refused(answer, UNKNOWN);
    const parent = services[0]!.root().as(services[0]!.root().keys, id);
    for (const answer of await Promise.all(underWay)) {
      if (answer.status !== 200) refused(answer, UNKNOWN);
      else {
        const { activity } = (await parent.query('get_activity', { activityId: answer.body.activity.id })).body;
        assert.equal(activity.status, 'ACTIVITY_STATUS_COMPLETED', 'what was signed is on record');
      }
    }
  }
  for (const service of services) await ended(service, 'SIGTERM');
});
