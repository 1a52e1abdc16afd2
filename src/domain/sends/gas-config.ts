import type { Ids } from '../../base/ids.ts';
import { parseUsd } from '../../model/gas.ts';
import { featureIsOn, type Organization, topLevelIdOf } from '../../model/organization.ts';
import type { Reader, Writer } from '../../store/types.ts';

export const RENT_FEATURE = 'FEATURE_NAME_SOLANA_RENT_PREFUND_ENABLED';

/** Limits are texts that `parseUsd` reads. Omitted members stay unchanged. */
export type GasConfigChange = {
  orgWindowLimitUsd: string;
  subOrgWindowLimitUsd: string;
  windowDurationMinutes: string;
  enabled?: boolean | undefined;
  solanaConfig?: { rentPrefundEnabled?: boolean | undefined } | undefined;
};

type Context = { store: Writer; organization: Organization; ids: Ids; now: number };

/** Only the feature stores this setting: set_organization_feature and remove_organization_feature change it too. */
async function setRentPrefund({ store, organization, now }: Context, on: boolean): Promise<void> {
  if (featureIsOn(organization, RENT_FEATURE) === on) return;
  const { [RENT_FEATURE]: _, ...others } = organization.features;
  await store.organizations.change(organization.id, { features: on ? { ...others, [RENT_FEATURE]: '' } : others }, now);
}

/** Creates or changes the configuration of a top-level organization, and returns its id. */
export async function setGasConfig(ctx: Context, change: GasConfigChange): Promise<string> {
  const { store, organization, ids, now } = ctx;
  const before = await store.gas.hold(organization.id);
  const config = {
    organizationId: organization.id,
    id: before?.id ?? ids.next(),
    enabled: change.enabled ?? before?.enabled ?? true,
    orgLimitMicroUsd: parseUsd(change.orgWindowLimitUsd)!,
    subOrgLimitMicroUsd: parseUsd(change.subOrgWindowLimitUsd)!,
    windowMinutes: Number(change.windowDurationMinutes),
    createdAt: before?.createdAt ?? now,
    updatedAt: now,
  };
  if (before === undefined) await store.gas.insertConfig(config);
  else await store.gas.replaceConfig(config);
  const rent = change.solanaConfig?.rentPrefundEnabled;
  if (rent !== undefined) await setRentPrefund(ctx, rent);
  return config.id;
}

/** Whether rent of new Solana accounts is paid for the organization's sponsored sends. Its top-level organization decides. */
export async function prefundsRent(read: Pick<Reader, 'organizations'>, organization: Organization): Promise<boolean> {
  const payerId = topLevelIdOf(organization);
  const payer = payerId === organization.id ? organization : await read.organizations.get(payerId);
  return payer !== undefined && featureIsOn(payer, RENT_FEATURE);
}
