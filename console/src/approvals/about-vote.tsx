/** In one line: what a press of the buttons below it decides. */
import type { Summary } from '../../../review/index.ts';
import type { Activity } from '../service/types.ts';
import { typeText } from './titles.ts';

type Props = { activity: Activity; summary: Summary | undefined };

/** Without a summary nothing was read here. */
export function AboutVote({ activity: { type, fingerprint }, summary }: Props) {
  if (summary === undefined)
    return (
      <p className="about-vote">
        <strong>{typeText(type)}</strong>, fingerprint <code>{fingerprint.slice(7, 15)}…</code>{' '}
        <span className="tag">as the service says</span>
      </p>
    );
  return (
    <p className="about-vote">
      <strong>{summary.what}</strong>
      {summary.amount && (
        <>
          , <strong>{summary.amount}</strong>
        </>
      )}
      {summary.to && (
        <>
          , to <code className="address">{summary.to}</code>
        </>
      )}
      , fingerprint <code>{summary.fingerprint}…</code>
    </p>
  );
}
