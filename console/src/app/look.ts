/** What a person has chosen in this browser: theme, time zone, keys and notices. */
import { useSyncExternalStore } from 'react';

export type Theme = 'system' | 'light' | 'dark';
export type Zone = 'local' | 'utc';
/** `notices`: a person asked for them. The browser must allow them too. */
type Look = { theme: Theme; zone: Zone; shortcuts: boolean; notices: boolean };

const KEY = 'countersign.look';
const LOOK: Look = { theme: 'system', zone: 'local', shortcuts: true, notices: false };

function kept(): Look {
  try {
    const { theme, zone, shortcuts, notices } = JSON.parse(localStorage.getItem(KEY) ?? '{}') as Partial<Look>;
    return {
      theme: theme === 'light' || theme === 'dark' ? theme : LOOK.theme,
      zone: zone === 'utc' ? 'utc' : LOOK.zone,
      shortcuts: shortcuts !== false,
      notices: notices === true,
    };
  } catch {
    return LOOK;
  }
}

let look = kept();
const listeners = new Set<() => void>();

function apply(): void {
  const { dataset } = document.documentElement;
  if (look.theme === 'system') delete dataset.theme;
  else dataset.theme = look.theme;
}
apply();

export function setLook(change: Partial<Look>): void {
  look = { ...look, ...change };
  apply();
  try {
    localStorage.setItem(KEY, JSON.stringify(look));
  } catch {
    // A browser that keeps nothing forgets it at a reload.
  }
  for (const listener of listeners) listener();
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

export const useLook = (): Look => useSyncExternalStore(subscribe, () => look);
