import assert from 'node:assert/strict';
import { test } from 'node:test';
import { policyEnvironment } from '../../../src/app/policy-environment.ts';
import { elapsedTime } from '../../../src/base/clock.ts';
import { type PolicyCache, policyCache } from '../../../src/engine/decision/policy-cache.ts';
import { policyCompiler } from '../../../src/engine/policy-compiler.ts';
import type { Log } from '../../../src/engine/ports.ts';
import type { Organization } from '../../../src/model/organization.ts';
import type { PolicyText, Reader } from '../../../src/store/types.ts';

/** Organizations with their policies by id, and what was read of them. */
function memory() {
  const organizations = new Map<string, { version: number; texts: Map<string, PolicyText>; changes: [number, string][] }>();
  const asked: string[] = [];
  let failures = 0;
  const of = (id: string) => organizations.get(id) ?? { version: 1, texts: new Map(), changes: [] };
  const textOf = (id: string, condition: string): PolicyText => ({
    id,
    effect: 'EFFECT_DENY',
    condition,
    consensus: '',
    time: '',
  });
  return {
    asked,
    failNext: () => void failures++,
    set(org: string, id: string, condition: string | undefined) {
      const { version, texts, changes } = of(org);
      if (condition === undefined) texts.delete(id);
      else texts.set(id, textOf(id, condition));
      organizations.set(org, { version: version + 1, texts, changes: [...changes, [version + 1, id]] });
    },
    /** As a backup of that version would have it. */
    restore(org: string, version: number, texts: Record<string, string>) {
      const restored = Object.entries(texts).map(([id, condition]) => [id, textOf(id, condition)] as const);
      organizations.set(org, { version, texts: new Map(restored), changes: [] });
    },
    organization: (id: string) => ({ id, policiesVersion: of(id).version }) as Organization,
    read: {
      organizations: {
        get: async (id: string) => {
          asked.push(`${id} row`);
          return { id, policiesVersion: of(id).version };
        },
      },
      policyChanges: {
        texts: async (org: string, after = '', limit: number) => {
          asked.push(`${org} all`);
          if (failures-- > 0) throw new Error('no connection');
          failures = 0;
          const all = [...of(org).texts.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
          return all.filter(({ id }) => id > after).slice(0, limit);
        },
        since: async (org: string, version: number, limit: number) => {
          const { changes, texts } = of(org);
          const found = changes.filter(([at]) => at > version).slice(0, limit);
          asked.push(`${org} ${found.length} changed`);
          if (failures-- > 0) throw new Error('no connection');
          failures = 0;
          if (found[0]?.[0] !== version + 1) return undefined;
          return found.map(([at, policyId]) => ({ version: at, policyId, text: texts.get(policyId) }));
        },
      },
    } as unknown as Reader,
  };
}

function made(bytes = 1e9) {
  const store = memory();
  const compiled: string[] = [];
  const real = policyCompiler(policyEnvironment);
  const compiler: typeof real = {
    ...real,
    compile(source) {
      compiled.push(source.condition ?? 'everything');
      return real.compile(source);
    },
  };
  const errors: unknown[] = [];
  const log = { error: (about: unknown) => errors.push(about) } as unknown as Log;
  const policies: PolicyCache = policyCache(compiler, { log, elapsed: elapsedTime }, bytes);
  const ask = async (org: string, organization = store.organization(org)) =>
    (await policies(store.read, organization)).policies.map(({ id, policy }) => `${id} ${policy.source.condition}`);
  /** What was read, and compiled, since it was last asked. */
  const done = () => [store.asked.splice(0), compiled.splice(0)];
  return { store, ask, done, errors, policies };
}

const A = "wallet.id == 'a'";
const B = "wallet.id == 'b'";

test('of many policies, those that changed are read and compiled', async () => {
  const { store, ask, done, policies } = made();
  for (let i = 0; i < 2500; i++) store.set('o', `p${String(i).padStart(4, '0')}`, `wallet.id == '${i}'`);
  await ask('o');
  const [asked, compiled] = done();
  assert.deepEqual(asked, ['o all', 'o all', 'o all'], 'in pages');
  assert.equal(compiled!.length, 2500);
  await ask('o');
  assert.deepEqual(done(), [[], []]);
  const before = await policies(store.read, store.organization('o'));
  store.set('o', 'p0100', A);
  store.set('o', 'p2499', undefined);
  store.set('o', 'p9999', B);
  const after = await ask('o');
  assert.deepEqual(done(), [['o 3 changed'], [A, B]]);
  assert.equal(after.length, 2500);
  assert.deepEqual([after[100], after.at(-2), after.at(-1)], [`p0100 ${A}`, "p2498 wallet.id == '2498'", `p9999 ${B}`]);
  assert.equal(
    before.policies[100]!.policy.source.condition,
    "wallet.id == '100'",
    'a decision under way keeps what it began with',
  );
  store.set('o', 'p0100', A);
  const same = await policies(store.read, store.organization('o'));
  assert.deepEqual(done(), [['o 1 changed'], []], 'nothing of the text has changed');
  assert.equal(same, await policies(store.read, store.organization('o')));
});

test('a process that is too far behind reads everything again', async () => {
  const { store, ask, done } = made();
  store.set('o', 'p', A);
  await ask('o');
  done();
  for (let i = 0; i < 1000; i++) store.set('o', 'p', i % 2 === 0 ? A : B);
  assert.deepEqual(await ask('o'), [`p ${B}`]);
  assert.deepEqual(done()[0], ['o 1000 changed', 'o all']);
  store.restore('o', 2000, { q: A });
  assert.deepEqual(await ask('o'), [`q ${A}`]);
  assert.deepEqual(done()[0], ['o 0 changed', 'o all']);
});

test('requests at the same time share one load, also one that needs a newer version; a failed load is not kept', async () => {
  const { store, ask, done } = made();
  store.set('o', 'p', A);
  const older = [ask('o'), ask('o')];
  store.set('o', 'p', B);
  const newer = [ask('o'), ask('o')];
  assert.deepEqual((await Promise.all([...older, ...newer])).flat(), [`p ${A}`, `p ${A}`, `p ${B}`, `p ${B}`]);
  assert.deepEqual(done()[0], ['o all', 'o 1 changed']);
  for (const org of ['o', 'another']) {
    store.set(org, 'p', A);
    store.failNext();
    const failed = await Promise.allSettled([ask(org), ask(org)]);
    assert.deepEqual(
      failed.map(({ status }) => status),
      ['rejected', 'rejected'],
    );
    assert.deepEqual(await ask(org), [`p ${A}`]);
    const read = org === 'o' ? 'o 1 changed' : 'another all';
    assert.deepEqual(done()[0], [read, read]);
  }
});

test('the least recently used organization goes, and the others stay', async () => {
  const condition = `wallet.id == '${'x'.repeat(900)}'`;
  // Each of one policy: about 1,000 + 1,000 + 40 times 915 bytes.
  const { store, ask, done } = made(4 * 40_000);
  for (const org of ['a', 'b', 'c', 'd', 'e']) store.set(org, 'p', condition);
  for (const org of ['a', 'b', 'c', 'd']) await ask(org);
  await ask('a');
  done();
  await ask('e');
  for (const org of ['a', 'c', 'd', 'e']) await ask(org);
  assert.deepEqual(done()[0], ['e all'], 'of five, four are kept');
  await ask('b');
  assert.deepEqual(done()[0], ['b all'], 'the one that had not been asked for longest went');
  store.set('e', 'q', condition.replace('xx', 'yy'));
  await ask('e');
  assert.deepEqual(done()[0], ['e 1 changed']);
  for (const org of ['b', 'e']) await ask(org);
  assert.deepEqual(done()[0], [], 'what an organization is added counts');
  await ask('c');
  assert.deepEqual(done()[0], ['c all']);
});

test('an organization that alone is beyond the bound is kept all the same', async () => {
  const { store, ask, done } = made(1);
  for (const org of ['large', 'other']) store.set(org, 'p', A);
  await ask('large');
  await ask('large');
  assert.deepEqual(done()[0], ['large all']);
  await ask('other');
  await ask('large');
  assert.deepEqual(done()[0], ['other all', 'large all']);
});

test('a row that was read before a change gets the policies after it, unless the versions went back', async () => {
  const { store, ask, done } = made();
  store.set('o', 'p', A);
  const before = store.organization('o');
  store.set('o', 'p', B);
  await ask('o');
  done();
  assert.deepEqual(await ask('o', before), [`p ${B}`]);
  assert.deepEqual(done()[0], ['o row']);
  store.restore('o', 2, { p: A });
  assert.deepEqual(await ask('o'), [`p ${A}`], 'the database of a backup, under a running process');
  assert.deepEqual(done()[0], ['o row', 'o all']);
});

test('a stored DENY that does not compile denies everything, and says so', async () => {
  const { store, ask, errors, done } = made();
  store.set('o', 'p', 'not && a policy');
  assert.deepEqual(await ask('o'), ['p ']);
  assert.deepEqual(errors, [{ organizationId: 'o', policyId: 'p' }]);
  store.set('o', 'q', A);
  await ask('o');
  assert.equal(errors.length, 1);
  store.set('o', 'p', A);
  assert.deepEqual(await ask('o'), [`p ${A}`, `q ${A}`]);
  assert.deepEqual(done()[1], ['not && a policy', 'everything', A, A]);
});

test('organizations with the same text share what is compiled from it', async () => {
  const { store, policies } = made();
  for (const org of ['one', 'two']) store.set(org, 'p', A);
  const [one, two] = await Promise.all(['one', 'two'].map((org) => policies(store.read, store.organization(org))));
  assert.equal(one!.policies[0]!.policy, two!.policies[0]!.policy);
});
