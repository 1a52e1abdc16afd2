import assert from 'node:assert/strict';
import { createHmac, createSecretKey, generateKeyPairSync, randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { generateJwt } from '@coinbase/cdp-sdk/auth';
import { MoonPay } from '@moonpay/moonpay-node';
import { encryptOnRampSecret, generateP256KeyPair } from '@turnkey/crypto';
import { decodeJwt, decodeProtectedHeader, jwtVerify } from 'jose';
import { BundleError } from '../../src/crypto/bundle.ts';
import { envelope } from '../../src/custody/envelope.ts';
import { newServiceKey, type ServiceKeys, serviceKeyNames } from '../../src/custody/service-keys.ts';
import { EnvelopeError } from '../../src/custody/types.ts';
import { vault } from '../../src/custody/vault.ts';
import { coinbaseJwt } from '../../src/on-ramp/coinbase.ts';
import { fiatOnRampCredentialOf } from '../store/repositories/credentials/on-ramp-rows.ts';
import { coinbaseKeys } from '../support/on-ramp.ts';

const sealing = envelope(new Map([[1, createSecretKey(Buffer.alloc(32, 1))]]), randomBytes);
const services = Object.fromEntries(
  serviceKeyNames.map((name) => [name, newServiceKey(sealing, randomBytes, name)]),
) as ServiceKeys;
const { onRamp } = vault(sealing, randomBytes, services, () => Buffer.alloc(37));
const receiver = generateKeyFor('on-ramp-secret-encryption');
const row = fiatOnRampCredentialOf('0191e4a0-0000-7000-8000-000000000001', 'a');

function generateKeyFor(name: 'on-ramp-secret-encryption'): string {
  const { publicKey } = services[name];
  const isOdd = Number.parseInt(publicKey.at(-1)!, 16) % 2 === 1;
  return (isOdd ? '03' : '02') + publicKey.slice(2, 66);
}

const sealedKey = (text: string) => onRamp.sealPrivateKey(row, encryptOnRampSecret(text, receiver));
const REQUEST = { method: 'POST', base: 'api.developer.coinbase.com', path: '/onramp/v1/token' } as const;

for (const [name, { keyId, text, publicKey }] of Object.entries(coinbaseKeys))
  test(`a JWT of a key of type ${name} is the one of Coinbase’s own library`, async () => {
    const time = Date.now();
    const credential = { ...row, publishableApiKey: keyId, sealedPrivateApiKey: sealedKey(text) };
    const ours = coinbaseJwt({ signing: onRamp, random: randomBytes, time }, credential, REQUEST);
    const theirs = await generateJwt({
      apiKeyId: keyId,
      apiKeySecret: text,
      requestMethod: REQUEST.method,
      requestHost: REQUEST.base,
      requestPath: REQUEST.path,
    });
    const [head, theirHead] = [ours, theirs].map((jwt) => decodeProtectedHeader(jwt) as Record<string, unknown>);
    assert.deepEqual({ ...head, nonce: '' }, { ...theirHead, nonce: '' });
    for (const { nonce } of [head!, theirHead!]) assert.match(String(nonce), /^[0-9a-f]{32}$/);
    const [claims, theirClaims] = [decodeJwt(ours), decodeJwt(theirs)];
    const late = theirClaims.iat! - claims.iat!;
    assert.ok(late === 0 || late === 1);
    const shifted = { iat: claims.iat! + late, nbf: claims.nbf! + late, exp: claims.exp! + late };
    assert.deepEqual({ ...claims, ...shifted }, theirClaims);
    for (const jwt of [ours, theirs]) await jwtVerify(jwt, publicKey);
  });

test('MoonPay’s own library finds the signature of an address, and makes the same one', () => {
  const secret = 'sk_test_of_the_vault';
  const sealed = onRamp.sealSecretKey(row, encryptOnRampSecret(secret, receiver), 'key');
  const search = '?apiKey=pk_test&currencyCode=eth&walletAddress=0xc216eD2D6c295579718dbd4a797845CdA70B3C36';
  const signature = onRamp.signText(row, sealed, search);
  const { url } = new MoonPay(secret, { debug: false });
  assert.equal(url.generateSignature(`https://buy.moonpay.com${search}`), signature);
  assert.ok(url.isSignatureValid(`https://buy.moonpay.com${search}&signature=${encodeURIComponent(signature)}`));
  assert.equal(signature, createHmac('sha256', secret).update(search).digest('base64'));
  for (const other of [
    { ...row, id: row.organizationId },
    { ...row, organizationId: row.id },
  ])
    assert.throws(() => onRamp.signText(other, sealed, search), EnvelopeError);
  assert.throws(() => onRamp.withPrivateKey(row, sealed, () => 0), EnvelopeError, 'a secret is no private key');
});

test('a key of EC in the older PEM form is taken', () => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const sealed = sealedKey(privateKey.export({ format: 'pem', type: 'sec1' }).toString());
  assert.equal(
    onRamp.withPrivateKey(row, sealed, ({ alg }) => alg),
    'ES256',
  );
});

test('a text that is no such key is refused, and not shown', () => {
  const pem = (key: ReturnType<typeof generateKeyPairSync>) => key.privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
  const good = Buffer.from(coinbaseKeys.edwards.text, 'base64');
  const wrong = [
    'text',
    good.subarray(0, 32).toString('base64'),
    Buffer.concat([good.subarray(0, 32), randomBytes(32)]).toString('base64'),
    pem(generateKeyPairSync('ec', { namedCurve: 'P-384' })),
    pem(generateKeyPairSync('ed25519')),
    '-----BEGIN PRIVATE KEY-----\nMA==\n-----END PRIVATE KEY-----',
  ];
  for (const text of wrong)
    assert.throws(
      () => sealedKey(text),
      (error) => error instanceof BundleError && !error.message.includes(text),
      text,
    );
  for (const text of ['two words', 'line\n', 'ü', '', 's'.repeat(513)])
    assert.throws(() => onRamp.sealSecretKey(row, encryptOnRampSecret(text, receiver), 'key'), BundleError, text);
  const { publicKey } = generateP256KeyPair();
  assert.throws(
    () => onRamp.sealSecretKey(row, encryptOnRampSecret('secret', publicKey), 'key'),
    /not sealed to the key of this service/,
  );
});
