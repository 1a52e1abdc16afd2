import { parentPort, Worker, workerData } from 'node:worker_threads';
import { Unreachable } from '../../base/errors.ts';
import { fairTurns } from '../../base/fair-turns.ts';

/**
 * Verifies the data of authenticators at their registration (WebAuthn §7.1), in a separate thread. The library takes a third of
 * a second to load and 25 MB. It fetches revocation lists from addresses that certificates name, and reads certificates that
 * any caller can write. The thread has no network and no environment, verifies one registration at a time, and ends after an
 * idle time.
 */
const IDLE_MS = 30_000;
const LONGEST_MS = 30_000;
const HEAP_MB = 128;

/** A registration whose client data was checked. Texts are base64url. */
export type Registration = {
  clientDataJson: string;
  attestationObject: string;
  /** As in the client data. */
  challenge: string;
  origin: string;
  /** One of them must be the relying party's; undefined: any. */
  relyingPartyIds: string[] | undefined;
  /** Certificates must be valid now. */
  now: number;
};

/** The verified contents of a registration. */
export type Attested = {
  credentialId: Uint8Array;
  format: string;
  aaguid: Uint8Array;
  rpIdHash: Uint8Array;
  key: { kty: 'EC2'; x: Uint8Array; y: Uint8Array } | { kty: 'RSA'; n: Uint8Array; e: Uint8Array };
};

export type Verdict = { attested: Attested } | { problem: string };

let thread: Worker | undefined;
let idle: NodeJS.Timeout | undefined;

/** Each may take a second. A payer with many registrations waits for those of others in between. */
const turns = fairTurns({ payer: 32, all: 512 });

/** `payer`: the top-level organization, which takes turns with others. Throws `Unreachable` if too many wait. */
export async function verifyAttestation(registration: Registration, payer: string): Promise<Verdict> {
  const verdict = turns(payer, () => ask(registration));
  if (verdict === undefined) throw new Unreachable('too many passkey registrations wait for verification');
  return verdict;
}

function start(): Worker {
  const worker = new Worker(new URL(import.meta.url), {
    workerData: { verifiesAttestations: true },
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
  });
  // A registration that the thread cannot handle is refused when the thread ends.
  worker.on('error', () => {});
  worker.once('exit', () => {
    if (thread === worker) thread = undefined;
  });
  return worker;
}

async function ask(registration: Registration): Promise<Verdict> {
  clearTimeout(idle);
  thread ??= start();
  const worker = thread;
  worker.ref();
  const limit = setTimeout(() => void worker.terminate(), LONGEST_MS);
  const verdict = await new Promise<Verdict>((resolve) => {
    const ended = () => resolve({ problem: 'it cannot be verified' });
    worker.once('exit', ended);
    worker.once('message', (answer: Verdict) => {
      worker.off('exit', ended);
      resolve(answer);
    });
    worker.postMessage(registration);
  });
  clearTimeout(limit);
  worker.unref();
  idle = setTimeout(() => {
    // The next registration must not be sent to a thread that is ending.
    if (thread === worker) thread = undefined;
    void worker.terminate();
  }, IDLE_MS);
  idle.unref();
  return verdict;
}

const NO_NETWORK = () => Promise.reject(new Error('this thread has no network'));

let now = 0;

/**
 * The library asks the machine for the time. It gets the time of the registration, since registrations are verified one by one.
 */
class GivenDate extends Date {
  constructor(...given: [] | [number | string | Date]) {
    super(...(given.length === 0 ? ([now] as const) : (given as [number])));
  }
  static override now(): number {
    return now;
  }
}

/** COSE labels and values (RFC 9053). */
const LABEL = { kty: 1, alg: 3, curve: -1, x: -2, y: -3, n: -1, e: -2 };
const [EC2, RSA, P256] = [2, 3, 1];
const ALGORITHMS = [-7, -257];

/**
 * No vendor's chain has more, in the formats that have it here; android-safetynet has it elsewhere. The library tries each
 * certificate as the issuer of each: some dozens take seconds, while others wait.
 */
const MOST_CERTIFICATES = 8;

async function serve(): Promise<void> {
  globalThis.fetch = NO_NETWORK;
  globalThis.Date = GivenDate as DateConstructor;
  const { verifyRegistrationResponse } = await import('@simplewebauthn/server');
  const { decodeAttestationObject, decodeCredentialPublicKey } = await import('@simplewebauthn/server/helpers');

  async function verify(given: Registration): Promise<Attested> {
    const { clientDataJson, attestationObject, challenge, origin, relyingPartyIds } = given;
    now = given.now;
    const decoded = decodeAttestationObject(Buffer.from(attestationObject, 'base64url'));
    const authData = decoded.get('authData');
    if (decoded.get('fmt') === 'android-safetynet') throw new Error('its format, android-safetynet, is no longer supported');
    if ((decoded.get('attStmt')?.get('x5c')?.length ?? 0) > MOST_CERTIFICATES)
      throw new Error(`it has more than ${MOST_CERTIFICATES} certificates`);
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      // The credential's id is also in the authenticator's data, and is read from there.
      response: {
        id: 'id',
        rawId: 'id',
        type: 'public-key',
        clientExtensionResults: {},
        response: { clientDataJSON: clientDataJson, attestationObject },
      },
      expectedChallenge: challenge,
      expectedOrigin: origin,
      ...(relyingPartyIds && { expectedRPID: relyingPartyIds }),
      requireUserVerification: false,
      supportedAlgorithmIDs: ALGORITHMS,
    });
    if (!verified) throw new Error('its signature is wrong');
    const { fmt, aaguid, credential } = registrationInfo;
    return {
      credentialId: Buffer.from(credential.id, 'base64url'),
      format: fmt,
      aaguid: Buffer.from(aaguid.replaceAll('-', ''), 'hex'),
      rpIdHash: Buffer.from(authData.subarray(0, 32)),
      key: keyOf(decodeCredentialPublicKey(credential.publicKey) as unknown as Map<number, unknown>),
    };
  }

  parentPort!.on('message', (registration: Registration) => {
    verify(registration).then(
      (attested) => parentPort!.postMessage({ attested } satisfies Verdict),
      (error) => parentPort!.postMessage({ problem: textOf(error) } satisfies Verdict),
    );
  });
}

function keyOf(cose: Map<number, unknown>): Attested['key'] {
  const bytes = (label: number): Uint8Array => {
    const value = cose.get(label);
    if (!(value instanceof Uint8Array)) throw new Error('its public key is incomplete');
    return value;
  };
  const [kty, alg] = [cose.get(LABEL.kty), cose.get(LABEL.alg)];
  if (kty === EC2 && alg === ALGORITHMS[0] && cose.get(LABEL.curve) === P256)
    return { kty: 'EC2', x: bytes(LABEL.x), y: bytes(LABEL.y) };
  if (kty === RSA && alg === ALGORITHMS[1]) return { kty: 'RSA', n: bytes(LABEL.n), e: bytes(LABEL.e) };
  throw new Error('its public key is neither ES256 on P-256 nor RS256');
}

const LONGEST_PROBLEM = 160;

/** The first line: some messages have whole certificates after it. */
function textOf(error: unknown): string {
  const [line = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
  return line.replace(/[^\x20-\x7e]/g, '?').slice(0, LONGEST_PROBLEM);
}

if ((workerData as { verifiesAttestations?: boolean } | null)?.verifiesAttestations) await serve();
