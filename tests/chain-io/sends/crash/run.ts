/** Runs a schedule against a service that is killed meanwhile, and looks at chain and database afterwards. */
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import type { Hex } from 'viem';
import type { Ack, Change, Crash, Look, Mark, Network, Order, Outcome, Schedule, TestChain, Tracked } from './model.ts';

/** The request of an order, the same each time. */
export type Request = { path: string; body: string };
export type Answered = { ack: Ack } | { refused: string } | 'cut off';
/** `intent`: with its bytes in lower-case hex. */
export type Stored = Ack & { intent: string };

/** The subject of a schedule: the service, or a toy. */
export type Subject = {
  /** New accounts, as many as a schedule has. The last one’s key is not the service’s. */
  accounts(count: number, network: Network): Promise<string[]>;
  /** Whose transactions carry sponsored sends. */
  paymaster?: string;
  requestOf(order: Order, from: string, marks: readonly Mark[]): Promise<Request>;
  send(request: Request): Promise<Answered>;
  changeOf(what: Change, sendId: string): Request;
  /** The id of the activity that asks for it. */
  change(request: Request): Promise<string | 'cut off'>;
  look(sendId: string): Promise<Omit<Look, 'onChain'> | 'cut off'>;
  /** All sends that are stored. */
  stored(): Promise<Stored[]>;
  /** From now on it dies there; nowhere if undefined. */
  arm(crash: { point: string; nth: number } | undefined): void;
  start(): Promise<void>;
  kill(): void;
  /** Resolves when it is dead, with whether it was killed. */
  dead(): Promise<boolean>;
};

/** After this time without a change of any send, the sends count as stuck. Far longer than any step takes. */
export const PATIENCE_MS = 180_000;
/** The longest duration of a schedule: endless waiting is a fault too. */
export const LONGEST_MS = 480_000;
const LOOK_EVERY_MS = 30;
const BLOCK_EVERY_MS = 40;
/** The most blocks that fall out together. */
export const MOST_DEPTH = 3;
/**
 * While changes are due, only each tenth block is mined, so that there is something to change; the same holds for a while after
 * one.
 */
const SLOW = 10;
const CHANGE_MS = 300;
const TROUBLE_EVERY_MS = 60;
const TROUBLE_STEPS = 20;
const AT_ONCE = 4;

export type Ran = { outcome: Outcome; crashed: string[]; milliseconds: number };

/** Troubles of the chain while a schedule runs. `step` makes the next one, `end` leaves none. */
export type Troubles = { step(): Promise<void>; end(): void };

/** Kills the service after this number of events and turns of the event loop. */
function moments(subject: Subject) {
  let [events, turns] = [0, 0];
  return {
    set(crash: { events: number; turns: number } | undefined) {
      events = crash?.events ?? 0;
      turns = crash?.turns ?? 0;
    },
    async event() {
      events -= 1;
      if (events !== 0) return;
      for (let i = 0; i < turns; i++) await turn();
      subject.kill();
    },
  };
}

/** The sends of a schedule, as their client knows them. */
class Sends {
  readonly tracked: Tracked[];
  readonly event: () => void;
  readonly #patienceMs: number;
  readonly #subject: Subject;
  readonly #chain: TestChain;
  readonly #requests = new Map<number, Request>();
  /** Resolves when the service answers again. */
  back: Promise<void> = Promise.resolve();
  /** Changes that are due, or just made. */
  changing = 0;
  /** Rejects on a failure that no other promise reports. */
  readonly broken: Promise<never>;
  readonly broke: (error: unknown) => void;
  /** The run does not wait for pending work any more. */
  ended = false;
  /** How often blocks fell out. */
  reorganized = 0;

  constructor(subject: Subject, chain: TestChain, orders: readonly Order[], patienceMs: number, event: () => void) {
    const { promise, reject } = Promise.withResolvers<never>();
    promise.catch(() => {});
    this.broken = promise;
    this.broke = reject;
    this.#patienceMs = patienceMs;
    this.#subject = subject;
    this.#chain = chain;
    this.event = event;
    this.tracked = orders.map((order) => ({ order, acks: [], changeAcks: [], looks: [], over: false }));
  }

  async prepare(accounts: readonly string[], tag: Hex): Promise<void> {
    for (const { order } of this.tracked) {
      const request = await this.#subject.requestOf(order, accounts[order.account]!, this.#chain.marksOf(tag, order));
      this.#requests.set(order.number, request);
    }
  }

  /** Sends its request until it is answered, or once if it is to be lost. */
  async #place(one: Tracked): Promise<void> {
    while (!this.ended) {
      await this.back;
      const answer = await this.#subject.send(this.#requests.get(one.order.number)!);
      this.event();
      if (answer === 'cut off' && !one.order.lost) continue;
      if (answer === 'cut off') return;
      if ('refused' in answer) one.refused = answer.refused;
      else one.acks.push(answer.ack);
      return;
    }
  }

  async #alter(one: Tracked): Promise<void> {
    // One in three is changed before its first signature, if that is slow enough.
    const until = performance.now() + this.#patienceMs;
    while (one.order.number % 3 > 0 && !this.#isOut(one) && performance.now() < until) {
      await this.back;
      await sleep(LOOK_EVERY_MS);
    }
    const request = this.#subject.changeOf(one.order.change!, one.acks[0]!.sendId);
    for (let times = 0; times < 2 && !this.ended; ) {
      await this.back;
      const answer = await this.#subject.change(request);
      this.event();
      if (answer === 'cut off') continue;
      one.changeAcks.push(answer);
      times++;
    }
  }

  /** As far as was seen: `settled` looks meanwhile. */
  #isOut({ looks, over }: Tracked): boolean {
    return over || (looks.length > 0 && looks.at(-1)!.status !== 'INITIALIZED');
  }

  told(): string {
    const told = this.tracked.map(({ order, acks, changeAcks, looks, over }) => ({
      ...order,
      acks: acks.length,
      changeAcks: changeAcks.length,
      look: looks.at(-1),
      over,
    }));
    return JSON.stringify(told);
  }

  async wave(number: number): Promise<void> {
    const left = this.tracked.filter(({ order }) => order.wave === number);
    this.changing += left.filter(({ order }) => order.change).length;
    const worker = async () => {
      for (let one = left.shift(); one; one = left.shift()) {
        await this.#place(one);
        if (one.order.change === undefined) continue;
        if (one.acks.length > 0) await this.#alter(one);
        setTimeout(() => this.changing--, CHANGE_MS);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
  }

  async #look(one: Tracked): Promise<void> {
    const seen = await this.#subject.look(one.acks[0]!.sendId);
    this.event();
    if (seen === 'cut off') return;
    const { reorganized } = this;
    const onChain = seen.status !== 'INCLUDED' || (await this.#chain.hasReceipt(seen.hash));
    one.looks.push({ ...seen, onChain });
    const isOver = seen.status === 'FAILED' || (seen.status === 'INCLUDED' && onChain);
    one.over = isOver && reorganized === this.reorganized;
  }

  /** Blocks fell out: their transactions may be pending again. */
  fell(): void {
    this.reorganized += 1;
    for (const one of this.tracked) one.over &&= one.looks.at(-1)?.status === 'FAILED';
  }

  /** Looks at pending sends until all orders are placed and have ended, or nothing changes any more. */
  async settled(placed: Promise<void> = Promise.resolve()): Promise<void> {
    let isPlaced = false;
    placed.then(
      () => {
        isPlaced = true;
      },
      () => {},
    );
    let since = performance.now();
    for (let before = ''; ; await sleep(LOOK_EVERY_MS)) {
      // The next schedule has the same service.
      if (this.ended) throw new Error('its schedule has ended');
      await this.back;
      const open = this.tracked.filter((one) => one.acks.length > 0 && !one.over);
      if (open.length === 0 && isPlaced) return;
      for (const one of open) await this.#look(one);
      const states = this.tracked.map(({ acks, looks, over }) => `${acks.length}${looks.at(-1)?.status}${over}`).join();
      if (states !== before) since = performance.now();
      before = states;
      if (performance.now() - since <= this.#patienceMs) continue;
      if (!isPlaced) throw new Error(`a request is never answered: ${this.told()}`);
      return;
    }
  }

  /** Requests that were cut off and not sent again, and are stored all the same. */
  find(stored: readonly Stored[], tag: Hex): Set<number> {
    const found = new Set<number>();
    for (const one of this.tracked) {
      const [mark] = this.#chain.marksOf(tag, one.order);
      const trace = this.#chain.traceOf(mark!);
      const row = stored.find(({ intent }) => intent.includes(trace));
      if (row === undefined) continue;
      found.add(one.order.number);
      if (one.acks.length === 0) one.acks.push({ activityId: row.activityId, sendId: row.sendId });
    }
    return found;
  }

  /** An answered request gets its answer again, and has ended already; it is looked at once more. */
  async again(): Promise<void> {
    for (const one of this.tracked.filter(({ acks, order }) => acks.length > 0 && !order.lost)) {
      const answer = await this.#subject.send(this.#requests.get(one.order.number)!);
      if (answer === 'cut off') one.refused = 'no answer to the same body';
      else if ('refused' in answer) one.refused = answer.refused;
      else one.acks.push(answer.ack);
      await this.#look(one);
    }
  }
}

type Options = { patienceMs?: number; troubles?: (fell: () => void) => Troubles };

export async function run(subject: Subject, chain: TestChain, schedule: Schedule, options: Options = {}): Promise<Ran> {
  const { patienceMs = PATIENCE_MS, troubles } = options;
  const started = performance.now();
  const tag: Hex = `0x${randomBytes(16).toString('hex')}`;
  const moment = moments(subject);
  const sends = new Sends(subject, chain, schedule.orders, patienceMs, () => void moment.event());
  const accounts = await subject.accounts(schedule.accounts + 1, schedule.network);
  await Promise.all(accounts.map(chain.fund));
  // Keeps the coins that they were given from falling out.
  for (let blocks = 0; blocks < MOST_DEPTH; blocks++) await chain.mine();
  const from = await chain.height();
  await sends.prepare(accounts, tag);
  await chain.automine(!schedule.blocks);
  const crashed: string[] = [];
  let [isUp, ended] = [true, false];

  async function mines(): Promise<void> {
    let ticks = 0;
    while (!ended && (schedule.blocks || chain.ticks)) {
      const mayMine = isUp || schedule.minedMeanwhile || chain.ticks;
      const isTurn = sends.changing === 0 || ticks++ % SLOW === 0;
      if (mayMine && isTurn) await chain.mine();
      await sleep(BLOCK_EVERY_MS);
    }
  }

  const trouble = troubles?.(() => sends.fell());

  async function disturbs(): Promise<void> {
    for (let steps = 0; trouble && !ended && steps < TROUBLE_STEPS; steps++) {
      await trouble.step();
      await sleep(TROUBLE_EVERY_MS);
    }
    trouble?.end();
  }

  /** The kill was due in the life before, and may have come at its very end. Then the next life sees the death. */
  let late: Crash | undefined;

  /** One start of the service, with the orders of its wave, until it dies or has nothing more to do. */
  async function life(number: number, crash: Crash | undefined): Promise<void> {
    subject.arm(crash && 'point' in crash ? crash : undefined);
    moment.set(crash && 'events' in crash ? crash : undefined);
    const placed = sends.wave(number);
    const done = sends.settled(placed);
    // It goes on after a crash, when no caller waits for it.
    done.catch(sends.broke);
    placed.catch(sends.broke);
    const died = await Promise.race([subject.dead().then((killed) => ({ killed })), done.then(() => undefined)]);
    if (ended) throw new Error('its schedule has ended');
    const cause = crash ?? late;
    late = died ? undefined : crash;
    if (!died) return;
    isUp = false;
    if (!died.killed || cause === undefined) throw new Error('the service died, and nobody killed it');
    crashed.push('point' in cause ? cause.point : 'random moment');
    subject.arm(undefined);
    sends.back = subject.start();
    await sends.back;
    isUp = true;
    await placed;
  }

  const besides = [mines(), disturbs()];
  for (const beside of besides) beside.catch(sends.broke);

  async function lives(): Promise<void> {
    for (const [number, crash] of [...schedule.crashes, undefined].entries()) await life(number, crash);
    sends.find(await subject.stored(), tag);
    await besides[1];
    await sends.settled();
    await sends.again();
  }

  const watch = new AbortController();
  try {
    const tooLong = sleep(LONGEST_MS, undefined, { signal: watch.signal }).then(() => sends.told());
    await Promise.race([lives(), sends.broken, tooLong.then((told) => Promise.reject(new Error(`it does not end: ${told}`)))]);
  } finally {
    watch.abort();
    ended = true;
    sends.ended = true;
    moment.set(undefined);
    await Promise.allSettled(besides);
    await chain.automine(true);
  }
  // Pending transactions are mined now.
  await chain.mine();
  const own = subject.paymaster === undefined ? accounts : [...accounts, subject.paymaster];
  const outcome: Outcome = {
    ...(await chain.seen(tag, schedule.orders, from, own)),
    tracked: sends.tracked,
    waiting: await chain.waiting(own),
    stored: sends.find(await subject.stored(), tag),
    reorganized: sends.reorganized > 0,
  };
  return { outcome, crashed, milliseconds: performance.now() - started };
}
