import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { activities } from '../../src/activities/index.ts';
import { enabledProxy, type TestProxy } from '../support/auth-proxy.ts';
import { sharedInstance } from '../support/instance.ts';
import { attacksOn } from '../support/world/attacks.ts';
import { put, shown } from '../support/world/fields.ts';
import { homeOf, roomy } from '../support/world/homes.ts';
import { type Things, thingsIn } from '../support/world/kinds.ts';
import { goodParameters, send, versionsOf } from '../support/world/parameters.ts';

/**
 * Whatever names a user may name the user of the auth proxy. By all of that, of every version, it gets no other way in, loses nothing that it
 * needs, and serves on. A later operation that names a user is found by itself.
 */

const instance = await sharedInstance(roomy);
const { root } = instance;
let proxy: TestProxy;
let things: Things;

before(async () => {
  proxy = await enabledProxy(root);
  things = thingsIn(homeOf(instance));
});

/** Changes that would give the proxy's user another login, or break the proxy. */
async function waysIn(): Promise<object> {
  const { user } = (await root.query('get_user', { userId: proxy.userId })).body;
  const { apiKeys, authenticators, oauthProviders, userEmail, userPhoneNumber, mfaPolicies } = user;
  const { rootQuorum } = (await root.query('get_organization')).body.organizationData;
  const isRoot = rootQuorum.userIds.includes(proxy.userId);
  return { apiKeys, authenticators, oauthProviders, userEmail, userPhoneNumber, mfaPolicies, isRoot };
}

let named = 0;

for (const kind of activities)
  for (const operation of versionsOf(kind)) {
    const fields = attacksOn(operation).filter((attack) => attack.kind === 'user');
    for (const { leaf } of fields)
      test(`${operation.type} may name it in ${shown(leaf.path)}, and nothing comes of it`, async () => {
        const before = await waysIn();
        const parameters = await goodParameters(operation, things, leaf);
        assert.ok(put(parameters, leaf.path, proxy.userId));
        const answer = await send(root, operation, parameters);
        assert.ok(answer.status === 200 || (answer.status >= 400 && answer.status < 500), answer.text);
        assert.doesNotMatch(answer.text, /No policies evaluated/, 'who asks may do so with others');
        assert.deepEqual(await waysIn(), before, answer.text);
        named++;
      });
  }

test('it serves on', async () => {
  assert.ok(named > 25, `${named} fields`);
  const contact = 'somebody@example.com';
  assert.equal((await proxy.ask('otp_init', { otpType: 'OTP_TYPE_EMAIL', contact })).status, 200);
});
