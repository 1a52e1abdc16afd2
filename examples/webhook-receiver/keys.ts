/** The service's public keys, as the published verifier takes them. */
import type { TurnkeyWebhookVerificationKey } from '@turnkey/crypto';

const LONGEST_KEPT_MS = 3_600_000;
/** For unknown ids of keys: any client can send some. */
const LEAST_BETWEEN_MS = 60_000;
/** For old keys, while the service gives no new ones. */
const FAILED_MS = 5_000;
const PATIENCE_MS = 5_000;

/** A JSON Web Key (RFC 8037). `x` is base64url; the verifier wants hex. */
type Jwk = { kid: string; x: string };

const keyOf = ({ kid, x }: Jwk): TurnkeyWebhookVerificationKey => ({
  keyId: kid,
  publicKey: Buffer.from(x, 'base64url').toString('hex'),
  algorithm: 'ed25519',
});

export type Keys = {
  /** The keys, with the one of this id if the service has it. Throws if no keys are known and the service does not give them. */
  with(keyId: string | undefined): Promise<TurnkeyWebhookVerificationKey[]>;
};

/** `apiUrl`: of the service. `now`: in milliseconds. */
export function keysOf(apiUrl: string, now: () => number = Date.now): Keys {
  let keys: TurnkeyWebhookVerificationKey[] = [];
  let readAt = Number.NEGATIVE_INFINITY;
  let askedAt = Number.NEGATIVE_INFINITY;
  let asking: Promise<void> | undefined;

  async function ask(): Promise<void> {
    askedAt = now();
    const url = `${apiUrl}/public/v1/discovery/webhooks/jwks`;
    const response = await fetch(url, { signal: AbortSignal.timeout(PATIENCE_MS) });
    if (!response.ok) throw new Error(`${url} answered with status ${response.status}`);
    keys = ((await response.json()) as { keys: Jwk[] }).keys.map(keyOf);
    readAt = askedAt;
  }

  return {
    async with(keyId) {
      const isOld = now() - readAt >= LONGEST_KEPT_MS;
      const isThere = keys.some((key) => key.keyId === keyId);
      if (isThere && !isOld) return keys;
      const rest = isThere || keys.length === 0 ? FAILED_MS : LEAST_BETWEEN_MS;
      if (now() - askedAt >= rest) {
        asking ??= ask().finally(() => {
          asking = undefined;
        });
      }
      await asking;
      if (now() - readAt >= LONGEST_KEPT_MS) throw new Error('the keys of the service are not known now');
      return keys;
    },
  };
}
