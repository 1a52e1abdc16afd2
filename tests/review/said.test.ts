/** Questions of a review to the service, in either spelling of a body. A missing answer is named. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Ask, reviewOf, saidOf } from '../../review/index.ts';

const ORGANIZATION = '0191f3c2-0000-7000-8000-000000000001';
const ID = '0191f3c2-0000-7000-8000-000000000002';

const reviewed = (type: string, parameters: object) =>
  reviewOf(
    Buffer.from(
      JSON.stringify({ type: `ACTIVITY_TYPE_${type}`, timestampMs: '1700000000000', organizationId: ORGANIZATION, parameters }),
    ),
  );

/** A service that answers these queries, and refuses the others. */
const answering =
  (answers: Record<string, object>): Ask =>
  async (name) => {
    if (!Object.hasOwn(answers, name)) throw new Error('refused');
    return answers[name] as Awaited<ReturnType<Ask>>;
  };

test('a change of a policy is read against the present one, in either spelling', async () => {
  const policy = { policyId: ID, policyName: 'Old', condition: 'true' };
  for (const parameters of [
    { policyId: ID, policyName: 'New' },
    { policy_id: ID, policy_name: 'New' },
  ]) {
    const review = reviewed('UPDATE_POLICY_V2', parameters);
    const { options, missing } = await saidOf(review, ID, answering({ get_policy: { policy } }));
    assert.deepEqual([options.now?.policies, missing], [[policy], []]);
  }
});

test('a change of the root quorum is read against the present one, in either spelling', async () => {
  const quorum = { threshold: 2, userIds: [ID] };
  const user = { userId: ORGANIZATION, userName: 'Ben' };
  const service = { get_organization_configs: { configs: { quorum } }, get_user: { user } };
  const review = reviewed('UPDATE_ROOT_QUORUM', { threshold: 1, user_ids: [ORGANIZATION] });
  const { options, missing } = await saidOf(review, ID, answering(service));
  const ben = { ...user, userEmail: '', userPhoneNumber: '', userTags: [], lasting: 0, lastingIds: [] };
  assert.deepEqual(options.now, { rootQuorum: quorum, users: [ben, ben], names: new Map([[ORGANIZATION, 'Ben']]) });
  assert.deepEqual(missing, []);
});

test('an answer that is missing or has another form is named', async () => {
  const changes = reviewed('DELETE_POLICIES', { policyIds: [ID, ORGANIZATION] });
  const services: Record<string, object>[] = [{}, { get_policy: { policy: 'none' } }];
  for (const answers of services) {
    const { missing } = await saidOf(changes, ID, answering(answers));
    assert.deepEqual(missing, ['what holds now could not be read']);
  }
  const quorum = await saidOf(reviewed('UPDATE_ROOT_QUORUM', { threshold: 1, userIds: [ID] }), ID, answering({}));
  assert.deepEqual(quorum.missing, ['what holds now could not be read', 'the name of a user could not be read']);
  const signing = reviewed('SIGN_RAW_PAYLOAD_V2', {
    ...{ signWith: ID, payload: '00', encoding: 'PAYLOAD_ENCODING_HEXADECIMAL', hashFunction: 'HASH_FUNCTION_SHA256' },
  });
  const { missing } = await saidOf(signing, ID, answering({}));
  assert.equal(missing[0], 'the interfaces of contracts could not be read');
});

test('a review is told of accounts that the service did not look up', async () => {
  const to = `0x${'11'.repeat(20)}`;
  const review = reviewed('ETH_SEND_TRANSACTION', { from: `0x${'55'.repeat(20)}`, caip2: 'eip155:1', to, value: '1' });
  const service = { list_smart_contract_interfaces: { smartContractInterfaces: [] } };
  const about = { elements: [], recipients: [{ address: to, isOwn: true }] };
  for (const moreRecipients of [false, true]) {
    const { options, missing } = await saidOf(
      review,
      ID,
      answering({ ...service, review_activity: { ...about, moreRecipients } }),
    );
    assert.deepEqual([options.recipients?.more, missing], [moreRecipients, []]);
  }
});
