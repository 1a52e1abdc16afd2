import { z } from 'zod';
import { invalid } from '../../base/errors.ts';
import { requireRoom } from '../../domain/limits/limits.ts';
import { accountKey } from '../../domain/tvc/hosted-shares.ts';
import { activity, INT, listOf, STRING } from '../../engine/activity/declare.ts';
import { v1 } from '../../engine/activity/versions.ts';
import { IdOut } from '../../wire/common.ts';
import { CreateTvcQuorumKeyParams } from '../../wire/quorum-keys.ts';

const FIELD = 'parameters.operatorEncryptKeys';

export const createTvcQuorumKey = activity({
  kind: 'CREATE_TVC_QUORUM_KEY',
  resource: 'TVC_QUORUM_KEY',
  action: 'CREATE',
  summary: 'Make a quorum key and keep only its shares, each sealed to the key of an operator',
  custody: 'quorum',
  params: v1(CreateTvcQuorumKeyParams),
  policyParams: {
    threshold: [INT, ({ threshold }) => BigInt(threshold)],
    operator_encrypt_keys: [listOf(STRING), ({ operatorEncryptKeys }) => operatorEncryptKeys],
  },
  result: {
    key: 'createTvcQuorumKeyResult',
    shape: z.object({ quorumKeyId: IdOut, quorumPublicKey: z.string(), shareIds: z.array(IdOut) }),
  },
  errors: ['REQUEST_INVALID', accountKey, requireRoom],
  check({ intent: { threshold, operatorEncryptKeys: keys } }) {
    if (threshold > keys.length)
      throw invalid('parameters.threshold', `must be at most the number of keys, which is ${keys.length}`);
    const twice = keys.findIndex((key, i) => keys.indexOf(key) < i);
    if (twice >= 0) throw invalid(`${FIELD}[${twice}]`, 'must differ from the other keys: each operator has one share');
  },
  /** Only the service can hand over a share that it keeps. An operator with a key elsewhere would never get it. */
  async prepare({ ctx: { organization, read, vault }, intent: { threshold, operatorEncryptKeys: keys } }) {
    const hosted = (await read.tvcOperators.withEncryptKeys(organization.id, keys)).filter(({ walletId }) => walletId !== null);
    const holders = new Map(hosted.map(({ encryptPublicKey, id }) => [encryptPublicKey, id]));
    const operatorIds = keys.map((key, i) => {
      const id = holders.get(key);
      if (id === undefined) throw invalid(`${FIELD}[${i}]`, 'must be the encrypt key of an operator of CREATE_TVC_OPERATOR');
      return id;
    });
    for (const [i, key] of keys.entries())
      if ((await accountKey(read, organization.id, key)) === undefined)
        throw invalid(`${FIELD}[${i}]`, 'is of an operator whose wallet was deleted: nothing could open its share');
    const made = await vault.newQuorumKey(
      threshold,
      keys.map((key) => Buffer.from(key, 'hex')),
    );
    return { ...made, operatorIds };
  },
  async execute({ ctx: { organization, store, ids, limits, now }, intent, prepared: { publicKey, shares, operatorIds } }) {
    const organizationId = organization.id;
    const have = await store.organizations.count(organizationId, 'tvcQuorumKeyCount');
    requireRoom(have, 1, limits.tvcQuorumKeys, 'quorum keys of verifiable apps', 'LIMIT_TVC_QUORUM_KEYS');
    const key = { organizationId, id: ids.next(), publicKey: publicKey.toString('hex'), threshold: intent.threshold };
    await store.tvcQuorumKeys.insert({ ...key, operatorIds, createdAt: now });
    const shareIds: string[] = [];
    for (const [i, encryptPublicKey] of intent.operatorEncryptKeys.entries()) {
      const share = { organizationId, quorumKeyId: key.id, encryptPublicKey, id: ids.next(), sealed: shares[i]! };
      await store.tvcQuorumKeys.insertShare(share);
      shareIds.push(share.id);
    }
    return { quorumKeyId: key.id, quorumPublicKey: key.publicKey, shareIds };
  },
});
