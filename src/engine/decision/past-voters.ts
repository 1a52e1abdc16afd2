import type { Vote } from '../../model/activity.ts';
import type { Proof } from '../../model/proof.ts';
import type { Voter } from '../../policy/index.ts';
import type { Reader } from '../../store/types.ts';
import { credentialThen } from '../credentials.ts';
import { voterThen } from '../voters.ts';
import { viewVoter } from './authorize.ts';

/** Voters that were already read, by user, version, credential and key. Undefined: nothing is left of the voter. */
export type KnownVoters = Map<string, Voter | undefined>;

type Stamp = Pick<Vote, 'userId' | 'userVersion' | 'credentialId' | 'scheme' | 'publicKey'>;

/** The user who made a stamp, as of then, with the credential that made it. */
async function stamperThen(read: Reader, organizationId: string, stamp: Stamp, known: KnownVoters): Promise<Voter | undefined> {
  const name = `${stamp.userId} ${stamp.userVersion} ${stamp.credentialId} ${stamp.publicKey}`;
  if (!known.has(name)) {
    const then = await voterThen(read, organizationId, stamp);
    const stamped = then && (credentialThen(then, stamp) ?? (await read.credentials.ended(organizationId, stamp.credentialId)));
    known.set(name, then && viewVoter(then.user, then.tags, stamped ? [stamped] : []));
  }
  return known.get(name);
}

/**
 * The approvers, users of this organization, as of their votes. Each has the credentials that made the vote and the user's
 * proofs.
 */
export async function votersThen(
  read: Reader,
  organizationId: string,
  { approvals, proofs }: { approvals: readonly Vote[]; proofs: readonly Proof[] },
  known: KnownVoters,
): Promise<Voter[]> {
  /** By user. A user who approves again, as a proof or after an approval that lapsed, is one voter. */
  const voters = new Map<string, Voter>();
  const shown = new Set<string>();
  for (const vote of approvals) {
    const voter = await stamperThen(read, organizationId, vote, known);
    if (voter === undefined) continue;
    const credentials = [...(voters.get(vote.userId)?.credentials ?? [])];
    if (!shown.has(vote.credentialId)) credentials.push(...voter.credentials);
    shown.add(vote.credentialId);
    for (const proof of proofs) {
      if (proof.userId !== vote.userId || shown.has(proof.credentialId)) continue;
      shown.add(proof.credentialId);
      credentials.push(...((await stamperThen(read, organizationId, proof, known))?.credentials ?? []));
    }
    voters.set(vote.userId, { ...voter, credentials });
  }
  return [...voters.values()];
}
