import { batched } from '../base/batches.ts';
import { STATEMENT_LIMITS, type StatementLimits } from '../base/database-url.ts';
import { Busy, SealedTooLate, Uncertain } from '../base/errors.ts';
import { failPoint, failPointsAround } from '../base/fail-point.ts';
import type { AccountKey } from '../model/send.ts';
import type { SendNews } from '../model/send-news.ts';
import { countedOnPostgres } from './counted-on-postgres.ts';
import { CountersOnSqlite } from './counted-on-sqlite.ts';
import { earlierStatements } from './earlier-statements.ts';
import type { EngineDriver } from './engines/driver.ts';
import { openPostgres } from './engines/postgres.ts';
import { openSqlite, readSqlite } from './engines/sqlite.ts';
import { ensureMigrated, knownVersion, migrate, requireSchema } from './migrations/migrate.ts';
import { keepPositionsRising } from './position-base.ts';
import { recordOnPostgres, recordOnSqlite } from './record.ts';
import { hasArchived } from './repositories/activities/archived.ts';
import { type RequestKey, requestLookupOnPostgres } from './repositories/activities/request-lookup.ts';
import { openedOn, readerOn } from './repositories/index.ts';
import { type SignerKey, signersOnPostgres } from './repositories/keys/signers.ts';
import { countsIn } from './repositories/limits/counts.ts';
import { raiseVersion } from './repositories/people/organizations.ts';
import { type CounterKey, stepsOnPostgres, writeSettlements } from './repositories/policies/velocity-counters.ts';
import { settlementsIn } from './repositories/policies/velocity-settlements.ts';
import { sendAccountWrites } from './repositories/sends/send-accounts.ts';
import { clockWrites } from './repositories/service/clock.ts';
import { earlyMasterKeys, instanceWrites } from './repositories/service/instance.ts';
import { recordReserved } from './reserved-record.ts';
import { maySeal, type SealedRows, sealedReads, sealedRows } from './sealed/rows.ts';
import { sealedIn } from './sealed/sealed-format.ts';
import { type ServerSettings, serverSettings, waitsForStandby } from './server-settings.ts';
import type { Conn } from './statement.ts';
import type { FinishedRecord, Reader, Store, Writer } from './types.ts';
import { type Marks, writerOf } from './version-raising.ts';

type Transact = <T>(work: (conn: Conn) => Promise<T>, patienceMs?: number) => Promise<T>;

/**
 * Runs the work of one transaction and writes the counts. Then raises the versions of the organizations whose facts it changed.
 * `onChange` is called after the commit, even if the commit failed: after a lost connection, the commit may have succeeded.
 */
function withVersions(transact: Transact, { onChange, onMessage, onEvent, onSend, onNews }: Told) {
  return async <T>(work: (tx: Writer, conn: Conn) => Promise<T>, patienceMs?: number): Promise<T> => {
    const told = new Set<string>();
    let marks: Marks | undefined;
    try {
      const value = await transact(async (plain) => {
        const sealedUnder = new Set<number>();
        const conn: Conn = { ...plain, noteSealed: (version) => sealedUnder.add(version) };
        const counts = countsIn(conn);
        const settlements = settlementsIn(conn);
        const made = writerOf(openedOn(conn, counts, settlements));
        marks = made.marks;
        const value = await work(made.tx, conn);
        await counts.write();
        for (const [organizationId, policyIds] of marks.changed) {
          told.add(organizationId);
          await raiseVersion(conn, organizationId, policyIds);
        }
        for (const [account, at] of marks.last) await sendAccountWrites(conn).makeDue(account, at);
        if (settlements.hasAny()) await failPointsAround('settle', () => writeSettlements(conn, settlements));
        await requireSealing(conn, sealedUnder);
        if (marks.due.length > 0) await failPoint('before store');
        return value;
      }, patienceMs);
      if (marks?.news) onNews(marks.news);
      return value;
    } finally {
      for (const organizationId of told) onChange(organizationId);
      if (marks?.sends) onMessage();
      if (marks?.events) onEvent();
      if (marks !== undefined && marks.due.length > 0) {
        await failPoint('after store');
        onSend(marks.due);
      }
    }
  };
}

/** A version under which secrets are being sealed anew gets no new ones: they could be missed. */
async function requireSealing(conn: Conn, versions: ReadonlySet<number>): Promise<void> {
  for (const version of versions)
    if (!(await maySeal(conn, version))) throw new SealedTooLate('the master key is being changed: send the same body again');
}

/** On PostgreSQL, look-ups of concurrent signatures are batched. */
function readerOf({ engine, reader }: EngineDriver): Reader {
  const read = readerOn(reader);
  if (engine === 'sqlite') return read;
  const arrive = batched((several: readonly RequestKey[]) => requestLookupOnPostgres(reader, several), BATCHES);
  const find = batched((several: readonly SignerKey[]) => signersOnPostgres(reader, several), BATCHES);
  const counters = batched((several: readonly CounterKey[]) => stepsOnPostgres(reader, several), BATCHES);
  return {
    ...read,
    velocityCounters: { ...read.velocityCounters, steps: (org, control, bucket) => counters({ org, control, bucket }) },
    requestLookup: { get: (organizationId, publicKey, fingerprint) => arrive({ organizationId, publicKey, fingerprint }) },
    signers: { ...read.signers, find: (organizationId, address) => find({ organizationId, address }) },
  };
}

/** How often a long migration reports that it still runs. */
const MIGRATION_SAYS_MS = 10_000;

/** Two batches are in flight: one commits while the other is prepared. More would make the batches smaller. */
const BATCHES = { most: 64, atOnce: 2, maybeOfOne: (error: unknown) => !(error instanceof Busy) };

const isSealedRecord = ({ activity: { body, result }, message }: FinishedRecord): boolean =>
  [sealedIn('body', body), sealedIn('text', result), sealedIn('text', message?.payload)].some((found) => found !== undefined);

function storeOn(driver: EngineDriver, told: Told): Store {
  const alone: Store['record'] =
    driver.engine === 'sqlite'
      ? (finished) => driver.write((conn) => recordOnSqlite(conn, finished))
      : batched((several) => driver.write((conn) => recordOnPostgres(conn, several)), BATCHES);
  const confirm = batched(async (times: readonly number[]) => {
    if (!(await waitsForStandby(driver.reader))) return times;
    await driver.write((conn) => instanceWrites(conn).put('confirmed', String(Math.max(...times))));
    return times;
  }, BATCHES);
  const transaction = withVersions((work, patienceMs) => driver.transaction(work, patienceMs), told);
  const counters = new CountersOnSqlite();
  const reserved: Store['record'] = (finished) => recordReserved(transaction, finished);
  const counted: Store['record'] =
    driver.engine === 'sqlite'
      ? (finished) => driver.write((conn) => counters.record(conn, finished))
      : batched(countedOnPostgres(driver), BATCHES);
  return {
    engine: driver.engine,
    read: readerOf(driver),
    transaction,
    record(finished) {
      const isPlain = finished.reservations === undefined && !isSealedRecord(finished);
      const write = !isPlain ? reserved : finished.spends === undefined ? alone : counted;
      const recorded = write(finished);
      return finished.event === undefined ? recorded : recorded.finally(told.onEvent);
    },
    async confirmReads(now) {
      if (driver.engine === 'postgres') await confirm(now);
    },
    earlierEnded: earlierStatements(driver.reader),
    raiseClock: (resets, time, known) => driver.write((conn) => clockWrites(conn).raise(resets, time, known)).catch(certainly),
    exclusively: withVersions((work) => driver.exclusively(work), told),
    sealed: sealedRows(driver, (work) => transaction((_, conn) => work(conn))),
    masterKeys: async () => ((await knownVersion(driver.reader)) === undefined ? [] : earlyMasterKeys(driver.reader)),
    migrate: (now, { say = () => {}, everyMs = MIGRATION_SAYS_MS } = {}) =>
      driver.underLock(
        async (transaction) => {
          await migrate(transaction, now, { say, everyMs });
          await transaction(keepPositionsRising);
        },
        () => say('another process migrates the database; waiting until it is done', {}),
      ),
    requireSchema: () => requireSchema(driver.reader),
    lacksArchive: async () => driver.reader.archive === undefined && (await hasArchived(driver.reader)),
    identity: () => driver.identity(),
    quickCheck: driver.quickCheck,
    async check(now) {
      const damage = driver.damage?.();
      if (damage !== undefined) throw damage;
      await ensureMigrated(driver.reader);
      await driver.write((conn) => instanceWrites(conn).put('ready', String(now)));
    },
    load: () => driver.load?.() ?? { used: 0, waiting: 0 },
    interrupt: () => driver.interrupt(),
    close: () => driver.close(),
  };
}

/** For a write that no caller asked for. An uncertain commit becomes Busy, because no caller depends on whether the write was made. */
function certainly(error: unknown): never {
  throw error instanceof Uncertain ? new Busy(error.message, { cause: error.cause }) : error;
}

type Told = {
  /** Called when a transaction of this process changed an organization's facts: after its commit, and before the transaction resolves. */
  onChange: (organizationId: string) => void;
  /** Called when a transaction left messages in the outbox. */
  onMessage: () => void;
  /** Called when a transaction or a record left events for webhooks. */
  onEvent: () => void;
  /** Called when a transaction made sending accounts due. */
  onSend: (accounts: readonly AccountKey[]) => void;
  /** Called with the changes that a transaction made to sends, after the commit. */
  onNews: (news: SendNews) => void;
};

export type StoreOptions = Partial<Told> & {
  folder: string;
  /** Absent: SQLite in `folder`. Otherwise PostgreSQL. */
  url?: string | undefined;
  poolSize: number;
  /** For PostgreSQL. */
  statementLimits?: StatementLimits;
  /** The size of SQLite's page cache in megabytes. */
  cacheMb?: number;
  /** The number of requests that may soon need a write, so that a commit can wait for them. */
  onTheirWay?: () => number;
};

export function openStore(options: StoreOptions): Store {
  const {
    folder,
    url,
    poolSize,
    statementLimits = STATEMENT_LIMITS,
    cacheMb = 64,
    onTheirWay = () => 0,
    onChange = () => {},
    onMessage = () => {},
    onEvent = () => {},
    onSend = () => {},
    onNews = () => {},
  } = options;
  const driver =
    url === undefined ? openSqlite(folder, cacheMb, onTheirWay) : openPostgres(url, { poolSize, ...statementLimits });
  return storeOn(driver, { onChange, onMessage, onEvent, onSend, onNews });
}

/** For commands that only read. A service may run beside them, on SQLite too. */
type ReadOnlyOptions = Pick<StoreOptions, 'folder' | 'url' | 'statementLimits'>;
export type ReadOnlyStore = {
  read: Reader;
  sealed: Pick<SealedRows, 'page' | 'hashesUntil'>;
  requireSchema(): Promise<void>;
  serverSettings(): Promise<ServerSettings | undefined>;
  close(): Promise<void>;
};

export function openReadOnly({ folder, url, statementLimits = STATEMENT_LIMITS }: ReadOnlyOptions): ReadOnlyStore {
  const options = { poolSize: 1, ...statementLimits, anyServer: true };
  const { reader, close } = url === undefined ? readSqlite(folder) : openPostgres(url, options);
  return {
    read: readerOn(reader),
    sealed: sealedReads(reader),
    requireSchema: () => requireSchema(reader),
    serverSettings: () => serverSettings(reader),
    close,
  };
}
