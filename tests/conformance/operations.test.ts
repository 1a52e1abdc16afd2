import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { activities } from '../../src/activities/index.ts';
import { queries } from '../../src/queries/index.ts';
import * as ours from '../../src/wire/enums.ts';
import { enums, factsOf, queryFactOf, resolve, type Shape } from './interface.ts';
import { isOurs, NOT_YET, OURS_ALONE, REFUSED } from './not-yet.ts';

/** Where we differ on purpose: place → why. A place is the type or query name, a direction, and the path of the field. */
const DIFFERENCES: Record<string, string> = {
  'get_organization response.organizationData.countersignRootRecovery': 'the interface has no recoveries by the operator',
  ...Object.fromEntries(
    [
      'ACCEPT_INVITATION intent.authenticator',
      'CREATE_AUTHENTICATORS intent.authenticators[]',
      'CREATE_ORGANIZATION intent.rootAuthenticator',
      'CREATE_USERS intent.users[].authenticators[]',
    ].map((passkey) => [
      `${passkey}.attestation.clientExtensionResults.credProps.rk?`,
      'browsers may leave it out, and it has no meaning here',
    ]),
  ),
  ...Object.fromEntries(
    ['EMAIL_AUTH_V3', 'INIT_USER_EMAIL_RECOVERY_V2'].map((type) => [
      `${type} intent.emailCustomization?`,
      'what clients are told of it says that without it the default mail is sent',
    ]),
  ),
  ...Object.fromEntries(
    [
      'CREATE_VELOCITY_CONTROL intent',
      'get_velocity_control response.velocityControl',
      'list_velocity_controls response.velocityControls[]',
    ].map((place) => [`${place}.countersign`, 'what the interface has no members for is in one of ours']),
  ),
  'get_policy_evaluations response.proofs': 'what voters stamped for their MFA; clients ignore what they do not know',
  'get_policy_evaluations response.mfaStatuses': 'what a waiting activity still needs; clients ignore what they do not know',
  'get_policy_evaluations response.warnings': 'what the body of the activity warns of',
  'get_app_status response.appStatus.deployments[].problem': 'why a deployment does not start or run',
  'get_ip_allowlist response.allowlist.notInForce': "why a key's list does not count",
  ...Object.fromEntries(
    ['reason', 'policyName', 'effect', 'failedClause', 'values', 'note'].map((name) => [
      `get_policy_evaluations response.policyEvaluations[].policyEvaluations[].${name}`,
      'an outcome is explained; clients ignore what they do not know',
    ]),
  ),
  ...Object.fromEntries(
    ['filterByUserId', 'filterByCredentialId', 'filterByWalletId', 'filterByFingerprint', 'createdAfter', 'createdBefore'].map(
      (name) => [`list_activities body.${name}`, 'filters for auditors; without them the list is the same'],
    ),
  ),
  ...Object.fromEntries(
    [
      'get_api_keys',
      'get_oauth_providers',
      'get_authenticators',
      'list_oauth2_credentials',
      'list_policies',
      'list_private_key_tags',
      'list_private_keys',
      'list_smart_contract_interfaces',
      'list_user_tags',
      'list_users',
      'list_wallets',
    ].map((name) => [`${name} body.paginationOptions`, 'a list may be asked for page by page; without it all of it is given']),
  ),
};
const met = new Set<string>();

function differs(place: string): boolean {
  if (!(place in DIFFERENCES)) return false;
  met.add(place);
  return true;
}

type JsonSchema = {
  type?: string;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  items?: JsonSchema;
  enum?: string[];
  const?: unknown;
  not?: object;
  additionalProperties?: unknown;
  anyOf?: JsonSchema[];
};

const schemaOf = (schema: z.ZodType, io: 'input' | 'output') =>
  z.toJSONSchema(schema, { io, unrepresentable: 'any', reused: 'inline' }) as JsonSchema;

/**
 * A request takes every field of the facts, with the same type, and requires the same fields: requiring more would refuse requests
 * that are right elsewhere. An answer has at least the fields that are required there, and none that is unknown there.
 */
function compare(place: string, wanted: Shape, ours: JsonSchema, answer: boolean): void {
  const shape = resolve(wanted);
  const names = enums[shape.ref ?? ''];
  if (names) {
    if (ours.enum && !differs(place)) assert.deepEqual(ours.enum.toSorted(), names.toSorted(), place);
    return;
  }
  if (shape.type === 'array') {
    if (differs(place)) return;
    assert.equal(ours.type, 'array', place);
    if (shape.items && ours.items && Object.keys(ours.items).length > 0) compare(`${place}[]`, shape.items, ours.items, answer);
    return;
  }
  if (shape.properties) {
    // Our request refuses the field whatever its value, or our answer may have any members.
    if (differs(place) || ours.not !== undefined || ours.additionalProperties) return;
    assert.equal(ours.type, 'object', place);
    assert.ok(ours.properties, place);
    const names = Object.keys(shape.properties);
    for (const name of names) {
      const at = `${place}.${name}`;
      const own = ours.properties[name];
      if (own !== undefined) compare(at, shape.properties[name]!, own, answer);
      else if (!answer || shape.required?.includes(name)) assert.ok(differs(at), `${at} is missing`);
    }
    for (const name of Object.keys(ours.properties))
      assert.ok(names.includes(name) || differs(`${place}.${name}`), `${place}.${name} is ours alone`);
    for (const name of new Set([...(shape.required ?? []), ...(ours.required ?? [])])) {
      const [there, here] = [(shape.required ?? []).includes(name), (ours.required ?? []).includes(name)];
      if (there !== here && !(answer && here))
        assert.ok(differs(`${place}.${name}?`), `${place}.${name} is required ${there ? 'there' : 'here'} alone`);
    }
    return;
  }
  if (shape.type !== undefined && ours.type !== undefined && shape.type !== ours.type)
    assert.ok(differs(place), `${place}: ${ours.type}, not ${shape.type}`);
}

for (const kind of activities.filter(({ kind }) => !isOurs(kind))) {
  for (const [type, version] of kind.versions) {
    const name = type.replace('ACTIVITY_TYPE_', '');
    test(`${name} is what the interface says`, () => {
      const fact = factsOf.get(type);
      assert.ok(fact, `${type} is no type of the interface`);
      assert.equal(fact.kind, kind.kind);
      assert.equal(fact.path, kind.path);
      if (fact.resource !== undefined) assert.deepEqual([kind.resource, kind.action], [fact.resource, fact.action]);
      // A vote is governed by the activity that it is for.
      if (fact.governance !== 'vote') assert.equal(kind.governedBy, fact.governance ?? 'policy');
      const { version: number, intentKey, intent, resultKey, result } = fact.versions[type]!;
      assert.equal(number, version.version);
      assert.equal(intentKey, version.intentKey);
      if (resultKey !== undefined) assert.equal(resultKey, version.result.key);
      compare(`${name} intent`, intent, schemaOf(kind.params.schema(version.version), 'input'), false);
      if (result) compare(`${name} result`, result, schemaOf(version.result.shape, 'output'), true);
    });
  }
}

for (const kind of queries) {
  if (OURS_ALONE.includes(kind.name)) {
    test(`${kind.name} is ours alone`, () => assert.equal(queryFactOf.get(kind.path), undefined));
    continue;
  }
  test(`${kind.name} is what the interface says`, () => {
    const fact = queryFactOf.get(kind.path);
    assert.ok(fact, `${kind.path} is no path of the interface`);
    compare(`${kind.name} body`, fact.body, schemaOf(kind.params, 'input'), false);
    compare(`${kind.name} response`, fact.response, schemaOf(kind.result, 'output'), true);
  });
}

test('activities of our own have names that the interface does not have', () => {
  const ours = activities.filter(({ kind }) => isOurs(kind));
  const paths = new Set([...factsOf.values()].map(({ path }) => path));
  for (const { path, versions } of ours) {
    assert.ok(!paths.has(path), path);
    for (const type of versions.keys()) assert.ok(!factsOf.has(type), type);
  }
  assert.ok(
    [...factsOf.keys(), ...(enums.ActivityType ?? [])].every((type) => !isOurs(type)),
    'the prefix is ours alone',
  );
});

test('every version of a served kind is served, unless a reason is given here', () => {
  for (const kind of activities.filter(({ kind }) => !isOurs(kind)))
    for (const type of Object.keys(factsOf.get([...kind.versions.keys()][0]!)!.versions))
      if (!kind.versions.has(type)) assert.ok(type in REFUSED || differs(type), `${type} is not served`);
});

test('NOT_YET has the operations of the interface that are not served: npm run generate writes it', () => {
  const served = new Set([...activities.flatMap((kind) => [...kind.versions.keys()]), ...queries.map((kind) => kind.path)]);
  for (const name of [...NOT_YET.types, ...NOT_YET.paths]) assert.ok(!served.has(name), `${name} is served: take it out`);
  const all = (names: readonly string[], missing: readonly string[], refused: readonly string[] = []) => {
    for (const name of names)
      assert.ok([...missing, ...refused].includes(name) !== served.has(name), `${name} is neither served nor in NOT_YET`);
    for (const name of missing) assert.ok(names.includes(name), `${name} is no name of the interface`);
  };
  all([...factsOf.keys()], NOT_YET.types, Object.keys(REFUSED));
  all([...queryFactOf.keys()], NOT_YET.paths);
});

test('no two operations share a path or a type', () => {
  const paths = [...activities, ...queries].map((kind) => kind.path);
  assert.equal(new Set(paths).size, paths.length);
  const types = activities.flatMap((kind) => [...kind.versions.keys()]);
  assert.equal(new Set(types).size, types.length);
});

test('enumerations have the values of the interface', () => {
  let compared = 0;
  for (const [name, schema] of Object.entries(ours)) {
    const values = enums[name === 'ActivityStatusName' ? 'ActivityStatus' : name];
    if (values === undefined || !('options' in schema)) continue;
    compared++;
    assert.deepEqual([...schema.options].toSorted(), values.toSorted(), name);
  }
  assert.ok(compared >= 6, `${compared} compared`);
});

test('every difference that is listed exists', () => {
  for (const place of Object.keys(DIFFERENCES)) assert.ok(met.has(place), `${place}: no longer differs, take it out`);
});
