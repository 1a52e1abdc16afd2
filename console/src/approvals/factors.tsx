/** Further stamps of voters, which a user gives by approving with another credential. */
import { visible } from '../../../review/visible.ts';
import { type Factors, openFactors, type SaidFactors, stepsText } from '../service/factors.ts';
import { useRead } from '../service/read.ts';
import type { Activity } from '../service/types.ts';
import { useSession } from '../session/state.ts';

/** What the own vote still needs. The stamp that it has shows nothing new. */
export function useOwnFactors(activityId: string, enabled: boolean): Factors[] {
  const { userId } = useSession();
  const { data } = useRead<SaidFactors>('review_activity', { activityId }, { enabled });
  return openFactors(data ?? {}).filter((each) => each.userId === userId);
}

const Says = ({ mfaPolicyName }: Factors) => (
  <>
    says the MFA policy <strong>{visible(mfaPolicyName)}</strong>
  </>
);

function FactorRow({ factors, votes }: { factors: Factors; votes: Activity['votes'] }) {
  const { userId: own } = useSession();
  const { userId } = factors;
  const name = votes.find((vote) => vote.userId === userId)?.user.userName;
  return (
    <p>
      {userId === own ? 'Your vote' : `The vote of ${name === undefined ? userId : visible(name)}`} counts only with a further
      stamp by {stepsText(factors)}, <Says {...factors} />.
      {userId === own && ' Approve again with such a credential: here, or by the command below.'}
    </p>
  );
}

export const MissingFactors = ({ said, votes }: { said: SaidFactors; votes: Activity['votes'] }) => {
  const open = openFactors(said);
  return open.length === 0 ? null : (
    <div className="fact">
      <dt>Factors</dt>
      <dd>
        {open.map((factors) => (
          <FactorRow key={`${factors.mfaPolicyId} ${factors.userId}`} factors={factors} votes={votes} />
        ))}
      </dd>
    </div>
  );
};

/** In a dialog that stamps once more. */
export const AskedFactors = ({ factors }: { factors: readonly Factors[] }) =>
  factors.map((each) => (
    <p key={each.mfaPolicyId}>
      Your vote still needs a stamp by {stepsText(each)}, <Says {...each} />.
    </p>
  ));
