import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { policyCommand } from '../../src/cli/policy/index.ts';
import { velocityControl } from '../activities/velocity-controls/support.ts';

const folder = mkdtempSync(join(tmpdir(), 'countersign-policy-controls-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const base = {
  activity: { type: 'ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2' },
  roots: { wallet: { id: 'w' } },
  approvers: [{ id: 'ann' }],
  wanted: 'ALLOW',
};

/** The results of the cases with these policies. */
async function results(cases: object[], policies: object[]): Promise<{ got: string; problem?: string }[]> {
  const file = join(folder, 'file.json');
  writeFileSync(file, JSON.stringify({ policies, cases: cases.map((each, i) => ({ ...base, name: `case ${i}`, ...each })) }));
  return JSON.parse((await policyCommand(['test', file], Date.now(), true)).text)[0].cases;
}

test('limits over time are as the case says, for each element of a batch', async () => {
  const limited = { name: 'Limited', effect: 'ALLOW', condition: "wallet.id == 'w' && controls.daily" };
  const over = { name: 'Over', effect: 'DENY', condition: 'controls.over' };
  const batch = { activity: { type: 'ACTIVITY_TYPE_SIGN_RAW_PAYLOADS' }, roots: [base.roots, base.roots] };
  const cases = [
    { controls: { daily: true, over: false } },
    { controls: { daily: false, over: false } },
    { controls: { daily: 'unreadable', over: false } },
    { controls: { over: false } },
    { controls: { daily: true, over: 'unreadable' } },
    { ...batch, controls: { daily: true, over: false } },
    { ...batch, controls: { daily: true, over: true } },
  ];
  const wanted = ['ALLOW', 'DENY_IMPLICIT', 'DENY_IMPLICIT', 'DENY_IMPLICIT', 'DENY_EXPLICIT', 'ALLOW', 'DENY_EXPLICIT'];
  assert.deepEqual(
    (await results(cases, [limited, over])).map(({ got }) => got),
    wanted,
  );
  const wrong = await results([{ controls: { dayly: true } }, { roots: { controls: {} } }], [limited, over]);
  assert.deepEqual(
    wrong.map(({ got, problem }) => [got, problem]),
    [
      ['ERROR', 'no policy of this file reads controls.dayly'],
      ['ERROR', 'roots has no controls: they are a key of the case, beside roots'],
    ],
  );
  await assert.rejects(
    results([{ controls: { daily: 'yes' } }], [limited]),
    /controls\.daily: must be true, false or unreadable/,
  );
});

test('beside a control that binds every signer, a policy that lets a covered key be exported is warned of', async () => {
  const policies = [{ name: 'Exports', effect: 'ALLOW', condition: "activity.action == 'EXPORT' && wallet.id == 'w'" }];
  const warned = async (controls: object[]): Promise<string[]> => {
    const file = join(folder, 'exports.json');
    writeFileSync(file, JSON.stringify({ policies, controls }));
    const [{ warnings }] = JSON.parse((await policyCommand(['check', file], Date.now(), true)).text);
    return warnings.map(({ policy, message }: { policy: string; message: string }) => `${policy}: ${message}`);
  };
  const always = (scope: object) => ({ ...velocityControl(), countersign: { enforcement: 'ALWAYS', scope } });
  const ends = 'Exports: this allows exports of keys, and an export ends every limit on its key';
  assert.deepEqual(await warned([always({ walletIds: ['w'] })]), [ends]);
  // As list_velocity_controls answers, without a scope.
  assert.deepEqual(await warned([{ ...always({}), velocityControlId: 'x', createdAt: {}, updatedAt: {} }]), [ends]);
  assert.deepEqual(await warned([always({ walletIds: ['other'] }), velocityControl()]), []);
  await assert.rejects(warned([{ countersign: { enforcement: 'always' } }]), /controls\[0\]\.countersign\.enforcement: /);
});
