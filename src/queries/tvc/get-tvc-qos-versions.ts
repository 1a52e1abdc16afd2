import { z } from 'zod';
import { query } from '../../engine/query/declare.ts';
import { QOS_VERSIONS } from '../../model/tvc/deployment.ts';
import { Id } from '../../wire/common.ts';

export const getTvcQosVersions = query({
  name: 'get_tvc_qos_versions',
  summary: 'Versions that a deployment may name: each says what the runner gives to an app',
  params: z.object({ organizationId: Id }),
  result: z.object({ availableVersions: z.array(z.string()), latestVersion: z.string() }),
  errors: [],
  run: async () => ({ availableVersions: [...QOS_VERSIONS], latestVersion: QOS_VERSIONS.at(-1)! }),
});
