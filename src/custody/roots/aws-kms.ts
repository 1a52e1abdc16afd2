import type { RootKey } from '../types.ts';

type Command = object;
type Made<I> = new (input: I) => Command;
type Answer = { CiphertextBlob?: Uint8Array; Plaintext?: Uint8Array };

/** The parts of @aws-sdk/client-kms that are used. The package is installed by the operator, and only for this provider. */
export type KmsPackage = {
  KMSClient: new (config: object) => { send(command: Command, options: { abortSignal: AbortSignal }): Promise<Answer> };
  EncryptCommand: Made<{ KeyId: string; Plaintext: Uint8Array; EncryptionContext: Record<string, string> }>;
  DecryptCommand: Made<{ KeyId: string; CiphertextBlob: Uint8Array; EncryptionContext: Record<string, string> }>;
};

export type KmsSettings = { key: string; region: string; url: string | undefined };

const PATIENCE_MS = 10_000;

/** What to do about an error of the service, by its name. */
const REMEDIES: Readonly<Record<string, string>> = {
  AccessDeniedException: 'the credentials of this process may not use the key: permit kms:Encrypt and kms:Decrypt',
  CredentialsProviderError: 'this process has no credentials for AWS: give it a role, or set AWS_ACCESS_KEY_ID and the others',
  DisabledException: 'the key is disabled: enable it',
  IncorrectKeyException: 'another key sealed this: check ROOT_KEY_NAME',
  InvalidCiphertextException: 'the key did not seal this, or it was changed: check ROOT_KEY_NAME',
  KMSInvalidStateException: 'the key is not usable in its state: see the console of AWS',
  NotFoundException: 'there is no such key: check ROOT_KEY_NAME and ROOT_KEY_REGION',
  AbortError: `no answer within ${PATIENCE_MS / 1000} seconds: check ROOT_KEY_REGION, ROOT_KEY_URL and the network`,
  TimeoutError: `no answer within ${PATIENCE_MS / 1000} seconds: check ROOT_KEY_REGION, ROOT_KEY_URL and the network`,
  UnrecognizedClientException: 'the credentials of this process are not valid: renew them',
};

/** A symmetric key of AWS KMS. It never leaves the service. The name of the master key is the encryption context. */
export function awsKmsRoot({ KMSClient, EncryptCommand, DecryptCommand }: KmsPackage, settings: KmsSettings): RootKey {
  const { key, region, url } = settings;
  const client = new KMSClient({ region, maxAttempts: 2, ...(url === undefined ? {} : { endpoint: url }) });
  const contextOf = (aad: Buffer) => ({ countersign: aad.toString('utf8') });

  async function call(what: string, command: Command, member: keyof Answer): Promise<Buffer> {
    const failed = (why: string) => new Error(`the root key "${key}" in ${region} (aws-kms) did not ${what}: ${why}`);
    const answer = await client.send(command, { abortSignal: AbortSignal.timeout(PATIENCE_MS) }).catch((error: Error) => {
      // The text may name resources, so only the kind of the error is shown. The kind comes from the server, too.
      const kind = (error as NodeJS.ErrnoException).code ?? error.name;
      const shown = /^\w{1,64}$/.test(kind) ? kind : 'an unknown error';
      const remedy = Object.hasOwn(REMEDIES, error.name) ? REMEDIES[error.name] : undefined;
      throw failed(remedy ?? `${shown}: check ROOT_KEY_REGION, ROOT_KEY_URL and the network`);
    });
    const bytes = answer[member];
    if (bytes === undefined) throw failed('its answer is not one of KMS: check ROOT_KEY_URL');
    return Buffer.from(bytes);
  }

  return {
    id: `aws-kms:${key}`,
    wrap: (plain, aad) =>
      call('encrypt', new EncryptCommand({ KeyId: key, Plaintext: plain, EncryptionContext: contextOf(aad) }), 'CiphertextBlob'),
    unwrap: (wrapped, aad) =>
      call(
        'decrypt',
        new DecryptCommand({ KeyId: key, CiphertextBlob: wrapped, EncryptionContext: contextOf(aad) }),
        'Plaintext',
      ),
  };
}
