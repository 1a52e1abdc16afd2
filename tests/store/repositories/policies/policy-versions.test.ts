import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { policyEnvironment } from '../../../../src/app/policy-environment.ts';
import { elapsedTime } from '../../../../src/base/clock.ts';
import { type PolicyCache, policyCache } from '../../../../src/engine/decision/policy-cache.ts';
import { policyCompiler } from '../../../../src/engine/policy-compiler.ts';
import type { Log } from '../../../../src/engine/ports.ts';
import type { Policy } from '../../../../src/model/policy.ts';
import type { PolicyIndex } from '../../../../src/policy/index.ts';
import { openStore } from '../../../../src/store/store.ts';
import type { Reader, Store } from '../../../../src/store/types.ts';
import { engineName } from '../../../support/database.ts';
import { rounds } from '../../../support/full.ts';
import fc from '../../../support/properties.ts';
import { fill, finished, idOf, NOW, type Opened, openMigrated } from '../../fixture.ts';

/** What one process has: a store, and policies that it keeps. SQLite serves one process: there, two keep policies of one store. */
type Process = { store: Store; policies: PolicyCache };

let opened: Opened;
let processes: readonly [Process, Process];
const newCache = () => policyCache(policyCompiler(policyEnvironment), { log: {} as Log, elapsed: elapsedTime }, 1e9);
before(async () => {
  opened = await openMigrated();
  const { folder, url, store } = opened;
  const second = url === undefined ? store : openStore({ folder, url, poolSize: 8 });
  processes = [
    { store, policies: newCache() },
    { store: second, policies: newCache() },
  ];
});
after(async () => {
  if (processes[1].store !== opened.store) await processes[1].store.close();
  await opened.close();
});

let organizations = 0;
async function newOrganization(): Promise<string> {
  const org = idOf(`organization ${++organizations}`);
  await opened.store.transaction((tx) => fill(tx, org, null));
  return org;
}

const CONDITIONS = ['', 'wallet.exported', ...['a', 'b', 'c'].map((id) => `activity.action == 'SIGN' && wallet.id == '${id}'`)];

const policyOf = (organizationId: string, n: number, text: number, name: string): Policy => ({
  organizationId,
  id: idOf(`p${n}`),
  name,
  effect: text % 2 === 0 ? 'EFFECT_ALLOW' : 'EFFECT_DENY',
  condition: CONDITIONS[text % CONDITIONS.length]!,
  consensus: '',
  time: '',
  notes: '',
  createdAt: NOW,
  // The same in every version: nothing may rest on it.
  updatedAt: NOW,
});

type Change = { n: number; text: number | undefined };

/** Creates, changes or removes a policy, as far as it can be. Its name shows nothing of its texts. */
async function make(store: Store, org: string, changes: readonly Change[]): Promise<void> {
  await store.transaction(async (tx) => {
    await tx.organizations.hold(org);
    for (const { n, text } of changes) {
      if (text === undefined) await tx.policies.remove(org, idOf(`p${n}`));
      else if ((await tx.policies.get(org, idOf(`p${n}`))) === undefined)
        await tx.policies.insert(policyOf(org, n, text, `p${n}`));
      else await tx.policies.update(policyOf(org, n, text, `p${n}`));
    }
  });
}

const shown = ({ policies, always, tables }: PolicyIndex) => ({
  policies: policies.map(({ id, policy: { effect, source } }) => ({ id, effect, ...source })),
  always: always.map(({ id }) => id),
  pinned: tables
    .flatMap(({ of, buckets }) => buckets.flatMap((part) => [...part].map(([key, { pinned }]) => `${of.name} ${key} ${pinned}`)))
    .sort(),
});

/** What a process that has just started loads. */
async function loaded(store: Store, org: string) {
  return shown(await newCache()(store.read, (await store.read.organizations.get(org))!));
}

const changed = fc.record({ n: fc.nat(5), text: fc.option(fc.nat(9), { nil: undefined }) });
const step = fc.record({
  by: fc.constantFrom(0, 1),
  changes: fc.array(changed, { maxLength: 3 }),
  asks: fc.constantFrom(0, 1, undefined),
  other: fc.boolean(),
});

test(`the kept policies are those that a fresh process loads, after any change, on ${engineName}`, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
      const org = await newOrganization();
      for (const { by, changes, asks, other } of steps) {
        await make(processes[by]!.store, org, changes);
        if (other) await processes[by]!.store.transaction((tx) => tx.users.update(org, idOf('user'), { name: 'renamed' }, NOW));
        if (asks === undefined) continue;
        const { store, policies } = processes[asks]!;
        const kept = await policies(store.read, (await store.read.organizations.get(org))!);
        assert.deepEqual(shown(kept), await loaded(store, org));
      }
    }),
    { numRuns: rounds(40) },
  );
});

test(`what a decision used is current while the version that guards it is, amid changes on ${engineName}`, async () => {
  const org = await newOrganization();
  let running = true;
  let compared = 0;
  const changing = Promise.all(
    processes.map(async ({ store }, at) => {
      for (let i = 0; i < 60; i++) await make(store, org, [{ n: (i * 7 + at) % 12, text: i % 4 === 3 ? undefined : i + at }]);
    }),
  ).finally(() => {
    running = false;
  });
  const deciding = processes
    .flatMap((process) => [process, process])
    .map(async ({ store, policies }) => {
      const version = async () => (await store.read.organizations.get(org))!.version;
      for (let last = false; !last; ) {
        last = !running;
        // SQLite answers without giving the writer its turn.
        await turn();
        const organization = (await store.read.organizations.get(org))!;
        const used = await policies(store.read, organization);
        const current = await loaded(store, org);
        // As the guarded write does: a decision of another version is not written.
        if ((await version()) !== organization.version) continue;
        assert.deepEqual(shown(used), current);
        compared++;
      }
    });
  await Promise.all([changing, ...deciding]);
  assert.ok(compared >= 4, 'each compared at least once, when nothing changed any more');
});

test(`facts that change during every load cost one more attempt, not one for each load, on ${engineName}`, async () => {
  const [{ store, policies }] = processes;
  const org = await newOrganization();
  let loads = 0;
  const overtaken = async <T>(rows: T): Promise<T> => {
    loads++;
    await store.transaction((tx) => tx.users.update(org, idOf('user'), { name: `renamed ${loads}` }, NOW));
    return rows;
  };
  const { policyChanges } = store.read;
  const read: Reader = {
    ...store.read,
    policyChanges: {
      texts: async (...args) => overtaken(await policyChanges.texts(...args)),
      since: async (...args) => overtaken(await policyChanges.since(...args)),
    },
  };
  const attempt = async (id: string) => {
    const organization = (await read.organizations.get(org))!;
    await policies(read, organization);
    return store.record(finished(org, id, organization.version));
  };
  assert.deepEqual([await attempt('first'), await attempt('first'), loads], ['stale', 'written', 1]);
  await make(store, org, [{ n: 1, text: 1 }]);
  assert.deepEqual([await attempt('second'), await attempt('second'), loads], ['stale', 'written', 2]);
  await store.transaction((tx) => tx.users.update(org, idOf('user'), { name: 'renamed' }, NOW));
  assert.deepEqual([await attempt('third'), loads], ['written', 2], 'a change of other facts loads nothing');
});
