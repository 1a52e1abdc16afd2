/** Reads a key file of `npm start` or `keygen`. Its private key becomes one that scripts cannot read. */
import { fromHex, zero } from '../../../src/base/bytes.ts';
import type { StampKey } from '../service/stamps.ts';

export type KeyFile = { key: StampKey; organizationId: string | undefined };

const MOST_BYTES = 16_384;
const HEX_KEY = /^[0-9a-f]{64}$/i;

/** Messages never quote the text: it holds a private key. Throws Error for people. */
export async function readKeyFile(file: File): Promise<KeyFile> {
  if (file.size > MOST_BYTES) throw new Error(`${file.name} is too large for a key file`);
  let read: { organizationId?: unknown; apiPrivateKey?: unknown; curve?: unknown };
  try {
    read = JSON.parse(await file.text());
  } catch {
    throw new Error(`${file.name} is no key file: it is not JSON`);
  }
  const { organizationId, apiPrivateKey, curve = 'p256' } = read ?? {};
  if (curve !== 'p256') throw new Error(`${file.name} has a key of another curve: the console stamps with P-256 alone`);
  if (typeof apiPrivateKey !== 'string' || !HEX_KEY.test(apiPrivateKey))
    throw new Error(`${file.name} has no apiPrivateKey of 64 hex digits`);
  const key = await keyOfSecret(fromHex(apiPrivateKey)!);
  return { key, organizationId: typeof organizationId === 'string' ? organizationId : undefined };
}

/** The secret of 32 bytes is wiped. */
export async function keyOfSecret(secret: Uint8Array): Promise<StampKey> {
  const [{ importP256 }, { compressed }] = await Promise.all([
    import('../../../src/bundles/web-hpke.ts'),
    import('../service/stamps.ts'),
  ]);
  try {
    const { privateKey, publicKey } = await importP256(secret, 'ECDSA', 'sign');
    return { privateKey, publicKey: compressed(publicKey) };
  } finally {
    zero(secret);
  }
}
