import { z } from 'zod';
import { ApiError } from '../../base/errors.ts';
import { query } from '../../engine/query/declare.ts';
import { APP_NAME } from '../../model/app-proof.ts';
import { BootProof, viewBootProof } from '../../wire/boot-proofs.ts';
import { Id } from '../../wire/common.ts';

export const getLatestBootProof = query({
  name: 'get_latest_boot_proof',
  summary: 'The boot proof of the process that began to sign app proofs last',
  params: z.object({ organizationId: Id, appName: z.string().max(255, 'must have at most 255 characters') }),
  result: z.object({ bootProof: BootProof }),
  errors: ['NOT_FOUND'],
  async run({ read }, { appName }) {
    const found = await read.bootProofs.latest(appName);
    if (found === undefined)
      throw new ApiError('NOT_FOUND', `boot proof not found: the app ${APP_NAME} has one once it has signed an app proof`);
    return { bootProof: viewBootProof(found) };
  },
});
