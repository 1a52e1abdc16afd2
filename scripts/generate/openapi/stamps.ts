import { createHash } from 'node:crypto';

/** How a request is stamped, in words and examples: for `openapi.json`, and for docs/stamps.md. */

/** A paragraph, verbatim code, or a table with a head. */
export type Block = { text: string } | { code: string } | { rows: readonly (readonly string[])[] };

export type Explained = { title: string; blocks: readonly Block[] };

const BODY = '{"organizationId":"0191e4a0-0000-7000-8000-000000000001"}';

/** Made with the private key `bcaff1c9…`, which is in the text and only for documents. */
export const API_KEY_EXAMPLE = {
  body: BODY,
  privateKey: 'bcaff1c906f5343dd96727b0bd99b4384ef0c977d89c71f82603ef70c990a9a0',
  stamp: {
    publicKey: '039947625238df159f7dbb2dcc7b9dfb677a56e6b6ee8338cbf2125f11f2d7f717',
    scheme: 'SIGNATURE_SCHEME_TK_API_P256',
    signature:
      '3046022100dad69be65c97af431ccc24021721e3002e9cdfbd2c90720045e2f7a689a8c707022100b316dde03d483543bb80e45ef06f36c86911577e759c2bad172b9ce11d736587',
  },
};

export const PASSKEY_EXAMPLE = {
  body: BODY,
  /** SHA-256 of the body, in hex: the challenge is this text's bytes. */
  challenge: '415b9168981db5be4cfc17e3147ad0612336811738e1414989b74a43acc01e9d',
  relyingParty: 'app.example.com',
  /** The COSE key of its registration. */
  publicKey: 'pQECAyYgASFYIAtlaSoJWb87ey_SAhWSGNe-AJ2FVT7MnAYcY9roWKHCIlggPgo6el8Nw8U3oCxILUNdiXQC2LUhW0r3uHK4sT7-a8M',
  stamp: {
    credentialId: 'YW4gZXhhbXBsZSBvZiBhbiBpZA',
    authenticatorData: 'KAWYKbEFHwTvAxGQZ8DOCeBSd2EokPjgh08djs4a4DQFAAAAAA',
    clientDataJson:
      'eyJ0eXBlIjoid2ViYXV0aG4uZ2V0IiwiY2hhbGxlbmdlIjoiTkRFMVlqa3hOamc1T0RGa1lqVmlaVFJqWm1NeE4yVXpNVFEzWVdRd05qRXlNek0yT0RFeE56TTRaVEUwTVRRNU9EbGlOelJoTkROaFkyTXdNV1U1WkEiLCJvcmlnaW4iOiJodHRwczovL2FwcC5leGFtcGxlLmNvbSIsImNyb3NzT3JpZ2luIjpmYWxzZX0',
    signature: 'MEYCIQDeHoGP4B5_dkGwFKQW5a_JGh2IzJAm1Iq1tw5QpCwxywIhAMSlO2Gy9rDQkG4-rs2PbUP2hgLwW3OA6LvVarQRGMsP',
  },
};

/** The header of the first example. */
export const apiKeyHeader = (): string => Buffer.from(JSON.stringify(API_KEY_EXAMPLE.stamp)).toString('base64url');

export const passkeyHeader = (): string => JSON.stringify(PASSKEY_EXAMPLE.stamp);

export const BY_API_KEY: Explained = {
  title: 'A stamp by an API key',
  blocks: [
    {
      text: 'The header X-Stamp is base64url without padding of a JSON object with three texts: publicKey, scheme and signature. The exact bytes of the body are signed: stamp the text that you send. Parsing and serializing it again may change it.',
    },
    {
      rows: [
        ['scheme', 'publicKey', 'signed bytes', 'signature'],
        ['SIGNATURE_SCHEME_TK_API_P256', 'compressed point, hex', 'SHA-256 of the body', 'ECDSA, DER, hex'],
        ['SIGNATURE_SCHEME_TK_API_SECP256K1', 'compressed point, hex', 'SHA-256 of the body', 'ECDSA, DER, hex'],
        [
          'SIGNATURE_SCHEME_TK_API_SECP256K1_EIP191',
          'compressed point, hex',
          'Keccak-256 of 0x19, "Ethereum Signed Message:", a line break, the length of the body in decimal, and the body',
          'ECDSA, DER, hex',
        ],
        ['SIGNATURE_SCHEME_TK_API_ED25519', '32 bytes, hex', 'the body itself', '64 bytes, hex'],
      ],
    },
    {
      text: `An example on P-256, by the private key ${API_KEY_EXAMPLE.privateKey}. ECDSA uses a random number for each signature. So the same key has other valid signatures of the same body. The body:`,
    },
    { code: API_KEY_EXAMPLE.body },
    { text: 'The object of its stamp:' },
    { code: JSON.stringify(API_KEY_EXAMPLE.stamp, null, 2) },
    { text: 'The header:' },
    { code: `X-Stamp: ${apiKeyHeader()}` },
  ],
};

export const BY_PASSKEY: Explained = {
  title: 'A stamp by a passkey',
  blocks: [
    {
      text: 'The header X-Stamp-WebAuthn is a JSON object with four texts: credentialId, authenticatorData, clientDataJson and signature. Each is what navigator.credentials.get() returns, in base64url without padding. X-Stamp may hold the same object, as base64url of its JSON.',
    },
    {
      text: 'The challenge of the assertion is a text of 64 characters. It is SHA-256 of the exact bytes of the body, in lower-case hex. Its relying party must be that of the registration. Its origin must be allowed by the top-level organization (FEATURE_NAME_WEBAUTHN_ORIGINS; if unset, any origin is). Algorithms are ES256 and RS256.',
    },
    {
      text: 'Two activities are for people without a credential: accept_invitation and create_organization. Their parameters have the passkey that stamps the request.',
    },
    { text: `An example for the relying party ${PASSKEY_EXAMPLE.relyingParty}. The body:` },
    { code: PASSKEY_EXAMPLE.body },
    { text: 'The challenge, which the client data holds in base64url:' },
    { code: PASSKEY_EXAMPLE.challenge },
    { text: 'The header:' },
    { code: `X-Stamp-WebAuthn: ${passkeyHeader()}` },
    { text: 'It verifies with this public key, a COSE key in base64url:' },
    { code: PASSKEY_EXAMPLE.publicKey },
  ],
};

/** For the key of the first example. */
const NONCE = createHash('sha256').update(API_KEY_EXAMPLE.stamp.publicKey).digest('hex');

export const BY_ATTESTATION: Explained = {
  title: 'A stamp by an attested key',
  blocks: [
    {
      text: 'The header X-Stamp-Attested is a JSON object, as it is or as base64url. It has four texts: publicKey, signature, scheme and publicKeyAttestation. The key is a new P-256 key that no user has. It signs the exact bytes of the body, as with SIGNATURE_SCHEME_TK_API_P256. The token in publicKeyAttestation is bound to the key and identifies the user.',
    },
    {
      rows: [
        ['scheme', 'publicKeyAttestation', 'the user'],
        [
          'STAMP_ATTESTED_SCHEME_P256_VERIFICATION_TOKEN',
          'the verification token of VERIFY_OTP, bound to this key',
          'the user with its contact, in the organization that issued it or one below. The login method must be enabled there',
        ],
        [
          'STAMP_ATTESTED_SCHEME_P256_OIDC',
          'an OIDC token whose nonce or tknonce is SHA-256 of the text of publicKey, in lower-case hex',
          'the user of a sub-organization with a provider of its issuer, audience and subject',
        ],
      ],
    },
    {
      text: `The nonce for the key of the first example is ${NONCE}. The stamp is valid until the token expires, the contact of the user changes, or the provider is deleted. The query whoami and the logins by stamp may name the parent. They find the one sub-organization with such a user.`,
    },
  ],
};

export const BY_SESSION: Explained = {
  title: 'A read-only session, for queries',
  blocks: [
    {
      text: 'The header X-Session is the session that CREATE_READ_ONLY_SESSION returned. For an hour, its holder may send every query as the user who created it. It is not valid for activities. A stamp in the same request takes precedence.',
    },
  ],
};

export const STAMPS = [BY_API_KEY, BY_PASSKEY, BY_ATTESTATION, BY_SESSION];

/** In Markdown, as OpenAPI takes it. */
export function markdownOf({ blocks }: Explained): string {
  return blocks
    .map((block) => {
      if ('text' in block) return block.text;
      if ('code' in block) return `\`\`\`\n${block.code}\n\`\`\``;
      const [head, ...rows] = block.rows.map((row) => `| ${row.join(' | ')} |`);
      return [head, `|${'---|'.repeat(block.rows[0]!.length)}`, ...rows].join('\n');
    })
    .join('\n\n');
}

/** A section of docs/stamps.md. Codes in its tables are marked as such. */
export function sectionOf(explained: Explained): string {
  const marked = (line: string) => (line.startsWith('|') ? line.replace(/\b[A-Z]+(?:_[A-Z\d]+)+\b/g, '`$&`') : line);
  return `## ${explained.title}\n\n${markdownOf(explained).split('\n').map(marked).join('\n')}`;
}
