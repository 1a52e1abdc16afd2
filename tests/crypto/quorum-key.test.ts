import assert from 'node:assert/strict';
import { test } from 'node:test';
import { quorumKeys, quorumPublicHalves, quorumPublicKey, wipeQuorumKeys } from '../../src/crypto/quorum-key.ts';
import { hex } from './vectors.ts';

/** A user's pair of QuorumOS (src/integration/mock/boot-e2e/all-personal-dir/user1-dir). */
const SEED = 'be117d2f4b71edf57bc3401a4f39e401883d825b4f9e3e1354cb416f9c153136';
const PUBLIC =
  '04ea875130f59fba7821392d8d67e079df467d045306ed8fb478c86a12d492d1151c133b70b38e6c3f50a4314b1095a8f5f9bbdedce8efc0b135b246d12095575304abcfd045d08bf438a1b41090ce5db1b6b8d8ad1e76437f4673ef211e3958a84da133b40894ca933f245d1136c2bf4fb89f126a7dc47db0bce9daddd55006dc13';

test('a seed gives the published public key', () => {
  const keys = quorumKeys(hex(SEED))!;
  const publicKey = quorumPublicKey(keys);
  assert.equal(publicKey.toString('hex'), PUBLIC);
  const halves = quorumPublicHalves(publicKey)!;
  assert.equal(halves.encrypt.toString('hex') + halves.sign.toString('hex'), PUBLIC);
  wipeQuorumKeys(keys);
  assert.ok([...keys.encrypt, ...keys.sign].every((byte) => byte === 0));
});

test('a public key is two uncompressed points, and nothing else', () => {
  const good = hex(PUBLIC);
  const compressed = Buffer.from(good);
  compressed[0] = 2;
  const off = Buffer.from(good);
  off[129]! ^= 1;
  for (const wrong of [good.subarray(1), good.subarray(0, 65), Buffer.concat([good, good]), compressed, off, Buffer.alloc(130)])
    assert.equal(quorumPublicHalves(wrong), undefined);
});
