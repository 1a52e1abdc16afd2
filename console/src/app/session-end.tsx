/** When the session ends, and signing in again above the page: what was typed stays. */
import { useEffect, useState } from 'react';
import { visible } from '../../../review/visible.ts';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Notice } from '../parts/notice.tsx';
import { useNow } from '../parts/time.tsx';
import { serviceNow } from '../service/call.ts';
import { client } from '../service/read.ts';
import { signOut } from '../session/sign-in.ts';
import { SignInForm } from '../session/sign-in-form.tsx';
import { endSession, type Session, useSessionState } from '../session/state.ts';

const SOON_MS = 10 * 60_000;
/** Timers count at most 2³¹ ms. */
const LONGEST_TIMER_MS = 2_000_000_000;

function useEnd(session: Session): number {
  useNow();
  useEffect(() => {
    const timer = setTimeout(() => endSession(session), Math.min(Math.max(session.endsMs - serviceNow(), 0), LONGEST_TIMER_MS));
    return () => clearTimeout(timer);
  }, [session]);
  return session.endsMs - serviceNow();
}

function leftText(ms: number): string {
  const minutes = Math.max(1, Math.ceil(ms / 60_000));
  return minutes > 90 ? `${Math.floor(minutes / 60)} h` : `${minutes} min`;
}

/** `isApart`: the page needs no session, so no dialog covers it. */
export function SessionEnd({ isApart }: { isApart: boolean }) {
  const state = useSessionState();
  if (!('session' in state)) return null;
  const isRemoved = state.status === 'ended' && state.isRemoved === true;
  return <Ending session={state.session} isEnded={state.status === 'ended' && !isApart} isRemoved={isRemoved} />;
}

const REMOVED =
  'The service no longer knows this session. Its key was deleted, or a passkey, key or account of yours: that ends all your sessions.';

function Ending({ session, isEnded, isRemoved }: { session: Session; isEnded: boolean; isRemoved: boolean }) {
  const left = useEnd(session);
  const [renews, setRenews] = useState(false);
  const done = () => {
    setRenews(false);
    void client.invalidateQueries();
  };
  const soon = left < SOON_MS;
  return (
    <>
      <span className="who">{visible(session.username)}</span>
      {soon ? (
        <Button kind="plain" onPress={() => setRenews(true)}>
          {leftText(left)} left: sign in again
        </Button>
      ) : (
        <span className="dim session-left">{leftText(left)} left</span>
      )}
      <Dialog title="Sign in again" isOpen={isEnded || renews} onClose={isEnded ? undefined : () => setRenews(false)}>
        {isRemoved && <Notice level="amber" title={REMOVED} />}
        <p>{isEnded ? 'The session has ended. The page below stays as it is.' : 'The session ends soon.'}</p>
        <SignInForm again={session} onDone={done} />
        {isEnded && (
          <p>
            <Button onPress={() => void signOut(session)}>Sign out</Button>
          </p>
        )}
      </Dialog>
    </>
  );
}
