import type { Vault } from '../../custody/types.ts';
import type { Custody, VaultFor } from '../context.ts';

function operationsOf(vault: Vault, custody: Custody, organizationId: string): VaultFor<Custody> | object | undefined {
  switch (custody) {
    case 'none':
      return undefined;
    case 'tokens':
      return vault.tokens;
    case 'sign':
      return vault.signing;
    case 'create':
      return vault.creating;
    case 'import':
      return vault.importing;
    case 'one-time':
      return vault.oneTime;
    case 'codes':
      return vault.codes;
    case 'sessions':
      return vault.sessions;
    case 'issue':
      return vault.issuing;
    case 'oauth2':
      return vault.oauth2;
    case 'on-ramp': {
      const { sealSecretKey, sealPrivateKey } = vault.onRamp;
      return { sealSecretKey, sealPrivateKey };
    }
    case 'spark':
      return vault.spark;
    case 'quorum':
      return { ...vault.quorum, openAttestation: vault.attestations.openAttestation };
    case 'proxy':
      return { newProxyKey: vault.proxy.newProxyKey };
    case 'export':
      return vault.permitExport(organizationId);
  }
}

/** Limits a running activity to the custody that it declared. Called only once the activity is allowed. */
export function vaultFor(vault: Vault, custody: readonly Custody[], organizationId: string): VaultFor<Custody> {
  // Almost all activities declare one kind, and share one object.
  const [first] = custody;
  if (custody.length <= 1) return (first && operationsOf(vault, first, organizationId)) as VaultFor<Custody>;
  return Object.assign({}, ...custody.map((one) => operationsOf(vault, one, organizationId))) as VaultFor<Custody>;
}
