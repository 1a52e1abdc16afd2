import assert from 'node:assert/strict';
import { test } from 'node:test';
import { policyCache } from '../../../src/engine/decision/policy-cache.ts';
import type { PolicyCompiler } from '../../../src/engine/decision/policy-compiler.ts';
import type { Log } from '../../../src/engine/ports.ts';
import type { Organization } from '../../../src/model/organization.ts';
import type { CompiledPolicy } from '../../../src/policy/index.ts';
import type { Reader } from '../../../src/store/types.ts';

const MEBI = 1_048_576;

test('policies that were added to an organization after its first decision count towards what is kept, too', async () => {
  const compiler = { compile: () => ({ pins: [] }) as unknown as CompiledPolicy } as unknown as PolicyCompiler;
  const policies = policyCache(compiler, {} as Log);
  const texts = new Map<string, string>();
  const listed: string[] = [];
  const list = async (id: string) => {
    listed.push(id);
    return [{ id: 'p', effect: 'EFFECT_DENY', condition: texts.get(id) ?? '', consensus: '', time: '' }];
  };
  const ask = (id: string, version: number) =>
    policies({ policies: { list } } as unknown as Reader, { id, version } as Organization);
  await ask('first', 1);
  await ask('first', 1);
  assert.deepEqual(listed, ['first'], 'kept');
  for (let i = 0; i < 20; i++) {
    await ask(`o${i}`, 1);
    texts.set(`o${i}`, 'x'.repeat(MEBI));
    await ask(`o${i}`, 2);
  }
  listed.length = 0;
  await ask('first', 1);
  assert.deepEqual(listed, ['first'], 'twenty mebicharacters are more than are kept');
  await ask('o19', 2);
  assert.deepEqual(listed, ['first'], 'what came last is');
  await Promise.all([ask('o19', 3), ask('o19', 3)]);
  assert.deepEqual(listed, ['first', 'o19'], 'once for each version');
});
