/** Tells a person who looks elsewhere that more waits, by a badge and, if asked for, by a notice. The title has the count too. */
import { useEffect, useRef } from 'react';
import { useWaitingCount } from '../service/waiting.ts';
import { setLook, useLook } from './look.ts';

/** Why this browser shows no notices. Undefined if it may. */
export function noNotices(): string | undefined {
  if (!('Notification' in globalThis)) return 'This browser has no notices. The title of the tab has the count.';
  if (Notification.permission === 'denied')
    return 'The browser refuses notices of this page: allow them in its settings. The title of the tab has the count.';
  return undefined;
}

/** At a press alone: browsers refuse a page that asks by itself. Resolves with what went wrong. */
export async function allowNotices(): Promise<string | undefined> {
  const refused = noNotices();
  if (refused) return refused;
  const answer = await Notification.requestPermission();
  setLook({ notices: answer === 'granted' });
  return answer === 'granted' ? undefined : (noNotices() ?? 'The browser was not told to allow notices.');
}

/** It names nothing of the requests: a locked screen may show it. All tabs share the tag, so one notice is shown. */
function show(count: string): void {
  try {
    const one = new Notification('Countersign', { body: `${count} waiting for you`, tag: 'countersign.waits' });
    one.onclick = () => {
      window.focus();
      one.close();
    };
  } catch {
    // Browsers of phones allow it to service workers alone. Title and badge remain.
  }
}

type Badged = { setAppBadge?(count: number): Promise<void>; clearAppBadge?(): Promise<void> };

export function useNotices(isIn: boolean): void {
  const { notices } = useLook();
  const { text } = useWaitingCount();
  const before = useRef(0);
  useEffect(() => {
    const count = isIn ? Number.parseInt(text || '0', 10) : 0;
    const badge = navigator as Badged;
    // A page that is not installed has no badge.
    void (count > 0 ? badge.setAppBadge?.(count) : badge.clearAppBadge?.())?.catch(() => {});
    const isMore = count > before.current;
    before.current = count;
    if (isMore && notices && document.hidden && noNotices() === undefined) show(text);
  }, [isIn, text, notices]);
}
