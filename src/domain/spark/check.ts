import { hexBytes } from '../../base/bytes.ts';
import { errorsOf } from '../../base/declared-errors.ts';
import { invalid } from '../../base/errors.ts';
import { uncompressed } from '../../crypto/points.ts';
import { ECIES_OVERHEAD } from '../../crypto/spark/ecies.ts';
import { leafNumber } from '../../crypto/spark/paths.ts';
import type { SparkDerivation, SparkRecipientParams, SparkTransferParams } from '../../wire/spark.ts';

/** Refuses a text that has the form of a point and is not on the curve. */
export function checkPoint(hex: string, field: string): void {
  try {
    uncompressed('CURVE_SECP256K1', hexBytes(hex));
  } catch {
    throw invalid(field, 'must be a point of secp256k1');
  }
}
checkPoint.errors = errorsOf('REQUEST_INVALID');

export function checkUnique(keys: readonly (string | number)[], fieldAt: (i: number) => string, problem: string): void {
  const seen = new Set<string | number>();
  for (const [i, key] of keys.entries()) {
    if (seen.has(key)) throw invalid(fieldAt(i), problem);
    seen.add(key);
  }
}
checkUnique.errors = errorsOf('REQUEST_INVALID');

export function checkRecipients({ threshold, operatorRecipients: all }: SparkRecipientParams, field: string): void {
  if (threshold > all.length)
    throw invalid(`${field}.threshold`, `must be at most the number of operators, which is ${all.length}`);
  const at = (i: number) => `${field}.operatorRecipients[${i}]`;
  for (const [i, { encryptionPublicKey }] of all.entries()) checkPoint(encryptionPublicKey, `${at(i)}.encryptionPublicKey`);
  checkUnique(
    all.map(({ operatorId }) => operatorId),
    (i) => `${at(i)}.operatorId`,
    'must differ from the other operators’ ids',
  );
}
checkRecipients.errors = errorsOf('REQUEST_INVALID');

/** Leaves differ in their ids and in the keys that they get: different ids may have the same key. */
export function checkLeaves(leaves: readonly { leafId: string }[], newIds: readonly string[], field: string): void {
  const at = (i: number) => `${field}.leaves[${i}]`;
  checkUnique(
    leaves.map(({ leafId }) => leafId),
    (i) => `${at(i)}.leafId`,
    'must differ from the other leaves’ ids',
  );
  checkUnique(newIds.map(leafNumber), at, 'must get another key than the other leaves');
}
checkLeaves.errors = errorsOf('REQUEST_INVALID');

export type SparkTransferLeaf = SparkTransferParams['transfer']['leaves'][number];

/** The leaf ids of both derivations. */
export function leafIdsOf({ oldLeafDerivation, newLeafDerivation }: SparkTransferLeaf, field: string): [string, string] {
  const idOf = ({ signingLeaf }: SparkDerivation, name: string) => {
    if (signingLeaf === undefined)
      throw invalid(`${field}.${name}`, 'must be a signingLeaf: only keys of leaves are transferred');
    return signingLeaf.leafId;
  };
  const ids: [string, string] = [idOf(oldLeafDerivation, 'oldLeafDerivation'), idOf(newLeafDerivation, 'newLeafDerivation')];
  if (leafNumber(ids[0]) === leafNumber(ids[1]))
    throw invalid(`${field}.newLeafDerivation`, 'must lead to another key than oldLeafDerivation');
  return ids;
}
leafIdsOf.errors = errorsOf('REQUEST_INVALID');

/** The bytes of all packages of one activity, which its record keeps in hex. */
const MOST_BYTES = 1024 * 1024;

/** Most bytes of three parts: a leaf's share, ciphertext and signature; a proof; an operator's public share. */
const [OF_LEAF, OF_PROOF, OF_OPERATOR] = [260, 35, 43];

/** Every operator gets each leaf with a point for every operator, so the size grows with the square. `sizes`: of leaves' own fields. */
export function checkSize(
  sizes: readonly number[],
  { threshold, operatorRecipients: all }: SparkRecipientParams,
  field: string,
): void {
  const forOperators = all.reduce((sum, { operatorId }) => sum + operatorId.length + OF_OPERATOR, 0);
  const forLeaf = OF_LEAF + OF_PROOF * threshold + forOperators;
  const forOne = sizes.reduce((sum, size) => sum + size + forLeaf, ECIES_OVERHEAD);
  const bytes = forOne * all.length;
  if (bytes > MOST_BYTES)
    throw invalid(field, `must need at most ${MOST_BYTES} bytes of packages, and may need ${bytes}: send fewer leaves at once`);
}
checkSize.errors = errorsOf('REQUEST_INVALID');
