/** A body says the same to people in either spelling of its members, as it does to the service. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Review, reviewOf } from '../../review/index.ts';
import { activities } from '../../src/activities/index.ts';
import { inSnakeCase } from '../support/snake-case.ts';
import { sampleOf, versionsOf } from '../support/world/parameters.ts';

const ENVELOPE = { timestampMs: '1700000000000', organizationId: '0191f3c2-0000-7000-8000-000000000001' };

const reviewed = (body: unknown): Review => reviewOf(Buffer.from(JSON.stringify(body)));

/** Where nothing else names a member, its path is shown as it was sent. */
const declared = (path: string): string => path.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());

const said = ({ title, form, readable, facts, calls, warnings, elements, everything }: Review) => ({
  ...{ title, form, readable, calls, elements },
  facts: facts.map((fact) => ({ ...fact, label: declared(fact.label) })),
  warnings: warnings.map((warning) => ({ ...warning, ...(warning.at && { at: declared(warning.at) }) })),
  values: everything.map(({ path, value }) => [declared(path), value]),
});

test('the sample of each version of each activity reads the same in snake_case', () => {
  const all = activities.flatMap(versionsOf);
  const differing = all.filter((operation) => {
    const body = { type: operation.type, ...ENVELOPE, parameters: sampleOf(operation) };
    const spelled = reviewed(inSnakeCase(body));
    assert.ok(!spelled.warnings.some(({ code }) => code === 'no-request' || code === 'unknown-type'), operation.type);
    return JSON.stringify(said(spelled)) !== JSON.stringify(said(reviewed(body)));
  });
  assert.deepEqual(
    differing.map(({ type }) => type),
    [],
  );
});

test('a member in both spellings is refused, wherever it is', () => {
  const type = 'ACTIVITY_TYPE_CREATE_WALLET';
  const account = { curve: 'CURVE_SECP256K1', pathFormat: 'PATH_FORMAT_BIP32', path_format: 'PATH_FORMAT_BIP32' };
  for (const [more, named] of [
    [{ parameters: { walletName: 'W', wallet_name: 'V' } }, 'parameters.wallet_name'],
    [{ parameters: { walletName: 'W', accounts: [{}, account] } }, 'parameters.accounts.1.path_format'],
    [{ parameters: {}, timestamp_ms: '1' }, 'timestamp_ms'],
  ] as const) {
    const { readable, warnings } = reviewed({ type, ...ENVELOPE, ...more });
    assert.deepEqual([readable, warnings[0]?.text], [false, `Not decoded: ${named} is given in two spellings`]);
  }
});

test('names that the service does not read, and the client’s own names in a map, have no other spelling', () => {
  const map = { clients: { oauthClientIds: { my_app: 'a', myApp: 'b' } } };
  for (const [type, parameters] of [
    ['ACTIVITY_TYPE_CREATE_WALLET', { walletName: 'W', accounts: [], foo1: 1, foo_1: 1, fooBar: 1, foo_bar: 1 }],
    ['ACTIVITY_TYPE_UPDATE_AUTH_PROXY_CONFIG', { walletKitSettings: map.clients }],
  ] as const) {
    const { warnings } = reviewed({ type, ...ENVELOPE, parameters });
    assert.ok(!warnings.some(({ text }) => text.includes('two spellings')), JSON.stringify(warnings));
  }
});
