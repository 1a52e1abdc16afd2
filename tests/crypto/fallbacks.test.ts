import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Ed25519, openSslEd25519, sodiumEd25519 } from '../../src/crypto/ed25519.ts';
import { SECP256K1_N } from '../../src/crypto/secp256k1.ts';
import { addonSecp256k1 } from '../../src/crypto/secp256k1-addon.ts';
import { wasmSecp256k1 } from '../../src/crypto/secp256k1-wasm.ts';
import { hex, seededBytes } from './vectors.ts';

const require = createRequire(import.meta.url);
const number = (value: bigint): Buffer => hex(value.toString(16).padStart(64, '0'));
const text = (bytes: Uint8Array | undefined): string | undefined => bytes && Buffer.from(bytes).toString('hex');

test('secp256k1: the addon and the WebAssembly build answer alike', () => {
  const addon = addonSecp256k1(require('secp256k1/bindings'));
  const wasm = wasmSecp256k1(require('tiny-secp256k1'));
  const bytes = seededBytes(11);
  const keys = [number(1n), number(SECP256K1_N - 1n), ...Array.from({ length: 20 }, () => bytes(32))];
  for (const key of keys) {
    const [digest, tweak] = [bytes(32), bytes(32)];
    const point = addon.publicKey(key, true);
    assert.equal(text(wasm.publicKey(key, true)), text(point));
    assert.equal(text(wasm.convert(point, false)), text(addon.convert(point, false)));
    assert.equal(text(wasm.negate(key)), text(addon.negate(key)));
    assert.equal(text(wasm.addToPrivateKey(key, tweak)), text(addon.addToPrivateKey(key, tweak)));
    assert.equal(text(wasm.addToPoint(point, tweak)), text(addon.addToPoint(point, tweak)));
    assert.equal(text(wasm.multiplyPoint(point, tweak)), text(addon.multiplyPoint(point, tweak)));
    const points = [point, addon.publicKey(tweak, false), point];
    assert.equal(text(wasm.sumOfPoints(points)), text(addon.sumOfPoints(points)));
    const signed = addon.sign(digest, key);
    assert.deepEqual(wasm.sign(digest, key).recovery, signed.recovery);
    assert.equal(text(wasm.sign(digest, key).signature), text(signed.signature));
    const highS = Buffer.from(signed.signature);
    number(SECP256K1_N - BigInt(`0x${text(signed.signature.subarray(32))}`)).copy(highS, 32);
    for (const each of [addon, wasm]) {
      assert.ok(each.verify(signed.signature, digest, point));
      assert.ok(each.verify(highS, digest, point));
      assert.equal(each.verify(signed.signature, tweak, point), false);
    }
  }
  for (const each of [addon, wasm]) {
    for (const bad of [Buffer.alloc(0), Buffer.alloc(32), number(SECP256K1_N), Buffer.alloc(33, 1)]) {
      assert.equal(each.isPrivateKey(bad), false);
      assert.equal(each.convert(bad, true), undefined);
      assert.equal(each.verify(bad, Buffer.alloc(32), bad), false);
      assert.throws(() => each.publicKey(bad, true));
      assert.throws(() => each.sign(Buffer.alloc(32), bad));
    }
    const [one, other] = [number(1n), number(SECP256K1_N - 1n)].map((key) => each.publicKey(key, true));
    for (const scalar of [0n, SECP256K1_N]) assert.equal(each.multiplyPoint(one!, number(scalar)), undefined);
    assert.equal(each.sumOfPoints([one!, other!]), undefined);
    assert.equal(text(each.sumOfPoints([one!, other!, one!])), text(one));
    assert.equal(each.sumOfPoints([one!, Buffer.alloc(33, 1)]), undefined);
    assert.equal(each.addToPrivateKey(number(1n), number(SECP256K1_N - 1n)), undefined);
    assert.equal(each.addToPrivateKey(number(1n), number(SECP256K1_N)), undefined);
  }
});

test('Ed25519: libsodium and OpenSSL answer alike', () => {
  const sodium = sodiumEd25519(require('sodium-native'));
  const both: readonly Ed25519[] = [sodium, openSslEd25519];
  const bytes = seededBytes(12);
  for (let i = 0; i < 20; i++) {
    const [seed, message] = [bytes(32), bytes(i)];
    const publicKey = sodium.publicKey(seed);
    const signature = sodium.sign(seed, message);
    assert.deepEqual(openSslEd25519.publicKey(seed), publicKey);
    assert.deepEqual(openSslEd25519.sign(seed, message), signature);
    for (const each of both) {
      assert.ok(each.isPublicKey(publicKey));
      assert.ok(each.verifier(publicKey)(signature, message));
      assert.equal(each.verifier(publicKey)(signature, Buffer.from('other')), false);
      assert.equal(each.verifier(publicKey)(signature.subarray(1), message), false);
    }
  }
  const neutral = Buffer.concat([Buffer.of(1), Buffer.alloc(31)]);
  const notCanonical = Buffer.concat([Buffer.of(0xee), Buffer.alloc(30, 0xff), Buffer.of(0x7f)]);
  for (const each of both) {
    for (const bad of [Buffer.alloc(0), Buffer.alloc(33, 1), Buffer.alloc(32), neutral, notCanonical, Buffer.alloc(32, 2)]) {
      assert.equal(each.isPublicKey(bad), false, bad.toString('hex'));
    }
  }
});

test('without the addons everything still signs, and says once that it is slower', () => {
  const program = `
    const { registerHooks } = require('node:module');
    registerHooks({ resolve(name, context, next) {
      if (name === 'secp256k1/bindings' || name === 'sodium-native') throw new Error('no prebuilt addon');
      return next(name, context);
    } });
    import(${JSON.stringify(join(import.meta.dirname, '../../src/crypto/curves.ts'))}).then(({ signDigest, signEd25519 }) => {
      const key = Buffer.alloc(32, 1);
      process.stdout.write(signDigest('CURVE_SECP256K1', key, key).r.toString('hex') + signEd25519(key, key).toString('hex'));
    });`;
  const run = spawnSync(process.execPath, ['-e', program], { encoding: 'utf8' });
  assert.equal(run.status, 0, run.stderr);
  const key = Buffer.alloc(32, 1);
  const r = addonSecp256k1(require('secp256k1/bindings')).sign(key, key).signature.subarray(0, 32);
  assert.equal(run.stdout, `${text(r)}${text(openSslEd25519.sign(key, key))}`);
  assert.equal(run.stderr.match(/SECP256K1_WASM/g)?.length, 1);
});
