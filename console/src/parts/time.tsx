/** Times: the exact one in the chosen zone, and the distance beside it. */
import { useSyncExternalStore } from 'react';
import { useLook, type Zone } from '../app/look.ts';
import { serviceNow } from '../service/call.ts';

const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const;

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'short' });

export function agoText(ms: number, now: number): string {
  const passed = ms - now;
  const [unit, length] = UNITS.find(([, size]) => Math.abs(passed) >= size) ?? ['second', 1000];
  return unit === 'second' && Math.abs(passed) < 10_000 ? 'now' : relative.format(Math.trunc(passed / length), unit);
}

const zones: Readonly<Record<Zone, string | undefined>> = { utc: 'UTC', local: undefined };

/** Making a format takes longer than using it a hundred times. */
const formats = new Map<Zone, Intl.DateTimeFormat>();
const names = new Intl.DateTimeFormat('en', { timeZoneName: 'short' });

function formatOf(zone: Zone): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known !== undefined) return known;
  const day = { year: 'numeric', month: '2-digit', day: '2-digit' } as const;
  const time = { hour: '2-digit', minute: '2-digit', second: '2-digit' } as const;
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone: zones[zone], ...day, ...time });
  formats.set(zone, format);
  return format;
}

export const exactText = (ms: number, zone: Zone): string => formatOf(zone).format(ms);

/** Of the zone that is shown, such as `UTC` or `GMT+1`: at that time, or now. */
export const zoneName = (zone: Zone, ms?: number): string =>
  zone === 'utc' ? 'UTC' : (names.formatToParts(ms).find(({ type }) => type === 'timeZoneName')?.value ?? 'local');

/** For the switch: the zone of a browser may be UTC too. */
export const zoneText = (zone: Zone): string => (zone === 'utc' ? 'UTC' : `${zoneName(zone)} (this browser’s zone)`);

const EVERY_MS = 15_000;
const OLD_MS = 1000;

/** One timer for all times of a page. It runs while a time is shown. */
const shown = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;
let now = serviceNow();

function tick(): void {
  now = serviceNow();
  for (const tell of shown) tell();
}

function subscribe(tell: () => void): () => void {
  if (shown.size === 0) timer = setInterval(tick, EVERY_MS);
  shown.add(tell);
  // A new activity must not seem to be in the future. Before the first answer the service's clock is not known.
  if (Math.abs(serviceNow() - now) > OLD_MS) tick();
  return () => {
    shown.delete(tell);
    if (shown.size === 0) clearInterval(timer);
  };
}

/** The service's time, which moves on. */
export const useNow = (): number => useSyncExternalStore(subscribe, () => now);

/** A wire timestamp counts seconds, with nanoseconds beside them. */
export const millisecondsOf = ({ seconds, nanos }: { seconds: string; nanos: string }): number =>
  Number(seconds) * 1000 + Math.floor(Number(nanos) / 1e6);

export function Ago({ ms }: { ms: number }) {
  const now = useNow();
  const { zone } = useLook();
  return (
    <time dateTime={new Date(ms).toISOString()} title={`${exactText(ms, zone)} ${zoneName(zone, ms)}`}>
      {agoText(ms, now)}
    </time>
  );
}

export function Exact({ ms }: { ms: number }) {
  const { zone } = useLook();
  return (
    <time dateTime={new Date(ms).toISOString()}>
      {exactText(ms, zone)} <span className="dim">{zoneName(zone, ms)}</span>
    </time>
  );
}
