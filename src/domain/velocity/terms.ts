import type { Asset } from '../../chains/shared/transfers.ts';
import type { TransferCondition } from '../../engine/decision/transfer-conditions.ts';
import type { PolicyCompiler } from '../../engine/policy-compiler.ts';
import type { VelocityControl } from '../../model/velocity-control.ts';
import { type Comparison, OPERATORS, type Operator } from '../../model/velocity-spend.ts';
import type { Full, Window } from '../../model/velocity-window.ts';
import { controlledAsset } from './assets.ts';

/** How many units one of the smallest units of the asset is. */
type Counted = { readonly asset: Asset; readonly units: bigint };

type Ids = ReadonlySet<string> | undefined;

/** A control, as it is counted. All amounts are in one unit, so that assets with different decimals are summed exactly. */
export type Terms = {
  readonly control: VelocityControl;
  /** Undefined: every kind that its data source can count. */
  readonly kinds: ReadonlySet<string> | undefined;
  /** Undefined: executed activities are counted. */
  readonly assets: readonly Counted[] | undefined;
  readonly comparison: Comparison;
  readonly window: Window;
  readonly groupBy: 'organization' | 'user' | 'wallet';
  readonly bySigner: boolean;
  readonly byRecipient: boolean;
  /** It binds every signer, and needs no policy. */
  readonly always: boolean;
  readonly onlyReadable: boolean;
  /** Raw transactions count too, though the service does not sign them. */
  readonly isSubmission: boolean;
  /** Which transfers count. Undefined: all. */
  readonly condition: TransferCondition | undefined;
  /** Fees are added to the sum. */
  readonly fees: boolean;
  readonly scope: { readonly walletIds: Ids; readonly privateKeyIds: Ids; readonly userIds: Ids; readonly userTagIds: Ids };
};

/** Digits after the point of a threshold. */
const FRACTION = 18;

function thresholdOf(text: string, scale: number): bigint {
  const [whole = '', fraction = ''] = text.split('.');
  return BigInt(whole + fraction.padEnd(scale, '0'));
}

/** A count is of whole transfers. */
const fullOf = ({ fullSince }: VelocityControl, { threshold, one }: Comparison): Full | undefined =>
  fullSince === null ? undefined : { since: fullSince, amount: threshold, count: Number((threshold + one - 1n) / one) };

function windowOf({ aggregation, countersign }: VelocityControl): Window {
  const { transaction, calendar } = countersign?.window ?? {};
  if (transaction !== undefined) return { kind: 'transaction' };
  if (calendar !== undefined) return { kind: 'calendar', ...calendar };
  const { rolling } = aggregation.window;
  return rolling === undefined ? { kind: 'infinite' } : { kind: 'rolling', seconds: Number(rolling.duration) };
}

const idsOf = (ids: readonly string[] | undefined): Ids => ids && new Set(ids);

/**
 * `kindOf`: the kind of an activity's type, in all versions. A stored type that is no longer known covers nothing. With a stored condition
 * that no longer compiles, everything counts.
 */
export function termsOf(
  control: VelocityControl,
  kindOf: PolicyCompiler['kindOf'],
  compile: PolicyCompiler['compileTransferCondition'] = () => undefined,
): Terms {
  const { dataSource, aggregation, countersign } = control;
  const { chainAssetTransfer, activityExecution } = dataSource;
  const { filter } = chainAssetTransfer ?? activityExecution ?? {};
  const definition = chainAssetTransfer?.definition;
  const scale = Math.max(FRACTION, ...(definition ?? []).map(({ decimals }) => Number(decimals)));
  const assets = definition?.flatMap(({ caip19, decimals }) => {
    const asset = controlledAsset(caip19);
    return asset === undefined ? [] : [{ asset, units: 10n ** BigInt(scale - Number(decimals)) }];
  });
  const operator = OPERATORS.find((name) => aggregation.operator.endsWith(`_OPERATOR_${name}`)) as Operator;
  const comparison: Comparison = {
    method: aggregation.method.endsWith('_SUM') ? 'SUM' : 'COUNT',
    operator,
    threshold: thresholdOf(aggregation.threshold, scale),
    one: 10n ** BigInt(scale),
  };
  const full = fullOf(control, comparison);
  const { organization, user } = aggregation.groupBy;
  const { walletIds, privateKeyIds, userIds, userTagIds } = countersign?.scope ?? {};
  return {
    control,
    kinds: filter?.activity && new Set(filter.activity.flatMap(({ activityType }) => kindOf(activityType) ?? [])),
    assets,
    comparison,
    window: full === undefined ? windowOf(control) : { ...windowOf(control), full },
    groupBy: organization !== undefined ? 'organization' : user !== undefined ? 'user' : 'wallet',
    bySigner: countersign?.groupBy === 'signer',
    byRecipient: countersign?.groupBy === 'recipient',
    always: countersign?.enforcement === 'ALWAYS',
    onlyReadable: countersign?.unreadable === 'COUNT_ONLY_READABLE',
    isSubmission: chainAssetTransfer?.phase?.submission !== undefined,
    condition: countersign?.condition === undefined ? undefined : compile(countersign.condition),
    fees: countersign?.fees === true,
    scope: {
      walletIds: idsOf(walletIds),
      privateKeyIds: idsOf(privateKeyIds),
      userIds: idsOf(userIds),
      userTagIds: idsOf(userTagIds),
    },
  };
}
