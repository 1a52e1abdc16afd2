import { randomBytes, randomUUID } from 'node:crypto';
import { request } from 'node:http';
import { json } from 'node:stream/consumers';
import { openQuorumBytes } from '../../src/crypto/quorum-envelope.ts';
import { type QuorumKeys, quorumKeys, quorumPublicKey } from '../../src/crypto/quorum-key.ts';
import { combineShares } from '../../src/crypto/shamir.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are looked into freely by tests
export type RunnerAnswer = { status: number; body: any };

/** One call over the socket of APPS_SOCKET. */
export function runnerCall(socketPath: string, path: string, body: unknown, method = 'POST'): Promise<RunnerAnswer> {
  return new Promise((done, fail) => {
    const sent = request({ socketPath, path, method, headers: { connection: 'close' } }, async (response) => {
      done({ status: response.statusCode!, body: await json(response) });
    });
    sent.once('error', fail).end(typeof body === 'string' ? body : JSON.stringify(body));
  });
}

export const newKeys130 = (): { keys: QuorumKeys; publicKey: Buffer } => {
  const keys = quorumKeys(randomBytes(32))!;
  return { keys, publicKey: quorumPublicKey(keys) };
};

type Place = { organizationId: string; deploymentId: string };

/** A runner that runs nothing: it provisions deployments, and tells what it is told to. */
export class FakeRunner {
  readonly runner = randomUUID();
  readonly socket: string;
  ephemeral = newKeys130();

  constructor(socket: string) {
    this.socket = socket;
  }

  ask(path: string, more: object): Promise<RunnerAnswer> {
    return runnerCall(this.socket, `/v1/${path}`, { runner: this.runner, ...more });
  }

  // biome-ignore lint/suspicious/noExplicitAny: answers are looked into freely by tests
  async done(path: string, more: object): Promise<any> {
    const { status, body } = await this.ask(path, more);
    if (status !== 200) throw new Error(`${path}: ${status} ${JSON.stringify(body)}`);
    return body;
  }

  /** Leases everything that is free; returns the one deployment. */
  async leased(deploymentId: string) {
    for (;;) {
      const { deployments } = await this.done('lease', { most: 16 });
      const found = deployments.find((one: Place) => one.deploymentId === deploymentId);
      if (found !== undefined) return found;
      if (deployments.length === 0) throw new Error(`deployment ${deploymentId} is not free`);
    }
  }

  get ephemeralPublicKey(): string {
    return this.ephemeral.publicKey.toString('hex');
  }

  place({ organizationId, deploymentId }: Place): Place {
    return { organizationId, deploymentId };
  }

  at(place: Place) {
    return { ...this.place(place), ephemeralPublicKey: this.ephemeralPublicKey };
  }

  /** Makes a new ephemeral key. */
  async attest(place: Place): Promise<string> {
    this.ephemeral = newKeys130();
    return (await this.done('attest', this.at(place))).attestationDocument;
  }

  async openedShares(place: Place): Promise<Buffer[]> {
    const { shares } = await this.done('shares', this.at(place));
    const { encrypt } = this.ephemeral.keys;
    const receiver = this.ephemeral.publicKey.subarray(0, 65);
    return shares.map(({ share }: { share: string }) => openQuorumBytes(Buffer.from(share, 'hex'), encrypt, receiver));
  }

  /** The quorum key that the posted shares give, if it is that of the app. Reports what came of it. */
  async rebuild(place: Place): Promise<QuorumKeys | undefined> {
    const { threshold, quorumPublicKey: wanted } = await this.done('shares', this.at(place));
    const shares = await this.openedShares(place);
    if (shares.length < threshold) return undefined;
    const secret = combineShares(shares);
    const keys = secret && quorumKeys(secret);
    const isRight = keys !== undefined && quorumPublicKey(keys).toString('hex') === wanted;
    await this.done('report', { ...this.at(place), state: isRight ? 'provisioned' : 'refused', problem: '' });
    return isRight ? keys : undefined;
  }
}
