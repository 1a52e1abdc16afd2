import type { Vote } from '../../model/activity.ts';
import type { Voter } from '../../policy/index.ts';
import type { Reader } from '../../store/types.ts';
import { voterThen } from '../activity/voters.ts';
import { credentialThen } from '../credentials.ts';
import { viewVoter } from './authorize.ts';

/** Voters already read, by user, version, credential and key. Undefined: nothing is left of the voter. */
export type KnownVoters = Map<string, Voter | undefined>;

/** The approvers, users of this organization, as of their votes, each with the credential that made the stamp. */
export async function votersThen(
  read: Reader,
  organizationId: string,
  approvals: readonly Vote[],
  known: KnownVoters,
): Promise<Voter[]> {
  const voters: Voter[] = [];
  for (const vote of approvals) {
    const name = `${vote.userId} ${vote.userVersion} ${vote.credentialId} ${vote.publicKey}`;
    if (!known.has(name)) {
      const then = await voterThen(read, organizationId, vote);
      const stamped = then && credentialThen(then, vote);
      known.set(name, then && viewVoter(then.user, then.tags, stamped ? [stamped] : []));
    }
    const voter = known.get(name);
    if (voter !== undefined) voters.push(voter);
  }
  return voters;
}
