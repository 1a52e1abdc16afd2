import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readAnswer } from '../../../src/chain-io/nodes/answer.ts';
import { revertDataOf } from '../../../src/chain-io/nodes/evm/calls.ts';
import fc from '../../support/properties.ts';

const SHAPE = { depth: 16, keys: 1000 };
const read = (text: string, id = 7) => readAnswer(Buffer.from(text), id, SHAPE);

test('an answer has our id, and a result or an error', () => {
  assert.deepEqual(read('{"jsonrpc":"2.0","id":7,"result":"0x1"}'), { result: '0x1' });
  assert.deepEqual(read('{"jsonrpc":"2.0","id":7,"result":null}'), { result: null });
  assert.deepEqual(read('{"id":7,"error":{"code":-32000,"message":"no","data":"0x"}}'), {
    error: { code: -32000, message: 'no', data: '0x' },
  });
  // About no request in particular: from a gateway, or for what it could not read.
  assert.deepEqual(read('{"id":null,"error":{"code":429,"message":"slow"}}'), {
    error: { code: 429, message: 'slow', data: undefined },
  });
  assert.deepEqual(read('{"error":"unauthorized"}'), { error: { code: 0, message: 'unauthorized', data: undefined } });
  for (const wrong of [
    '',
    '[]',
    'null',
    '{}',
    '{"id":7}',
    '{"id":8,"result":1}',
    '{"id":"7","result":1}',
    '{"id":8,"error":{"code":1,"message":"x"}}',
    '{"id":7,"result":1,"result":2}',
    `{"id":7,"result":${'['.repeat(20)}${']'.repeat(20)}}`,
  ])
    assert.equal(read(wrong), undefined, wrong);
});

test('no digit of a whole number is lost', () => {
  assert.deepEqual(read('{"id":7,"result":[18446744073709551615,9007199254740993,5,1.5]}'), {
    result: [18446744073709551615n, 9007199254740993n, 5, 1.5],
  });
});

test('fuzz: bytes are an answer or none', () => {
  const nearly = fc.json().map((json) => `{"id":7,"result":${json},"error":${json}}`);
  fc.assert(
    fc.property(
      fc.oneof(
        fc.uint8Array({ maxLength: 60 }).map(Buffer.from),
        nearly.map((text) => Buffer.from(text)),
      ),
      (bytes) => {
        const answer = readAnswer(bytes, 7, SHAPE);
        if (answer && 'error' in answer) assert.equal(typeof answer.error.message, 'string');
      },
    ),
  );
});

test('revert data is found where nodes put it, and nowhere too deep', () => {
  assert.equal(revertDataOf('0xABcd'), '0xabcd');
  assert.equal(revertDataOf('Reverted 0x08c379a0'), '0x08c379a0');
  assert.equal(revertDataOf({ message: 'x', data: '0x01' }), '0x01');
  assert.equal(revertDataOf({ '0xhash': { error: 'revert', return: '0x02' } }), '0x02');
  assert.equal(revertDataOf({ originalError: { data: '0x03' } }), '0x03');
  for (const none of [
    undefined,
    null,
    5,
    '0x1',
    'text',
    {},
    { a: { b: { c: { d: { e: '0x01' } } } } },
    `0x${'00'.repeat(200_000)}`,
  ])
    assert.equal(revertDataOf(none), undefined);
  fc.assert(fc.property(fc.jsonValue(), (value) => assert.match(revertDataOf(value) ?? '0x', /^0x([0-9a-f]{2})*$/)));
});
