/** News of activities: one stream for all tabs. One tab, which holds the lock, listens and tells the others. Without a stream pages ask again. */
import { useEffect, useState } from 'react';
import { type Session, useReader, useSessionState } from '../session/state.ts';
import { serviceOrigin } from './call.ts';
import { read } from './read.ts';
import { type Change, changeOf, refresh, refreshWhenSeen } from './refresh.ts';
import type { Activity } from './types.ts';

/** `asks`: of a tab that was opened later. */
type News = { organizationId: string } & ({ live: boolean } | { change: Change } | { asks: true });

const AGAIN_MS = 1000;
const LONGEST_AGAIN_MS = 30_000;

/** One stream until it ends. `told`: gets `live` and each change. */
async function stream(session: Session, after: string, tell: (news: News) => void, signal: AbortSignal): Promise<string> {
  const { organizationId } = session;
  const { ticket } = await read<{ ticket: string }>(session, 'create_stream_ticket');
  signal.throwIfAborted();
  const asked = new URLSearchParams({ ticket, lastEventId: after });
  const source = new EventSource(`${serviceOrigin()}/public/v1/stream/activities?${asked}`);
  let last = after;
  return new Promise((resolve) => {
    const end = () => {
      source.close();
      resolve(last);
    };
    signal.addEventListener('abort', end, { once: true });
    source.onerror = end;
    for (const name of ['ready', 'reset', 'activity', 'end'])
      source.addEventListener(name, (event) => {
        last = event.lastEventId || last;
        if (name === 'end') return end();
        if (name !== 'activity') return tell({ organizationId, live: true });
        tell({ organizationId, change: changeOf(JSON.parse(event.data) as Activity) });
      });
  });
}

/** Streams one after the other, until the tab closes or the session changes. */
async function streams(session: Session, tell: (news: News) => void, signal: AbortSignal): Promise<void> {
  let last = '';
  for (let wait = AGAIN_MS; !signal.aborted; ) {
    try {
      const before = last;
      last = await stream(session, last, tell, signal);
      wait = last === before ? Math.min(wait * 2, LONGEST_AGAIN_MS) : AGAIN_MS;
    } catch {
      wait = Math.min(wait * 2, LONGEST_AGAIN_MS);
    }
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
      refresh(session, 'change' in news ? news.change : undefined);
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
