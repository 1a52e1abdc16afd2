import { builders } from '../builders.ts';
import { type EngineName, SQL_TYPES } from '../columns.ts';
import { firstSchema } from './0038-first-schema/index.ts';
import { webhookEndpoints } from './0039-webhook-endpoints.ts';
import { webhookDeliveries } from './0040-webhook-deliveries.ts';
import { streams } from './0041-streams.ts';
import { scans } from './0042-scans.ts';
import { onRamps } from './0043-on-ramps.ts';
import { storedSecrets } from './0044-secrets.ts';
import { usage } from './0045-usage.ts';
import { verifiableApps } from './0046-verifiable-apps.ts';
import { quorumKeys } from './0047-quorum-keys.ts';
import { appProofs } from './0048-app-proofs.ts';
import { masterKeyStates } from './0049-master-key-states.ts';
import { rootRecoveries } from './0050-root-recoveries.ts';
import { auditFacts } from './0051-audit-facts.ts';
import { velocityControls } from './0052-velocity-controls.ts';
import { freezes } from './0053-freezes.ts';
import { velocitySettling } from './0054-velocity-settling.ts';
import { velocityRemovals } from './0057-velocity-removals.ts';
import { velocityFull } from './0059-velocity-full.ts';
import { fewerDeliveryIndexes } from './0061-fewer-delivery-indexes.ts';
import { withoutSuccess } from './0062-without-success.ts';
import type { Migration } from './migration.ts';

export const migrations: readonly Migration[] = [
  firstSchema,
  webhookEndpoints,
  webhookDeliveries,
  streams,
  scans,
  onRamps,
  storedSecrets,
  usage,
  verifiableApps,
  quorumKeys,
  appProofs,
  masterKeyStates,
  rootRecoveries,
  auditFacts,
  velocityControls,
  freezes,
  velocitySettling,
  velocityRemovals,
  velocityFull,
  fewerDeliveryIndexes,
  withoutSuccess,
];

export const statementsOf = ({ up }: Migration, engine: EngineName): string[] =>
  up(builders[engine], SQL_TYPES[engine], engine).map((step) => step.compile().sql);
