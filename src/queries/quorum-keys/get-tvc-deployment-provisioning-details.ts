import { z } from 'zod';
import { tvcAppOf, tvcDeploymentOf } from '../../domain/tvc/apps.ts';
import { manifestEnvelope } from '../../domain/tvc/envelope.ts';
import { attestedProvisioning } from '../../domain/tvc/provisioning.ts';
import { setsOf } from '../../domain/tvc/views.ts';
import { query } from '../../engine/query/declare.ts';
import { Id } from '../../wire/common.ts';

export const getTvcDeploymentProvisioningDetails = query({
  name: 'get_tvc_deployment_provisioning_details',
  summary: 'The ephemeral key to which operators seal their shares for a deployment, in a document that the service signed',
  params: z.object({ organizationId: Id, deploymentId: Id }),
  result: z.object({
    attestationDocument: z.string().optional(),
    manifestEnvelope: z.string().optional(),
    provisioningState: z.string().optional(),
  }),
  errors: ['NOT_FOUND'],
  async run({ organization, read, now }, { deploymentId }) {
    const deployment = await tvcDeploymentOf(read, organization.id, deploymentId, 'deploymentId');
    const { attestation, state } = await attestedProvisioning(read, deployment, now);
    const app = await tvcAppOf(read, organization.id, deployment.appId, 'the deployment');
    const envelope = await manifestEnvelope(read, deployment, await setsOf(read, app));
    return {
      attestationDocument: attestation.toString('base64'),
      manifestEnvelope: envelope.toString('base64'),
      provisioningState: state,
    };
  },
});
