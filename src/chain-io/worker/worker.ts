import type { Clock } from '../../base/clock.ts';
import { Sleep } from '../../base/sleep.ts';
import type { Log } from '../../engine/ports.ts';
import { holdOf, isOn, type Quarantine } from '../../model/quarantine.ts';
import type { AccountKey } from '../../model/send.ts';
import type { Store } from '../../store/types.ts';
import { NoNodeError } from '../nodes/types.ts';
import { type Lane, LostAccount, type NextDue } from '../sends/lane.ts';
import { claim, type Held, hold, LEASE_MS, leave, release, renew } from './hold.ts';
import { unservedNetworks } from './unserved.ts';

/** The most accounts that one process holds. */
const MOST = 256;
/** The most of one network, so that those of others have room however long its nodes take to answer. */
const MOST_OF_NETWORK = 192;
/** Accounts that are claimed in one transaction. */
const AT_ONCE = 32;
/** How often it looks, woken or not: for accounts that another process left. */
const EVERY_MS = 1_000;
/**
 * An account that is due again within this time is kept, and not given back between. If another process accepts a send for it, the
 * owner learns of that after this time.
 */
const KEPT_MS = { sqlite: 3_000, postgres: 1_000 };
/** An account held longer than this is released when others wait. */
const TURN_MS = 10_000;
const LONGEST_REST_MS = 60_000;
/** When an account that is still in quarantine is looked at again. */
const HELD_MS = 10_000;
/** The same if no node answers: the network recovers for all its accounts at the same time. */
const LONGEST_SILENCE_MS = 10_000;
/** Accounts whose failures in a row are remembered. */
const MOST_FAILURES = 10_000;
/** How long work under way has to end when the service stops. */
const STOPPING_MS = 5_000;

export type SendWorker = {
  start(): void;
  /** A send was accepted, or changed by a request, for these accounts. */
  wake(accounts: readonly AccountKey[]): void;
  /** Takes no more, and resolves when nothing is under way. `abort`: called if that takes long. */
  close(abort?: () => void): Promise<void>;
};

/** `owner`: a token of this process. `restMs`: the least time between the starts of two steps of an account. */
type Parts = { store: Store; clock: Clock; log: Log; lanes: readonly Lane[]; owner: string; restMs(): number };

const nameOf = ({ caip2, account }: AccountKey): string => `${caip2} ${account}`;

/** Holds the accounts that are due, one owner for each among all processes, and has their lanes step. */
export function sendWorker(parts: Parts): SendWorker {
  const { store, clock, log, lanes } = parts;
  const lookForUnserved = unservedNetworks({ read: store.read, served: lanes.flatMap(({ networks }) => networks), log });
  const all = new Map<string, Held>();
  const failures = new Map<string, number>();
  let claims = 0;
  let closed = false;
  let isCrowded = false;
  /** As it was read before the accounts were taken. If one begins later, all accounts are lost. */
  let quarantine: Quarantine | undefined;
  const sleep = new Sleep();
  let running: Promise<void> = Promise.resolve();
  let renewing: NodeJS.Timeout | undefined;
  let renewal: Promise<unknown> = Promise.resolve();

  function drop(held: Held): void {
    clearTimeout(held.timer);
    held.end();
    // The same process may have taken the account anew, while a step from before still waits for a node.
    if (all.get(nameOf(held.key)) === held) all.delete(nameOf(held.key));
  }

  /** How long until the next attempt, after a step that threw. */
  function restAfter(held: Held, error: unknown): number {
    const name = nameOf(held.key);
    const before = failures.get(name) ?? 0;
    failures.set(name, before + 1);
    if (failures.size > MOST_FAILURES) failures.delete(failures.keys().next().value!);
    held.hasFailed = true;
    const isSilence = error instanceof NoNodeError;
    // The log has the trouble of nodes already.
    if (!isSilence) log.error({ ...held.key, error }, 'a step of sending failed; it is retried');
    return Math.min(1000 * 2 ** Math.min(before, 6), isSilence ? LONGEST_SILENCE_MS : LONGEST_REST_MS);
  }

  async function step(lane: Lane, held: Held): Promise<NextDue> {
    held.isWoken = false;
    if (holdOf(quarantine, held.key) !== undefined) return HELD_MS;
    held.steppedAt = clock.now();
    try {
      const next = await lane.step(held.claimed);
      held.hasFailed = false;
      failures.delete(nameOf(held.key));
      return next;
    } catch (error) {
      if (error instanceof LostAccount) throw error;
      return closed ? 0 : restAfter(held, error);
    }
  }

  async function giveBack(held: Held, ms: NextDue): Promise<void> {
    drop(held);
    await release(parts, [held], ms);
    sleep.wake();
  }

  /** Gives back accounts that are only kept, of networks that have no room for others. */
  function makeRoom(full: ReadonlySet<string>): void {
    const kept = [...all.values()].filter(({ isRunning, key }) => !isRunning && (all.size >= MOST || full.has(key.caip2)));
    for (const held of kept.slice(0, AT_ONCE))
      giveBack(held, Math.max(held.dueAt - clock.now(), 0)).catch((error) => notGivenBack(held, error));
  }

  function notGivenBack({ key }: Held, error: unknown): void {
    if (!closed) log.warn({ ...key, error }, 'an account could not be released; its lease expires');
  }

  /** The service's time may be set back. */
  function restOf({ steppedAt }: Held): number {
    const most = parts.restMs();
    return Math.min(Math.max(steppedAt + most - clock.now(), 0), most);
  }

  function runLater(lane: Lane, held: Held, ms: number): void {
    clearTimeout(held.timer);
    held.dueAt = clock.now() + ms;
    held.timer = setTimeout(() => void run(lane, held), ms);
  }

  /** Steps until there is nothing to do for a while. */
  async function run(lane: Lane, held: Held): Promise<void> {
    clearTimeout(held.timer);
    held.isRunning = true;
    try {
      for (;;) {
        const next = await step(lane, held);
        if (all.get(nameOf(held.key)) !== held) return sleep.wake();
        const rest = restOf(held);
        const isNow = held.isWoken && !held.hasFailed;
        if (isNow && rest === 0 && !closed) continue;
        const isLong = isCrowded && clock.now() - held.since > TURN_MS;
        const ms = isNow ? rest : next;
        if (closed || ms === undefined || ms > KEPT_MS[store.engine] || isLong || held.hasFailed) {
          await giveBack(held, ms);
        } else {
          held.isRunning = false;
          runLater(lane, held, Math.max(ms, rest));
        }
        return;
      }
    } catch (error) {
      drop(held);
      if (error instanceof LostAccount) log.warn(held.key, 'another process holds this account now');
      else notGivenBack(held, error);
      sleep.wake();
    } finally {
      held.isRunning = false;
      if (closed) sleep.wake();
    }
  }

  /** Networks of which no further accounts are taken now. */
  function fullNetworks(): Set<string> {
    const counts = new Map<string, number>();
    for (const { key } of all.values()) counts.set(key.caip2, (counts.get(key.caip2) ?? 0) + 1);
    return new Set([...counts].filter(([, count]) => count >= MOST_OF_NETWORK).map(([caip2]) => caip2));
  }

  async function take(lane: Lane): Promise<number> {
    while (!closed) {
      const room = Math.min(AT_ONCE, MOST - all.size);
      const full = fullNetworks();
      const networks = lane.networks.filter((caip2) => !full.has(caip2));
      const found = await store.read.sendAccounts.due(networks, clock.now(), Math.max(room, 1));
      const others = found.filter((key) => !all.has(nameOf(key)));
      isCrowded ||= (room <= 0 && found.length > 0) || networks.length < lane.networks.length;
      if (isCrowded) makeRoom(full);
      if (room <= 0 || others.length === 0) break;
      const owner = `${parts.owner}:${++claims}`;
      const claimed = await claim(parts, others, owner);
      // Another process may have entered one before these accounts were claimed.
      quarantine = await store.read.instance.quarantine();
      for (const key of claimed) {
        const held = hold(parts, { kind: lane.kind, key, owner, copiedAt: quarantine?.sendsBefore ?? 0 });
        all.set(nameOf(key), held);
        void run(lane, held);
      }
      if (found.length < room) break;
    }
    const next = await store.read.sendAccounts.nextDue(lane.networks);
    // An account that is already due belongs to another process.
    const ms = (next ?? 0) - clock.now();
    return ms > 0 ? Math.min(ms, EVERY_MS) : EVERY_MS;
  }

  async function work(): Promise<void> {
    // No other process has this database: accounts that an earlier process held are free.
    let isAlone = store.engine === 'sqlite';
    while (!closed) {
      sleep.look();
      let ms = EVERY_MS;
      try {
        if (isAlone) await store.transaction((tx) => tx.sendAccounts.releaseAll(clock.now()));
        isAlone = false;
        isCrowded = false;
        quarantine = await store.read.instance.quarantine();
        if (!isOn(quarantine)) for (const lane of lanes) ms = Math.min(ms, await take(lane));
        await lookForUnserved(clock.now());
      } catch (error) {
        if (!closed) log.warn({ error }, 'accounts with due sends could not be read; it is retried');
      }
      await sleep.rest(ms);
    }
  }

  async function renewAll(): Promise<void> {
    try {
      for (const held of await renew(parts, [...all.values()])) drop(held);
    } catch (error) {
      if (!closed) log.warn({ error }, 'leases of accounts could not be renewed; it is retried');
    }
  }

  const isIdle = () => [...all.values()].every(({ isRunning }) => !isRunning);

  return {
    start() {
      running = work();
      renewing = setInterval(() => {
        if (all.size > 0) renewal = renewAll();
      }, LEASE_MS / 3);
      renewing.unref();
    },
    wake(accounts) {
      for (const key of accounts) {
        const held = all.get(nameOf(key));
        if (held === undefined) sleep.wake();
        else if (held.isRunning) held.isWoken = true;
        else {
          const lane = lanes.find(({ kind }) => kind === held.claimed.kind)!;
          const ms = restOf(held);
          if (ms === 0) void run(lane, held);
          else if (clock.now() + ms < held.dueAt) runLater(lane, held, ms);
        }
      }
    },
    async close(abort = () => {}) {
      closed = true;
      clearInterval(renewing);
      sleep.wake();
      for (const held of all.values()) held.end();
      const grace = setTimeout(abort, STOPPING_MS);
      await running;
      await renewal;
      while (!isIdle()) {
        sleep.look();
        await sleep.rest();
      }
      clearTimeout(grace);
      const kept = [...all.values()];
      for (const held of kept) drop(held);
      await leave(parts, kept);
    },
  };
}
