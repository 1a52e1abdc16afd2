/** In one line: what a press of the buttons below it decides. */
import type { About } from '../../../review/index.ts';
import type { Activity } from '../service/types.ts';
import { typeText } from './titles.ts';

type Props = { activity: Activity; about: About | undefined };

/** Without it nothing was read here. */
export function AboutVote({ activity: { type, fingerprint }, about }: Props) {
  if (about === undefined)
    return (
      <p className="about-vote">
        <strong>{typeText(type)}</strong>, fingerprint <code>{fingerprint.slice(7, 15)}…</code>{' '}
        <span className="tag">as the service says</span>
      </p>
    );
  return (
    <p className="about-vote">
      <strong>{about.what}</strong>
      {about.amount && (
        <>
          , <strong>{about.amount}</strong>
        </>
      )}
      {about.to && (
        <>
          , to <code className="address">{about.to}</code>
        </>
      )}
      , fingerprint <code>{about.fingerprint}…</code>
    </p>
  );
}
