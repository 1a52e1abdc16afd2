/** The session of this browser, shared by its tabs. Its key can only read; every change is stamped by itself. */
import { useMemo, useSyncExternalStore } from 'react';
import { serviceNow, serviceOrigin } from '../service/call.ts';
import { forget, keep, kept } from '../service/indexed-db.ts';
import type { StampKey } from '../service/stamps.ts';
import { useViewed } from './viewed.ts';

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

/** A session as pages read by it. `isOwn`: else they show an organization below the person's own, where everything can be read only. */
export type Reader = Session & { isOwn: boolean };

/** `ended`: the pages stay, and a dialog above them asks to sign in again. `isRemoved`: the service does not know its key any more. */
export type SessionState =
  | { status: 'loading' | 'out'; note?: string }
  | { status: 'in'; session: Session }
  | { status: 'ended'; session: Session; isRemoved?: boolean };

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

/** A console of a checkout has one address for all services. The session of one is never told to another. */
type Stored = Session & { service?: string };

async function load(): Promise<void> {
  const stored = await kept<Stored>(SESSION);
  set(stateOf((stored?.service ?? '') === serviceOrigin() ? stored : undefined));
}

/** Before the first page is drawn. `onLeave`: another person, or none, is signed in to this tab. */
export async function openSession(onLeave: () => void): Promise<void> {
  drop = onLeave;
  tabs.onmessage = () => void load();
  await load();
}

export async function begin(session: Session): Promise<void> {
  await keep(SESSION, { ...session, service: serviceOrigin() } satisfies Stored);
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

/** Undefined if the page's session is another one by now. */
export const signedIn = ({ key }: Session): Session | undefined =>
  state.status === 'in' && state.session.key.publicKey === key.publicKey ? state.session : undefined;

/** The service refuses the session, or its time has passed. */
export function endSession(session: Session, isRemoved = false): void {
  const own = signedIn(session);
  if (own) set({ status: 'ended', session: own, isRemoved });
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

export const useSessionState = (): SessionState => useSyncExternalStore(subscribe, () => state);

/** The session in the organization that the address names. Undefined: there is no session. */
export function useReader(): Reader | undefined {
  const now = useSessionState();
  const viewed = useViewed();
  const session = 'session' in now ? now.session : undefined;
  return useMemo(() => {
    if (session === undefined) return undefined;
    const isOwn = viewed === undefined || viewed === session.organizationId;
    return isOwn ? { ...session, isOwn } : { ...session, isOwn, organizationId: viewed, organizationName: viewed };
  }, [session, viewed]);
}

/** For pages that are drawn only with a session. */
export function useSession(): Reader {
  const reader = useReader();
  if (reader === undefined) throw new Error('this page needs a session');
  return reader;
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
