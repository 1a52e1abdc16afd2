import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { activities } from '../../src/activities/index.ts';
import { newCredential } from '../../src/model/user.ts';
import { samples } from '../support/all-samples.ts';
import { type Client, newKeys, resultOf, submitPath } from '../support/client.ts';
import { isFull } from '../support/full.ts';
import { sharedInstance } from '../support/instance.ts';
import { refused } from '../support/refusals.ts';
import { roomy } from '../support/world/homes.ts';

/** A session approves an activity of any kind only if its scope allows APPROVE_ACTIVITY and, with `vote`, the activity. */

const instance = await sharedInstance(roomy);
const { root } = instance;
const { organizationId } = root;

/** Another root user, who must agree to all that the first one submits. */
let second: { client: Client; userId: string };

before(async () => {
  second = await instance.newUser('Approver');
  const userIds = [instance.credentials.userId, second.userId];
  resultOf(await root.submit('UPDATE_ROOT_QUORUM', { threshold: 2, userIds }), 'updateRootQuorumResult');
});

/** A session of the second root user. */
async function session(scope: string): Promise<Client> {
  const { store, ids, clock } = instance.engine;
  const [keys, made] = [newKeys(), { organizationId, createdAt: clock.now() }];
  const profile = { ...made, id: ids.next(), name: 'Scoped', scope, expirationSeconds: null, notes: null };
  const whose = { ...made, id: ids.next(), parentId: null, userId: second.userId, publicKey: keys.publicKey };
  const login = newCredential({ ...whose, type: 'CREDENTIAL_TYPE_LOGIN', name: 'Scoped', sessionProfileId: profile.id });
  await store.transaction(async (tx) => {
    await tx.sessionProfiles.insert(profile);
    await tx.credentials.insert(login);
  });
  return root.as(keys);
}

const BY_SCOPE = /because the scope of the session's profile/;

/** Each of the scopes that lack something. In `npm test` one for each activity, by turns. */
let turn = 0;
const someOf = (scopes: readonly string[]) => (isFull ? scopes : [scopes[turn++ % scopes.length]!]);

for (const kind of activities) {
  // What newcomers and recovery keys submit, and what is granted to all users, has no other approver.
  if (
    kind.votes !== undefined ||
    kind.admit !== undefined ||
    kind.submitters.credential !== undefined ||
    kind.submitters.needsNoApproval
  )
    continue;
  const [type] = [...kind.versions.keys()].slice(-1) as [string];

  test(`${kind.kind} of another user is approved by no session whose scope does not allow both`, async () => {
    const about = samples(kind.kind) as object;
    const own = kind.submitters.onlyUser(about) === undefined ? {} : { userId: instance.credentials.userId };
    const path = submitPath(type.slice('ACTIVITY_TYPE_'.length));
    const waiting = async () => {
      const body = root.bodyOf(type.slice('ACTIVITY_TYPE_'.length), { ...about, ...own });
      const answer = await root.send(path, body);
      assert.equal(answer.body.activity?.status, 'ACTIVITY_STATUS_CONSENSUS_NEEDED', answer.text);
      return { body, fingerprint: answer.body.activity.fingerprint };
    };
    const { body, fingerprint } = await waiting();
    const denied = [403, 'REQUEST_NOT_AUTHORIZED', BY_SCOPE] as const;
    const asApproval = `vote.selection == 'VOTE_SELECTION_APPROVED' && activity.kind == '${kind.kind}'`;
    for (const scope of someOf(["activity.kind == 'APPROVE_ACTIVITY'", `activity.kind == '${kind.kind}'`, asApproval])) {
      const narrow = await session(scope);
      refused(await narrow.submit('APPROVE_ACTIVITY', { fingerprint }), [...denied]);
      refused(await narrow.send(path, body), [...denied]);
    }
    const both = await session(`activity.kind == 'APPROVE_ACTIVITY' || (${asApproval})`);
    refused(await both.submit(type.slice('ACTIVITY_TYPE_'.length), { ...about, ...own }), [...denied]);
    // It may fail by what its sample names: it was let through.
    for (const answer of [await both.submit('APPROVE_ACTIVITY', { fingerprint }), await both.send(path, (await waiting()).body)])
      assert.doesNotMatch(answer.text, BY_SCOPE);
  });
}
