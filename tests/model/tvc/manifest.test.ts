import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { verifyP256 } from '../../../src/crypto/p256.ts';
import { Manifest, manifestHash } from '../../../src/model/tvc/manifest.ts';

const vector = JSON.parse(readFileSync(new URL('../../vectors/tvc/envelope.json', import.meta.url), 'utf8'));
const manifest = Manifest.parse(vector.manifest);
const hash = manifestHash(manifest);

test('the hash of a published manifest is the one that its attestation document names', () => {
  assert.equal(hash.toString('hex'), vector.userData);
});

test('published approvals verify over the hash, under the second half of the operator’s key alone', () => {
  for (const [{ pubKey }, approval] of [
    [manifest.manifestSet.members[0]!, vector.manifestSetApproval],
    [manifest.shareSet.members[1]!, vector.shareSetApproval],
  ]) {
    const [key, signature] = [Buffer.from(pubKey, 'hex'), Buffer.from(approval, 'hex')];
    assert.equal(verifyP256(key.subarray(65), hash, signature), true);
    assert.equal(verifyP256(key.subarray(0, 65), hash, signature), false);
    assert.equal(verifyP256(key.subarray(65), Buffer.concat([hash, hash]), signature), false);
    assert.equal(verifyP256(key.subarray(65), hash, signature.subarray(1)), false);
  }
});

/** Every other value of a member, at any depth. */
function* changes(value: unknown): Generator<unknown> {
  if (Array.isArray(value)) {
    yield [...value, ...value.slice(0, 1)];
    yield value.slice(1);
    for (const [i, one] of value.entries()) for (const other of changes(one)) yield value.with(i, other);
  } else if (value !== null && typeof value === 'object')
    for (const [key, one] of Object.entries(value)) for (const other of changes(one)) yield { ...value, [key]: other };
  else if (typeof value === 'number') yield value + 1;
  else if (typeof value === 'boolean') yield !value;
  else if (value === 'Always') yield 'Never';
  else if (typeof value === 'string' && /^([0-9a-f]{2}){32,}$/.test(value))
    yield value.replace(/..$/, (end) => (end === '00' ? '01' : '00'));
  else if (value !== 'server') yield `${value}00`;
}

test('each change of a manifest changes its hash, and a member that the hash would not cover is refused', () => {
  const others = [...changes(manifest)].map((other) => manifestHash(Manifest.parse(other)).toString('hex'));
  const hostless = {
    ...manifest,
    pivot: { ...manifest.pivot, bridgeConfig: [{ type: 'client' as const, port: 3000, host: null }] },
  };
  others.push(manifestHash(hostless).toString('hex'));
  assert.equal(new Set(others).size, others.length);
  assert.equal(others.includes(vector.userData), false);
  // Each lone surrogate would be hashed as U+FFFD.
  const unwritable = { pivot: { ...manifest.pivot, args: ['\ud800'] } };
  for (const more of [{ version: 'v2' }, { pivot: { ...manifest.pivot, env: {} } }, unwritable])
    assert.equal(Manifest.safeParse({ ...manifest, ...more }).success, false);
});
