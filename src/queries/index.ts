import type { QueryKind } from '../engine/query/declare.ts';
import { activities } from './activities/index.ts';
import { appProofs } from './app-proofs/index.ts';
import { authProxy } from './auth-proxy/index.ts';
import { balances } from './balances/index.ts';
import { billing } from './billing/index.ts';
import { contractInterfaces } from './contract-interfaces/index.ts';
import { credentials } from './credentials/index.ts';
import { freezes } from './freezes/index.ts';
import { ipAllowlists } from './ip-allowlists/index.ts';
import { mail } from './mail/index.ts';
import { mfaPolicies } from './mfa-policies/index.ts';
import { oauth } from './oauth/index.ts';
import { onRamp } from './on-ramp/index.ts';
import { organizations } from './organizations/index.ts';
import { policies } from './policies/index.ts';
import { privateKeys } from './private-keys/index.ts';
import { quorumKeys } from './quorum-keys/index.ts';
import { secrets } from './secrets/index.ts';
import { sending } from './sending/index.ts';
import { sessionProfiles } from './session-profiles/index.ts';
import { sponsorship } from './sponsorship/index.ts';
import { tags } from './tags/index.ts';
import { tvc } from './tvc/index.ts';
import { users } from './users/index.ts';
import { velocityControls } from './velocity-controls/index.ts';
import { wallets } from './wallets/index.ts';
import { webhooks } from './webhooks/index.ts';

/** Every query. Routes, the API document and the CLI come from this list. */
export const queries: readonly QueryKind[] = [
  ...organizations,
  ...users,
  ...credentials,
  ...ipAllowlists,
  ...tags,
  ...policies,
  ...velocityControls,
  ...activities,
  ...billing,
  ...wallets,
  ...privateKeys,
  ...contractInterfaces,
  ...sending,
  ...balances,
  ...sessionProfiles,
  ...oauth,
  ...mail,
  ...mfaPolicies,
  ...authProxy,
  ...sponsorship,
  ...webhooks,
  ...freezes,
  ...onRamp,
  ...secrets,
  ...quorumKeys,
  ...tvc,
  ...appProofs,
];
