import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { activities } from '../../src/activities/index.ts';
import { holdsSecret } from '../../src/engine/activity/sealed.ts';
import { queries } from '../../src/queries/index.ts';
import { samples } from '../support/all-samples.ts';
import { SoftAuthenticator } from '../support/authenticator.ts';
import { type Client, freshTimestamp, type Keys, newKeys, post } from '../support/client.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import { ID } from '../support/samples.ts';
import { okOf } from '../support/world/homes.ts';

let instance: Instance;
let stranger: Client;
let parentOfTarget: Client;
let unprivileged: { client: Client; userId: string; keys: Keys };
let target: { organizationId: string; clients: Client[]; userIds: string[] };

before(async () => {
  // The addresses have no user, and need none.
  instance = await startInstance({ RPC_URL_EIP155_31337: 'http://127.0.0.1:9', RPC_URL_SOLANA_DEVNET: 'http://127.0.0.1:9' });
  target = await instance.newSubOrganization('Target', 1, 1);
  const other = await instance.newSubOrganization('Other', 1, 1);
  stranger = other.clients[0]!.as(other.clients[0]!.keys, target.organizationId);
  parentOfTarget = instance.root.as(instance.root.keys, target.organizationId);
  unprivileged = await instance.newUser('Nobody');
});
after(() => instance.close());

/** Users may do these without a policy, to themselves alone. */
const OWN_CREDENTIALS = new Set(
  ['API_KEYS', 'AUTHENTICATORS', 'OAUTH_PROVIDERS'].flatMap((what) => [`CREATE_${what}`, `DELETE_${what}`]),
);
/** Here a parent's key is resolved to its own user: the query asks who the caller is. */
const FINDS_SUB_ORGANIZATION = new Map([
  ['whoami', 200],
  // Their own activities alone: this one is none.
  ['get_activity', 404],
]);

/** What the generated tests take from the declarations, written down again: an exception that is declared by mistake fails here. */
test('only these activities need no second root user, change their submitter’s own credentials, or are for their submitter alone', () => {
  const named = (is: (kind: (typeof activities)[number], sample: object) => unknown) =>
    activities.flatMap((kind) => (is(kind, samples(kind.kind) as object) ? [kind.kind] : [])).sort();
  assert.deepEqual(
    named(({ votes, admit, submitters }) => votes || admit || submitters.credential || submitters.needsNoApproval),
    [
      'ACCEPT_INVITATION',
      'APPROVE_ACTIVITY',
      'CREATE_ORGANIZATION',
      'CREATE_READ_ONLY_SESSION',
      'RECOVER_USER',
      'REJECT_ACTIVITY',
    ],
  );
  const own = ['ACCEPT_INVITATION', 'RECOVER_USER', ...OWN_CREDENTIALS].sort();
  assert.deepEqual(
    named(({ submitters }, sample) => submitters.changesCredentialsOf(sample)),
    own,
  );
  const imports = ['IMPORT_PRIVATE_KEY', 'IMPORT_WALLET', 'INIT_IMPORT_PRIVATE_KEY', 'INIT_IMPORT_WALLET'];
  assert.deepEqual(
    named(({ submitters }, sample) => submitters.onlyUser(sample)),
    [...imports, 'RECOVER_USER'],
  );
});

for (const kind of activities) {
  const [type] = [...kind.versions.keys()].slice(-1) as [string];
  const body = (organizationId: string) =>
    JSON.stringify({ type, timestampMs: freshTimestamp(), organizationId, parameters: samples(kind.kind) });

  test(`${kind.kind} is refused unstamped`, async () => {
    const answer = await post(`${instance.url}${kind.path}`, body(instance.root.organizationId));
    assert.equal(answer.status, 401);
    assert.equal(answer.body.details[0].turnkeyErrorCode, 'SIGNATURE_MISSING');
  });

  if (kind.submitters.from === 'newcomer') {
    test(`${kind.kind} is refused to every API key: it is stamped by the passkey that it brings`, async () => {
      for (const client of [stranger, parentOfTarget, unprivileged.client, instance.root]) {
        const answer = await client.send(kind.path, body(client.organizationId));
        assert.equal(answer.status, 401, answer.text);
        assert.equal(answer.body.details[0].turnkeyErrorCode, 'CREDENTIAL_NOT_FOUND');
      }
    });

    test(`${kind.kind} is refused to a passkey that was not invited, and leaves nothing`, async () => {
      const activities = async () => (await instance.raw('SELECT COUNT(*) AS n FROM activities'))[0]!.n;
      const before = await activities();
      const passkey = new SoftAuthenticator();
      for (const organizationId of [instance.root.organizationId, target.organizationId, ID]) {
        const sent = body(organizationId);
        const answer = await post(`${instance.url}${kind.path}`, sent, passkey.stamp(sent));
        assert.ok(answer.status === 401 || answer.status === 403, answer.text);
      }
      assert.deepEqual(await activities(), before);
    });
    continue;
  }

  test(`${kind.kind} is refused to a key of another organization`, async () => {
    const answer = await stranger.send(kind.path, body(target.organizationId));
    assert.equal(answer.status, 401);
    assert.equal(answer.body.details[0].turnkeyErrorCode, 'PUBLIC_KEY_NOT_FOUND');
  });

  const isForParent = kind.submitters.from === 'parent';
  if (isForParent)
    test(`${kind.kind} in a sub-organization is decided by its parent, for the parent's users`, async () => {
      const recorded = async () => (await target.clients[0]!.query('list_activities')).body.activities.length;
      const before = await recorded();
      const member = parentOfTarget.as(unprivileged.keys);
      const answer = await member.send(kind.path, body(target.organizationId));
      // A vote on nothing leaves nothing in an organization that is not the voter's.
      const [status, code, more] = kind.votes ? [404, 5, 0] : [403, 7, 1];
      assert.deepEqual([answer.status, answer.body.code], [status, code], answer.text);
      assert.equal(await recorded(), before + more);
    });
  else
    test(`${kind.kind} in a sub-organization is refused to its parent`, async () => {
      const answer = await parentOfTarget.send(kind.path, body(target.organizationId));
      assert.equal(answer.status, 400);
      assert.equal(answer.body.details[0].turnkeyErrorCode, 'ORGANIZATION_MISMATCH');
      assert.match(
        answer.body.message,
        /organization mismatch: request is targeting organization \("[0-9a-f-]+"\), but voters are in organization \("[0-9a-f-]+"\)/,
      );
    });

  if (kind.votes !== undefined) {
    test(`${kind.kind} needs a target that waits, whoever asks`, async () => {
      const answer = await unprivileged.client.send(kind.path, body(instance.root.organizationId));
      assert.equal(answer.status, 404);
      assert.match(answer.body.message, /^No activity found with fingerprint\./);
    });
    continue;
  }

  if (kind.submitters.needsNoApproval) {
    test(`${kind.kind} needs no permission`, async () => {
      const answer = await unprivileged.client.send(kind.path, body(instance.root.organizationId));
      assert.equal(answer.body.activity?.status, 'ACTIVITY_STATUS_COMPLETED', answer.text);
    });
    continue;
  }

  test(`${kind.kind} is refused to a user without permission, the same way each time, and the refusal is on record`, async () => {
    const sample = samples(kind.kind) as object;
    const own = kind.submitters.onlyUser(sample) === undefined ? {} : { userId: unprivileged.userId };
    const head = { type, timestampMs: freshTimestamp(), organizationId: instance.root.organizationId };
    const sent = JSON.stringify({ ...head, parameters: { ...sample, ...own } });
    const answer = await unprivileged.client.send(kind.path, sent);
    assert.equal(answer.status, 403, answer.text);
    assert.equal(answer.body.code, 7);
    if (kind.submitters.credential !== undefined) {
      assert.match(answer.body.message, /must be stamped by a recovery key/);
      return;
    }
    assert.match(answer.body.message, /^You don't have sufficient permissions to take this action\./);
    const [, denial, record, ...more] = answer.body.details;
    assert.equal(denial['@type'], 'type.googleapis.com/errors.v1.PolicyEnginePermissionError');
    const byRootUsers = kind.submitters.rootUsersOnly;
    assert.equal(
      denial.message,
      byRootUsers ? 'Only a root user of the organization may submit this' : 'No policies evaluated to outcome: Allow',
    );
    assert.deepEqual([record.code, more], ['REQUEST_NOT_AUTHORIZED', []]);
    assert.deepEqual((await unprivileged.client.send(kind.path, sent)).body, answer.body);
    const filter = { filterByStatus: ['ACTIVITY_STATUS_FAILED'], filterByType: [type], paginationOptions: { limit: '1' } };
    const [activity] = (await instance.root.query('list_activities', filter)).body.activities;
    const hides = holdsSecret({ kind, parameters: JSON.parse(sent).parameters });
    assert.equal(activity.votes[0].message, hides ? '' : sent);
    assert.equal(activity.failure.code, 7);
    assert.equal(activity.id, record.activityId);
  });

  if (kind.submitters.onlyUser(samples(kind.kind)) !== undefined && kind.submitters.credential === undefined) {
    test(`${kind.kind} for another user is refused even to a root user`, async () => {
      const answer = await instance.root.send(kind.path, body(instance.root.organizationId));
      assert.equal(answer.status, 403, answer.text);
      assert.match(answer.body.message, /userId must be the submitting user/);
    });
  }

  if (OWN_CREDENTIALS.has(kind.kind)) {
    test(`${kind.kind} on oneself passes authorization`, async () => {
      const parameters = { ...(samples(kind.kind) as object), userId: unprivileged.userId };
      const answer = await unprivileged.client.send(
        kind.path,
        JSON.stringify({ type, timestampMs: freshTimestamp(), organizationId: instance.root.organizationId, parameters }),
      );
      assert.notEqual(answer.status, 403, answer.text);
    });
  }
}

for (const kind of queries) {
  const body = (organizationId: string) => JSON.stringify({ organizationId, ...(samples(kind.name) as object) });

  test(`${kind.name} is refused unstamped, and to a key of another organization`, async () => {
    assert.equal((await post(`${instance.url}${kind.path}`, body(target.organizationId))).status, 401);
    const answer = await stranger.send(kind.path, body(target.organizationId));
    assert.equal(answer.status, 401);
    assert.equal(answer.body.details[0].turnkeyErrorCode, 'PUBLIC_KEY_NOT_FOUND');
  });

  test(`${kind.name} is open to every user of the organization and of its parent`, async () => {
    for (const client of [target.clients[0]!, parentOfTarget]) {
      const answer = await client.send(kind.path, body(target.organizationId));
      assert.ok(answer.status === okOf(kind.name) || answer.status === 404, answer.text);
    }
    assert.notEqual((await unprivileged.client.send(kind.path, body(instance.root.organizationId))).status, 403);
  });

  test(`${kind.name} of the parent is ${FINDS_SUB_ORGANIZATION.has(kind.name) ? 'answered for' : 'closed to'} users of its sub-organizations`, async () => {
    const answer = await target.clients[0]!.send(kind.path, body(instance.root.organizationId));
    assert.equal(answer.status, FINDS_SUB_ORGANIZATION.get(kind.name) ?? 401, answer.text);
  });
}

test('an unknown key learns nothing about which organizations exist below another', async () => {
  const answer = await instance.root.as(newKeys()).query('whoami');
  assert.equal(answer.status, 401);
  assert.equal(answer.body.details[0].turnkeyErrorCode, 'PUBLIC_KEY_NOT_FOUND');
});
