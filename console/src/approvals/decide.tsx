/** Approves or rejects exactly the fingerprint of the body that was drawn. */
import { useEffect, useRef, useState } from 'react';
import { Button } from '../parts/button.tsx';
import { AsCommand, commandOf } from '../parts/command.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Failure, Notice } from '../parts/notice.tsx';
import { OffBelow } from '../parts/off-below.tsx';
import { useStill } from '../parts/still.ts';
import { submit } from '../service/activities.ts';
import { ServiceError } from '../service/errors.ts';
import { refreshAfter } from '../service/refresh.ts';
import type { Activity } from '../service/types.ts';
import { ChangeKey } from '../session/change-key.tsx';
import { anyBeside, type ChangeStamp, useChangeStamp } from '../session/change-stamp.ts';
import { useSession } from '../session/state.ts';
import { AboutVote } from './about-vote.tsx';
import { AskedFactors, useOwnFactors } from './factors.tsx';
import type { Reading } from './reading.ts';

type Vote = 'APPROVE' | 'REJECT';

const NOUN: Readonly<Record<Vote, string>> = { APPROVE: 'approval', REJECT: 'rejection' };

function outcomeText(vote: Vote, { status }: Activity): string {
  if (status === 'ACTIVITY_STATUS_COMPLETED') return 'Approved: it is completed.';
  if (status === 'ACTIVITY_STATUS_FAILED') return `Your ${NOUN[vote]} is recorded. It then failed: the activity says why.`;
  if (status === 'ACTIVITY_STATUS_REJECTED') return 'Rejected: it will not run.';
  if (status === 'ACTIVITY_STATUS_AUTHENTICATORS_NEEDED')
    return `Your ${NOUN[vote]} is recorded, and needs a further factor: the decision names it.`;
  return `Your ${NOUN[vote]} is recorded. It still waits.`;
}

type Failed = { error: unknown; vote: Vote };

/** An open prompt would stamp what is not on the screen any more. Its signal ends with `isOpen`, and with the page. */
function usePrompt(isOpen: boolean): () => AbortSignal {
  const prompt = useRef<AbortController>(null);
  useEffect(() => {
    if (!isOpen) prompt.current?.abort();
  }, [isOpen]);
  useEffect(() => () => prompt.current?.abort(), []);
  return () => {
    prompt.current = new AbortController();
    return prompt.current.signal;
  };
}

type Props = {
  activity: Activity;
  /** The id that the address names. */
  asked: string;
  reading: Reading;
  waits: boolean;
  onDone(text: string, activity: Activity): void;
};

/** It stays while the request is open: a vote of another closes no dialog, and takes no failure away. */
export function Decide({ activity, asked, reading, waits, onDone }: Props) {
  const session = useSession();
  const { organizationId, isOwn } = session;
  const isHidden = reading.unread === 'hidden' && reading.differences.length === 0;
  const fingerprint = reading.review?.fingerprint ?? (isHidden ? activity.fingerprint : '');
  const still = useStill(`${activity.id} ${fingerprint} ${activity.status} ${activity.votes.length} ${reading.count}`);
  const [asks, setAsks] = useState<Vote>();
  const [sending, setSending] = useState<Vote>();
  const [failure, setFailure] = useState<Failed>();
  const factors = useOwnFactors(activity.id, waits);
  const own = useChangeStamp();
  // A further factor may be another credential than the one that signed in.
  const approves = factors.length > 0 ? anyBeside(own) : own;
  const trusted = reading.review !== undefined && reading.differences.length === 0;
  const allows = (vote: Vote | undefined) => waits && (vote === 'REJECT' ? fingerprint !== '' : trusted);
  const prompt = usePrompt(allows(sending));
  const busy = sending !== undefined;

  const send = async (vote: Vote, by: ChangeStamp['stamp']) => {
    const signal = prompt();
    setSending(vote);
    setFailure(undefined);
    try {
      const voted = await submit(by, organizationId, `${vote}_ACTIVITY`, { fingerprint }, signal);
      onDone(outcomeText(vote, voted), voted);
    } catch (error) {
      const isWithdrawn = signal.aborted && error instanceof DOMException;
      if (!isWithdrawn) setFailure({ error, vote });
    } finally {
      setSending(undefined);
      refreshAfter(session, activity.id);
    }
  };

  /** A passkey asks by itself. With a key, the dialog is all that asks. */
  const press = (vote: Vote) => {
    if (vote === 'APPROVE' && approves.kind === 'passkey') void send(vote, approves.stamp);
    else setAsks(vote);
  };

  if (!waits) return failure ? <TooLate failure={failure} /> : null;
  return (
    <div className="decide">
      {reading.differences.length > 0 && <Differences differences={reading.differences} />}
      {isHidden && <Hidden fingerprint={fingerprint} />}
      {failure && <Failure error={failure.error} doing={`The ${NOUN[failure.vote]}`} />}
      <AboutVote activity={activity} about={reading.about} />
      <div className="buttons">
        {(activity.canApprove || !isOwn) && (
          <Button
            kind="primary"
            isDisabled={!isOwn || !trusted || reading.isLast || !still || busy}
            onPress={() => press('APPROVE')}
          >
            {approves.kind === 'passkey' ? 'Approve with passkey…' : 'Approve…'}
          </Button>
        )}
        {(activity.canReject || !isOwn) && (
          <Button kind="danger" isDisabled={!isOwn || fingerprint === '' || !still || busy} onPress={() => press('REJECT')}>
            Reject…
          </Button>
        )}
        {!isOwn && <OffBelow />}
        {isOwn && !activity.canApprove && !activity.canReject && (
          <p className="dim">Your vote would not count now, as the service says.</p>
        )}
      </div>
      {isOwn && !isHidden && <Commands asked={asked} canReject={activity.canReject} />}
      <Dialog
        title={asks === 'REJECT' ? 'Reject this request?' : 'Approve this request?'}
        isOpen={asks !== undefined && allows(asks)}
        onClose={() => setAsks(undefined)}
      >
        <AboutVote activity={activity} about={reading.about} />
        {asks !== 'REJECT' && <AskedFactors factors={factors} />}
        <p>{asks === 'REJECT' ? 'One rejection ends the request for everybody.' : 'Your key stamps exactly this fingerprint:'}</p>
        <p>
          <code className="address">{fingerprint}</code>
        </p>
        {isHidden && <p>The service says this fingerprint. Nothing of the request was read here.</p>}
        <ChangeKey
          stamp={asks === 'REJECT' ? own : approves}
          label={asks === 'REJECT' ? 'Reject it' : 'Approve it'}
          kind={asks === 'REJECT' ? 'danger' : 'primary'}
          onCancel={() => setAsks(undefined)}
          onStamp={(by) => {
            const vote = asks!;
            setAsks(undefined);
            void send(vote, by);
          }}
        />
      </Dialog>
    </div>
  );
}

/** Votes of others ended the request meanwhile. A prompt that was closed is of no more interest. */
function TooLate({ failure: { error, vote } }: { failure: Failed }) {
  if (error instanceof DOMException) return null;
  if (!(error instanceof ServiceError) || error.status === 0) return <Failure error={error} doing={`The ${NOUN[vote]}`} />;
  return (
    <Notice level="info" title={`Your ${NOUN[vote]} is not recorded`}>
      <p>{error.message}</p>
    </Notice>
  );
}

const Commands = ({ asked, canReject }: { asked: string; canReject: boolean }) => (
  <>
    <AsCommand line={commandOf('approvals', 'approve', asked)} />
    {canReject && <AsCommand line={commandOf('approvals', 'reject', asked)} title="Rejecting as a command" />}
  </>
);

/** A rejection gives nothing away, so it may be of something that cannot be read. */
const Hidden = ({ fingerprint }: { fingerprint: string }) => (
  <Notice level="amber" title="Approving is off: the service shows no body">
    <p>
      The request holds a secret, which only its sender sees, or its body was removed. You can reject it here. Approve it only if
      you know from its sender what it is, by the line below. Its fingerprint is as the service says.
    </p>
    <AsCommand
      line={commandOf('submit', 'approve_activity', JSON.stringify({ fingerprint }))}
      title="Approving unread, as a command"
    />
  </Notice>
);

const Differences = ({ differences }: { differences: readonly string[] }) => (
  <Notice level="red" title="Approving is off: what was read here and what the service says differ">
    <ul>
      {differences.map((text) => (
        <li key={text}>{text}</li>
      ))}
    </ul>
    <p>Tell the operator. Compare with another machine: the command below prints the same review.</p>
  </Notice>
);
