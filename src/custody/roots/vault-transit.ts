import type { RootKey } from '../types.ts';

/** POST to the server: ends within its time limit. Throws if there is no answer, with a message without secrets. */
export type PostPort = (url: string, body: string, headers: Record<string, string>) => Promise<{ status: number; text: string }>;

export type TransitSettings = { url: string; mount: string; key: string; namespace: string | undefined };

/** What to do about an answer. The server's own text is not shown: it may repeat the request. */
const REMEDIES: Readonly<Record<number, string>> = {
  400: 'the key did not seal this, or it is no key of type aes256-gcm96: check ROOT_KEY_NAME',
  403: 'the token in ROOT_KEY_TOKEN_PATH expired, or its policy does not permit this key: renew it',
  404: 'it has no such key: check ROOT_KEY_MOUNT, ROOT_KEY_NAME and ROOT_KEY_NAMESPACE',
  429: 'it limits requests: try again later',
  503: 'it is sealed, or not yet ready: unseal it',
};

/** The member of `data`, if it is a text. */
function memberOf(text: string, member: 'ciphertext' | 'plaintext'): string | undefined {
  try {
    const found = JSON.parse(text)?.data?.[member];
    return typeof found === 'string' ? found : undefined;
  } catch {
    return undefined;
  }
}

/**
 * A key of the transit engine of HashiCorp Vault or OpenBao. It never leaves that server. `token`: read for each call, because agents
 * renew the file.
 */
export function vaultTransitRoot(settings: TransitSettings, token: () => string, post: PostPort): RootKey {
  const { url, mount, key, namespace } = settings;

  async function call(action: 'encrypt' | 'decrypt', given: object, wanted: 'ciphertext' | 'plaintext'): Promise<string> {
    const failed = (why: string) => new Error(`the root key "${key}" at ${url} (vault-transit) did not ${action}: ${why}`);
    const headers = {
      'content-type': 'application/json',
      'x-vault-request': 'true',
      'x-vault-token': token(),
      ...(namespace === undefined ? {} : { 'x-vault-namespace': namespace }),
    };
    const answer = await post(`${url}/v1/${mount}/${action}/${key}`, JSON.stringify(given), headers).catch((error: Error) => {
      throw failed(`${error.message}. Check ROOT_KEY_URL`);
    });
    if (answer.status !== 200) throw failed(`status ${answer.status}: ${REMEDIES[answer.status] ?? 'see its log'}`);
    const found = memberOf(answer.text, wanted);
    if (found === undefined) throw failed('its answer is not one of a transit engine: check ROOT_KEY_URL');
    return found;
  }

  return {
    id: `vault-transit:${mount}/${key}`,
    async wrap(plain, aad) {
      const given = { plaintext: plain.toString('base64'), associated_data: aad.toString('base64') };
      return Buffer.from(await call('encrypt', given, 'ciphertext'));
    },
    async unwrap(wrapped, aad) {
      const given = { ciphertext: wrapped.toString('utf8'), associated_data: aad.toString('base64') };
      return Buffer.from(await call('decrypt', given, 'plaintext'), 'base64');
    },
  };
}
