import { z } from 'zod';
import { ApiError } from '../../base/errors.ts';
import { query } from '../../engine/query/declare.ts';
import { Id } from '../../wire/common.ts';
import { PrivateKeyOut, viewPrivateKey } from '../../wire/wallets.ts';

export const getPrivateKey = query({
  name: 'get_private_key',
  summary: 'One standalone private key: its public key and addresses',
  params: z.object({ organizationId: Id, privateKeyId: Id }),
  result: z.object({ privateKey: PrivateKeyOut }),
  errors: ['NOT_FOUND'],
  async run({ organization, read }, { privateKeyId }) {
    const key = await read.privateKeys.get(organization.id, privateKeyId);
    if (key === undefined) throw new ApiError('NOT_FOUND', `private key not found: privateKeyId names ${privateKeyId}`);
    const [signers, tags] = await Promise.all([
      read.signers.ofKey(organization.id, key.id),
      read.tags.ofMember(organization.id, key.id),
    ]);
    return { privateKey: viewPrivateKey(key, signers, tags) };
  },
});
