import { z } from 'zod';
import { query } from '../../engine/query/declare.ts';
import { Id } from '../../wire/common.ts';
import { PrivateKeyOut, viewPrivateKey } from '../../wire/wallets.ts';

export const listPrivateKeys = query({
  name: 'list_private_keys',
  summary: 'All standalone private keys of the organization',
  params: z.object({ organizationId: Id }),
  result: z.object({ privateKeys: z.array(PrivateKeyOut) }),
  errors: [],
  async run({ organization, read }) {
    const [keys, signers, tags] = await Promise.all([
      read.privateKeys.list(organization.id),
      read.signers.ofPrivateKeys(organization.id),
      read.tags.byMember(organization.id),
    ]);
    const byKey = Map.groupBy(signers, (signer) => signer.keyId);
    return { privateKeys: keys.map((key) => viewPrivateKey(key, byKey.get(key.id) ?? [], tags.get(key.id) ?? [])) };
  },
});
