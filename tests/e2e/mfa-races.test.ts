import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SoftAuthenticator } from '../support/authenticator.ts';
import { type Answer, apiKey, type Client, newKeys, post, resultOf, submitPath } from '../support/client.ts';
import { engineName } from '../support/database.ts';
import { amount } from '../support/full.ts';
import { addPasskey } from '../support/passkey-client.ts';
import { method, newMfa, open, steps, TAG, tag } from './mfa-support.ts';
import { type Arena, races } from './races.ts';

/** Proofs at once, on PostgreSQL at two processes: none is lost, and none counts twice. */
const { arena, raw } = races({});

const APPROVE = 'APPROVE_ACTIVITY';

/** A user with two API keys and a passkey beside the one that submits. Each sends to a process of its own. */
async function scene(place: Arena) {
  const { clients, userId } = place;
  const at = (i: number) => clients[i % clients.length]!;
  const [a, b] = [newKeys(), newKeys()];
  const added = await at(0).submit('CREATE_API_KEYS_V2', { userId, apiKeys: [apiKey(a), apiKey(b)] });
  const [idA, idB] = resultOf(added, 'createApiKeysResult').apiKeyIds;
  const passkey = new SoftAuthenticator();
  const passkeyId = await addPasskey(at(0), userId, passkey);
  const [byA, byB] = [at(0).as(a), at(1).as(b)] as [Client, Client];
  const byPasskey = (body: string, i = 0) => post(`${at(i).url}${submitPath(APPROVE)}`, body, passkey.stamp(body));
  return { at, userId, idA, idB, passkeyId, byA, byB, byPasskey };
}

type Scene = Awaited<ReturnType<typeof scene>>;

const required = ({ idA, idB }: Scene) => steps([method('API_KEY', idA)], [method('API_KEY', idB)]);
const ONLY_TAGS = { condition: `activity.kind == '${TAG}'` };

const statusIn = async (client: Client, activityId: string): Promise<string> =>
  (await client.query('get_activity', { activityId })).body.activity.status;

const tagsIn = async (client: Client): Promise<number> => (await client.query('list_user_tags')).body.userTags.length;

const proofs = async (activityId: string): Promise<number> =>
  Number((await raw('SELECT count(*) AS n FROM proofs WHERE activity_id = $1', stored(activityId)))[0]!.n);

const stored = (id: string): unknown => (engineName === 'postgres' ? id : Buffer.from(id.replaceAll('-', ''), 'hex'));

const statusesOf = (answers: readonly Answer[]): string[] =>
  answers.map(({ body, status }) => body.activity?.status ?? String(status)).sort();

test('the last two proofs at once: one of them runs the activity, once', async () => {
  const place = await arena();
  const here = await scene(place);
  await newMfa(here.at(0), here, required(here), ONLY_TAGS);
  for (let round = 0; round < amount(2, 5); round++) {
    const before = await tagsIn(here.at(0));
    const { id, fingerprint } = open(await here.at(0).submit(TAG, tag()));
    const answers = await Promise.all([here.byA.submit(APPROVE, { fingerprint }), here.byB.submit(APPROVE, { fingerprint })]);
    assert.deepEqual(statusesOf(answers), ['ACTIVITY_STATUS_AUTHENTICATORS_NEEDED', 'ACTIVITY_STATUS_COMPLETED']);
    assert.equal(await statusIn(here.at(1), id), 'ACTIVITY_STATUS_COMPLETED');
    assert.equal(await tagsIn(here.at(0)), before + 1);
    assert.equal(await proofs(id), 2);
  }
});

test('the same stamp many times at once is one proof', async () => {
  const place = await arena();
  const here = await scene(place);
  await newMfa(here.at(0), here, required(here), ONLY_TAGS);
  const { id, fingerprint } = open(await here.at(0).submit(TAG, tag()));
  const body = here.byA.bodyOf(APPROVE, { fingerprint });
  const path = submitPath(APPROVE);
  const answers = await Promise.all(Array.from({ length: 8 }, (_, i) => here.at(i).as(here.byA.keys).send(path, body)));
  assert.deepEqual(new Set(statusesOf(answers)), new Set(['ACTIVITY_STATUS_AUTHENTICATORS_NEEDED']));
  assert.equal(await proofs(id), 1);
  const again = await Promise.all(Array.from({ length: 8 }, (_, i) => here.at(i).as(here.byB.keys).send(path, body)));
  assert.deepEqual(
    new Set(statusesOf(again)),
    new Set(['ACTIVITY_STATUS_COMPLETED']),
    'who repeats it is told what became of it',
  );
  assert.equal(await proofs(id), 2);
  assert.equal(await tagsIn(here.at(0)), 1);
});

test('a proof and the deletion of an earlier proof’s credential at once: it counted, or it did not', async () => {
  const place = await arena();
  const here = await scene(place);
  const both = steps([method('PASSKEY', here.passkeyId)], [method('API_KEY', here.idA)]);
  await newMfa(here.at(0), here, both, ONLY_TAGS);
  const { id, fingerprint } = open(await here.at(0).submit(TAG, tag()));
  open(await here.byPasskey(here.at(0).bodyOf(APPROVE, { fingerprint })));
  const gone = { userId: here.userId, authenticatorIds: [here.passkeyId] };
  const [approved, deleted] = await Promise.all([
    here.byA.submit(APPROVE, { fingerprint }),
    here.at(1).submit('DELETE_AUTHENTICATORS', gone),
  ]);
  resultOf(deleted, 'deleteAuthenticatorsResult');
  const status = await statusIn(here.at(1), id);
  assert.equal(approved.body.activity.status, status);
  const ran = status === 'ACTIVITY_STATUS_COMPLETED';
  assert.equal(await tagsIn(here.at(0)), ran ? 1 : 0);
  const versions = 'SELECT facts_version AS facts, facts_after AS after FROM activities WHERE id = $1';
  const [removal] = await raw(versions, stored(deleted.body.activity.id));
  const [tagged] = await raw(versions, stored(id));
  if (ran) assert.ok(Number(tagged!.facts) < Number(removal!.after), 'it was decided before the credential went');
  else assert.ok(Number(tagged!.facts) >= Number(removal!.after), 'it was decided after');
});

test('a submit and a new MFA policy at once: it ran before the policy, or it waits', async () => {
  const place = await arena();
  const here = await scene(place);
  const policy = { mfaPolicyName: 'late', order: 0, ...ONLY_TAGS, requiredAuthenticationMethods: required(here) };
  const [made, ...submitted] = await Promise.all([
    here.at(1).submit('CREATE_MFA_POLICY', { userId: here.userId, ...policy }),
    ...Array.from({ length: 6 }, (_, i) => here.at(i).submit(TAG, tag())),
  ]);
  resultOf(made!, 'createMfaPolicyResult');
  const ran = statusesOf(submitted).filter((status) => status === 'ACTIVITY_STATUS_COMPLETED').length;
  for (const { body, text } of submitted) assert.match(body.activity?.status ?? text, /_(COMPLETED|AUTHENTICATORS_NEEDED)$/);
  assert.equal(await tagsIn(here.at(0)), ran);
  open(await here.at(0).submit(TAG, tag()));
});

test('a vote and a proof of another user at once: the activity runs once both are there', async () => {
  const place = await arena();
  const here = await scene(place);
  const keys = newKeys();
  const users = [{ userName: 'Other', apiKeys: [apiKey(keys)], authenticators: [], oauthProviders: [], userTags: [] }];
  const { userIds } = resultOf(await here.at(0).submit('CREATE_USERS_V4', { users }), 'createUsersResult');
  await newMfa(here.at(0), here, steps([method('PASSKEY')]), ONLY_TAGS);
  const quorum = { threshold: 2, userIds: [here.userId, ...userIds] };
  resultOf(await here.at(0).submit('UPDATE_ROOT_QUORUM', quorum), 'updateRootQuorumResult');
  for (let round = 0; round < 3; round++) {
    const { id, fingerprint } = open(await here.at(0).submit(TAG, tag()));
    const proof = here.byPasskey(here.at(0).bodyOf(APPROVE, { fingerprint }));
    const vote = here.at(1).as(keys).submit(APPROVE, { fingerprint });
    const answers = await Promise.all([proof, vote]);
    assert.equal(await statusIn(here.at(0), id), 'ACTIVITY_STATUS_COMPLETED', statusesOf(answers).join(' '));
    assert.equal(await tagsIn(here.at(0)), round + 1);
  }
});
