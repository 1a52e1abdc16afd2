import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { type Answer, apiKey, newKeys, post, stampOf } from '../support/client.ts';
import { sharedInstance } from '../support/instance.ts';
import { newWallet } from './authority.ts';

const instance = await sharedInstance();
let address: string;
before(async () => {
  address = (await newWallet(instance.root)).addresses[0]!;
});

const SIGN = '/public/v1/submit/sign_raw_payload';

const parameters = (more: object = {}) => ({
  signWith: address,
  payload: '0xdeadbeef',
  encoding: 'PAYLOAD_ENCODING_HEXADECIMAL',
  hashFunction: 'HASH_FUNCTION_KECCAK256',
  ...more,
});

const good = (more: object = {}) => instance.root.bodyOf('SIGN_RAW_PAYLOAD_V2', parameters(more));

type Wanted = [status: number, code: number, wireCode: string, text: RegExp];

/** The error is as wanted, has the wire's shape, and the next good request still works. */
async function refused(answer: Answer, [status, code, wireCode, text]: Wanted): Promise<void> {
  assert.equal(answer.status, status, answer.text);
  assert.equal(answer.headers.get('content-type'), 'application/json');
  assert.equal(answer.body.code, code);
  assert.match(answer.body.message, text);
  assert.equal(answer.body.details[0]['@type'], 'type.googleapis.com/errors.v1.TurnkeyErrorDetail');
  assert.equal(answer.body.details[0].turnkeyErrorCode, wireCode);
  const next = await instance.root.send(SIGN, good());
  assert.equal(next.status, 200, next.text);
}

const header = (stamp: unknown) => ({ 'x-stamp': Buffer.from(JSON.stringify(stamp)).toString('base64url') });

test('no stamp', async () => {
  await refused(await post(`${instance.url}${SIGN}`, good()), [
    401,
    16,
    'SIGNATURE_MISSING',
    /no valid authentication signature found for request/,
  ]);
});

test('malformed stamps', async () => {
  const whole = {
    publicKey: instance.credentials.apiPublicKey,
    scheme: 'SIGNATURE_SCHEME_TK_API_P256',
    signature: '3006020101020101',
  };
  const stamps = [
    { 'x-stamp': '!!!' },
    { 'x-stamp': 'e30' },
    { 'x-stamp': Buffer.from('[1]').toString('base64url') },
    { 'x-stamp': Buffer.alloc(6000, 'a').toString('base64url') },
    header({ ...whole, scheme: 'SIGNATURE_SCHEME_NONE' }),
    header({ ...whole, publicKey: '02' }),
    header({ ...whole, publicKey: 'zz' }),
    header({ ...whole, publicKey: 5 }),
    header({ ...whole, signature: undefined }),
    header({ ...whole, scheme: '__proto__' }),
  ];
  for (const headers of stamps) {
    await refused(await post(`${instance.url}${SIGN}`, good(), headers), [
      401,
      16,
      'SIGNATURE_INVALID',
      /malformed activity stamp/,
    ]);
  }
});

test('a signature over other bytes, or that is none', async () => {
  const body = good();
  const wanted: Wanted = [401, 16, 'SIGNATURE_INVALID', /could not verify api key signature/];
  await refused(await post(`${instance.url}${SIGN}`, `${body} `, { 'x-stamp': stampOf(instance.root.keys, body) }), wanted);
  const stamp = { publicKey: instance.credentials.apiPublicKey, scheme: 'SIGNATURE_SCHEME_TK_API_P256' };
  for (const signature of ['', '00', 'xyz', '3006020100020100', `30${'ff'.repeat(60)}`]) {
    await refused(await post(`${instance.url}${SIGN}`, body, header({ ...stamp, signature })), wanted);
  }
});

test('a key that nobody registered', async () => {
  await refused(await instance.root.as(newKeys()).send(SIGN, good()), [
    401,
    16,
    'PUBLIC_KEY_NOT_FOUND',
    /could not find public key in organization or its parent organization/,
  ]);
});

test('an expired key', async () => {
  const keys = newKeys();
  await instance.root.submit('CREATE_API_KEYS_V2', {
    userId: instance.credentials.userId,
    apiKeys: [apiKey(keys, { expirationSeconds: '60' })],
  });
  const client = instance.root.as(keys);
  assert.equal((await client.query('whoami')).status, 200);
  instance.clock.advance(61_000);
  const answer = await client.query('whoami');
  await refused(answer, [401, 16, 'API_KEY_EXPIRED', /expired api key/]);
  assert.match(answer.body.message, /Unauthenticated desc = expired api key publicKey/);
});

test('timestamps outside the window', async () => {
  const at = (ms: number) =>
    instance.root.submit('SIGN_RAW_PAYLOAD_V2', parameters(), { timestampMs: String(instance.clock.now() + ms) });
  await refused(await at(-60 * 60 * 1000 - 5000), [400, 3, 'REQUEST_INVALID', /request timestamp is too old/]);
  await refused(await at(5 * 60 * 1000 + 5000), [400, 3, 'REQUEST_INVALID', /request timestamp is too far in the future/]);
  assert.equal((await at(-59 * 60 * 1000)).status, 200);
});

test('types that do not belong to the path', async () => {
  for (const type of ['CREATE_USERS_V4', 'SIGN_RAW_PAYLOAD_V9', 'NONSENSE', 'SIGN_RAW_PAYLOADS']) {
    const body = instance.root.bodyOf(type, parameters());
    await refused(await instance.root.send(SIGN, body), [
      400,
      3,
      'REQUEST_INVALID',
      /type: must be ACTIVITY_TYPE_SIGN_RAW_PAYLOAD/,
    ]);
  }
});

test('organizations that are malformed or unknown', async () => {
  const to = (organizationId: string) => instance.root.submit('SIGN_RAW_PAYLOAD_V2', parameters(), { organizationId });
  await refused(await to('nope'), [400, 3, 'INVALID_ORGANIZATION_ID', /malformed organization ID provided/]);
  // Published tests look for the id in the text, and for the text before it.
  const none = '0000000A-0000-0000-0000-000000000000';
  const { root } = instance;
  for (const answer of [await to(none), await root.query('get_organization', { organizationId: none })])
    await refused(answer, [
      404,
      5,
      'ORGANIZATION_NOT_FOUND',
      /^no organization found with the given ID: 0000000a-0000-0000-0000-000000000000$/,
    ]);
});

test('parameters that are wrong name their field', async () => {
  const wrong: [object, RegExp][] = [
    [{ encoding: 'PAYLOAD_ENCODING_MORSE' }, /parameters\.encoding: invalid payload encoding/],
    [{ hashFunction: 'HASH_FUNCTION_MD5' }, /parameters\.hashFunction: invalid hash function/],
    [{ payload: 7 }, /parameters\.payload/],
    [{ payload: undefined }, /parameters\.payload: is required/],
    [{ signWith: '' }, /parameters\.signWith/],
    [{ payload: 'xyz' }, /parameters\.payload: must be hex/],
    [{ payload: 'abc' }, /parameters\.payload: must be hex/],
    [{ hashFunction: 'HASH_FUNCTION_NO_OP' }, /32 bytes/],
    [{ hashFunction: 'HASH_FUNCTION_NOT_APPLICABLE' }, /invalid hash function/],
  ];
  for (const [more, text] of wrong) {
    const answer = await instance.root.send(SIGN, good(more));
    await refused(answer, [400, 3, 'REQUEST_INVALID', text]);
    const violations = answer.body.details.find(
      (d: { '@type': string }) => d['@type'] === 'type.googleapis.com/google.rpc.BadRequest',
    );
    assert.match(violations.fieldViolations[0].field, /^parameters\./);
  }
});

test('an unknown signer, and the same refusal for the same body', async () => {
  const body = good({ signWith: '0x0000000000000000000000000000000000000001' });
  const first = await instance.root.send(SIGN, body);
  await refused(first, [404, 5, 'UNSPECIFIED', /signer not found/]);
  assert.deepEqual((await instance.root.send(SIGN, body)).body, first.body);
  const [record] = (
    await instance.root.query('list_activities', {
      filterByStatus: ['ACTIVITY_STATUS_FAILED'],
      paginationOptions: { limit: '1' },
    })
  ).body.activities;
  assert.equal(record.failure.code, 5);
  assert.equal(record.failure.message, first.body.message);
  assert.deepEqual(record.result, {});
});

test('bodies that are no acceptable JSON', async () => {
  const envelope = (text: string) =>
    `{"type":"ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2","timestampMs":"1","organizationId":"${instance.root.organizationId}","parameters":${text}}`;
  const bodies: [string | Buffer, RegExp][] = [
    ['', /bad request body/],
    ['{', /bad request body: not valid JSON/],
    ['[]', /must be a JSON object/],
    ['null', /must be a JSON object/],
    ['"text"', /must be a JSON object/],
    [envelope(`${'['.repeat(10_000)}${']'.repeat(10_000)}`), /nested deeper than/],
    [envelope('{"signWith":"a","signWith":"b"}'), /duplicate key "signWith"/],
    [envelope('{"a":{"b":[{"c":1,"\\u0063":2}]}}'), /escape sequences/],
    [envelope('{"__proto__":{"signWith":"x"}}'), /"__proto__" is not allowed/],
    [envelope('{"payload":"\\ud800"}'), /lone surrogate/],
    [envelope('{"payload":"\\udc00\\ud800"}'), /lone surrogate/],
    [envelope('{"payload":"a\\u0000"}'), /U\+0000/],
    [Buffer.concat([Buffer.from('{"type":"'), Buffer.of(0xff, 0xfe), Buffer.from('"}')]), /not valid UTF-8/],
    ['{"type":7}', /type: must be/],
    ['{"type":"ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2","timestampMs":5}', /timestampMs: must be a decimal string/],
  ];
  for (const [body, text] of bodies) {
    const stamp = { 'x-stamp': stampOf(instance.root.keys, body.toString('latin1')) };
    await refused(await post(`${instance.url}${SIGN}`, body, stamp), [400, 3, 'REQUEST_INVALID', text]);
  }
});

test('a body of 10 MiB', async () => {
  const body = good({ payload: 'ab'.repeat(5 * 1024 * 1024) });
  const answer = await instance.root.send(SIGN, body).catch(() => undefined);
  // The server may close the connection before it has read everything; then there is no answer to look at.
  if (answer) await refused(answer, [413, 3, 'REQUEST_INVALID', /larger than 1048576 bytes/]);
  assert.equal((await instance.root.send(SIGN, good())).status, 200);
});

test('a body just under the limit is signed', async () => {
  assert.equal((await instance.root.send(SIGN, good({ payload: 'ab'.repeat(500_000) }))).status, 200);
});

test('requests are dispatched by type, never by content type', async () => {
  for (const type of [
    undefined,
    'text/plain',
    'application/json; charset=utf-8',
    'application/x-www-form-urlencoded',
    'nonsense',
  ]) {
    const body = good();
    const answer = await post(`${instance.url}${SIGN}`, Buffer.from(body), {
      'x-stamp': stampOf(instance.root.keys, body),
      ...(type ? { 'content-type': type } : {}),
    });
    assert.equal(answer.status, 200, answer.text);
  }
});

test('paths and methods that do not exist', async () => {
  const missing = await post(`${instance.url}/public/v1/submit/nothing`, '{}');
  assert.equal(missing.status, 404);
  assert.equal(missing.body.code, 5);
  const got = await fetch(`${instance.url}${SIGN}`);
  assert.equal(got.status, 405);
  const preflight = await fetch(`${instance.url}${SIGN}`, { method: 'OPTIONS', headers: { origin: 'https://example.com' } });
  assert.equal(preflight.status, 204);
  for (const name of ['X-Stamp', 'X-Stamp-Webauthn', 'X-Stamp-Attested', 'X-Client-Version', 'X-Session']) {
    assert.ok(preflight.headers.get('access-control-allow-headers')?.includes(name), name);
  }
});

test('a field of a later release is refused by name', async () => {
  const user = { userName: 'Bo', apiKeys: [apiKey(newKeys())], authenticators: [], oauthProviders: [], userTags: [] };
  const wrong: [string, object, RegExp][] = [
    ['CREATE_USERS_V4', { users: [{ ...user, authenticators: [{}] }] }, /parameters\.users\[0\]\.authenticators/],
    ['CREATE_USERS_V4', { users: [{ ...user, oauthProviders: [{}] }] }, /parameters\.users\[0\]\.oauthProviders/],
    [
      'CREATE_SUB_ORGANIZATION_V8',
      { subOrganizationName: 'S', rootQuorumThreshold: 1, rootUsers: [user], verificationToken: 'x' },
      /parameters\.verificationToken/,
    ],
    [
      'CREATE_SUB_ORGANIZATION_V7',
      { subOrganizationName: 'S', rootQuorumThreshold: 1, rootUsers: [user], clientSignature: {} },
      /parameters\.clientSignature/,
    ],
  ];
  for (const [type, body, text] of wrong)
    await refused(await instance.root.submit(type, body), [400, 3, 'REQUEST_INVALID', text]);
});

test('a wrong or missing type of a field is said in plain words', async () => {
  const said = async (kind: string, sent: object) => (await instance.root.submit(kind, sent)).body.message;
  assert.equal(
    await said('CREATE_USERS_V4', { users: {} }),
    'bad request body: parameters.users: must be an array, not an object',
  );
  assert.equal(
    await said('SIGN_RAW_PAYLOAD_V2', parameters({ payload: 5 })),
    'bad request body: parameters.payload: must be a string, not a number',
  );
  assert.equal((await instance.root.query('get_wallet', {})).body.message, 'bad request body: walletId: is required (a string)');
});
