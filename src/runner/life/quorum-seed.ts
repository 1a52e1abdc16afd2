import { zero } from '../../base/bytes.ts';
import { BundleError } from '../../crypto/bundle.ts';
import { QUORUM_SEED, quorumKeys, quorumPublicKey, wipeQuorumKeys } from '../../crypto/quorum-key.ts';
import { combineShares } from '../../crypto/shamir.ts';
import type { Share } from '../service/service.ts';
import { type Approved, hasSigned } from './approved.ts';
import type { Ephemeral } from './ephemeral.ts';
import { Problem } from './problem.ts';

/** The number of a share, then one byte for each byte of the seed. */
const SHARE = QUORUM_SEED + 1;

type Opened = { alias: string; plain: Buffer };

/** Throws Problem, which names the operator. */
function openShare({ publicKey, share, signature }: Share, { manifest, hash }: Approved, ephemeral: Ephemeral): Opened {
  const member = manifest.shareSet.members.find(({ pubKey }) => pubKey === publicKey);
  if (member === undefined) throw new Problem('a share is of an operator who is not in the share set of the manifest');
  const { alias } = member;
  if (!hasSigned({ publicKey, signature }, hash)) throw new Problem(`the share of ${alias} has no approval of this manifest`);
  let plain: Buffer;
  try {
    plain = ephemeral.open(Buffer.from(share, 'hex'));
  } catch (error) {
    if (error instanceof BundleError) throw new Problem(`the share of ${alias} is not sealed to the present ephemeral key`);
    throw error;
  }
  if (plain.length === SHARE) return { alias, plain };
  zero(plain);
  throw new Problem(`the share of ${alias} is no share of a quorum key`);
}

/**
 * The seed of the quorum key, which the caller wipes. Undefined while there are too few shares. Throws Problem if the shares do not give
 * the key that the manifest names.
 */
export function quorumSeed(posted: readonly Share[], approved: Approved, ephemeral: Ephemeral): Buffer | undefined {
  const { threshold } = approved.manifest.shareSet;
  const once = [...new Map(posted.map((share) => [share.publicKey, share])).values()];
  const opened: Opened[] = [];
  try {
    for (const share of once) opened.push(openShare(share, approved, ephemeral));
    if (threshold < 2) throw new Problem('its manifest gives one operator alone the quorum key');
    if (opened.length < threshold) return undefined;
    const seed = combineShares(opened.map(({ plain }) => plain));
    if (seed !== undefined && isSeedOf(seed, approved.manifest.namespace.quorumKey)) return seed;
    if (seed !== undefined) zero(seed);
  } finally {
    for (const { plain } of opened) zero(plain);
  }
  const names = opened.map(({ alias }) => alias).join(', ');
  throw new Problem(`the shares of ${names} do not give the quorum key of the manifest: one of them is of another key`);
}

function isSeedOf(seed: Buffer, wanted: string): boolean {
  const keys = quorumKeys(seed);
  if (keys === undefined) return false;
  const publicKey = quorumPublicKey(keys).toString('hex');
  wipeQuorumKeys(keys);
  return publicKey === wanted;
}
