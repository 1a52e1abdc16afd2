/** The code for browsers and Node.js's own functions give the same results. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  concat,
  fromBase64Url,
  fromHex,
  fromUtf8,
  littleEndian,
  portable,
  sameBytes,
  toBase64Url,
  toHex,
  utf8,
} from '../../src/base/bytes.ts';
import { rounds } from '../support/full.ts';
import fc from '../support/properties.ts';

const plain = (bytes: Uint8Array | undefined) => bytes && Array.from(bytes);

test('hex, base64url and UTF-8 are the same with and without Node.js', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 100 }), fc.string({ unit: 'binary' }), (bytes, text) => {
      assert.equal(portable.toHex(bytes), toHex(bytes));
      assert.equal(portable.toBase64Url(bytes), toBase64Url(bytes));
      const hex = toHex(bytes);
      for (const written of [hex, hex.toUpperCase()]) assert.deepEqual(plain(portable.fromHex(written)), plain(fromHex(written)));
      assert.deepEqual(plain(fromHex(hex)), plain(bytes));
      assert.deepEqual(plain(portable.utf8(text)), plain(utf8(text)));
      assert.equal(fromUtf8(utf8(text)), text.toWellFormed());
      const base64 = toBase64Url(bytes);
      assert.deepEqual(plain(fromBase64Url(base64)), plain(bytes));
      for (const written of [base64, base64.padEnd(Math.ceil(base64.length / 4) * 4, '='), base64.slice(0, -1)])
        if (fromBase64Url(written) !== undefined)
          assert.deepEqual(plain(portable.fromBase64Url(written)), plain(fromBase64Url(written)), written);
    }),
    { numRuns: rounds(500) },
  );
});

test('text that is not hex, base64url or UTF-8 is undefined', () => {
  for (const text of ['0', 'xy', '0x00', ' 00', '00 ']) assert.equal(fromHex(text), undefined, text);
  for (const text of ['a+', 'a/', 'a b', '====', 'a=b']) assert.equal(fromBase64Url(text), undefined, text);
  for (const bytes of [[0xff], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80], [0xe2, 0x82]])
    assert.equal(fromUtf8(Uint8Array.from(bytes)), undefined);
  assert.equal(fromUtf8(Uint8Array.of(0xef, 0xbb, 0xbf, 0x61)), '\ufeffa', 'a byte order mark is kept');
});

test('bytes are joined, compared and read as numbers', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 20 }), { maxLength: 6 }), (parts) => {
      const whole = concat(parts);
      assert.deepEqual(plain(whole), plain(Buffer.concat(parts)));
      assert.ok(sameBytes(whole, Buffer.from(whole)));
      if (whole.length === 0) return;
      assert.ok(!sameBytes(whole, whole.subarray(1)));
      const other = new Uint8Array(whole);
      other[other.length - 1]! ^= 1;
      assert.ok(!sameBytes(whole, other));
      for (let width = 1; width <= Math.min(4, whole.length); width++)
        assert.equal(
          littleEndian(whole, whole.length - width, width),
          Buffer.from(whole).readUIntLE(whole.length - width, width),
        );
    }),
  );
  assert.equal(concat(Array.from({ length: 200_000 }, () => Uint8Array.of(1))).length, 200_000);
});
