/** What surrounds every page: the menu, who is signed in, and the dialog that signs in again. */
import { Link, Outlet, useRouterState } from '@tanstack/react-router';
import { useCallback, useEffect, useRef, useState } from 'react';
import { SignInPage } from '../pages/sign-in.tsx';
import { Button } from '../parts/button.tsx';
import { useLive } from '../service/live.ts';
import { useWaiting, useWaitingCount } from '../service/waiting.ts';
import { useSessionState } from '../session/state.ts';
import { Help } from './help.tsx';
import { LookSwitches } from './look-switches.tsx';
import { useNotices } from './notices.ts';
import { SessionEnd } from './session-end.tsx';
import { useShortcuts } from './shortcuts.ts';

function Menu() {
  const { text } = useWaitingCount();
  return (
    <nav aria-label="Pages" className="menu">
      <Link to="/overview">Overview</Link>
      <Link to="/approvals">
        Approvals
        {text && (
          <span className="count">
            {text}
            <span className="hidden"> waiting for you</span>
          </span>
        )}
      </Link>
      <Link to="/activities">Activities</Link>
      <Link to="/account">Account</Link>
    </nav>
  );
}

/** A new page is read from its beginning, by people who hear it too. */
function useFocusOnPage(): React.RefObject<HTMLElement | null> {
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const main = useRef<HTMLElement>(null);
  const before = useRef(path);
  useEffect(() => {
    if (before.current !== path) main.current?.focus();
    before.current = path;
  }, [path]);
  return main;
}

export function Shell() {
  const state = useSessionState();
  const main = useFocusOnPage();
  const isLive = useLive();
  useWaiting(isLive);
  const isEnrol = useRouterState({ select: ({ location }) => location.pathname.endsWith('/enrol') });
  const isIn = 'session' in state;
  const [helps, setHelps] = useState(false);
  useShortcuts(
    isIn,
    useCallback(() => setHelps(true), []),
  );
  useNotices(isIn);
  return (
    <>
      <a className="skip" href="#main">
        Skip to the content
      </a>
      <header className="bar">
        <Link to="/approvals" className="brand">
          Countersign
        </Link>
        {isIn && <Menu />}
        <div className="bar-end">
          {isIn && <SessionEnd isApart={isEnrol} />}
          <LookSwitches />
          {isIn && (
            <Button kind="quiet" aria-label="Keys and notices" onPress={() => setHelps(true)}>
              <span aria-hidden="true">?</span>
            </Button>
          )}
        </div>
      </header>
      <main id="main" tabIndex={-1} ref={main}>
        {isIn || isEnrol ? <Outlet /> : state.status === 'loading' ? null : <SignInPage />}
      </main>
      <Help isOpen={helps && isIn} onClose={() => setHelps(false)} />
    </>
  );
}
