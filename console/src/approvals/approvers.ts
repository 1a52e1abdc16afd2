/** The users whose approval would count, as review_activity names them. */

/** `again`: the user approved before. That approval lapsed, or its key is gone. */
export type Completer = { userId: string; userName: string; completes: boolean; again?: boolean };

export type Voting = {
  completers: readonly Completer[];
  votes: readonly { userId: string; selection: string; counts: boolean }[];
};

/** The others than oneself. One with an approval that counts is none of them. */
export function approversOf({ completers, votes }: Voting, own: string): { completing: Completer[]; helping: Completer[] } {
  const approved = votes.filter(({ selection }) => selection === 'VOTE_SELECTION_APPROVED');
  const counting = new Set(approved.filter(({ counts }) => counts).map(({ userId }) => userId));
  const before = new Set(approved.map(({ userId }) => userId));
  const others = completers
    .filter(({ userId }) => userId !== own && !counting.has(userId))
    .map((one) => ({ ...one, again: before.has(one.userId) }));
  return { completing: others.filter(({ completes }) => completes), helping: others.filter(({ completes }) => !completes) };
}
