import type { Envelope } from '../../custody/envelope.ts';
import { serviceSecret } from '../../custody/service-keys.ts';
import type { SecretName } from '../../custody/types.ts';

type Row = Readonly<Record<string, string | number | null>>;

/** Columns with secrets that a master key seals, and the name of each row's secret. */
type Sealed = { table: string; column: string; name(row: Row): SecretName };

const of =
  (purpose: string, id = 'id') =>
  (row: Row): SecretName => ({ organizationId: String(row.organization_id), id: String(row[id]), purpose });

export const SEALED: readonly Sealed[] = [
  { table: 'service_keys', column: 'sealed', name: ({ name }) => serviceSecret(String(name)) },
  { table: 'webhook_keys', column: 'sealed', name: ({ kid }) => serviceSecret(`webhook ${kid}`) },
  { table: 'secrets', column: 'sealed', name: (row) => of(String(row.purpose))(row) },
  { table: 'import_targets', column: 'sealed', name: of('import-target') },
  { table: 'secret_targets', column: 'sealed', name: of('import-target') },
  { table: 'otps', column: 'target_key', name: of('otp-target') },
  { table: 'auth_proxy_configs', column: 'sealed_key', name: of('auth-proxy-key', 'key_id') },
  { table: 'oauth2_credentials', column: 'sealed_client_secret', name: of('client-secret') },
  { table: 'fiat_on_ramp_credentials', column: 'sealed_secret_api_key', name: of('on-ramp-secret') },
  { table: 'fiat_on_ramp_credentials', column: 'sealed_private_api_key', name: of('on-ramp-private-key') },
];

/** Whether a secret opens. What was opened is wiped. */
export function opens(envelope: Envelope, name: SecretName, sealed: Buffer): boolean {
  try {
    envelope.open(name, sealed).fill(0);
    return true;
  } catch {
    return false;
  }
}
