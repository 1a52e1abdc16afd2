import assert from 'node:assert/strict';
import { test } from 'node:test';
import { activities } from '../../src/activities/index.ts';
import { interfacePaths } from '../../src/model/interface-names.ts';
import { queries } from '../../src/queries/index.ts';
import { isOurs, OURS_ALONE } from '../conformance/not-yet.ts';
import { post } from '../support/client.ts';
import { sharedInstance } from '../support/instance.ts';

const instance = await sharedInstance();

const messageOf = async (path: string, wanted = 404): Promise<string> => {
  const { status, body } = await post(instance.url + path, '{}');
  assert.equal(status, wanted);
  assert.equal(body.code, 5);
  assert.equal(body.details[0].turnkeyErrorCode, 'UNSPECIFIED');
  return body.message;
};

test('a mistyped path is answered with itself and the one that was meant', async () => {
  for (const [path, meant] of [
    ['/public/v1/submit/create_walet', '/public/v1/submit/create_wallet'],
    ['/public/v1/submit/createWallet', '/public/v1/submit/create_wallet'],
    ['/public/v1/query/create_wallet', '/public/v1/submit/create_wallet'],
    ['/v1/query/list_walets', '/public/v1/query/list_wallets'],
    ['/public/v1/query/whoami/', '/public/v1/query/whoami'],
    ['/healthz', '/health'],
  ] as const)
    assert.equal(await messageOf(path), `no such path: ${path}: did you mean ${meant}?`);
  const odd = '/public/v1/submit/something_else_entirely';
  assert.equal(await messageOf(odd), `no such path: ${odd}: see /docs for the operations`);
});

test('an operation that is known and not served yet is said to be one', async () => {
  for (const path of ['/public/v1/submit/execute_swap', '/public/v1/query/list_earn_positions'])
    assert.match(
      await messageOf(path),
      new RegExp(`^${path} is an operation of the published interface that this version does not serve`),
    );
});

test('a mistyped path of one that is not served yet is not sent to another operation', async () => {
  for (const [path, meant] of [
    ['/public/v1/submit/execute_sawp', '/public/v1/submit/execute_swap'],
    ['/public/v1/query/list_earn_position', '/public/v1/query/list_earn_positions'],
    ['/public/v1/query/execute_swap', '/public/v1/submit/execute_swap'],
  ])
    assert.equal(await messageOf(path!), `no such path: ${path}: did you mean ${meant}, which this version does not serve?`);
});

test('a page that is posted to says which method it takes', async () => {
  for (const path of ['/health', '/ready', '/metrics', '/docs', '/openapi.json', '/']) {
    const { status, headers, body } = await post(instance.url + path, '{}');
    assert.deepEqual(
      [status, headers.get('allow'), body.message],
      [405, 'GET, HEAD, OPTIONS', 'this path accepts only GET'],
      path,
    );
  }
});

test('long paths are not compared, and not repeated', async () => {
  for (const path of [`/${'create_wallet'.repeat(100)}`, `/public/v1/submit/create_wallet${'_'.repeat(90)}`])
    assert.equal(await messageOf(path), 'no such path: see /docs for the operations');
});

test('every path of the interface is named once, and has the form of one', () => {
  assert.equal(new Set(interfacePaths).size, interfacePaths.length);
  for (const path of interfacePaths) assert.match(path, /^\/public\/v1\/(submit|query)\/[a-z0-9]+(_[a-z0-9]+)*$/);
  const ours = [...activities.filter(({ kind }) => isOurs(kind)), ...queries.filter(({ name }) => OURS_ALONE.includes(name))];
  const own = new Set(ours.map(({ path }) => path));
  for (const { path } of [...activities, ...queries]) assert.notEqual(interfacePaths.includes(path), own.has(path), path);
});
