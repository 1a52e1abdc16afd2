/** Windows of limits over time, and what counts in them, by the documents. */
import type { EntryState } from '../../src/model/velocity-control.ts';
import type { Window } from '../../src/model/velocity-window.ts';
import { NOW } from './fixture.ts';

export const SECONDS = 3600;
export const MOST = 100n;
export const rolling: Window = { kind: 'rolling', seconds: SECONDS };

/** A request may be recorded this long after its time. */
const LATE_MS = 30_000;

/** A window, by the documents. `step`: of a time. `lasts`: whether a step counts at a time. `scale`: how fast time passes. */
export type Case = {
  window: Window;
  start: number;
  scale: number;
  step(now: number): number;
  lasts(step: number, now: number): boolean;
};

const WIDTH = (SECONDS * 1000) / 96;
const localDay = (zone: string) => (now: number) =>
  new Date(now).toLocaleDateString('en-CA', { timeZone: zone }).replaceAll('-', '');
const calendar = (unit: 'day' | 'month', zone: string, start: string, scale: number): Case => {
  const step = (now: number) => Number(localDay(zone)(now).slice(0, unit === 'day' ? 8 : 6));
  const lasts = (own: number, now: number) => own >= step(now);
  return { window: { kind: 'calendar', unit, zone }, start: Date.parse(start), scale, step, lasts };
};

export const CASES: readonly Case[] = [
  {
    ...{ window: rolling, start: NOW, scale: 1 },
    step: (now) => Math.floor(now / WIDTH),
    lasts: (step, now) => (step + 1) * WIDTH > now - SECONDS * 1000,
  },
  // The clocks of Berlin go back on 25 October. Those of Lord Howe Island go forward by half an hour on the 4th.
  calendar('day', 'Europe/Berlin', '2026-10-24T18:00:00Z', 20),
  calendar('day', 'Australia/Lord_Howe', '2026-10-03T10:00:00Z', 20),
  calendar('month', 'America/New_York', '2026-10-30T12:00:00Z', 100),
];

/** The fee in an amount. */
export const feeIn = (amount: bigint): bigint => amount / 2n;

/** What counts, by the documents: an amount counts until the step of its time has left the window. */
export class Model {
  readonly all: { id: string; value: bigint; step: number; fee: bigint; state: EntryState; gone?: true }[] = [];
  latest = 0;
  readonly of: Case;
  constructor(of: Case) {
    this.of = of;
  }
  live(now: number) {
    return this.all.filter(({ step, state, gone }) => !gone && state !== 'released' && this.of.lasts(step, now));
  }
  sum(now: number): bigint {
    return this.live(now).reduce((sum, { value }) => sum + value, 0n);
  }
  add(id: string, value: bigint, now: number, state: EntryState): boolean {
    if (this.sum(now) + value > MOST) return false;
    this.forget(now);
    this.latest = Math.max(this.latest, this.of.step(now));
    this.all.push({ id, value, fee: feeIn(value), step: this.latest, state });
    return true;
  }
  /** What has left for longer does not come back with a clock that is set back. */
  forget(now: number): void {
    for (const one of this.all) if (!this.of.lasts(one.step, now - LATE_MS)) one.gone = true;
  }
  private open(id: string) {
    return this.all.find((each) => each.id === id && (each.state === 'reserved' || each.state === 'mined'));
  }
  /** `paid`: what the fee cost. Then it stays, also of what is released. */
  settle(id: string, state: EntryState, paid?: bigint): void {
    const one = this.open(id);
    if (one === undefined) return;
    const kept = paid === undefined || paid > one.fee ? one.fee : paid;
    const stays = state !== 'released' ? one.value - one.fee + kept : paid === undefined ? 0n : kept;
    one.state = stays > 0n && state === 'released' ? 'spent' : state;
    if (one.state !== 'released') Object.assign(one, { value: stays, fee: kept });
  }
  replace(old: string, id: string, value: bigint, now: number): boolean {
    const one = this.open(old);
    const before = one?.state;
    this.settle(old, 'released');
    const isWritten = this.add(id, value, now, 'reserved');
    if (!isWritten && one !== undefined) one.state = before!;
    return isWritten;
  }
}
