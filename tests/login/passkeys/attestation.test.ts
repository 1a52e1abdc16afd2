import assert from 'node:assert/strict';
import { webcrypto } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import * as x509 from '@peculiar/x509';
// @ts-expect-error: the package has no types
import helpers from 'fido2-helpers';
import { verifyRegistration } from '../../../src/login/passkeys/registration.ts';
import { SoftAuthenticator, sha256 } from '../../support/authenticator.ts';

x509.cryptoProvider.set(webcrypto as never);

const APPLE = JSON.parse(readFileSync(new URL('../../vectors/webauthn/apple.json', import.meta.url), 'utf8')) as Parameters<
  typeof verifyRegistration
>[0];

const verify = (given: Parameters<typeof verifyRegistration>[0], now = Date.now()) =>
  verifyRegistration(given, { origins: undefined, now, payer: 'payer' }, 'passkey');

type Response = { rawId: ArrayBuffer; response: { attestationObject: ArrayBuffer; clientDataJSON: ArrayBuffer } };

function recorded({ rawId, response }: Response) {
  const text = (bytes: ArrayBuffer) => Buffer.from(bytes).toString('base64url');
  const { challenge } = JSON.parse(Buffer.from(response.clientDataJSON).toString('utf8')) as { challenge: string };
  return {
    authenticatorName: 'recorded',
    challenge,
    attestation: {
      credentialId: text(rawId),
      clientDataJson: text(response.clientDataJSON),
      attestationObject: text(response.attestationObject),
      transports: [],
    },
  };
}

const { lib } = helpers as unknown as { lib: Record<string, Response> };

const authenticators: [name: string, format: string, year: number][] = [
  ['makeCredentialAttestationNoneResponse', 'none', 2018],
  ['makeCredentialAttestationU2fResponse', 'fido-u2f', 2018],
  ['makeCredentialAttestationHypersecuU2fResponse', 'fido-u2f', 2018],
  ['makeCredentialAttestationPackedResponse', 'packed', 2018],
  ['makeCredentialAttestationTpmResponse', 'tpm', 2018],
];
for (const [name, format, year] of authenticators)
  test(`a recorded registration: ${name}`, async () => {
    const passkey = await verify(recorded(lib[name]!), Date.UTC(year, 9));
    assert.equal(passkey.attestationType, format);
    assert.equal(passkey.credentialId, Buffer.from(lib[name]!.rawId).toString('base64url'));
  });

test('a recorded registration of Apple, on its day', async () => {
  const passkey = await verify(APPLE, Date.UTC(2020, 8, 13, 12));
  assert.equal(passkey.attestationType, 'apple');
  await assert.rejects(verify(APPLE, Date.UTC(2020, 8, 15)), /invalid authenticator attestation: .*validity period/);
});

const EC = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const DAY = 24 * 60 * 60 * 1000;

type Pair = webcrypto.CryptoKeyPair;

const newPair = () => webcrypto.subtle.generateKey(EC, true, ['sign', 'verify']) as Promise<Pair>;

async function pairOf({ keys }: SoftAuthenticator): Promise<Pair> {
  const imported = (key: 'publicKey' | 'privateKey', uses: ('sign' | 'verify')[]) =>
    webcrypto.subtle.importKey('jwk', keys[key].export({ format: 'jwk' }) as webcrypto.JsonWebKey, EC, true, uses);
  return { publicKey: await imported('publicKey', ['verify']), privateKey: await imported('privateKey', ['sign']) };
}

type Certificate = { subject: string; issuer: string; publicKey: webcrypto.CryptoKey; signingKey: webcrypto.CryptoKey };

const certificate = async (given: Certificate, extensions: x509.Extension[] = []): Promise<Buffer> => {
  const made = await x509.X509CertificateGenerator.create({
    ...given,
    serialNumber: '01',
    notBefore: new Date(Date.now() - DAY),
    notAfter: new Date(Date.now() + DAY),
    signingAlgorithm: EC,
    extensions,
  } as never);
  return Buffer.from(made.rawData);
};

const ATTESTS = 'C=US, O=Maker, OU=Authenticator Attestation, CN=Model 1';

/** A registration with a packed statement by a certificate of its maker. */
async function packedByMaker(subject = ATTESTS, tamper = (signature: Buffer) => signature) {
  const maker = new SoftAuthenticator();
  const pair = await pairOf(maker);
  const leaf = await certificate({ subject, issuer: subject, publicKey: pair.publicKey, signingKey: pair.privateKey }, [
    new x509.BasicConstraintsExtension(false),
  ]);
  return new SoftAuthenticator().register({
    format: 'packed',
    statement: (signed) =>
      new Map<string, number | Buffer | Buffer[]>([
        ['alg', -7],
        ['sig', tamper(maker.sign(signed))],
        ['x5c', [leaf]],
      ]),
  });
}

test('a packed attestation by the maker’s certificate', async () => {
  assert.equal((await verify(await packedByMaker())).attestationType, 'packed');
  await assert.rejects(verify(await packedByMaker('C=US, O=Maker, OU=Something, CN=Model 1')), /Certificate OU was not/);
  const changed = (signature: Buffer) => Buffer.concat([signature.subarray(0, -1), Buffer.of(signature.at(-1)! ^ 1)]);
  await assert.rejects(verify(await packedByMaker(ATTESTS, changed)), /its signature is wrong/);
  await assert.rejects(verify(await packedByMaker(), Date.now() + 2 * DAY), /not good after/);
});

test('a chain of many certificates is not followed: each is tried as the issuer of each', async () => {
  const many = 60;
  const pairs = await Promise.all(Array.from({ length: many + 1 }, newPair));
  const name = { subject: 'CN=a', issuer: 'CN=a' };
  const chain = await Promise.all(
    pairs.slice(0, many).map(({ publicKey }, i) => certificate({ ...name, publicKey, signingKey: pairs[i + 1]!.privateKey })),
  );
  const x5c = [chain[0]!, ...chain.slice(1).reverse()];
  const given = new SoftAuthenticator().register({
    format: 'apple',
    statement: () => new Map<string, number | Buffer | Buffer[]>([['x5c', x5c]]),
  });
  await assert.rejects(verify(given), /it has more than 8 certificates/);
  // Its chain is in a JWS, out of this count, and its service is switched off.
  const safetyNet = new SoftAuthenticator().register({ format: 'android-safetynet', statement: () => new Map() });
  await assert.rejects(verify(safetyNet), /android-safetynet, is no longer supported/);
});

/** KeyDescription of Android's key attestation, with empty lists. */
function keyDescription(challenge: Buffer): Buffer {
  const tlv = (tag: number, content: Buffer) => Buffer.concat([Buffer.of(tag, content.length), content]);
  const one = (tag: number) => tlv(tag, Buffer.of(1));
  const [octets, sequence, empty] = [0x04, 0x30, Buffer.alloc(0)];
  return tlv(
    sequence,
    Buffer.concat([
      one(2),
      one(10),
      one(2),
      one(10),
      tlv(octets, challenge),
      tlv(octets, empty),
      tlv(sequence, empty),
      tlv(sequence, empty),
    ]),
  );
}

test('no address that a certificate names is ever asked, and a chain to nobody’s root is refused', async () => {
  const asked: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url);
    response.end();
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  try {
    const list = `http://127.0.0.1:${(server.address() as AddressInfo).port}/revoked`;
    const [authenticator, root] = [new SoftAuthenticator(), await newPair()];
    const [issuer, subject] = ['CN=Nobody', 'CN=Leaf'];
    const own = await pairOf(authenticator);
    const rootCertificate = await certificate({
      subject: issuer,
      issuer,
      publicKey: root.publicKey,
      signingKey: root.privateKey,
    });
    // The statement is about the client data, which has to be known before it is made.
    const challenge = 'AAAA';
    let leaf: Buffer = Buffer.alloc(0);
    const given = () =>
      authenticator.register({
        challenge,
        format: 'android-key',
        statement: (signed) =>
          new Map<string, number | Buffer | Buffer[]>([
            ['alg', -7],
            ['sig', authenticator.sign(signed)],
            ['x5c', [leaf, rootCertificate]],
          ]),
      });
    const clientData = Buffer.from(given().attestation.clientDataJson, 'base64url');
    const clientDataHash = sha256(clientData);
    leaf = await certificate({ subject, issuer, publicKey: own.publicKey, signingKey: root.privateKey }, [
      new x509.CRLDistributionPointsExtension([list]),
      new x509.Extension('1.3.6.1.4.1.11129.2.1.17', false, new Uint8Array(keyDescription(clientDataHash))),
    ]);
    // The library looks for revoked certificates first, so this is the refusal of the step behind it.
    await assert.rejects(verify(given()), /x5c root certificate was not a known root certificate/);
    assert.deepEqual(asked, []);
  } finally {
    server.close();
  }
});

test('a registration that comes while the idle thread ends is verified by the next one', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const on = Date.UTC(2020, 8, 13, 12);
  await verify(APPLE, on);
  t.mock.timers.tick(60_000);
  assert.equal((await verify(APPLE, on)).attestationType, 'apple');
});

test('an organization with many registrations lets others in between, and has a bounded line', async () => {
  const order: string[] = [];
  const from = (payer: string, name: string) =>
    verifyRegistration(new SoftAuthenticator().register({}), { origins: undefined, now: Date.now(), payer }, 'passkey').then(
      () => void order.push(name),
      (error: Error) => void order.push(error.message),
    );
  const many = Array.from({ length: 40 }, (_, i) => from('many', `many ${i}`));
  await from('other', 'other');
  assert.ok(order.filter((name) => name.startsWith('many ')).length <= 2, order.join());
  await Promise.all(many);
  const refused = 'too many passkey registrations wait for verification';
  assert.equal(order.filter((text) => text === refused).length, 7, 'one is verified, 32 wait');
});
