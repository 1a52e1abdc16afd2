import { errorsOf } from '../../base/declared-errors.ts';
import { invalid } from '../../base/errors.ts';
import type { CheckContext, ReviewContext } from '../../engine/context.ts';
import { countsNoFee, reviewTransferCondition } from '../../engine/decision/new-texts.ts';
import type { NewVelocityControl } from '../../wire/velocity-controls.ts';
import { BROADCASTS, TRANSFERS_BY_KIND } from '../transfers/kinds.ts';
import { controlledAsset, decimalsOf, FORMS, namesOf } from './assets.ts';
import { EXEMPT } from './control-cache.ts';

const VOTES = ['APPROVE_ACTIVITY', 'REJECT_ACTIVITY'];

const at = (member: string): string => `parameters.${member}`;

function checkAssets({ chainAssetTransfer }: NewVelocityControl['dataSource']): void {
  const named = new Map<string, number>();
  for (const [i, { caip19 }] of (chainAssetTransfer?.definition ?? []).entries()) {
    const field = at(`dataSource.chainAssetTransfer.definition[${i}].caip19`);
    const asset = controlledAsset(caip19);
    if (asset === undefined) throw invalid(field, `must name an asset in one of these forms: ${FORMS.join(', ')}`);
    for (const name of namesOf(asset)) {
      const before = named.get(name) ?? i;
      if (before !== i) throw invalid(field, `must be another asset than that of definition[${before}]`);
      named.set(name, i);
    }
  }
}

function checkFilter({ kindOf }: CheckContext['policies'], { dataSource }: NewVelocityControl): void {
  const isTransfer = dataSource.chainAssetTransfer !== undefined;
  const { filter } = dataSource.chainAssetTransfer ?? dataSource.activityExecution ?? {};
  const source = isTransfer ? 'chainAssetTransfer' : 'activityExecution';
  for (const [i, { activityType }] of (filter?.activity ?? []).entries()) {
    const field = at(`dataSource.${source}.filter.activity[${i}].activityType`);
    const kind = kindOf(activityType);
    if (kind === undefined) throw invalid(field, 'must be the type of an activity that is served here');
    if (VOTES.includes(kind)) throw invalid(field, 'must be no vote: a vote is part of the activity that it is for');
    if (!isTransfer) continue;
    if (kind === BROADCASTS && dataSource.chainAssetTransfer?.phase?.submission === undefined)
      throw invalid(
        field,
        `must be an activity that signs: ${BROADCASTS} sends what was signed before, and counts in the phase submission`,
      );
    if (!Object.hasOwn(TRANSFERS_BY_KIND, kind))
      throw invalid(field, `must be an activity that signs: ${Object.keys(TRANSFERS_BY_KIND).join(', ')}`);
  }
}

/** Refuses a control of executed activities that could never count: it would look like a limit. */
function checkReach(
  { kindOf, namesKey }: CheckContext['policies'],
  { dataSource: { activityExecution }, countersign }: NewVelocityControl,
): void {
  const types = activityExecution?.filter?.activity?.map(({ activityType }) => activityType);
  if (types === undefined) return;
  if (countersign?.enforcement === 'ALWAYS' && types.every((type) => EXEMPT.has(kindOf(type) ?? '')))
    throw invalid(
      at('countersign.enforcement'),
      'must not be ALWAYS: such a control covers no activity of its filter, and would never count',
    );
  const member = (['walletIds', 'privateKeyIds'] as const).find((name) => countersign?.scope?.[name] !== undefined);
  if (member !== undefined && !types.some(namesKey))
    throw invalid(
      at(`countersign.scope.${member}`),
      'must be left out: no activity of the filter uses or names a key, so it would never count',
    );
}

const isZone = (zone: string): boolean => {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone !== '' && /^[A-Z]/.test(zone);
  } catch {
    return false;
  }
};

function checkAdditions({ aggregation, dataSource, countersign }: NewVelocityControl): void {
  const { enforcement, window, unreadable, groupBy, fees, condition } = countersign ?? {};
  if (enforcement === 'ALWAYS' && !/_LESS_THAN(?:_OR_EQUAL)?$/.test(aggregation.operator))
    throw invalid(
      at('aggregation.operator'),
      'must be VELOCITY_CONTROL_AGGREGATION_OPERATOR_LESS_THAN or …_LESS_THAN_OR_EQUAL, because countersign.enforcement is ALWAYS',
    );
  if (window !== undefined && aggregation.window.infinite === undefined)
    throw invalid(at('aggregation.window'), 'must be { "infinite": {} }, because countersign.window is given');
  if (window?.calendar !== undefined && !isZone(window.calendar.zone))
    throw invalid(at('countersign.window.calendar.zone'), 'must be a zone of the IANA database, such as Europe/Berlin');
  if (fees && (groupBy === 'recipient' || aggregation.method.endsWith('_COUNT')))
    throw invalid(
      at('countersign.fees'),
      'must be false with groupBy recipient and with the method COUNT: a fee has no recipient, and is no transfer',
    );
  if (dataSource.activityExecution === undefined) return;
  if (!aggregation.method.endsWith('_COUNT'))
    throw invalid(
      at('aggregation.method'),
      'must be VELOCITY_CONTROL_AGGREGATION_METHOD_COUNT, because executed activities have no amounts',
    );
  if (condition !== undefined)
    throw invalid(
      at('countersign.condition'),
      'must be left out: it says which transfers count, and executed activities have none',
    );
  if (groupBy === 'recipient') throw invalid(at('countersign.groupBy'), 'must not be recipient: executed activities have none');
  if (unreadable !== undefined) throw invalid(at('countersign.unreadable'), 'must be left out: activities are always readable');
}

/** Refuses what no database is needed for. */
export function checkControl({ policies }: CheckContext, control: NewVelocityControl): void {
  const { identifier, dataSource } = control;
  if (policies.isWord(identifier))
    throw invalid(at('identifier'), `must not be a word of the policy language: ${identifier} is one`);
  checkAssets(dataSource);
  checkFilter(policies, control);
  checkReach(policies, control);
  checkAdditions(control);
  const { condition } = control.countersign ?? {};
  if (condition !== undefined) policies.checkTransferCondition(condition, at('countersign.condition'));
}
checkControl.errors = errorsOf('REQUEST_INVALID');

/**
 * Warns of a native coin with other digits than it has: amounts would be wrong by powers of ten. Warns too of a condition that leaves
 * out Bitcoin's fee, by which its signer may pay any amount. Reviews the condition, since one that is false of every transfer leaves a
 * limit that never limits. Throws REQUEST_INVALID.
 */
export function reviewControl(
  ctx: Pick<ReviewContext, 'environment' | 'warn'>,
  { dataSource, countersign }: NewVelocityControl,
): void {
  const condition = countersign?.condition;
  if (condition !== undefined) reviewTransferCondition(ctx, condition, at('countersign.condition'));
  const leavesFee = condition !== undefined && countsNoFee(ctx, condition);
  for (const [i, { caip19, decimals }] of (dataSource.chainAssetTransfer?.definition ?? []).entries()) {
    const asset = controlledAsset(caip19);
    const usual = asset && decimalsOf(asset);
    if (asset?.namespace === 'bip122' && leavesFee)
      ctx.warn(
        'VELOCITY_FEE',
        `${at('countersign.condition')}: leaves out the fee, so any amount of ${caip19} may leave as the fee of a transaction`,
      );
    if (usual === undefined || decimals === String(usual)) continue;
    const field = at(`dataSource.chainAssetTransfer.definition[${i}].decimals`);
    ctx.warn('VELOCITY_DECIMALS', `${field}: the native coin ${caip19} has ${usual} decimals, not ${decimals}`);
  }
}
