/** News of activities: one stream for all tabs. One tab, which holds the lock, listens and tells the others. Without a stream pages ask again. */
import { useEffect, useState } from 'react';
import { type Session, useReader, useSessionState } from '../session/state.ts';
import { serviceOrigin } from './call.ts';
import { read } from './read.ts';
import { type Change, type Changes, refresh, refreshWhenSeen } from './refresh.ts';

/** `asks`: of a tab that was opened later. */
type News = { organizationId: string } & ({ live: boolean } | Changes | { asks: true });

/** A message of the stream. */
type Told = Pick<Changes, 'factsVersion'> & { activities: Change[] };

const AGAIN_MS = 1000;
const LONGEST_AGAIN_MS = 30_000;
/** A proxy may cut each stream after its first bytes. */
const LASTED_MS = 30_000;

/** One brief stream until it ends. `tell` gets `live` and changes. Returns whether it lasted. */
async function stream(session: Session, tell: (news: News) => void, signal: AbortSignal): Promise<boolean> {
  const { organizationId } = session;
  const { ticket } = await read<{ ticket: string }>(session, 'create_stream_ticket', { brief: true });
  signal.throwIfAborted();
  const source = new EventSource(`${serviceOrigin()}/public/v1/stream/activities?${new URLSearchParams({ ticket })}`);
  let began = Number.POSITIVE_INFINITY;
  return new Promise((resolve) => {
    const end = () => {
      source.close();
      resolve(Date.now() - began > LASTED_MS);
    };
    signal.addEventListener('abort', end, { once: true });
    source.onerror = end;
    source.addEventListener('end', end);
    for (const name of ['ready', 'reset'])
      source.addEventListener(name, () => {
        began = Math.min(began, Date.now());
        tell({ organizationId, live: true });
      });
    source.addEventListener('changes', ({ data }) => {
      const { activities: changes, factsVersion } = JSON.parse(data) as Told;
      tell({ organizationId, changes, factsVersion });
    });
  });
}

/** Streams one after the other, until the tab closes or the session changes. */
async function streams(session: Session, tell: (news: News) => void, signal: AbortSignal): Promise<void> {
  for (let wait = AGAIN_MS; !signal.aborted; ) {
    const lasted = await stream(session, tell, signal).catch(() => false);
    wait = lasted ? AGAIN_MS : Math.min(wait * 2, LONGEST_AGAIN_MS);
    if (signal.aborted) return;
    tell({ organizationId: session.organizationId, live: false });
    await new Promise((resolve) => setTimeout(resolve, wait));
  }
}

/** Whether news come by themselves. */
export function useLive(): boolean {
  const { status } = useSessionState();
  const reader = useReader();
  const [live, setLive] = useState(false);
  const session = status === 'in' ? reader : undefined;
  useEffect(() => {
    if (session === undefined) return;
    const ended = new AbortController();
    const channel = new BroadcastChannel('countersign.news');
    const ends = refreshWhenSeen(session);
    let leads = false;
    let isLive = false;
    const hear = (news: News) => {
      if (news.organizationId !== session.organizationId) return;
      if ('asks' in news) {
        if (leads) channel.postMessage({ organizationId: session.organizationId, live: isLive });
        return;
      }
      isLive = 'live' in news ? news.live : true;
      setLive(isLive);
      refresh(session, 'changes' in news ? news : undefined);
    };
    channel.onmessage = ({ data }) => hear(data as News);
    const tell = (news: News) => {
      if (ended.signal.aborted) return;
      hear(news);
      channel.postMessage(news);
    };
    channel.postMessage({ organizationId: session.organizationId, asks: true } satisfies News);
    navigator.locks
      .request(`countersign.stream.${session.organizationId}`, { signal: ended.signal }, () => {
        leads = true;
        return streams(session, tell, ended.signal);
      })
      .catch(() => {});
    return () => {
      ended.abort();
      ends();
      channel.close();
      setLive(false);
    };
  }, [session]);
  return live;
}
