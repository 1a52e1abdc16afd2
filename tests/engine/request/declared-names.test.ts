import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { submitBody, validate, validateStored } from '../../../src/engine/request/body.ts';
import { inDeclaredNames } from '../../../src/engine/request/declared-names.ts';
import { unknownMembers } from '../../../src/engine/request/unknown-members.ts';

const Params = z.object({
  userName: z.string(),
  oauth2CredentialId: z.string().optional(),
  clientDataJson: z.string().optional(),
  inTwo: z.union([z.object({ firstOne: z.string() }), z.object({ secondOne: z.object({ deepDown: z.string() }) })]).optional(),
  newUsers: z.array(z.object({ userTags: z.array(z.string()) })).optional(),
  freeMap: z.record(z.string(), z.string()).optional(),
  textOf: z.string().optional(),
  anyThing: z.unknown().optional(),
});

const read = (value: object) => inDeclaredNames(Params, value, 'parameters');

test('declared names in snake_case, at every depth: _ before each capital, digits as they are', () => {
  const sent = {
    user_name: 'Ada',
    oauth2_credential_id: 'c',
    client_data_json: '{"client_data":1}',
    in_two: { second_one: { deep_down: 'x' } },
    new_users: [{ userTags: ['a_b'] }, { user_tags: ['c'] }],
  };
  const wanted = {
    userName: 'Ada',
    oauth2CredentialId: 'c',
    clientDataJson: '{"client_data":1}',
    inTwo: { secondOne: { deepDown: 'x' } },
    newUsers: [{ userTags: ['a_b'] }, { userTags: ['c'] }],
  };
  assert.deepEqual(read(sent), wanted);
  assert.deepEqual(unknownMembers(Params, sent, ''), []);
  assert.ok('user_name' in sent && 'user_tags' in sent.new_users[1]!, 'the body itself stays');
});

test('keys of free maps, what is not described, texts and names that are not declared stay', () => {
  const sent = {
    userName: 'user_name',
    free_map: { user_name: 'x', freeMap: 'y' },
    textOf: '{"user_name":"x"}',
    any_thing: { user_name: [{ in_two: 1 }] },
    user__name: 1,
    User_Name: 2,
    oauth_2_credential_id: 3,
    constructor_name: 4,
  };
  const { any_thing, free_map, ...same } = sent;
  assert.deepEqual(read(sent), { ...same, freeMap: free_map, anyThing: any_thing });
  assert.deepEqual(unknownMembers(Params, sent, ''), ['user__name', 'User_Name', 'oauth_2_credential_id', 'constructor_name']);
});

test('a body in camelCase is given back as it is', () => {
  const sent = { userName: 'x', newUsers: [{ userTags: [] }], freeMap: { a_b: 'c' }, extra_one: { a_b: 1 } };
  assert.equal(read(sent), sent);
});

test('both spellings of one member are refused, named by its declared name', () => {
  const twice = { userName: 'a', newUsers: [{ userTags: [] }, { user_tags: [], userTags: [] }] };
  const text = 'parameters.newUsers[1].userTags: is given twice, as "userTags" and as "user_tags": send one of them';
  assert.throws(() => validate(Params, twice, 'parameters'), { code: 'REQUEST_INVALID', message: `bad request body: ${text}` });
});

test('a stored body with both was read by the declared names, and is still', () => {
  const stored = { userName: 'then', user_name: 'ignored then', newUsers: [{ user_tags: ['x'] }] };
  assert.deepEqual(validateStored(Params, stored, ''), { userName: 'then', newUsers: [{ userTags: ['x'] }] });
  const Strict = z.strictObject({ userName: z.string() });
  assert.deepEqual(validateStored(Strict, { userName: 'then', user_name: 'refused today' }, ''), { userName: 'then' });
});

test('the envelope of a submit', () => {
  const organizationId = '00000000-0000-7000-8000-00000000000A';
  const declared = { type: 'T', timestampMs: '1', organizationId, parameters: { a_b: 1 }, generateAppProofs: true };
  const wanted = { ...declared, organizationId: organizationId.toLowerCase() };
  const spelled = () => ({
    type: 'T',
    timestamp_ms: '1',
    organization_id: organizationId,
    parameters: { a_b: 1, generate_app_proofs: false },
    generate_app_proofs: true,
  });
  assert.deepEqual(submitBody(spelled()), wanted);
  const twice = { ...spelled(), timestampMs: '2' };
  assert.throws(() => submitBody(twice), /timestampMs: is given twice, as "timestampMs" and as "timestamp_ms"/);
  assert.equal(submitBody(twice, { stored: true }).timestampMs, '2');
});
