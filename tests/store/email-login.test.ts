import assert from 'node:assert/strict';
import { test } from 'node:test';
import { engineName } from '../support/database.ts';
import { idOf, NOW } from './names.ts';
import { insertRow, openOlder } from './older/database.ts';

const [MAIL, OTP] = ['FEATURE_NAME_EMAIL_AUTH', 'FEATURE_NAME_OTP_EMAIL_AUTH'] as const;

test(`login by mail is switched on in top-level organizations of an older program, on ${engineName}`, async () => {
  const opened = await openOlder(5);
  try {
    const tricky = JSON.stringify({ FEATURE_NAME_WEBHOOK: `"${MAIL}":"x", '%` });
    /** What there was, and what there is. */
    const cases: [id: string, parent: string | null, was: string, is: object, raised: number][] = [
      ['empty', null, '{}', { [MAIL]: '', [OTP]: '' }, 2],
      ['one', null, JSON.stringify({ [OTP]: '' }), { [MAIL]: '', [OTP]: '' }, 1],
      ['both', null, JSON.stringify({ [OTP]: '', [MAIL]: '' }), { [MAIL]: '', [OTP]: '' }, 0],
      ['tricky', null, tricky, { ...JSON.parse(tricky), [MAIL]: '', [OTP]: '' }, 2],
      ['below', 'empty', '{}', {}, 0],
    ];
    for (const [id, parent, features] of cases)
      await insertRow(opened, 'organizations', {
        ...{ id: idOf(id), parent_id: parent && idOf(parent), name: id, version: 6, features },
        ...{ root_quorum: '{"threshold":1,"userIds":[]}', created_at: NOW, updated_at: NOW },
      });
    await opened.store.migrate(NOW);
    for (const [id, , , is, raised] of cases) {
      const { features, version } = (await opened.store.read.organizations.get(idOf(id)))!;
      assert.deepEqual([features, version], [is, 6 + raised], id);
    }
  } finally {
    await opened.close();
  }
});
