import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { differences, interfaceFiles, present } from '../../scripts/generate/interface.ts';
import { activityFacts } from '../conformance/interface.ts';

const folder = new URL('../conformance/interface/', import.meta.url);

test('the files of the interface are those that its document gives', () => {
  const written = Object.entries(interfaceFiles(present()));
  assert.equal(written.filter(([name]) => name.startsWith('activities/')).length, activityFacts.length);
  for (const [name, text] of written) assert.equal(readFileSync(new URL(name, folder), 'utf8'), text, name);
  assert.deepEqual(differences(present(), present()), []);
});

test('a newer document is told by name, version, path, field and value, and its files hold it', () => {
  const newer = structuredClone(present());
  const wallet = newer.activityTypes.ACTIVITY_TYPE_CREATE_WALLET!;
  newer.activityTypes.ACTIVITY_TYPE_CREATE_WALLET_V2 = { ...wallet, version: 2, intent: { ref: 'CreateWalletIntentV2' } };
  newer.activityTypes.ACTIVITY_TYPE_PAINT_WALLET = { ...wallet, family: 'PAINT_WALLET', path: '/public/v1/submit/paint_wallet' };
  newer.shapes.CreateWalletIntentV2 = { type: 'object', properties: { colour: { ref: 'Colour' } } };
  newer.shapes.Unrelated = { type: 'object' };
  newer.shapes.DeleteWalletsIntent!.properties!.reason = { type: 'string' };
  newer.shapes.DeleteWalletsIntent!.required!.push('reason');
  newer.enums.Colour = ['COLOUR_RED'];
  newer.enums.Curve = newer.enums.Curve!.slice(1).concat('CURVE_P521');
  delete newer.queries['/public/v1/query/get_nonces'];

  const lines = differences(present(), newer);
  const [second, paint] = lines.splice(0, 2);
  // The line of a new type holds its version, path and fields.
  assert.match(second!, /^\+ activityTypes.ACTIVITY_TYPE_CREATE_WALLET_V2: {.*"path":".*create_wallet","version":2,.*}$/);
  assert.match(paint!, /^\+ activityTypes.ACTIVITY_TYPE_PAINT_WALLET: {.*"path":"\/public\/v1\/submit\/paint_wallet".*}$/);
  assert.deepEqual(lines, [
    '- queries./public/v1/query/get_nonces',
    '+ enums.Colour: ["COLOUR_RED"]',
    `- enums.Curve ${present().enums.Curve![0]}`,
    '+ enums.Curve CURVE_P521',
    '+ shapes.CreateWalletIntentV2: {"type":"object","properties":{"colour":{"ref":"Colour"}}}',
    '+ shapes.DeleteWalletsIntent.properties.reason: {"type":"string"}',
    '+ shapes.DeleteWalletsIntent.required reason',
    '- shapes.GetNoncesRequest',
    '- shapes.GetNoncesResponse',
  ]);

  const files = interfaceFiles(newer);
  const { resource, versions, shapes } = JSON.parse(files['activities/create-wallet.json']!);
  assert.equal(resource, 'WALLET');
  assert.deepEqual(Object.keys(versions), ['ACTIVITY_TYPE_CREATE_WALLET', 'ACTIVITY_TYPE_CREATE_WALLET_V2']);
  assert.deepEqual(shapes.CreateWalletIntentV2, newer.shapes.CreateWalletIntentV2);
  assert.ok('activities/paint-wallet.json' in files);
  assert.ok(!('queries/get-nonces.json' in files));

  // Names become files, which stay in their folder.
  newer.activityTypes.ACTIVITY_TYPE_PAINT_WALLET.family = '../../../PAINT';
  assert.throws(() => interfaceFiles(newer), /no name of an operation/);
});
