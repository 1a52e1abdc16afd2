import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, test } from 'node:test';
import { signRawPayload } from '../../src/activities/signing/sign-raw-payload.ts';
import { KnownFacts } from '../../src/engine/request/known-facts.ts';
import { type Answer, submitPath } from '../support/client.ts';
import { partOf } from '../support/full.ts';
import { sharedInstance } from '../support/instance.ts';
import { signing } from './authority.ts';
import { CHANGES, type Change, newScene, type Scene } from './known-facts.ts';

const instance = await sharedInstance();

const TYPE = 'SIGN_RAW_PAYLOAD_V2';
const PATH = submitPath(TYPE);

const statuses = async (body: string): Promise<unknown[]> => {
  const digest = createHash('sha256').update(body).digest();
  const rows = await instance.raw('SELECT status FROM activities WHERE fingerprint = $1', digest);
  return rows.map(({ status }) => status);
};

async function changed({ type, parameters }: Change, scene: Scene): Promise<void> {
  const answer = await scene.root.submit(type, parameters(scene));
  assert.equal(answer.body.activity?.status, 'ACTIVITY_STATUS_COMPLETED', answer.text);
}

/** A scene whose facts are in memory. */
async function warm({ allows, signWith = ({ address }) => address }: Change): Promise<{ scene: Scene; parameters: object }> {
  const scene = await newScene(instance, allows);
  const parameters = signing(signWith(scene));
  for (let i = 0; i < 3; i++) assert.equal((await scene.signer.submit(TYPE, parameters)).status, 200);
  return { scene, parameters };
}

async function holds(answer: Answer, body: string, { status, waits }: Change, scene: Scene): Promise<void> {
  assert.equal(answer.status, status, answer.text);
  if (status === 200) {
    assert.deepEqual(await statuses(body), [waits ? 'ACTIVITY_STATUS_AUTHENTICATORS_NEEDED' : 'ACTIVITY_STATUS_COMPLETED']);
    // The vote names the user's version of the moment of the record.
    const { users } = (await scene.root.query('list_users')).body;
    const now = users.find((user: { userId: string }) => user.userId === scene.signerId);
    const { userName, userTags, apiKeys } = answer.body.activity.votes[0].user;
    assert.deepEqual({ userName, userTags }, { userName: now.userName, userTags: now.userTags });
    assert.deepEqual(apiKeys.length, now.apiKeys.length);
  } else assert.deepEqual(await statuses(body), status === 401 ? [] : ['ACTIVITY_STATUS_FAILED']);
}

describe('facts that are kept in memory, and change', () => {
  for (const [name, change] of partOf(Object.entries(CHANGES), 3)) {
    test(`${name}: between a signature and its record`, async (t) => {
      const { scene, parameters } = await warm(change);
      const { execute } = signRawPayload;
      let signed = 0;
      t.mock.method(signRawPayload, 'execute', async (...args: Parameters<typeof execute>) => {
        if (++signed === 1) await changed(change, scene);
        return execute(...args);
      });
      const body = scene.signer.bodyOf(TYPE, parameters);
      const answer = await scene.signer.send(PATH, body);
      assert.ok(signed >= 1, 'the first decision was by what was kept');
      if (change.status === 200) assert.equal(signed, change.waits ? 1 : 2, 'what was signed first is dropped');
      await holds(answer, body, change, scene);
    });

    test(`${name}: by another process, which says nothing to this one`, async (t) => {
      const { scene, parameters } = await warm(change);
      const repeated = scene.signer.bodyOf(TYPE, parameters);
      const first = await scene.signer.send(PATH, repeated);
      assert.equal(first.status, 200);
      t.mock.method(KnownFacts.prototype, 'forget', () => {});
      t.mock.method(KnownFacts.prototype, 'saw', () => {});
      t.mock.method(KnownFacts.prototype, 'remembers', () => false);
      const recalled = t.mock.method(KnownFacts.prototype, 'recall');
      await changed(change, scene);
      recalled.mock.resetCalls();
      const again = await scene.signer.send(PATH, repeated);
      assert.ok(recalled.mock.calls[0]?.result !== undefined, 'what was kept is still there');
      if (change.status === 401) assert.equal(again.status, 401, again.text);
      else assert.deepEqual([again.status, again.body.activity.id], [200, first.body.activity.id]);
      assert.deepEqual(await statuses(repeated), ['ACTIVITY_STATUS_COMPLETED']);
      const body = scene.signer.bodyOf(TYPE, parameters);
      await holds(await scene.signer.send(PATH, body), body, change, scene);
    });
  }
});
