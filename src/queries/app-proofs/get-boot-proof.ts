import { z } from 'zod';
import { ApiError } from '../../base/errors.ts';
import { query } from '../../engine/query/declare.ts';
import { BootProof, viewBootProof } from '../../wire/boot-proofs.ts';
import { Id } from '../../wire/common.ts';

export const getBootProof = query({
  name: 'get_boot_proof',
  summary: 'How the process of an ephemeral key described itself; a software proof, which verifiers of hardware refuse',
  params: z.object({
    organizationId: Id,
    ephemeralKey: z
      .string()
      .regex(/^[0-9a-fA-F]{260}$/, 'must be the publicKey of an app proof: 260 hex digits')
      .transform((key) => key.toLowerCase()),
  }),
  result: z.object({ bootProof: BootProof }),
  errors: ['NOT_FOUND'],
  async run({ read }, { ephemeralKey }) {
    const found = await read.bootProofs.get(ephemeralKey);
    if (found === undefined) throw new ApiError('NOT_FOUND', 'boot proof not found: no process of this service had this key');
    return { bootProof: viewBootProof(found) };
  },
});
