import type { Activity } from '../model/activity.ts';
import type { Spend } from '../model/velocity-spend.ts';
import type { NewWebhookEvent } from '../model/webhook-event.ts';
import type { EngineName } from './columns.ts';
import type { QuickCheck } from './engines/driver.ts';
import type { Identity } from './identity.ts';
import type { Watch } from './migrations/migrate.ts';
import type { Reader, Writes } from './repositories/index.ts';
import type { WrappedMasterKey } from './repositories/service/instance.ts';
import type { SealedRows } from './sealed/rows.ts';
import type { Evaluated } from './tables/activities.ts';
import type { OutboxMessage } from './tables/outbox.ts';

export type { Identity } from './identity.ts';
export type { Page } from './page.ts';
export type { ActivityFilter, ActivityOutcome } from './repositories/activities/activities.ts';
export type { ToAudit } from './repositories/activities/audited.ts';
export type { Evaluation as StoredEvaluation } from './repositories/activities/evaluations.ts';
export type { Place } from './repositories/activities/next-positions.ts';
export type { RequestLookup } from './repositories/activities/request-lookup.ts';
export type { ToShip } from './repositories/activities/shipping.ts';
export type { Ended } from './repositories/billing/ended-activities.ts';
export type { PasskeyHolder } from './repositories/credentials/authenticators.ts';
export type { CredentialPlace, Holder } from './repositories/credentials/credentials.ts';
export type { Reader, Writes } from './repositories/index.ts';
export type { SealedSigner } from './repositories/keys/signers.ts';
export type { DueMessage, ListedMessage } from './repositories/messages/outbox.ts';
export type { HeldOrganization, SubOrganizationFilter } from './repositories/people/organizations.ts';
export type { PolicyText } from './repositories/policies/policy-changes.ts';
export type { SendFilter } from './repositories/sends/sends.ts';
export type { StoredClock } from './repositories/service/clock.ts';
export type { ServiceKeyRow, WrappedMasterKey } from './repositories/service/instance.ts';
export type { Outcome as DeliveryOutcome } from './repositories/webhooks/rounds.ts';
export type { StreamChange } from './repositories/webhooks/stream-changes.ts';
export type { StreamState } from './repositories/webhooks/streams.ts';
export type { Evaluated } from './tables/activities.ts';
export type { AuditEntry } from './tables/audit.ts';
export type { MasterKeyState } from './tables/instance.ts';
export type { OutboxMessage } from './tables/outbox.ts';

/** One transaction: reads see its own writes. */
export type Writer = Reader & Writes;

/** An organization and the version of its facts that a decision read. A decision holds only while all of its versions are current. */
export type Fact = { organizationId: string; version: number };

/** A new activity that writes only its own record. */
export type FinishedRecord = {
  activity: Activity;
  facts: readonly Fact[];
  /** It makes a signature, which the quota of its organization may refuse. */
  signs?: boolean;
  /** The outcomes of policies, if any policy was evaluated. */
  evaluations?: Evaluated | undefined;
  /** The outbox message. It is written together with the record or not at all. */
  message?: Pick<OutboxMessage, 'id' | 'topic' | 'payload'> | undefined;
  /** What endpoints are told about the record. Absent: no endpoint listens to its organization. */
  event?: NewWebhookEvent | undefined;
  /** What it adds to velocity controls. */
  spends?: readonly Spend[];
  /** Further conditional writes of the same transaction. */
  reservations?: readonly Reservation[];
};

/** Returns false to refuse the record; then nothing of it is written. */
export type Reservation = (tx: Writer) => Promise<boolean>;

export type RecordResult = 'written' | 'exists' | 'stale' | 'unheard' | 'over quota' | 'refused';

export type Store = {
  readonly engine: EngineName;
  /** Sees durable rows only. */
  readonly read: Reader;
  /**
   * Runs a transaction, and raises the version of each organization whose facts `work` changed. `patienceMs`: how long the transaction
   * may wait to share a commit.
   */
  transaction<T>(work: (tx: Writer) => Promise<T>, patienceMs?: number): Promise<T>;
  /**
   * The hot path's only write, durable when it resolves. Nothing is written for these results:
   * - `exists`: the organization has the fingerprint.
   * - `stale`: a fact changed.
   * - `over quota`: the record makes a signature, and the organization or its parent has used its quota.
   * - `unheard`: an endpoint wants the event, and the record has none.
   * - `refused`: a reservation was not granted, or the truth of a velocity control has changed.
   */
  record(finished: FinishedRecord): Promise<RecordResult>;
  /**
   * Resolves when everything that was read has survived what a commit survives. After a restart, or a wait for a standby that was
   * cancelled, PostgreSQL shows commits that no standby has.
   */
  confirmReads(now: number): Promise<void>;
  /** Waits until each statement that runs now has ended, in all processes of the database. False: five seconds were too short. */
  earlierEnded(): Promise<boolean>;
  /** Raises the stored time, in a separate write. Throws Outdated. */
  raiseClock: Writes['clock']['raise'];
  /** Runs under an exclusive lock across all processes that share the database. */
  exclusively<T>(work: (tx: Writer) => Promise<T>): Promise<T>;
  /** For rotations of the master key. */
  readonly sealed: SealedRows;
  /** The wrapped master keys, also before a migration. None in an empty database. Throws for a schema that is not known. */
  masterKeys(): Promise<Pick<WrappedMasterKey, 'version' | 'rootId' | 'wrapped'>[]>;
  /** Migrates the database to this program's schema. `say` is called during long work. */
  migrate(now: number, options?: Partial<Watch>): Promise<void>;
  /** Throws unless the database has this program's schema. */
  requireSchema(): Promise<void>;
  /** Whether activities were archived into a file that is missing here. */
  lacksArchive(): Promise<boolean>;
  /** Which database this is. It must have its tables. */
  identity(): Promise<Identity>;
  /** Resolves if no damage was found, the schema is this program's, and the database accepts a durable write. */
  check(now: number): Promise<void>;
  /** Connections in use, and calls that wait for one. 0 on SQLite. */
  load(): { used: number; waiting: number };
  /** All calls that wait for the database fail immediately, and no new ones start. Not for SQLite. */
  interrupt(): void;
  /** For SQLite's file. */
  readonly quickCheck?: QuickCheck | undefined;
  close(): Promise<void>;
};
