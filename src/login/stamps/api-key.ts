import { isHex } from '../../base/bytes.ts';
import { Lru } from '../../base/lru.ts';
import { importStampKey, parseStampPublicKey, type StampKey, type StampScheme, verifyStamp } from '../../crypto/stamp.ts';
import { burstVerifier } from '../../crypto/stamp-bursts.ts';
import type { ApiKeyStamp, StampPort } from '../../engine/ports.ts';

const CURVES: Record<StampScheme, 'API_KEY_CURVE_P256' | 'API_KEY_CURVE_SECP256K1' | 'API_KEY_CURVE_ED25519'> = {
  SIGNATURE_SCHEME_TK_API_P256: 'API_KEY_CURVE_P256',
  SIGNATURE_SCHEME_TK_API_SECP256K1: 'API_KEY_CURVE_SECP256K1',
  SIGNATURE_SCHEME_TK_API_SECP256K1_EIP191: 'API_KEY_CURVE_SECP256K1',
  SIGNATURE_SCHEME_TK_API_ED25519: 'API_KEY_CURVE_ED25519',
};

/** Importing a key costs as much as a verification, so parsed public keys are kept. */
const KEPT = 10_000;
const LONGEST_KEY = 130;

type Known = { publicKey: string; key: StampKey };

/** Verifies the stamps of API keys for the engine, with a bounded cache of parsed keys. */
export function apiKeyVerifier(): Pick<StampPort, 'normalize' | 'verify'> {
  const known = new Lru<Known>(KEPT);
  const verifyAmongOthers = burstVerifier();

  function find({ scheme, publicKey }: ApiKeyStamp): Known | undefined {
    if (!Object.hasOwn(CURVES, scheme) || publicKey.length > LONGEST_KEY) return undefined;
    const name = `${scheme} ${publicKey}`;
    const kept = known.get(name);
    if (kept) return kept;
    const normal = parseStampPublicKey(CURVES[scheme as StampScheme], publicKey);
    const key = normal === undefined ? undefined : importStampKey(scheme as StampScheme, Buffer.from(normal, 'hex'));
    if (normal === undefined || key === undefined) return undefined;
    const found = { publicKey: normal, key };
    known.set(name, found);
    return found;
  }

  return {
    normalize: (stamp) => find(stamp)?.publicKey,
    verify(stamp, body, others) {
      const found = find(stamp);
      const signature = isHex(stamp.signature) ? Buffer.from(stamp.signature, 'hex') : undefined;
      if (found === undefined || signature === undefined) return false;
      return others ? verifyAmongOthers(found.key, body, signature) : verifyStamp(found.key, body, signature);
    },
  };
}
