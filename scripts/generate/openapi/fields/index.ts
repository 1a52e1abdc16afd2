import { activityFields } from './activities.ts';
import { credentialFields } from './credentials.ts';
import { limitFields } from './limits.ts';
import { loginFields } from './logins.ts';
import { moneyFields } from './money.ts';
import { organizationFields } from './organizations.ts';
import { policyFields } from './policies.ts';
import { sendFields } from './sends.ts';
import { sparkFields } from './spark.ts';
import { tvcFields } from './tvc.ts';
import type { Tables } from './types.ts';
import { walletFields } from './wallets.ts';
import { webhookFields } from './webhooks.ts';

export { everywhere } from './everywhere.ts';
export type { Fields, Tables } from './types.ts';

/** Where a name alone does not say what a field means: by the shape, or by the field around it. */
export const fieldTables: Tables = {
  ...activityFields,
  ...credentialFields,
  ...limitFields,
  ...loginFields,
  ...moneyFields,
  ...organizationFields,
  ...policyFields,
  ...sendFields,
  ...sparkFields,
  ...tvcFields,
  ...walletFields,
  ...webhookFields,
};
