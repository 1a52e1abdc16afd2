import type { CalendarUnit, Step } from './velocity-window.ts';

type Filter = { filter?: { activity?: readonly { activityType: string }[] | undefined } | undefined };

export type VelocityAsset = { caip19: string; decimals: string };

/** As the interface writes it. Exactly one member of each choice is present. */
export type VelocityDataSource = {
  chainAssetTransfer?:
    | (Filter & {
        definition: readonly VelocityAsset[];
        phase?: { signature?: object | undefined; submission?: object | undefined } | undefined;
      })
    | undefined;
  activityExecution?: Filter | undefined;
};

export type VelocityAggregation = {
  method: string;
  operator: string;
  threshold: string;
  window: { rolling?: { duration: string } | undefined; infinite?: object | undefined };
  groupBy: { organization?: object | undefined; user?: object | undefined; wallet?: object | undefined };
};

/** What the interface has no members for. */
export type VelocityAdditions = {
  enforcement?: 'POLICY' | 'ALWAYS' | undefined;
  unreadable?: 'REFUSE' | 'COUNT_ONLY_READABLE' | undefined;
  fees?: boolean | undefined;
  groupBy?: 'signer' | 'recipient' | undefined;
  window?: { transaction?: object | undefined; calendar?: { unit: CalendarUnit; zone: string } | undefined } | undefined;
  scope?:
    | {
        walletIds?: readonly string[] | undefined;
        privateKeyIds?: readonly string[] | undefined;
        userIds?: readonly string[] | undefined;
        userTagIds?: readonly string[] | undefined;
      }
    | undefined;
  condition?: string | undefined;
  removalDelay?: string | undefined;
};

/** A limit over time. It never changes, apart from its removal. */
export type VelocityControl = {
  organizationId: string;
  id: string;
  name: string;
  /** Policies read `controls.<identifier>`. */
  identifier: string;
  dataSource: VelocityDataSource;
  aggregation: VelocityAggregation;
  countersign: VelocityAdditions | null;
  /** From when on it is removed, at the earliest. Null: no removal is under way. */
  removesAt: number | null;
  /** Its windows count as full from then on, until that time has left them: what a copy lacks is unknown. Null: they do not. */
  fullSince: number | null;
  createdAt: number;
  updatedAt: number;
};

/** The topic of the outbox that removes controls when their delay has passed. */
export const REMOVAL_TOPIC = 'velocity-removal';

/** What was counted in one bucket of a control: steps with decimal amounts. */
export type VelocityCounter = {
  organizationId: string;
  controlId: string;
  bucket: string;
  steps: readonly (readonly [number: number, amount: string, count: number])[];
};

/** Steps as they are counted. */
export const stepsIn = (stored: VelocityCounter['steps']): Step[] =>
  stored.map(([number, amount, count]) => ({ number, amount: BigInt(amount), count }));

export const storedSteps = (steps: readonly Step[]): VelocityCounter['steps'] =>
  steps.map(({ number, amount, count }) => [number, String(amount), count]);

/**
 * - `spent`: it counts, whatever happens.
 * - `reserved`: its send may still be in a block.
 * - `mined`: its send is in a block, which may still be reorganized.
 * - `released`: it counts no more, and the counter has given it back.
 */
export const ENTRY_STATES = ['spent', 'reserved', 'mined', 'released'] as const;
export type EntryState = (typeof ENTRY_STATES)[number];

/** What one activity added to a counter. */
export type VelocityEntry = {
  organizationId: string;
  controlId: string;
  bucket: string;
  activityId: string;
  amount: string;
  count: number;
  createdAt: number;
  state: EntryState;
  /** The step of the counter that has the amount. 0 for entries from before steps were noted. */
  step: number;
  /** The digest of the signed transaction, if a later broadcast must not count again: lower-case hex; '' without. */
  reference: string;
  /** The part of the amount that is a fee. A transaction in a block costs it, also if it fails. */
  fee: string;
};
