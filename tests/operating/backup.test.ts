import assert from 'node:assert/strict';
import { existsSync, rmSync, statSync } from 'node:fs';
import { after, before, test } from 'node:test';
import type { Finding } from '../../src/operator/doctor/finding.ts';
import { type BackupPlace, backupPlace, textOf } from '../support/backups.ts';
import { cli } from '../support/cli.ts';
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
import { engineName, type Fresh, freshDatabase } from '../support/database.ts';
import { amount } from '../support/full.ts';
import { type ServiceProcess, startProcess } from '../support/process.ts';

const SOLANA = {
  curve: 'CURVE_ED25519',
  pathFormat: 'PATH_FORMAT_BIP32',
  path: "m/44'/501'/0'/0'",
  addressFormat: 'ADDRESS_FORMAT_SOLANA',
};

let place: BackupPlace;
const databases: Fresh[] = [];
after(async () => {
  for (const database of databases) await database.drop();
  place.remove();
});

type Home = { env: Record<string, string>; dataDir: string };

let homes = 0;
/** Settings for an instance that does not exist yet. */
async function newHome(engine: 'sqlite' | 'postgres' = engineName): Promise<Home> {
  const dataDir = place.at(`data-${homes++}`);
  const database = engine === 'postgres' ? await freshDatabase() : undefined;
  if (database) databases.push(database);
  return { dataDir, env: { DATA_DIR: dataDir, LIMIT_WALLETS: '100000', ...(database ? { DATABASE_URL: database.url } : {}) } };
}

/** A body that was answered, and its activity. */
type Answered = { path: string; body: string; id: string; result: unknown; at: number };

const answered: Answered[] = [];
const keys = newKeys();
let organizationId: string;

async function submitted(client: Client, type: string, parameters: object): Promise<Answer> {
  const [path, body] = [submitPath(type), client.bodyOf(type, parameters)];
  const answer = await client.send(path, body);
  if (answer.status !== 200) return answer;
  const { activity: _, ...result } = answer.body.activity.result;
  const { id } = answer.body.activity;
  answered.push({ path, body, id, result, at: Date.now() });
  return answer;
}

const sign = (client: Client, signWith: string, payload: string, submit = submitted) =>
  submit(client, 'SIGN_RAW_PAYLOAD_V2', {
    signWith,
    payload,
    encoding: 'PAYLOAD_ENCODING_TEXT_UTF8',
    hashFunction: signWith.startsWith('0x') ? 'HASH_FUNCTION_SHA256' : 'HASH_FUNCTION_NOT_APPLICABLE',
  });

let wallets = 0;
async function newWallet(client: Client): Promise<string[]> {
  const made = await submitted(client, 'CREATE_WALLET', {
    walletName: `Wallet ${wallets++}`,
    accounts: [ethereumAccount(), SOLANA],
  });
  return resultOf(made, 'createWalletResult').addresses;
}

/** Wallets and signatures, until the service is gone. */
async function load(client: Client, going: { on: boolean }): Promise<void> {
  while (going.on) {
    const [address] = await newWallet(client).catch(() => []);
    for (let i = 0; address && going.on && i < 5; i++) await sign(client, address, `load ${i}`).catch(() => {});
  }
}

const inCopy = (home: Home, options: readonly string[]) => cli(options, { env: home.env });

type Made = { rows: Record<string, number>; createdAt: string; holdsRootKey: boolean };

async function backedUp(home: Home, file: string): Promise<Made> {
  const { code, out, err } = await inCopy(home, ['backup', '--out', file, '--recipient', place.recipient, '--json']);
  assert.equal(code, 0, err);
  assert.match(err, /^note: the copy holds the root key/m);
  assert.equal(statSync(file).mode & 0o777, 0o600);
  return JSON.parse(out);
}

async function restored(home: Home, file: string): Promise<void> {
  const { code, err } = await inCopy(home, ['restore', '--from', file, '--identity', place.identityFile]);
  assert.equal(code, 0, err);
}

let service: ServiceProcess;
let first: Home;
let addresses: string[];
/** Signatures of one payload by each address. */
let signatures: unknown[];
let made: Made;

const signed = async (client: Client) => {
  const all = [];
  for (const address of addresses)
    all.push(
      resultOf(
        await sign(client, address, 'the same', async (by, type, parameters) => by.submit(type, parameters)),
        'signRawPayloadResult',
      ),
    );
  return all;
};

const clientAt = ({ url }: ServiceProcess, now = Date.now, own: Keys = keys) => clientOf(url, own, organizationId, now);

/** New bodies of a copy are of a later time than those that its original may have accepted. */
const later = () => Date.now() + 299_950;

before(async () => {
  place = await backupPlace();
  first = await newHome();
  service = await startProcess(first.env);
  await service.ready();
  const parameters = { subOrganizationName: 'Sub', rootQuorumThreshold: 1, rootUsers: [userWith('Root', [keys])] };
  const sub = resultOf(await service.root().submit('CREATE_SUB_ORGANIZATION_V8', parameters), 'createSubOrganizationResultV8');
  organizationId = sub.subOrganizationId;
  const client = clientAt(service);
  addresses = [...(await newWallet(client)), ...(await newWallet(client))];
  signatures = await signed(client);
});

test('a copy is made while clients sign and create wallets', async () => {
  const going = { on: true };
  const clients = Array.from({ length: amount(3, 10) }, () => load(clientAt(service), going));
  while (answered.length < amount(20, 100, 300)) await new Promise((resolve) => setTimeout(resolve, 20));
  try {
    made = await backedUp(first, place.at('first.age'));
  } finally {
    going.on = false;
    await Promise.all(clients);
  }
  assert.ok(
    answered.some(({ at }) => at > Date.parse(made.createdAt)),
    'clients wrote during the copy',
  );
  const { findings } = JSON.parse((await inCopy(first, ['doctor', '--json'])).out) as { findings: Finding[] };
  assert.equal(findings.find(({ check }) => check === 'backup')?.text, 'the last copy is 0 hours old');
  service.child.kill('SIGKILL');
  await service.exited;
  rmSync(first.dataDir, { recursive: true });
});

/** Starts the restored instance, and compares it with what clients were told. */
async function compare(home: Home): Promise<void> {
  const running = await startProcess(home.env);
  try {
    await running.ready();
    const client = clientAt(running, later);
    const before = answered.filter(({ at }) => at < Date.parse(made.createdAt));
    assert.ok(before.length >= amount(20, 100, 300));
    for (const { path, body, id, result } of before) {
      const { activity } = (await client.query('get_activity', { activityId: id })).body;
      assert.deepEqual(activity?.result, result);
      assert.equal((await client.send(path, body)).body.activity.id, id, 'a known body is not carried out again');
    }
    assert.deepEqual(await signed(client), signatures, 'each key signs the same');
    const [address] = await newWallet(client);
    assert.equal((await sign(client, address!, 'new')).status, 200);
    const { activities } = (await client.query('list_activities', { paginationOptions: { limit: '1' } })).body;
    assert.equal(activities[0].id, answered.at(-1)!.id, 'new activities follow the restored ones');
  } finally {
    running.child.kill('SIGTERM');
    await running.exited;
    for (const later of answered.splice(0)) if (later.at < Date.parse(made.createdAt)) answered.push(later);
  }
}

test('a drill proves the copy, and leaves nothing', async () => {
  const options = ['restore', '--drill', '--from', place.at('first.age'), '--identity', place.identityFile, '--json'];
  const { code, out, err } = await inCopy(await newHome('sqlite'), options);
  assert.equal(code, 0, err);
  const proved = JSON.parse(out);
  assert.deepEqual(proved.faults, []);
  assert.equal(proved.rootKey, 'the copy');
  assert.equal(proved.stamps, Math.min(1000, made.rows.activities!));
  // Mnemonics and the keys of their accounts.
  assert.ok(proved.secrets >= made.rows.secrets! && made.rows.secrets! > made.rows.wallets!);
});

test(`a copy of ${engineName} restores on ${engineName}`, async () => {
  const home = await newHome();
  await restored(home, place.at('first.age'));
  await compare(home);
});

const unlessPostgres = engineName === 'postgres' ? false : 'needs PostgreSQL';

test('a copy of PostgreSQL restores on SQLite, and a copy of that on PostgreSQL', { skip: unlessPostgres }, async () => {
  const onSqlite = await newHome('sqlite');
  await restored(onSqlite, place.at('first.age'));
  await compare(onSqlite);
  await backedUp(onSqlite, place.at('second.age'));
  const onPostgres = await newHome('postgres');
  await restored(onPostgres, place.at('second.age'));
  await compare(onPostgres);
  assert.ok(!existsSync(`${onPostgres.dataDir}/countersign.db`));
});

test('each table of the schema is in a copy', async () => {
  const { tables } = await import('../../src/store/tables/index.ts');
  const lines = (await textOf(place, place.at('first.age')))
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  assert.deepEqual(
    lines.flatMap(({ table }) => table ?? []),
    Object.values(tables).map(({ name }) => name),
  );
});
