import type { Activity } from '../model/activity.ts';
import type { EngineName } from './columns.ts';
import type { QuickCheck } from './engines/driver.ts';
import type { Watch } from './migrations/migrate.ts';
import type { Reader, Writes } from './repositories/index.ts';
import type { Evaluated } from './tables/activities.ts';
import type { OutboxMessage } from './tables/outbox.ts';

export type { Page } from './page.ts';
export type { ActivityFilter, ActivityOutcome } from './repositories/activities.ts';
export type { PasskeyHolder } from './repositories/authenticators.ts';
export type { StoredClock } from './repositories/clock.ts';
export type { CredentialPlace, Holder } from './repositories/credentials.ts';
export type { Evaluation as StoredEvaluation } from './repositories/evaluations.ts';
export type { Reader, Writes } from './repositories/index.ts';
export type { ServiceKeyRow, WrappedMasterKey } from './repositories/instance.ts';
export type { SubOrganizationFilter } from './repositories/organizations.ts';
export type { DueMessage, ListedMessage } from './repositories/outbox.ts';
export type { PolicyText } from './repositories/policy-changes.ts';
export type { RequestLookup } from './repositories/request-lookup.ts';
export type { SendFilter } from './repositories/sends.ts';
export type { SealedSigner } from './repositories/signers.ts';
export type { Evaluated } from './tables/activities.ts';
export type { AuditEntry } from './tables/audit.ts';
export type { OutboxMessage } from './tables/outbox.ts';

/** One transaction: reads see its own writes. */
export type Writer = Reader & Writes;

/** The version at which an organization's facts were seen; a decision holds only while all of them are current. */
export type Fact = { organizationId: string; version: number };

/** A new activity that changes nothing but its own record. */
export type FinishedRecord = {
  activity: Activity;
  facts: readonly Fact[];
  /** The outcomes of policies, if any was evaluated. */
  evaluations?: Evaluated | undefined;
  /** The outbox message, written with the record or not at all. */
  message?: Pick<OutboxMessage, 'id' | 'topic' | 'payload'> | undefined;
  /** Further conditional writes of the same transaction, such as a part of a limit. */
  reservations?: readonly Reservation[];
};

/** False: the record is refused, and nothing of it is written. */
export type Reservation = (tx: Writer) => Promise<boolean>;

export type RecordResult = 'written' | 'exists' | 'stale' | 'refused';

export type Store = {
  readonly engine: EngineName;
  /** Durable rows only. */
  readonly read: Reader;
  /**
   * Also raises the version of each organization whose facts `work` changed. `patienceMs`: so long it may wait for others to share a commit
   * with.
   */
  transaction<T>(work: (tx: Writer) => Promise<T>, patienceMs?: number): Promise<T>;
  /**
   * The hot path's only write, durable when it resolves. `exists` if the organization has the fingerprint, `stale` if a fact
   * changed, `refused` if a reservation was not granted; nothing is written in these cases.
   */
  record(finished: FinishedRecord): Promise<RecordResult>;
  /** Raises the stored time, in a write of its own. Throws Outdated. */
  raiseClock: Writes['clock']['raise'];
  /** Runs under an exclusive lock across all processes that share the database. */
  exclusively<T>(work: (tx: Writer) => Promise<T>): Promise<T>;
  /** Brings the database to this program's schema. `say` hears of work that takes long. */
  migrate(now: number, options?: Partial<Watch>): Promise<void>;
  /** Throws unless the database has this program's schema. */
  requireSchema(): Promise<void>;
  /** Whether activities were archived into a file that is not here. */
  lacksArchive(): Promise<boolean>;
  /** Resolves if no damage was met, the schema is this program's and the database takes a durable write. */
  check(now: number): Promise<void>;
  /** Whatever waits for the database ends now with an error, and nothing is asked of it any more. Not for SQLite. */
  interrupt(): void;
  /** Of SQLite's file. */
  readonly quickCheck?: QuickCheck | undefined;
  close(): Promise<void>;
};
