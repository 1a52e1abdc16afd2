import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getActivePolicies } from '../../../src/queries/policies/get-active-policies.ts';
import { policies as policiesTable } from '../../../src/store/tables/policies.ts';
import { approvedBy, denied, newPolicy, newWallet, signing } from '../../e2e/authority.ts';
import { bulk } from '../../store/many.ts';
import type { Client } from '../../support/client.ts';
import { sharedInstance } from '../../support/instance.ts';

const instance = await sharedInstance();

type Status = { organizationId: string; policyId: string; active: boolean; timeExpr?: string; error?: string };

async function statuses(client: Client): Promise<{ statuses: Status[]; evaluatedAtMs: string }> {
  const { status, body, text } = await client.query('get_active_policies', {});
  assert.equal(status, 200, text);
  assert.deepEqual(getActivePolicies.result.parse(body), body, 'the answer has its declared shape');
  return body;
}

test('a policy is active while its time is true, or has none, and decides as the answer says', async () => {
  const { root, clock } = instance;
  const { organizationId } = root;
  assert.deepEqual((await statuses(root)).statuses, []);
  const { client, userId } = await instance.newUser('Clerk');
  const { walletId, addresses } = await newWallet(root);
  const until = new Date(clock.now() + 3_600_000).toISOString();
  const before = `time.now < Timestamp('${until}')`;
  const texts = [undefined, before, `!(${before})`, "CronSpan('* * * * *', '1m', 'UTC')"];
  const policyIds: string[] = [];
  for (const time of texts)
    policyIds.push(await newPolicy(root, { effect: 'EFFECT_DENY', condition: 'false', ...(time && { time }) }));
  const allows = { condition: `wallet.id == '${walletId}'`, consensus: approvedBy(userId), time: before };
  policyIds.push(await newPolicy(root, allows));
  const shown = (active: boolean[]): Status[] =>
    [...texts, before].map((time, i) => ({
      organizationId,
      policyId: policyIds[i]!,
      ...(time && { timeExpr: time }),
      active: active[i]!,
    }));
  const sign = () => client.submit('SIGN_RAW_PAYLOAD_V2', signing(addresses[0]!));
  const first = await statuses(root);
  assert.deepEqual(first.statuses, shown([true, true, false, true, true]));
  assert.match(first.evaluatedAtMs, /^\d{13}$/);
  assert.ok(Math.abs(Number(first.evaluatedAtMs) - clock.now()) < 60_000);
  assert.equal((await sign()).status, 200);
  clock.advance(3_600_000);
  const later = await statuses(root);
  assert.deepEqual(later.statuses, shown([true, false, true, true, false]));
  assert.ok(Number(later.evaluatedAtMs) - Number(first.evaluatedAtMs) >= 3_600_000);
  denied(await sign());
});

test('each organization’s own, of any number, at one time; an expression that has no value is not active, and says why', async () => {
  const sub = await instance.newSubOrganization('Sub', 1, 1);
  const theirs = instance.root.as(instance.root.keys, sub.organizationId);
  assert.deepEqual((await statuses(theirs)).statuses, []);
  const COUNT = 60;
  const idOf = (n: number) => `${String(n).padStart(8, '0')}-0006-7000-8000-000000000000`;
  // Such texts can be stored by a version with other limits.
  const costly = `[${Array.from({ length: 400 }, () => 'time.now').join()}]`;
  const times = ['', 'true', 'time.now < 5', `${costly}.all(a, ${costly}.all(b, a == b))`];
  const rows = await bulk({ folder: instance.dataDir, url: instance.databaseUrl });
  await rows.insert(policiesTable, COUNT, (n) => ({
    organizationId: sub.organizationId,
    id: idOf(n),
    name: `policy ${n}`,
    effect: 'EFFECT_DENY' as const,
    ...{ condition: 'false', consensus: '', time: times[n % 4]!, notes: '' },
    ...{ createdAt: 1_700_000_000_000, updatedAt: 1_700_000_000_000 },
  }));
  await rows.close();
  const { statuses: all, ...rest } = await statuses(theirs);
  assert.deepEqual(Object.keys(rest), ['evaluatedAtMs']);
  assert.deepEqual(
    all.map(({ policyId }) => policyId),
    Array.from({ length: COUNT }, (_, n) => idOf(n)),
  );
  const errors = [
    undefined,
    undefined,
    /^time: this version cannot read the expression: a DENY denies everything/,
    /^time: .*more than 100000 steps \(line 1, column /,
  ];
  for (const [n, status] of all.entries()) {
    assert.deepEqual([status.active, status.timeExpr ?? ''], [n % 4 < 2, times[n % 4]]);
    if (errors[n % 4] === undefined) assert.equal(status.error, undefined);
    else assert.match(status.error!, errors[n % 4]!);
  }
});
