/** Which policies decided at a vote, and which had nothing to say. */

type Outcome = { readonly outcome: string };

/** The first that is there decided. Others were asked, and did not apply. */
const STRENGTH = [
  'OUTCOME_DENY_EXPLICIT',
  'OUTCOME_ALLOW',
  'OUTCOME_REJECTED',
  'OUTCOME_REQUIRES_CONSENSUS',
  'OUTCOME_ERROR',
] as const;

const strengthOf = ({ outcome }: Outcome): number => (STRENGTH as readonly string[]).indexOf(outcome);

/** The deciding ones first. */
export function sorted<T extends Outcome>(all: readonly T[]): { telling: T[]; others: T[] } {
  const telling = all.filter((one) => strengthOf(one) >= 0).sort((a, b) => strengthOf(a) - strengthOf(b));
  return { telling, others: all.filter((one) => strengthOf(one) < 0) };
}

/** The policies that forbade what was refused, by the last vote that they were asked at. */
export const denying = <T extends Outcome>(votes: readonly (readonly T[])[]): T[] =>
  (votes.findLast((all) => all.length > 0) ?? []).filter(({ outcome }) => outcome === 'OUTCOME_DENY_EXPLICIT');
