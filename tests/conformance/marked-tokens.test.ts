import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { activities } from '../../src/activities/index.ts';
import { login } from '../activities/otp/support.ts';
import { newToken } from '../activities/tokens.ts';
import { attested } from '../support/attested.ts';
import { newKeys } from '../support/client.ts';
import { sharedInstance } from '../support/instance.ts';
import { refused } from '../support/refusals.ts';
import { homeOf, roomy } from '../support/world/homes.ts';
import { thingsIn } from '../support/world/kinds.ts';
import { goodParameters, parameterLeaves, send, versionsOf } from '../support/world/parameters.ts';

/** Any stranger may ask the auth proxy for a code. A token of such a code opens nothing in a top-level organization. */

const instance = await sharedInstance(roomy);
const { root } = instance;
const home = homeOf(instance);
const { userId } = instance.credentials;
const contact = 'administrator@example.com';

before(async () => {
  assert.equal((await root.submit('UPDATE_USER_EMAIL', { userId, userEmail: contact })).status, 200);
});

const takesToken = (operation: ReturnType<typeof versionsOf>[number]) =>
  parameterLeaves(operation).some(({ path }) => path.at(-1) === 'verificationToken');

/** What makes a sub-organization takes the token for a user there. */
const isForBelow = (kind: (typeof activities)[number]) => kind.resource === 'ORGANIZATION' && kind.action === 'CREATE';

const operations = activities.flatMap(versionsOf);
const taking = operations.filter((operation) => takesToken(operation) && !isForBelow(operation.kind!));
assert.ok(taking.length > 2);

for (const operation of taking)
  test(`${operation.type} takes no token of the proxy in a top-level organization`, async () => {
    const parameters: Record<string, unknown> = { ...(await goodParameters(operation, thingsIn(home))) };
    if ('userEmail' in parameters) parameters.userEmail = contact;
    const phone = 'userPhoneNumber' in parameters;
    if (phone) parameters.userPhoneNumber = '+14155550100';
    const whose = phone ? '+14155550100' : contact;
    for (const byProxy of [true, undefined] as const) {
      const keys = newKeys();
      const { jwt } = newToken(instance, whose, keys, byProxy ? { byProxy } : {});
      const signed = 'publicKey' in parameters ? login(jwt, keys, newKeys()) : { verificationToken: jwt };
      const answer = await send(root, operation, { ...parameters, ...signed });
      if (byProxy) refused(answer, [400, 'REQUEST_INVALID', /valid only in sub-organizations/], 'parameters.verificationToken');
      else assert.equal(answer.status, 200, answer.text);
    }
  });

for (const operation of operations)
  test(`${operation.type} is stamped by no token of the proxy in a top-level organization`, async () => {
    const keys = newKeys();
    const { jwt } = newToken(instance, contact, keys, { byProxy: true });
    const stranger = attested(root, keys, { verificationToken: jwt });
    const body = root.bodyOf(operation.type.slice('ACTIVITY_TYPE_'.length), await goodParameters(operation, thingsIn(home)));
    const answer = await stranger.send(operation.path, body);
    // A newcomer stamps with the passkey that the parameters bring.
    refused(answer, [401, operation.kind?.admit ? 'CREDENTIAL_NOT_FOUND' : 'PUBLIC_KEY_NOT_FOUND', /./]);
  });
