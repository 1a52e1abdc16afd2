import { decryptSecretBundle, encryptSecretToBundle } from '@turnkey/crypto';
import { type Client, resultOf } from '../../support/client.ts';
import { newTarget, publishedKey, type Target } from '../../support/published.ts';

/** Imports and exports of secrets, as clients of the published package make them. */

export const encryptionSuite = 'TRANSPORT_ENCRYPTION_SUITE_ENCLAVE_ENCRYPT_V1';

export async function openTargets(client: Client, numSecrets: number): Promise<string[]> {
  const answer = await client.submit('INIT_IMPORT_SECRETS', { encryptionSuite, numSecrets });
  return resultOf(answer, 'initImportSecretsResult').enclaveTargetMessages;
}

/** An element of IMPORT_SECRETS. */
export async function sealed(client: Client, ingressTargetBundle: string, plaintext: string, more: object = {}) {
  const { organizationId } = client;
  const dangerouslyOverrideSignerPublicKey = await publishedKey(client.url, 'bundle-signer');
  const payload = { plaintext, ingressTargetBundle, organizationId, dangerouslyOverrideSignerPublicKey };
  return { ...(await encryptSecretToBundle(payload)), encryptionSuite, ...more };
}

/** Parameters of IMPORT_SECRETS: a text, and what else is said of its secret. */
export async function importOf(client: Client, ...secrets: readonly (readonly [text: string, more?: object])[]) {
  const targets = await openTargets(client, secrets.length);
  return { secrets: await Promise.all(secrets.map(([text, more], i) => sealed(client, targets[i]!, text, more))) };
}

export async function imported(
  client: Client,
  ...secrets: readonly (readonly [text: string, more?: object])[]
): Promise<string[]> {
  const answer = await client.submit('IMPORT_SECRETS', await importOf(client, ...secrets));
  return resultOf(answer, 'importSecretsResult').secretIds;
}

/** Parameters of EXPORT_SECRETS, each secret to the same key. */
export const exportOf = (target: Pick<Target, 'publicKeyUncompressed'>, secretIds: readonly string[], more: object = {}) => ({
  secrets: secretIds.map((secretId) => ({ secretId, targetPublicKey: target.publicKeyUncompressed, encryptionSuite, ...more })),
});

export async function opened(client: Client, secretPayload: string, { privateKey }: Pick<Target, 'privateKey'>): Promise<string> {
  return decryptSecretBundle({
    secretPayload,
    embeddedPrivateKey: privateKey,
    organizationId: client.organizationId,
    dangerouslyOverrideSignerPublicKey: await publishedKey(client.url, 'bundle-signer'),
  });
}

export async function exported(client: Client, ...secretIds: readonly string[]): Promise<string[]> {
  const target = newTarget();
  const answer = await client.submit('EXPORT_SECRETS', exportOf(target, secretIds));
  const { secretPayloads } = resultOf(answer, 'exportSecretsResult');
  return Promise.all(secretPayloads.map((payload: string) => opened(client, payload, target)));
}
