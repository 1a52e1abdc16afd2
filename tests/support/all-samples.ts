import { authProxy as authProxyActivities } from '../activities/auth-proxy/samples.ts';
import { billing as billingActivities } from '../activities/billing/samples.ts';
import { consensus as consensusActivities } from '../activities/consensus/samples.ts';
import { contractInterfaces as contractInterfacesActivities } from '../activities/contract-interfaces/samples.ts';
import { credentials as credentialsActivities } from '../activities/credentials/samples.ts';
import { email as emailActivities } from '../activities/email/samples.ts';
import { freezes as freezesActivities } from '../activities/freezes/samples.ts';
import { invitations as invitationActivities } from '../activities/invitations/samples.ts';
import { ipAllowlists as ipAllowlistsActivities } from '../activities/ip-allowlists/samples.ts';
import { mfaPolicies as mfaPoliciesActivities } from '../activities/mfa-policies/samples.ts';
import { oauth as oauthActivities } from '../activities/oauth/samples.ts';
import { onRamp as onRampActivities } from '../activities/on-ramp/samples.ts';
import { organizations as organizationsActivities } from '../activities/organizations/samples.ts';
import { otp as otpActivities } from '../activities/otp/samples.ts';
import { policies as policiesActivities } from '../activities/policies/samples.ts';
import { privateKeys as privateKeysActivities } from '../activities/private-keys/samples.ts';
import { quorumKeys as quorumKeysActivities } from '../activities/quorum-keys/samples.ts';
import { secrets as secretsActivities } from '../activities/secrets/samples.ts';
import { sending as sendingActivities } from '../activities/sending/samples.ts';
import { sessionProfiles as sessionProfilesActivities } from '../activities/session-profiles/samples.ts';
import { sessions as sessionsActivities } from '../activities/sessions/samples.ts';
import { signing as signingActivities } from '../activities/signing/samples.ts';
import { spark as sparkActivities } from '../activities/spark/samples.ts';
import { sponsorship as sponsorshipActivities } from '../activities/sponsorship/samples.ts';
import { tags as tagsActivities } from '../activities/tags/samples.ts';
import { tvc as tvcActivities } from '../activities/tvc/samples.ts';
import { users as usersActivities } from '../activities/users/samples.ts';
import { velocityControls as velocityControlsActivities } from '../activities/velocity-controls/samples.ts';
import { wallets as walletsActivities } from '../activities/wallets/samples.ts';
import { webhooks as webhooksActivities } from '../activities/webhooks/samples.ts';
import { activities as activitiesQueries } from '../queries/activities/samples.ts';
import { appProofs as appProofsQueries } from '../queries/app-proofs/samples.ts';
import { authProxy as authProxyQueries } from '../queries/auth-proxy/samples.ts';
import { balances } from '../queries/balances/samples.ts';
import { billing as billingQueries } from '../queries/billing/samples.ts';
import { contractInterfaces as contractInterfacesQueries } from '../queries/contract-interfaces/samples.ts';
import { credentials as credentialsQueries } from '../queries/credentials/samples.ts';
import { freezes as freezesQueries } from '../queries/freezes/samples.ts';
import { ipAllowlists as ipAllowlistsQueries } from '../queries/ip-allowlists/samples.ts';
import { mail as mailQueries } from '../queries/mail/samples.ts';
import { mfaPolicies as mfaPoliciesQueries } from '../queries/mfa-policies/samples.ts';
import { oauth as oauthQueries } from '../queries/oauth/samples.ts';
import { onRamp as onRampQueries } from '../queries/on-ramp/samples.ts';
import { organizations as organizationsQueries } from '../queries/organizations/samples.ts';
import { policies as policiesQueries } from '../queries/policies/samples.ts';
import { privateKeys as privateKeysQueries } from '../queries/private-keys/samples.ts';
import { quorumKeys as quorumKeysQueries } from '../queries/quorum-keys/samples.ts';
import { secrets as secretsQueries } from '../queries/secrets/samples.ts';
import { sending as sendingQueries } from '../queries/sending/samples.ts';
import { sessionProfiles as sessionProfilesQueries } from '../queries/session-profiles/samples.ts';
import { sponsorship as sponsorshipQueries } from '../queries/sponsorship/samples.ts';
import { tags as tagsQueries } from '../queries/tags/samples.ts';
import { tvc as tvcQueries } from '../queries/tvc/samples.ts';
import { users as usersQueries } from '../queries/users/samples.ts';
import { velocityControls as velocityControlsQueries } from '../queries/velocity-controls/samples.ts';
import { wallets as walletsQueries } from '../queries/wallets/samples.ts';
import { webhooks as webhooksQueries } from '../queries/webhooks/samples.ts';
import type { Samples } from './samples.ts';

const table: Samples = {
  ...velocityControlsActivities,
  ...velocityControlsQueries,
  ...appProofsQueries,
  ...quorumKeysQueries,
  ...quorumKeysActivities,
  ...onRampQueries,
  ...onRampActivities,
  ...secretsQueries,
  ...secretsActivities,
  ...tvcQueries,
  ...tvcActivities,
  ...sparkActivities,
  ...billingActivities,
  ...webhooksQueries,
  ...webhooksActivities,
  ...freezesQueries,
  ...freezesActivities,
  ...sendingQueries,
  ...balances,
  ...sendingActivities,
  ...sponsorshipQueries,
  ...sponsorshipActivities,
  ...mfaPoliciesQueries,
  ...mfaPoliciesActivities,
  ...authProxyActivities,
  ...mailQueries,
  ...sessionProfilesQueries,
  ...sessionProfilesActivities,
  ...sessionsActivities,
  ...oauthQueries,
  ...oauthActivities,
  ...consensusActivities,
  ...contractInterfacesActivities,
  ...credentialsActivities,
  ...emailActivities,
  ...invitationActivities,
  ...ipAllowlistsActivities,
  ...organizationsActivities,
  ...otpActivities,
  ...policiesActivities,
  ...privateKeysActivities,
  ...signingActivities,
  ...tagsActivities,
  ...usersActivities,
  ...walletsActivities,
  ...activitiesQueries,
  ...authProxyQueries,
  ...billingQueries,
  ...contractInterfacesQueries,
  ...credentialsQueries,
  ...ipAllowlistsQueries,
  ...organizationsQueries,
  ...policiesQueries,
  ...privateKeysQueries,
  ...tagsQueries,
  ...usersQueries,
  ...walletsQueries,
};

/** Well-formed parameters by kind, query name, or the whole type of an older version; undefined if there are none. */
export const sampleFor = (operation: string): unknown => table[operation]?.();

/** Well-formed parameters, for tests that go through the lists. Throws for an operation without any, so that a new one cannot be forgotten. */
export function samples(operation: string): unknown {
  const sample = sampleFor(operation);
  if (sample === undefined) throw new Error(`${operation} has no sample: add it to samples.ts beside its tests`);
  return sample;
}
