import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Claimed, LostAccount } from '../../../src/chain-io/sends/lane.ts';
import { sendWorker } from '../../../src/chain-io/worker/worker.ts';
import { openMigrated } from '../../store/fixture.ts';
import { engineName } from '../../support/database.ts';
import { waitFor } from '../../support/wait.ts';

const silent = { info() {}, warn() {}, error() {} };
const KEY = { caip2: 'eip155:1', account: '0xaa' };

test(`a step that lost its account writes nothing, though its own process has the account again, on ${engineName}`, async () => {
  const { store, raw, close } = await openMigrated();
  const steps: Claimed[] = [];
  let resume = (): void => {};
  const waiting = new Promise<void>((resolve) => {
    resume = resolve;
  });
  let taken = (): void => {};
  const again = new Promise<void>((resolve) => {
    taken = resolve;
  });
  let told: unknown;
  const write = (claimed: Claimed) => claimed.transaction(async () => 'written');
  const lane = {
    kind: 'evm' as const,
    networks: ['eip155:1'],
    async step(claimed: Claimed) {
      steps.push(claimed);
      if (steps.length > 1) {
        taken();
        // It goes on until the test ends it.
        return 0;
      }
      // As a step does that waits for a node.
      await waiting;
      told = await write(claimed).catch((error: unknown) => error);
      throw told;
    },
  };
  const clock = { now: () => Date.now() };
  const worker = sendWorker({ store, clock, log: silent as never, lanes: [lane], owner: 'this process', restMs: () => 0 });
  try {
    await store.transaction((tx) => tx.sendAccounts.makeDue({ ...KEY, kind: 'evm' }, clock.now()));
    worker.start();
    await waitFor('a step began', () => steps.length > 0);
    // Another process took it, and gave it back.
    await raw("UPDATE send_accounts SET owner = '', lease_until = 0, due_at = 0");
    await again;
    resume();
    await waitFor('it was told', () => told);
    assert.ok(told instanceof LostAccount, String(told));
    assert.equal(await write(steps.at(-1)!), 'written', 'what holds it now goes on');
    assert.equal((await store.read.sendAccounts.get(KEY))!.owner.startsWith('this process'), true);
  } finally {
    resume();
    await worker.close();
    await close();
  }
});

test(`a step whose account is lost meanwhile is the last one, on ${engineName}`, async () => {
  const { store, raw, close } = await openMigrated();
  let steps = 0;
  const later = Date.now() + 3_600_000;
  let ended = (): void => {};
  const lost = new Promise<void>((resolve) => {
    ended = resolve;
  });
  const lane = {
    kind: 'evm' as const,
    networks: ['eip155:1'],
    async step({ signal }: Claimed) {
      steps++;
      if (steps === 1) {
        await raw(`UPDATE send_accounts SET owner = 'another process', lease_until = ${later}, due_at = ${later}`);
        // Told by the renewal of leases.
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        setTimeout(ended, 100);
      }
      return 0;
    },
  };
  const clock = { now: () => Date.now() };
  const worker = sendWorker({ store, clock, log: silent as never, lanes: [lane], owner: 'this process', restMs: () => 0 });
  try {
    await store.transaction((tx) => tx.sendAccounts.makeDue({ ...KEY, kind: 'evm' }, clock.now()));
    worker.start();
    await lost;
    assert.equal(steps, 1);
  } finally {
    await worker.close();
    await close();
  }
});

test(`an account that rests is woken later, and once for all that came meanwhile, on ${engineName}`, async () => {
  const { store, close } = await openMigrated();
  // Less than what an account is kept for.
  let restMs = 900;
  let time = Date.now();
  let steps = 0;
  let resume = (): void => {};
  const first = new Promise<void>((resolve) => {
    resume = resolve;
  });
  const lane = {
    kind: 'evm' as const,
    networks: ['eip155:1'],
    async step() {
      if (++steps === 1) await first;
      // The first one knows of nothing more to do, and is woken; the second one would go on at once.
      return steps > 2 ? 1_000 : [undefined, 0][steps - 1];
    },
  };
  const clock = { now: () => time };
  const worker = sendWorker({ store, clock, log: silent as never, lanes: [lane], owner: 'this process', restMs: () => restMs });
  const wake = () => worker.wake([KEY]);
  const aMoment = () => new Promise((resolve) => setTimeout(resolve, 50));
  try {
    await store.transaction((tx) => tx.sendAccounts.makeDue({ ...KEY, kind: 'evm' }, time - 1));
    worker.start();
    await waitFor('it began at once', () => steps === 1);
    wake();
    resume();
    await aMoment();
    wake();
    assert.equal(steps, 1, 'it rests, also if it was woken while it ran');
    await waitFor('it goes on after that', () => steps === 2);
    await aMoment();
    assert.equal(steps, 2, 'it rests, though there is more to do');
    restMs = 0;
    wake();
    assert.equal(steps, 3, 'nobody else signs any more');
    await aMoment();
    restMs = 300;
    // Timers fire in their order, however busy the machine is.
    const seen: number[] = [];
    const ended = new Promise((resolve) => {
      for (const ms of [200, 650]) setTimeout(() => seen.push(steps) === 2 && resolve(seen), ms);
    });
    for (let i = 0; i < 3; i++) wake();
    assert.equal(steps, 3);
    assert.deepEqual(await ended, [3, 4], 'it goes on after its rest, and not as late as it would have by itself');
    await aMoment();
    assert.equal(steps, 4);
    time -= 3_600_000;
    restMs = 0;
    wake();
    assert.equal(steps, 5, 'the time was taken back, and it does not wait for that');
  } finally {
    resume();
    await worker.close();
    await close();
  }
});

test(`accounts of a network whose nodes never answer leave room for those of others, on ${engineName}`, async () => {
  const { store, close } = await openMigrated();
  const stopped = new AbortController();
  let began = 0;
  let landed = (): void => {};
  const other = new Promise<void>((resolve) => {
    landed = resolve;
  });
  const lane = {
    kind: 'evm' as const,
    networks: ['eip155:1', 'eip155:2'],
    async step({ caip2 }: Claimed) {
      if (caip2 === 'eip155:2') return void landed();
      began++;
      await new Promise((resolve) => stopped.signal.addEventListener('abort', resolve));
    },
  };
  const clock = { now: () => Date.now() };
  const worker = sendWorker({
    store,
    clock,
    log: silent as never,
    lanes: [lane as never],
    owner: 'this process',
    restMs: () => 0,
  });
  const due = (all: readonly { caip2: string; account: string }[], at: number) =>
    store.transaction(async (tx) => {
      for (const key of all) await tx.sendAccounts.makeDue({ ...key, kind: 'evm' }, at);
    });
  try {
    await due(
      Array.from({ length: 400 }, (_, i) => ({ caip2: 'eip155:1', account: `0x${i}` })),
      1,
    );
    await due([{ caip2: 'eip155:2', account: '0xaa' }], 2);
    worker.start();
    await other;
    assert.ok(began < 256, `${began} of its accounts were taken`);
  } finally {
    stopped.abort();
    await worker.close();
    await close();
  }
});

test(`accounts that are only kept make room for those that wait, on ${engineName}`, async () => {
  const { store, close } = await openMigrated();
  const stopped = new AbortController();
  const stepped = new Set<string>();
  const lane = {
    kind: 'evm' as const,
    networks: ['eip155:1'],
    async step({ account }: Claimed) {
      const isFirst = !stepped.has(account);
      stepped.add(account);
      if (!isFirst) await new Promise((resolve) => stopped.signal.addEventListener('abort', resolve));
      return 2_999;
    },
  };
  const start = Date.now();
  const worker = sendWorker({
    store,
    clock: { now: () => start },
    log: silent as never,
    lanes: [lane],
    owner: 'this process',
    restMs: () => 0,
  });
  const all = Array.from({ length: 600 }, (_, i) => ({ caip2: 'eip155:1', account: `0x${i}`, kind: 'evm' as const }));
  try {
    await store.transaction(async (tx) => {
      for (const key of all) await tx.sendAccounts.makeDue(key, 1);
    });
    worker.start();
    await waitFor('each had its turn', () => stepped.size === all.length);
  } finally {
    stopped.abort();
    await worker.close();
    await close();
  }
});

test(`accounts of a network that a process does not serve are left to those that do, and waiting is warned of, on ${engineName}`, async () => {
  const { store, close } = await openMigrated();
  const start = Date.now();
  const clock = { now: () => start };
  const stepped: string[] = [];
  const warned: unknown[] = [];
  let seen = (): void => {};
  const both = new Promise<void>((resolve) => {
    seen = () => stepped.length > 0 && warned.length > 0 && resolve();
  });
  const lane = {
    kind: 'evm' as const,
    networks: ['eip155:1'],
    async step({ caip2 }: Claimed) {
      stepped.push(caip2);
      seen();
      return undefined;
    },
  };
  const log = {
    ...silent,
    warn({ caip2 }: { caip2: string }) {
      warned.push(caip2);
      seen();
    },
  };
  const worker = sendWorker({ store, clock, log: log as never, lanes: [lane], owner: 'this process', restMs: () => 0 });
  const other = { caip2: 'eip155:2', account: '0xbb' };
  try {
    await store.transaction(async (tx) => {
      await tx.sendAccounts.makeDue({ ...KEY, kind: 'evm' }, start - 1);
      await tx.sendAccounts.makeDue({ ...other, kind: 'evm' }, start - 60_001);
      await tx.sendAccounts.makeDue({ caip2: 'eip155:3', account: '0xcc', kind: 'evm' }, start - 1);
    });
    worker.start();
    await both;
  } finally {
    await worker.close();
  }
  assert.deepEqual([stepped, warned], [['eip155:1'], ['eip155:2']]);
  const row = (await store.read.sendAccounts.get(other))!;
  assert.deepEqual([row.owner, row.dueAt], ['', start - 60_001], 'nobody has taken it, and it is due');
  await close();
});

test(`accounts that are claimed while a quarantine begins are not stepped, on ${engineName}`, async () => {
  const { store, close } = await openMigrated();
  let steps = 0;
  const lane = { kind: 'evm' as const, networks: ['eip155:1'], step: async () => void steps++ };
  const clock = { now: () => Date.now() };
  const times = { refusesBefore: 0, sendsBefore: 0, since: '', ended: null };
  const found = { cause: 'went back', detail: '', held: [], ...times } as const;
  let reads = 0;
  const { instance } = store.read;
  // It begins right after the worker has looked for one.
  async function quarantine() {
    const seen = await instance.quarantine();
    if (++reads === 1) await store.transaction((tx) => tx.instance.setQuarantine(found));
    return seen;
  }
  const raced = { ...store, read: { ...store.read, instance: { ...instance, quarantine } } };
  const worker = sendWorker({ store: raced, clock, log: silent as never, lanes: [lane], owner: 'this process', restMs: () => 0 });
  try {
    await store.transaction((tx) => tx.sendAccounts.makeDue({ ...KEY, kind: 'evm' }, clock.now()));
    worker.start();
    await waitFor('another look', () => reads > 2);
    assert.equal(steps, 0);
  } finally {
    await worker.close();
    await close();
  }
});
