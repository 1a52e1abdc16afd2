/** An old copy of an instance, beside a chain on which the original has gone on. */
import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import Database from 'better-sqlite3';
import type { Send } from '../../src/model/send.ts';
import { openStore } from '../../src/store/store.ts';
import { hex, startSends } from '../chain-io/sends/evm/support.ts';
import { backupPlace } from '../support/backups.ts';
import { cli } from '../support/cli.ts';
import { type Client, clientOf, newKeys, post, resultOf } from '../support/client.ts';
import { engineName, type Fresh, freshDatabase, plainSql } from '../support/database.ts';
import { amount } from '../support/full.ts';
import { type ServiceProcess, startProcess } from '../support/process.ts';
import { type Liar, startLiar } from '../support/rpc-liar.ts';
import { waitFor } from '../support/wait.ts';

const GWEI = 10n ** 9n;
const place = await backupPlace();
let liar: Liar;
const world = await startSends({
  anvil: ['--no-mining'],
  urls: async (anvil) => {
    liar = await startLiar(anvil.url);
    return liar.url;
  },
});
const { instance, ask } = world;
const { credentials, root, dataDir, databaseUrl } = instance;
const databases: Fresh[] = [];
let isOpen = true;
after(async () => {
  if (isOpen) await instance.close();
  await liar.stop();
  await world.anvil.stop();
  for (const database of databases) await database.drop();
  place.remove();
});

const mine = (blocks = 1) => ask('anvil_mine', hex(blocks));
const isKnown = async (hash: string) => (await ask<object | null>('eth_getTransactionByHash', hash)) !== null;

type Case = { send: Send; to: string; account: string };
let cases = 0;
/** A send with its own account and recipient, whose balance shows how often it landed. */
async function accepted(account?: string, gwei = 20n): Promise<Case> {
  const to = `0x${(0xabc000 + cases++).toString(16).padStart(40, '0')}`;
  const from = account ?? (await world.newAccount());
  const fees = { maxFeePerGas: String(gwei * GWEI), maxPriorityFeePerGas: String(GWEI) };
  return { send: await world.accept(from, { calls: [{ to, value: '1', data: '0x' }], fees }), to, account: from };
}

async function out(gwei?: bigint): Promise<Case> {
  const made = await accepted(undefined, gwei);
  const send = await world.untilState(made.send, 'sent');
  await waitFor('the node has it', () => isKnown(send.hash));
  return { ...made, send };
}

const landed = async ({ to }: Case): Promise<number> => Number(await ask('eth_getBalance', to, 'latest'));

const env = { DATA_DIR: dataDir, ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }) };

type Home = { name: string; env: Record<string, string> };
let homes = 0;
async function newHome(name: string): Promise<Home> {
  const folder = place.at(`home-${homes++}`);
  mkdirSync(folder, { mode: 0o700 });
  const database = await freshDatabase();
  if (database) databases.push(database);
  const key = join(folder, 'root.key');
  copyFileSync(place.at('root.key'), key);
  return {
    name,
    env: { DATA_DIR: folder, RPC_URL_EIP155_31337: world.anvil.url, ...(database ? { DATABASE_URL: database.url } : {}) },
  };
}

const NAMES = ['sped up', 'cancelled', 'raised', 'sent later', 'still out', 'never sent'] as const;
const all = {} as Record<(typeof NAMES)[number], Case>;
type Tagged = Awaited<ReturnType<typeof tag>>;
let before: Tagged & { id: string };
let afterwards: Tagged;

async function tag(client: Client, text: string) {
  const path = '/public/v1/submit/create_user_tag';
  const body = client.bodyOf('CREATE_USER_TAG', { userTagName: text, userIds: [] });
  return { path, body, answer: await client.send(path, body) };
}

/** A login's key and a read-only session. The copy is younger than both. */
const login = newKeys();
let readOnly: string;

async function logIn(): Promise<void> {
  resultOf(await root.submit('STAMP_LOGIN', { publicKey: login.publicKey }), 'stampLoginResult');
  readOnly = resultOf(await root.submit('CREATE_READ_ONLY_SESSION', {}), 'createReadOnlySessionResult').session;
}

const bySessions = async ({ as, url, organizationId }: Client) =>
  Promise.all([
    as(login).query('whoami'),
    post(`${url}/public/v1/query/whoami`, JSON.stringify({ organizationId }), { 'x-session': readOnly }),
  ]);

type Dump = [table: string, rows: string][];

/** All rows, as pg_dump takes them. The one of this machine may be older than the server. */
async function dumped(url: string): Promise<Dump> {
  const names = await plainSql(
    { folder: '', url },
    "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'",
  );
  const all: Dump = [];
  for (const { relname } of names) {
    const [found] = await plainSql({ folder: '', url }, `SELECT coalesce(json_agg(t), '[]')::text AS rows FROM "${relname}" t`);
    all.push([String(relname), String(found!.rows)]);
  }
  return all;
}

async function loaded(url: string, dump: Dump): Promise<void> {
  const store = openStore({ folder: '', url, poolSize: 1 });
  await store.migrate(Date.now());
  await store.close();
  for (const [table, rows] of dump) {
    await plainSql({ folder: '', url }, `DELETE FROM "${table}"`);
    await plainSql({ folder: '', url }, `INSERT INTO "${table}" SELECT * FROM json_populate_recordset(null::"${table}", $1)`, [
      rows,
    ]);
  }
}

/** The copies are taken here, by each means. */
const copies: { how: string; into(home: Home): Promise<void> }[] = [];

async function copy(): Promise<void> {
  copyFileSync(join(dataDir, 'root.key'), place.at('root.key'));
  const backup = await cli(['backup', '--out', place.at('copy.age'), '--recipient', place.recipient, '--without-root-key'], {
    env,
  });
  assert.equal(backup.code, 0, backup.err);
  copies.push({
    how: 'restored by our command',
    async into(home) {
      const {
        code,
        err,
        out: text,
      } = await cli(['restore', '--from', place.at('copy.age'), '--identity', place.identityFile], home);
      assert.equal(code, 0, err);
      assert.match(text, /^what was revoked after the copy is back\. The newest as of .*\n(?: {2}.* credential .*\n)+/m);
      assert.match(text, /^ {2}root quorum: 1 of /m);
    },
  });
  if (databaseUrl === undefined) {
    const file = new Database(join(dataDir, 'countersign.db'), { readonly: true });
    file.exec(`VACUUM INTO '${place.at('copy.db')}'`);
    file.close();
    copies.push({
      how: 'a copied file',
      into: async ({ env: { DATA_DIR } }) => copyFileSync(place.at('copy.db'), join(DATA_DIR!, 'countersign.db')),
    });
    return;
  }
  const rows = await dumped(databaseUrl);
  copies.push({ how: 'a dump', into: ({ env: { DATABASE_URL } }) => loaded(DATABASE_URL!, rows) });
}

const wish = async (type: string, { send }: Case) =>
  assert.equal((await root.submit(type, { sendTransactionStatusId: send.id, reason: 'a test' })).status, 200);

const setBaseFee = (wei: bigint) => ask('anvil_setNextBlockBaseFeePerGas', hex(wei));
const newestOf = async ({ send }: Case) => (await world.attemptsOf(send)).at(-1)!;

test(`an instance is copied while sends are out, and goes on, on ${engineName}`, async () => {
  const tagged = await tag(root, 'before');
  before = { ...tagged, id: tagged.answer.body.activity.id };
  await logIn();
  await setBaseFee(6n * GWEI);
  await mine();
  for (const name of ['sped up', 'cancelled', 'still out'] as const) all[name] = await out();
  all.raised = await out(8n);
  const [later, never] = [await world.newAccount(), await world.newAccount()];
  await liar.listen(false);
  all['sent later'] = await accepted(later);
  all['never sent'] = await accepted(never);
  await copy();
  for (const { status, text } of await bySessions(root)) assert.equal(status, 200, text);
  // The original goes on. It ends one send without a trace on the chain.
  await instance.raw("UPDATE sends SET state = 'failed' WHERE id = $1", all['never sent'].send.id);
  await liar.listen(true);
  afterwards = await tag(root, 'afterwards');
  assert.equal(afterwards.answer.status, 200);
  await wish('COUNTERSIGN_SPEED_UP_SEND', all['sped up']);
  await wish('COUNTERSIGN_CANCEL_SEND', all.cancelled);
  await setBaseFee(9n * GWEI);
  for (const name of ['sped up', 'cancelled', 'raised', 'sent later'] as const)
    await waitFor(`${name} goes on`, async () => {
      instance.clock.advance(5_000);
      const newest = await newestOf(all[name]);
      return newest !== undefined && newest.number > (name === 'sent later' ? 0 : 1) && (await isKnown(newest.hash));
    });
  const stillOut = (await newestOf(all['still out'])).hash;
  await instance.close();
  isOpen = false;
  await ask('anvil_dropTransaction', stillOut);
  await mine();
});

/** What each send may become, and how often it may land in all copies together. */
const ENDS = {
  'sped up': ['FAILED', 1],
  cancelled: ['FAILED', 0],
  raised: ['FAILED', 1],
  'sent later': ['FAILED', 1],
  'still out': ['INCLUDED', 1],
  'never sent': ['INCLUDED', 1],
} as const;

async function statesIn(
  client: Client,
): Promise<Record<string, { txStatus: string; waitsFor?: string; error?: { message: string } }>> {
  const { sends } = (await client.query('list_sends', { paginationOptions: { limit: '100' } })).body;
  return Object.fromEntries(
    NAMES.map((name) => [
      name,
      sends.find((one: { sendTransactionStatusId: string }) => one.sendTransactionStatusId === all[name].send.id),
    ]),
  );
}

const counts = async () =>
  Object.fromEntries(await Promise.all(NAMES.map(async (name) => [name, await landed(all[name])] as const)));
const nonces = async () => Promise.all(NAMES.map((name) => world.nonceOf(all[name].account)));
const pending = async () => Promise.all(NAMES.map((name) => ask('eth_getTransactionCount', all[name].account, 'pending')));

async function released(home: Home, ...more: string[]) {
  const ran = await cli(['sends', 'release', '--json', ...more], home);
  return { ...ran, told: JSON.parse(ran.out) };
}

type Told = { told: { sends: { sendTransactionStatusId: string; fate: string }[] } };
const fatesIn = ({ told: { sends } }: Told) => sends.map(({ sendTransactionStatusId: id, fate }) => `${id} ${fate}`).toSorted();

/** Stops the service on SQLite, whose database has one process at a time. */
async function onDatabase<T>(running: Running, work: () => Promise<T>): Promise<T> {
  if (engineName === 'sqlite') await running.stop();
  try {
    return await work();
  } finally {
    if (engineName === 'sqlite') await running.start();
  }
}

type Running = { home: Home; client(): Client; stop(): Promise<void>; start(): Promise<void>; output(): string };

async function run(home: Home): Promise<Running> {
  let service: ServiceProcess;
  const { organizationId } = credentials;
  const keys = { publicKey: credentials.apiPublicKey, privateKey: credentials.apiPrivateKey };
  const running: Running = {
    home,
    // Its bodies are of a later time than those that the original may have accepted.
    client: () => clientOf(service.url, keys, organizationId, () => Date.now() + 299_950),
    output: () => service.output(),
    async start() {
      service = await startProcess(home.env);
      await service.ready();
    },
    async stop() {
      service.child.kill('SIGTERM');
      await service.exited;
    },
  };
  await running.start();
  return running;
}

const readyOf = async ({ client }: Running) =>
  (await fetch(`${client().url}/ready`)).json() as Promise<{ warnings?: { code: string }[] }>;
const isQuarantined = async (running: Running) =>
  ((await readyOf(running)).warnings ?? []).some(({ code }) => code === 'QUARANTINE');

/** The original may have ended them since. */
async function endsSessions(client: Client): Promise<void> {
  const [byLogin, byReadOnly] = await bySessions(client);
  assert.deepEqual([byLogin!.status, byReadOnly!.status], [401, 401], byLogin!.text);
  assert.match(byLogin!.body.message, /^expired api key: /);
  assert.match(byReadOnly!.body.message, /the session in X-Session is unknown, or has ended/);
}

async function holds(running: Running, isFirst: boolean): Promise<void> {
  assert.ok(await isQuarantined(running));
  assert.match(running.output(), /in quarantine since .* run \\"countersign sends release\\"/);
  const client = running.client();
  if (isFirst) await endsSessions(client);
  const known = await client.send(before.path, before.body);
  assert.equal(known.body.activity.id, before.id, 'a known body has its answer');
  const unknown = await client.send(afterwards.path, afterwards.body);
  assert.equal(unknown.status, 400);
  assert.match(unknown.body.message, /^request timestamp is from before this copy of the service/);
  const made = await client.submit('CREATE_USER_TAG', { userTagName: `new ${running.home.name}`, userIds: [] });
  assert.equal(made.status, 200, JSON.stringify(made.body));
  const [were, out] = [await nonces(), await pending()];
  await mine(70);
  assert.deepEqual(await nonces(), were, 'nothing is sent');
  assert.deepEqual(await pending(), out);
  if (isFirst) for (const { waitsFor } of Object.values(await statesIn(client))) assert.match(waitsFor!, /^quarantine: /);
}

async function ends(running: Running): Promise<void> {
  await waitFor('each send has ended', async () => {
    await mine(10);
    return Object.entries(await statesIn(running.client())).every(
      ([, { txStatus }]) => txStatus === 'FAILED' || txStatus === 'INCLUDED',
    );
  });
  await mine(70);
}

test(`a copy never repeats what the original did, before and after its release, on ${engineName}`, async () => {
  for (const [i, { how, into }] of copies.slice(0, amount(1, 2)).entries()) {
    const home = await newHome(how);
    await into(home);
    const running = await run(home);
    try {
      await holds(running, i === 0);
      await running.stop();
      await running.start();
      assert.ok(await isQuarantined(running), 'a restart ends nothing');
      const planned = await released(home, '--dry-run');
      const away = { ...home, env: { ...home.env, RPC_URL_EIP155_31337: '' } };
      const without = await onDatabase(running, () => released(away));
      assert.equal(without.code, 1);
      assert.ok(without.told.sends.every(({ fate }: { fate: string }) => fate === 'held'));
      assert.ok(await isQuarantined(running), 'what was not asked about stays in quarantine');
      const done = await onDatabase(running, () => released(home));
      assert.equal(done.code, 0, done.err);
      assert.deepEqual(fatesIn(done), fatesIn(planned));
      assert.ok(!(await isQuarantined(running)));
      await ends(running);
      const states = await statesIn(running.client());
      const isLater = i > 0;
      for (const name of NAMES) {
        const [status, times] = ENDS[name];
        // The copy before has sent it: another nonce of the account is unknown to this one.
        const expected = isLater && name === 'never sent' ? 'FAILED' : status;
        assert.equal(states[name]!.txStatus, expected, `${how}: ${name}: ${JSON.stringify(states[name])}`);
        assert.equal((await counts())[name], times, `${how}: ${name}`);
      }
      assert.match(states['sped up']!.error!.message, /^a transaction that this instance does not know used the nonce 0 of /);
      assert.match(states['sent later']!.error!.message, / has transactions on the chain that this instance does not know/);
      const again = await running.client().send(afterwards.path, afterwards.body);
      assert.equal(again.status, 400, 'for good, also after the quarantine');
      await running.stop();
      await running.start();
      assert.ok(!(await isQuarantined(running)), 'the quarantine is entered once');
    } finally {
      await running.stop();
    }
  }
});
