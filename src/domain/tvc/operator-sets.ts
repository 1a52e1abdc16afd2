import { errorsOf } from '../../base/declared-errors.ts';
import { ApiError, invalid } from '../../base/errors.ts';
import type { Ids } from '../../base/ids.ts';
import { quorumPublicHalves } from '../../crypto/quorum-key.ts';
import type { Limits } from '../../model/limits.ts';
import type { Organization } from '../../model/organization.ts';
import type { SetWithOperators } from '../../model/tvc/manifest.ts';
import { MOST_OPERATORS, type TvcOperator, type TvcOperatorSet } from '../../model/tvc/operator.ts';
import type { Reader, Writer } from '../../store/types.ts';
import type { OperatorSetParams } from '../../wire/tvc.ts';
import { requireRoom } from '../limits/limits.ts';

type Ctx = { organization: Organization; store: Writer; ids: Ids; limits: Limits; now: number };

/** Both halves of a key of 130 bytes, in hex. Throws REQUEST_INVALID unless they are points of the curve. */
export function twoKeys(publicKey: string, field: string): { encryptPublicKey: string; signPublicKey: string } {
  const halves = quorumPublicHalves(Buffer.from(publicKey, 'hex'));
  if (halves === undefined) throw invalid(field, 'has a half that is no uncompressed P-256 public key');
  return { encryptPublicKey: halves.encrypt.toString('hex'), signPublicKey: halves.sign.toString('hex') };
}
twoKeys.errors = errorsOf('REQUEST_INVALID');

/** Throws REQUEST_INVALID for parameters that are wrong whatever the database holds. */
export function checkSetParams(params: OperatorSetParams, field: string): void {
  const { newOperators = [], existingOperatorIds = [], threshold } = params;
  for (const [i, { publicKey }] of newOperators.entries()) twoKeys(publicKey, `${field}.newOperators[${i}].publicKey`);
  if (new Set(existingOperatorIds).size < existingOperatorIds.length)
    throw invalid(`${field}.existingOperatorIds`, 'must name each operator once');
  const size = newOperators.length + existingOperatorIds.length;
  if (size > MOST_OPERATORS) throw invalid(field, `must have at most ${MOST_OPERATORS} operators`);
  if (threshold > size) throw invalid(`${field}.threshold`, `must be at most the number of operators, ${size}`);
}
checkSetParams.errors = errorsOf(twoKeys, 'REQUEST_INVALID');

/** The operators with these ids, in this order. Throws NOT_FOUND for unknown ones. */
async function operatorsOf(read: Pick<Reader, 'tvcOperators'>, org: string, ids: readonly string[]): Promise<TvcOperator[]> {
  const found = new Map((await read.tvcOperators.byIds(org, ids)).map((one) => [one.id, one]));
  return ids.map((id) => {
    const one = found.get(id);
    if (one === undefined) throw new ApiError('NOT_FOUND', `operator not found: ${id}`);
    return one;
  });
}

/** The operator with this name and these keys, which is added if there is none. */
async function operatorFor({ organization, store, ids, limits, now }: Ctx, name: string, publicKey: string, field: string) {
  const keys = twoKeys(publicKey, field);
  const org = organization.id;
  const known = await store.tvcOperators.same({ org, name, ...keys });
  if (known !== undefined) return known;
  const have = await store.organizations.count(org, 'tvcOperatorCount');
  requireRoom(have, 1, limits.tvcOperators, 'operators of verifiable apps', 'LIMIT_TVC_OPERATORS');
  const operator = { organizationId: org, id: ids.next(), name, ...keys, walletId: null, path: null, createdAt: now };
  await store.tvcOperators.insert(operator);
  return operator;
}

/**
 * The set with this name, threshold and these operators, which is added if there is none. Throws REQUEST_INVALID if two operators have
 * a key in common, because its holder would count twice.
 */
export async function operatorSetFor(ctx: Ctx, params: OperatorSetParams, field: string): Promise<TvcOperatorSet> {
  const { organization, store, ids, now } = ctx;
  const { name, threshold, newOperators = [], existingOperatorIds = [] } = params;
  const operators = await operatorsOf(store, organization.id, existingOperatorIds);
  for (const [i, given] of newOperators.entries())
    operators.push(await operatorFor(ctx, given.name, given.publicKey, `${field}.newOperators[${i}].publicKey`));
  const keys = operators.flatMap(({ encryptPublicKey, signPublicKey }) => [...new Set([encryptPublicKey, signPublicKey])]);
  if (new Set(keys).size < keys.length) throw invalid(field, 'two operators have a key in common: each must have its own');
  const operatorIds = operators.map(({ id }) => id);
  const known = await store.tvcOperatorSets.same(organization.id, name, threshold, operatorIds);
  if (known !== undefined) return known;
  const set = { organizationId: organization.id, id: ids.next(), name, threshold, operatorIds, createdAt: now };
  await store.tvcOperatorSets.insert(set);
  return set;
}
operatorSetFor.errors = errorsOf(twoKeys, requireRoom, 'NOT_FOUND', 'REQUEST_INVALID');

/** Throws NOT_FOUND. */
export async function operatorSetOf(
  read: Pick<Reader, 'tvcOperatorSets'>,
  org: string,
  id: string,
  field: string,
): Promise<TvcOperatorSet> {
  const [found] = await read.tvcOperatorSets.byIds(org, [id]);
  if (found === undefined) throw new ApiError('NOT_FOUND', `operator set not found: ${field} names ${id}`);
  return found;
}
operatorSetOf.errors = errorsOf('NOT_FOUND');

/** The sets with these ids, which exist, and their operators. */
export async function setsWithOperators(
  read: Pick<Reader, 'tvcOperators' | 'tvcOperatorSets'>,
  org: string,
  ids: readonly string[],
): Promise<Map<string, SetWithOperators>> {
  const sets = await read.tvcOperatorSets.byIds(org, [...new Set(ids)]);
  const operatorIds = [...new Set(sets.flatMap((set) => set.operatorIds))];
  const operators = new Map((await read.tvcOperators.byIds(org, operatorIds)).map((one) => [one.id, one]));
  return new Map(sets.map((set) => [set.id, { set, operators: set.operatorIds.map((id) => operators.get(id)!) }]));
}
