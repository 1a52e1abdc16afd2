import { Busy } from '../base/errors.ts';
import { batched } from './batches.ts';
import type { EngineDriver } from './engines/driver.ts';
import { openPostgres } from './engines/postgres.ts';
import { freeBytes, openSqlite } from './engines/sqlite.ts';
import { joined, marking } from './facts.ts';
import { isMigrated, migrate } from './migrations/migrate.ts';
import { recordOnPostgres, recordOnSqlite } from './record.ts';
import { activityReads, activityWrites } from './repositories/activities.ts';
import { auditWrites } from './repositories/audit.ts';
import { contractInterfaceReads, contractInterfaceWrites } from './repositories/contract-interfaces.ts';
import { credentialReads, credentialWrites } from './repositories/credentials.ts';
import { evaluationReads } from './repositories/evaluations.ts';
import { importTargetReads, importTargetWrites } from './repositories/import-targets.ts';
import { instanceReads, instanceWrites } from './repositories/instance.ts';
import { organizationReads, organizationWrites, raiseVersion } from './repositories/organizations.ts';
import { outboxWrites } from './repositories/outbox.ts';
import { policyReads, policyWrites } from './repositories/policies.ts';
import { privateKeyReads, privateKeyWrites } from './repositories/private-keys.ts';
import { type RequestKey, requestLookupOnPostgres, requestLookupReads } from './repositories/request-lookup.ts';
import { type SignerKey, signerReads, signersOnPostgres, signerWrites } from './repositories/signers.ts';
import { tagReads, tagWrites } from './repositories/tags.ts';
import { userVersions } from './repositories/user-versions.ts';
import { userWrites } from './repositories/user-writes.ts';
import { userReads } from './repositories/users.ts';
import { walletReads, walletWrites } from './repositories/wallets.ts';
import { recordReserved } from './reserved-record.ts';
import type { Conn } from './statement.ts';
import type { Reader, Store, Writer, Writes } from './types.ts';

export function readerOn(conn: Conn): Reader {
  return {
    instance: instanceReads(conn),
    requestLookup: requestLookupReads(conn),
    organizations: organizationReads(conn),
    users: userReads(conn),
    credentials: credentialReads(conn),
    tags: tagReads(conn),
    wallets: walletReads(conn),
    privateKeys: privateKeyReads(conn),
    signers: signerReads(conn),
    activities: activityReads(conn),
    policies: policyReads(conn),
    evaluations: evaluationReads(conn),
    contractInterfaces: contractInterfaceReads(conn),
    importTargets: importTargetReads(conn),
  };
}

export function writesOn(conn: Conn): Writes {
  const versions = userVersions(conn);
  return {
    instance: instanceWrites(conn),
    organizations: organizationWrites(conn),
    users: userWrites(conn, versions),
    credentials: credentialWrites(conn, versions),
    tags: tagWrites(conn, versions),
    wallets: walletWrites(conn),
    privateKeys: privateKeyWrites(conn),
    signers: signerWrites(conn),
    activities: activityWrites(conn),
    policies: policyWrites(conn),
    contractInterfaces: contractInterfaceWrites(conn),
    importTargets: importTargetWrites(conn),
    outbox: outboxWrites(conn),
    audit: auditWrites(conn),
  };
}

/** Runs the work of one transaction, and raises the versions of the organizations whose facts it changed. */
async function withFacts<T>(conn: Conn, work: (tx: Writer, conn: Conn) => Promise<T>): Promise<T> {
  const { writes, changed } = marking(writesOn(conn));
  const value = await work(joined(readerOn(conn), writes), conn);
  for (const organizationId of changed) await raiseVersion(conn, organizationId);
  return value;
}

/** On PostgreSQL, look-ups of concurrent signatures are batched. */
function readerOf({ engine, reader }: EngineDriver): Reader {
  const read = readerOn(reader);
  if (engine === 'sqlite') return read;
  const arrive = batched((several: readonly RequestKey[]) => requestLookupOnPostgres(reader, several), BATCHES);
  const find = batched((several: readonly SignerKey[]) => signersOnPostgres(reader, several), BATCHES);
  return {
    ...read,
    requestLookup: { get: (organizationId, publicKey, fingerprint) => arrive({ organizationId, publicKey, fingerprint }) },
    signers: { ...read.signers, find: (organizationId, address) => find({ organizationId, address }) },
  };
}

/** What a migration copies in one transaction: a tenth of a second's work or so. */
const MIGRATION_BATCH = { rows: 2_000, bytes: 8 * 2 ** 20 };

/** Two at once: one commits while the other is prepared. More would make the batches smaller. */
const BATCHES = { most: 64, atOnce: 2, maybeOfOne: (error: unknown) => !(error instanceof Busy) };

function storeOn(driver: EngineDriver): Store {
  const alone: Store['record'] =
    driver.engine === 'sqlite'
      ? (finished) => driver.write((conn) => recordOnSqlite(conn, finished))
      : batched((several) => recordOnPostgres(driver.reader, several), BATCHES);
  const transaction = <T>(work: (tx: Writer, conn: Conn) => Promise<T>) => driver.transaction((conn) => withFacts(conn, work));
  return {
    engine: driver.engine,
    read: readerOf(driver),
    transaction,
    record: (finished) => (finished.reservations === undefined ? alone(finished) : recordReserved(transaction, finished)),
    exclusively: (work) => driver.exclusively((conn) => withFacts(conn, work)),
    migrate: (now, { say = () => {}, batch = MIGRATION_BATCH } = {}) =>
      driver.underLock(
        (transaction) => migrate(transaction, now, { say, batch, space: driver.space }),
        () => say('another process changes the database’s layout; waiting until it is done', {}),
      ),
    async check(now) {
      if (!(await isMigrated(driver.reader))) throw new Error('the database is not migrated to this program’s schema');
      await driver.write((conn) => instanceWrites(conn).put('ready', String(now)));
    },
    close: () => driver.close(),
  };
}

export type StoreOptions = {
  folder: string;
  /** Unset: SQLite in `folder`. Otherwise PostgreSQL. */
  url?: string | undefined;
  poolSize: number;
  /** How many requests are on their way to a write now, so that a commit can wait for them. */
  onTheirWay?: () => number;
  /** For tests: how much space is left for the database's folder. */
  freeSpace?: (folder: string) => number;
};

export function openStore({ folder, url, poolSize, onTheirWay = () => 0, freeSpace = freeBytes }: StoreOptions): Store {
  return storeOn(url === undefined ? openSqlite(folder, onTheirWay, freeSpace) : openPostgres(url, poolSize));
}
