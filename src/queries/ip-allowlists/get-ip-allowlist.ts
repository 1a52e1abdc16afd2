import { z } from 'zod';
import { credentialWithKey } from '../../domain/people/ip-allowlists.ts';
import { query } from '../../engine/query/declare.ts';
import { Id } from '../../wire/common.ts';
import { CredentialPublicKey, IpAllowlistOut, viewIpAllowlist, viewKeyIpAllowlist } from '../../wire/ip-allowlists.ts';

export const getIpAllowlist = query({
  name: 'get_ip_allowlist',
  summary: 'The addresses from which requests are accepted: of the organization, or of one key',
  params: z.object({ organizationId: Id, publicKey: CredentialPublicKey.optional() }),
  result: z.object({ allowlist: IpAllowlistOut }),
  errors: ['NOT_FOUND'],
  async run({ organization, read }, { publicKey }) {
    const { id, ipAllowlist } = organization;
    if (publicKey === undefined) return { allowlist: viewIpAllowlist(id, ipAllowlist) };
    const credential = await credentialWithKey(read, id, publicKey, 'publicKey');
    return { allowlist: viewKeyIpAllowlist(id, publicKey, credential.ipAllowlist, ipAllowlist) };
  },
});
