/** The votes of an activity, each verified in this browser. */
import { visible } from '../../../review/visible.ts';
import { Ago, millisecondsOf } from '../parts/time.tsx';
import type { Vote } from '../service/types.ts';
import type { Verified } from '../service/verify.ts';

const SAID: Readonly<Record<Verified['state'], string>> = {
  good: 'stamp verified in this browser',
  bad: 'the vote is wrong',
  unknown: 'stamp not verified here',
};

const credentialOf = ({ scheme, publicKey, user }: Vote): string => {
  const key = user.apiKeys.find(({ credential }) => credential.publicKey === publicKey);
  const passkey = user.authenticators.find(({ credential }) => credential.publicKey === publicKey);
  if (passkey) return `passkey “${visible(passkey.authenticatorName)}”`;
  if (key) return `key “${visible(key.apiKeyName)}”`;
  return scheme === 'SIGNATURE_SCHEME_TK_WEBAUTHN' ? 'a passkey' : 'a key or session';
};

function VoteRow({ vote, isFirst, verified }: { vote: Vote; isFirst: boolean; verified: Verified | undefined }) {
  const did = vote.selection === 'VOTE_SELECTION_REJECTED' ? 'rejected' : isFirst ? 'asked' : 'approved';
  return (
    <li className="vote">
      <p>
        <strong>{visible(vote.user.userName) || vote.userId}</strong> {did} <Ago ms={millisecondsOf(vote.createdAt)} />
        <span className="dim"> with {credentialOf(vote)}</span>
      </p>
      {verified && (
        <details className={`verified ${verified.state}`}>
          <summary>{SAID[verified.state]}</summary>
          <ul>
            {verified.said.map((line) => (
              <li key={line}>{visible(line)}</li>
            ))}
            <li>
              public key <code className="address">{vote.publicKey}</code>
            </li>
            <li>
              user <code>{vote.userId}</code>. Names are as the service says.
            </li>
          </ul>
        </details>
      )}
    </li>
  );
}

/** `verified`: in the order of the votes, once they are checked. */
export const Votes = ({ votes, verified = [] }: { votes: readonly Vote[]; verified?: readonly Verified[] | undefined }) => (
  <ul className="votes">
    {votes.map((vote, i) => (
      <VoteRow key={vote.id} vote={vote} isFirst={i === 0} verified={verified[i]} />
    ))}
  </ul>
);
