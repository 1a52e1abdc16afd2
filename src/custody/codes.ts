import { zero } from '../base/bytes.ts';
import type { Random } from '../base/random.ts';
import { type BundleSigner, openEncryptedBundle, targetBundle } from '../crypto/bundle.ts';
import { generateHpkeKeyPair } from '../crypto/hpke.ts';
import type { Envelope } from './envelope.ts';
import { withSecret } from './means.ts';
import type { CodeForm, CodeVault, SecretName } from './types.ts';

const DIGITS = '0123456789';

/** The characters that Crockford's base32 and bech32 share: clients may know codes in either alphabet. */
const LETTERS_TOO = '023456789ACDEFGHJKMNPQRSTVWXYZ';

/** Longer than any code. */
const LONGEST = 64;

const codeName = (organizationId: string, id: string): SecretName => ({ organizationId, id, purpose: 'otp-code' });
const targetName = (organizationId: string, id: string): SecretName => ({ organizationId, id, purpose: 'otp-target' });

/** Each character has the same probability: random bytes beyond the last whole multiple are discarded. */
function randomCode(random: Random, { length, alphanumeric }: CodeForm): string {
  const alphabet = alphanumeric ? LETTERS_TOO : DIGITS;
  const beyond = 256 - (256 % alphabet.length);
  let code = '';
  while (code.length < length) for (const byte of random(length)) if (byte < beyond) code += alphabet[byte % alphabet.length];
  return code.slice(0, length);
}

/** The canonical form of a code. It ignores separators, and replaces characters that people confuse. A longer text is no code. */
const written = (code: string): Buffer =>
  Buffer.from(code.slice(0, LONGEST).replace(/[\s-]/g, '').toUpperCase().replaceAll('O', '0').replace(/[IL]/g, '1'));

export function codes(envelope: Envelope, random: Random, signer: () => BundleSigner): CodeVault {
  return {
    newCode(organizationId, id, form) {
      const code = randomCode(random, form);
      return { code, hash: envelope.hash(codeName(organizationId, id), written(code)) };
    },
    hashCode: (organizationId, id, code) => envelope.hash(codeName(organizationId, id), written(code)),
    matchesCode: (organizationId, id, hash, code) => envelope.matches(codeName(organizationId, id), hash, written(code)),
    newCodeTarget(organizationId, id) {
      const { privateKey, publicKey } = generateHpkeKeyPair(random);
      const sealed = envelope.seal(targetName(organizationId, id), privateKey);
      zero(privateKey);
      const bundle = targetBundle({ ...signer(), targetPublic: publicKey, organizationId });
      return { organizationId, id, publicKey: publicKey.toString('hex'), sealed, bundle };
    },
    openCode({ organizationId, id, publicKey, sealed }, encryptedBundle) {
      return withSecret({ envelope }, { name: targetName(organizationId, id), sealed }, (key) => {
        const plain = openEncryptedBundle(encryptedBundle, key, Buffer.from(publicKey, 'hex'));
        const text = plain.toString('utf8');
        zero(plain);
        return text;
      });
    },
  };
}
