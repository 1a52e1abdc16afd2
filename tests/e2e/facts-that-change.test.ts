import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newKeys, resultOf, userWith } from '../support/client.ts';
import { engineName } from '../support/database.ts';
import { startInstance } from '../support/instance.ts';
import { approvedBy, newPolicy, newWallet, signing } from './authority.ts';

const POLICIES = 5000;

/** Others' policies, written past the service: no request has read the organization's policies yet. */
const [ORGANIZATION, ID] =
  engineName === 'sqlite'
    ? ['$1', "unhex('00000000000070008000' || (100000000000 + n))"]
    : ['CAST($1 AS uuid)', "CAST('00000000-0000-7000-8000-' || CAST(100000000000 + n AS text) AS uuid)"];
const OTHERS = `
INSERT INTO policies (organization_id, id, name, effect, condition, consensus, time, notes, created_at, updated_at)
WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${POLICIES})
SELECT ${ORGANIZATION}, ${ID}, 'other ' || n, 'EFFECT_ALLOW',
  'wallet.id == ''' || n || '''', '', '', '', 0, 0 FROM numbers`;

test(`a signature is not refused because facts change all the time, among thousands of policies, on ${engineName}`, async () => {
  const instance = await startInstance();
  try {
    const { organizationId, clients } = await instance.newSubOrganization('Changing', 1, 1);
    const root = clients[0]!;
    const { addresses } = await newWallet(root);
    const keys = newKeys();
    const users = [{ ...userWith('Signer', [keys]), userTags: [] }];
    const { userIds } = resultOf(await root.submit('CREATE_USERS_V4', { users }), 'createUsersResult');
    await newPolicy(root, { condition: "activity.action == 'SIGN'", consensus: approvedBy(userIds[0]) });
    const policyId = await newPolicy(root, { condition: "wallet.id == 'none'" });
    await instance.raw(OTHERS, organizationId);
    const signer = root.as(keys);
    const sign = async () => (await signer.submit('SIGN_RAW_PAYLOAD_V2', signing(addresses[0]!))).status;
    assert.equal(await sign(), 200);

    let signed = 0;
    const changes: number[] = [];
    const isDone = () => signed === 4 * 15;
    const changing = async (change: (n: number) => Promise<{ status: number }>) => {
      for (let n = 0; !isDone(); n++) changes.push((await change(n)).status);
    };
    const signers = async () => {
      const statuses: number[] = [];
      for (let n = 0; n < 15; n++) {
        statuses.push(await sign());
        signed++;
      }
      return statuses;
    };
    const [statuses] = await Promise.all([
      Promise.all([signers(), signers(), signers(), signers()]),
      changing((n) => root.submit('UPDATE_POLICY_V2', { policyId, policyCondition: `wallet.id == 'none ${n}'` })),
      changing((n) => root.submit('UPDATE_USER_NAME', { userId: userIds[0], userName: `Signer ${n}` })),
    ]);
    assert.deepEqual(new Set(statuses.flat()), new Set([200]));
    assert.ok(changes.length > 1);
    assert.ok(
      changes.every((status) => status === 200 || status === 503),
      String(new Set(changes)),
    );
  } finally {
    await instance.close();
  }
});
