import type { ActivityKind } from '../engine/activity/declare.ts';
import { authProxy } from './auth-proxy/index.ts';
import { billing } from './billing/index.ts';
import { consensus } from './consensus/index.ts';
import { contractInterfaces } from './contract-interfaces/index.ts';
import { credentials } from './credentials/index.ts';
import { email } from './email/index.ts';
import { freezes } from './freezes/index.ts';
import { invitations } from './invitations/index.ts';
import { ipAllowlists } from './ip-allowlists/index.ts';
import { mfaPolicies } from './mfa-policies/index.ts';
import { oauth } from './oauth/index.ts';
import { onRamp } from './on-ramp/index.ts';
import { operator } from './operator/index.ts';
import { organizations } from './organizations/index.ts';
import { otp } from './otp/index.ts';
import { policies } from './policies/index.ts';
import { privateKeys } from './private-keys/index.ts';
import { quorumKeys } from './quorum-keys/index.ts';
import { secrets } from './secrets/index.ts';
import { sending } from './sending/index.ts';
import { sessionProfiles } from './session-profiles/index.ts';
import { sessions } from './sessions/index.ts';
import { signing } from './signing/index.ts';
import { spark } from './spark/index.ts';
import { sponsorship } from './sponsorship/index.ts';
import { tags } from './tags/index.ts';
import { tvc } from './tvc/index.ts';
import { users } from './users/index.ts';
import { velocityControls } from './velocity-controls/index.ts';
import { wallets } from './wallets/index.ts';
import { webhooks } from './webhooks/index.ts';

/** Activities that no request submits. They are stored and shown as the others. */
export const operatorActivities = operator;

/** Every kind of activity that requests submit. Routes, validation, the API document and the CLI come from this list. */
export const activities: readonly ActivityKind[] = [
  ...organizations,
  ...users,
  ...invitations,
  ...credentials,
  ...email,
  ...ipAllowlists,
  ...tags,
  ...otp,
  ...policies,
  ...velocityControls,
  ...consensus,
  ...wallets,
  ...privateKeys,
  ...signing,
  ...sending,
  ...contractInterfaces,
  ...sessionProfiles,
  ...oauth,
  ...sessions,
  ...mfaPolicies,
  ...authProxy,
  ...sponsorship,
  ...webhooks,
  ...freezes,
  ...onRamp,
  ...secrets,
  ...spark,
  ...billing,
  ...quorumKeys,
  ...tvc,
];
