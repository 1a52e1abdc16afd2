/** The session of this browser, shared by its tabs. Its key can only read; every change is stamped by itself. */
import { useSyncExternalStore } from 'react';
import { serviceNow } from '../service/call.ts';
import { forget, keep, kept } from '../service/kept.ts';
import type { StampKey } from '../service/stamps.ts';

/** How the person proves a change. */
export type Way = { kind: 'passkey'; credentialId: string } | { kind: 'key'; publicKey: string } | { kind: 'code' | 'provider' };

export type Session = {
  organizationId: string;
  organizationName: string;
  userId: string;
  username: string;
  way: Way;
  /** Reads alone. */
  key: StampKey;
  endsMs: number;
};

/** `ended`: the pages stay, and a dialog above them asks to sign in again. */
export type SessionState = { status: 'loading' | 'out'; note?: string } | { status: 'in' | 'ended'; session: Session };

const SESSION = 'session';

let state: SessionState = { status: 'loading' };
const listeners = new Set<() => void>();
const tabs = new BroadcastChannel('countersign.session');

const personOf = (one: SessionState): string | undefined =>
  'session' in one ? `${one.session.organizationId} ${one.session.userId}` : undefined;

/** Drops what a tab has in memory of a person who left. */
let drop = (): void => {};

function set(next: SessionState): void {
  const before = personOf(state);
  state = next;
  if (before !== undefined && before !== personOf(next)) drop();
  for (const listener of listeners) listener();
}

const stateOf = (session: Session | undefined): SessionState =>
  session === undefined ? { status: 'out' } : { status: session.endsMs > serviceNow() ? 'in' : 'ended', session };

async function load(): Promise<void> {
  set(stateOf(await kept<Session>(SESSION)));
}

/** Before the first page is drawn. `onLeave`: another person, or none, is signed in to this tab. */
export async function openSession(onLeave: () => void): Promise<void> {
  drop = onLeave;
  tabs.onmessage = () => void load();
  await load();
}

export async function begin(session: Session): Promise<void> {
  await keep(SESSION, session);
  remember(session.organizationId);
  set(stateOf(session));
  tabs.postMessage('changed');
}

export async function forgetSession(): Promise<void> {
  await forget(SESSION);
  set({ status: 'out' });
  tabs.postMessage('changed');
}

/** For the page that signs in. */
export function noteAfterSignOut(note: string): void {
  if (state.status === 'out') set({ status: 'out', note });
}

/** The service refuses the session, or its time has passed. */
export function endSession(session: Session): void {
  if (state.status === 'in' && state.session.key.publicKey === session.key.publicKey) set({ status: 'ended', session });
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

export const useSessionState = (): SessionState => useSyncExternalStore(subscribe, () => state);

/** For pages that are drawn only with a session. */
export function useSession(): Session {
  const now = useSessionState();
  if (!('session' in now)) throw new Error('this page needs a session');
  return now.session;
}

const ORGANIZATION = 'countersign.organization';

function remember(organizationId: string): void {
  try {
    localStorage.setItem(ORGANIZATION, organizationId);
  } catch {
    // A browser that keeps nothing asks again.
  }
}

export function rememberedOrganization(): string {
  try {
    return localStorage.getItem(ORGANIZATION) ?? '';
  } catch {
    return '';
  }
}
