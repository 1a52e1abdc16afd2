/** Removes a passkey or key of the signed-in person. That ends all sessions of theirs, this one too. */
import { useState } from 'react';
import { visible } from '../../../review/visible.ts';
import { Button } from '../parts/button.tsx';
import { AsCommand, commandOf } from '../parts/command.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Failure, Notice } from '../parts/notice.tsx';
import { submit } from '../service/activities.ts';
import type { Stamper } from '../service/call.ts';
import { ChangeKey } from './change-key.tsx';
import { useChangeStamp } from './change-stamp.ts';
import { endSession, forgetSession, noteAfterSignOut, useSession } from './state.ts';

type Props = {
  kind: 'passkey' | 'key';
  id: string;
  name: string;
  /** It signed in to this session. */
  signedIn: boolean;
  isLast: boolean;
};

const DELETES = {
  passkey: (userId: string, id: string) => ['DELETE_AUTHENTICATORS', { userId, authenticatorIds: [id] }] as const,
  key: (userId: string, id: string) => ['DELETE_API_KEYS', { userId, apiKeyIds: [id] }] as const,
};

export function RemoveCredential({ kind, id, name, signedIn, isLast }: Props) {
  const session = useSession();
  const stamp = useChangeStamp();
  const [asks, setAsks] = useState(false);
  const [busy, setBusy] = useState(false);
  const [waits, setWaits] = useState(false);
  const [failure, setFailure] = useState<unknown>();
  const [type, parameters] = DELETES[kind](session.userId, id);
  const remove = async (by: Stamper) => {
    setAsks(false);
    setBusy(true);
    setFailure(undefined);
    try {
      const { status, failure } = await submit(by, session.organizationId, type, parameters);
      if (status === 'ACTIVITY_STATUS_FAILED') throw new Error(failure?.message ?? 'it was not removed');
      if (status !== 'ACTIVITY_STATUS_COMPLETED') return setWaits(true);
      if (!signedIn) return endSession(session, true);
      await forgetSession();
      noteAfterSignOut(`The ${kind} that signed in is removed, and your sessions have ended. Sign in in another way.`);
    } catch (error) {
      setFailure(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      <Button aria-label={`Remove the ${kind} ${visible(name)}`} isDisabled={busy} onPress={() => setAsks(true)}>
        Remove…
      </Button>
      {waits && <Notice level="info" title="The removal is recorded, and waits for the approvals or factors that it needs" />}
      {failure !== undefined && <Failure error={failure} doing={`Removing the ${kind}`} />}
      <Dialog title={`Remove the ${kind}?`} isOpen={asks} onClose={() => setAsks(false)}>
        <p>
          <strong>{visible(name)}</strong> will sign in and approve no more. All your sessions end, also in other browsers.
        </p>
        {isLast && <Notice level="red" title={`It is your only ${kind}. Without another way in, you are locked out.`} />}
        <AsCommand line={commandOf('submit', type.toLowerCase(), JSON.stringify(parameters))} />
        <ChangeKey
          stamp={stamp}
          label="Remove it"
          kind="danger"
          onStamp={(by) => void remove(by)}
          onCancel={() => setAsks(false)}
        />
      </Dialog>
    </>
  );
}
