/**
 * Writes tests/released/VERSION: what this version leaves on disk and shows, for later versions to be held against.
 *
 *   node tests/released/freeze.ts 0.2.0      once, as the last step of a release. Needs PostgreSQL
 */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import Database from 'better-sqlite3';
import { activities } from '../../src/activities/index.ts';
import type { Client } from '../support/client.ts';
import { plainSql } from '../support/database.ts';
import type { Instance } from '../support/instance.ts';
import { startPostgres } from '../support/postgres.ts';
import { newTopLevel, roomy } from '../support/world/homes.ts';
import { thingsIn } from '../support/world/kinds.ts';
import { goodParameters, send, versionsOf } from '../support/world/parameters.ts';
import { PLACES } from '../support/world/runs.ts';
import { errorsNow } from './errors.ts';
import { type Frozen, shownActivity, signatureOf } from './frozen.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const [version = ''] = process.argv.slice(2);
if (version !== JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).version)
  throw new Error('give the version that package.json has');
const FOLDER = join(import.meta.dirname, version);
if (process.env.TEST_DATABASE_URL === undefined && existsSync(FOLDER))
  throw new Error(`${FOLDER} exists: what was released never changes`);

/** Carries out every version of every activity, each in an organization of its own. */
async function fill(instance: Instance): Promise<Client[]> {
  const clients = [instance.root];
  for (const operation of activities.flatMap(versionsOf)) {
    const home = (await PLACES[operation.name]?.(instance)) ?? (await newTopLevel(instance, operation.type));
    const { status, body, text } = await send(home.client, operation, await goodParameters(operation, thingsIn(home)));
    const reached = body.activity?.status;
    if (status !== 200 || !/_(COMPLETED|REJECTED)$/.test(reached)) throw new Error(`${operation.type}: ${reached} ${text}`);
    clients.push(home.client);
  }
  return clients;
}

async function activityIds(client: Client): Promise<string[]> {
  const ids: string[] = [];
  for (;;) {
    const after = ids.length > 0 && { after: ids.at(-1) };
    const { status, body } = await client.query('list_activities', { paginationOptions: { limit: '100', ...after } });
    // The organization was deleted.
    if (status !== 200) return [];
    ids.push(...body.activities.map(({ id }: { id: string }) => id));
    if (body.activities.length < 100) return ids;
  }
}

async function addressesOf(client: Client): Promise<string[]> {
  const { wallets = [] } = (await client.query('list_wallets')).body;
  const { privateKeys = [] } = (await client.query('list_private_keys')).body;
  const all: string[] = privateKeys.map(({ privateKeyId }: { privateKeyId: string }) => privateKeyId);
  for (const { walletId } of wallets) {
    const { accounts } = (await client.query('list_wallet_accounts', { walletId })).body;
    all.push(...accounts.map(({ address }: { address: string }) => address));
  }
  return all;
}

/** The questions that a later version must answer in the same way. */
async function factsOf(clients: readonly Client[]): Promise<Frozen> {
  const frozen: Frozen = { version, holders: [], activities: [], signatures: [] };
  for (const client of clients) {
    const holder = frozen.holders.push({ organizationId: client.organizationId, keys: client.keys }) - 1;
    for (const id of await activityIds(client)) frozen.activities.push({ holder, id, shown: await shownActivity(client, id) });
    for (const signWith of await addressesOf(client)) {
      const [one, two] = [await signatureOf(client, signWith), await signatureOf(client, signWith)];
      // Node.js draws a number for each signature on P-256.
      if (one !== undefined && one.s === two?.s) frozen.signatures.push({ holder, signWith, ...one });
    }
  }
  return frozen;
}

async function freeze(engine: 'sqlite' | 'postgres', keep: (instance: Instance) => Promise<void>): Promise<void> {
  const { startInstance } = await import('../support/instance.ts');
  const instance = await startInstance(roomy);
  const frozen = await factsOf(await fill(instance));
  mkdirSync(join(FOLDER, engine), { recursive: true });
  writeFileSync(join(FOLDER, engine, 'root.key'), readFileSync(join(instance.dataDir, 'root.key')));
  writeFileSync(join(FOLDER, engine, 'facts.json.gz'), gzipSync(JSON.stringify(frozen), { level: 9 }));
  await keep(instance);
  await instance.close();
  process.stdout.write(`${engine}: ${frozen.activities.length} activities, ${frozen.signatures.length} signatures\n`);
}

const isPostgres = process.env.TEST_DATABASE_URL !== undefined;
if (isPostgres)
  await freeze('postgres', async ({ databaseUrl }) => {
    const at = { folder: '', url: databaseUrl };
    const tables = await plainSql(
      at,
      "SELECT relname AS tablename FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition",
    );
    const rows: string[] = [];
    for (const { tablename } of tables) {
      const [{ all }] = (await plainSql(at, `SELECT coalesce(json_agg(t), '[]')::text AS all FROM "${tablename}" t`)) as [
        { all: string },
      ];
      rows.push(`${JSON.stringify(tablename)}: ${all}`);
    }
    // Not parsed here: JavaScript would round large numbers.
    writeFileSync(join(FOLDER, 'postgres/rows.json.gz'), gzipSync(`{${rows.join(',\n')}}`, { level: 9 }));
  });
else {
  await freeze('sqlite', async ({ dataDir }) => {
    const db = new Database(join(dataDir, 'countersign.db'), { readonly: true });
    writeFileSync(join(FOLDER, 'sqlite/countersign.db.gz'), gzipSync(db.serialize(), { level: 9 }));
    db.close();
  });
  for (const name of readdirSync(join(ROOT, 'src/store')).filter((file) => /^schema\..*\.sql$/.test(file)))
    cpSync(join(ROOT, 'src/store', name), join(FOLDER, name));
  for (const name of ['public-api.json', 'auth-proxy.json', 'policy-environment.json'])
    writeFileSync(join(FOLDER, `${name}.gz`), gzipSync(readFileSync(join(ROOT, 'openapi', name)), { level: 9 }));
  writeFileSync(join(FOLDER, 'errors.json'), `${JSON.stringify(errorsNow(), null, 2)}\n`);
  cpSync(join(ROOT, 'tests/conformance/policy'), join(FOLDER, 'policy'), { recursive: true });
  const server = await startPostgres({ fsync: 'off' });
  if ('unavailable' in server) throw new Error(server.unavailable);
  try {
    const env = { ...process.env, TEST_DATABASE_URL: server.url };
    execFileSync(process.execPath, [import.meta.filename, version], { env, stdio: 'inherit' });
  } finally {
    await server.stop();
  }
}
// The servers that the samples need would keep it.
process.exit();
