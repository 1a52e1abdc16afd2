import { z } from 'zod';
import { invalid } from '../../base/errors.ts';
import { query } from '../../engine/query/declare.ts';
import { topLevelIdOf } from '../../model/organization.ts';
import { Id } from '../../wire/common.ts';

export const validateTvcImage = query({
  name: 'validate_tvc_image',
  summary: 'Ask the registry of a container image whether an app can run it; the digest of what its name names',
  params: z.object({
    organizationId: Id,
    pivotContainerImageUrl: z.string().max(512, 'must have at most 512 characters'),
    pivotContainerEncryptedPullSecret: z.string().max(16_384, 'must have at most 16384 characters').optional(),
  }),
  result: z.object({ resolvedImageDigest: z.string().optional() }),
  errors: ['REQUEST_INVALID', 'TVC_IMAGE_VALIDATION_FAILED'],
  async run({ organization, images }, { pivotContainerImageUrl, pivotContainerEncryptedPullSecret = '' }) {
    if (pivotContainerEncryptedPullSecret !== '')
      throw invalid('pivotContainerEncryptedPullSecret', 'is not supported: the image must be public');
    return { resolvedImageDigest: await images.validated(pivotContainerImageUrl, { payer: topLevelIdOf(organization) }) };
  },
});
