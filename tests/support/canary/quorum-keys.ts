import {
  newDeployment,
  newQuorumKey,
  Outsider,
  outsideQuorumKey,
  reEncrypting,
  severalHosted,
} from '../../activities/quorum-keys/support.ts';
import { FakeRunner } from '../fake-runner.ts';
import type { Flow } from './flows.ts';
import type { World } from './world.ts';

/** The runner rebuilds the key: the shares and the key are in it alone. */
async function rebuilt({ secret }: World, runner: FakeRunner, deployed: { organizationId: string; deploymentId: string }) {
  for (const share of await runner.openedShares(deployed)) secret('a share of a quorum key', share.toString('hex'));
  const keys = await runner.rebuild(deployed);
  if (keys === undefined) throw new Error('the shares do not give the quorum key');
  for (const key of [keys.encrypt, keys.sign]) secret('a quorum key', key.toString('hex'));
  for (const key of Object.values(runner.ephemeral.keys)) secret('an ephemeral key', key.toString('hex'));
}

export const quorumKeys: Flow = {
  kinds: ['CREATE_TVC_QUORUM_KEY', 'RE_ENCRYPT_TVC_QUORUM_KEY_SHARE', 'POST_TVC_QUORUM_KEY_SHARE'],
  async run(world) {
    const { root, secret, done, fails, appsSocket } = world;
    const hosted = await severalHosted(root, 3);
    const { quorumPublicKey } = await newQuorumKey(root, hosted);
    const own = await newDeployment(root, { quorumPublicKey, hosted, debugMode: true });
    await own.approve();
    const runner = new FakeRunner(appsSocket);
    await runner.leased(own.deploymentId);
    await runner.attest(own);
    const wishes = [await reEncrypting(root, own, hosted[0]!), await reEncrypting(root, own, hosted[2]!)];
    await fails(root, 'RE_ENCRYPT_TVC_QUORUM_KEY_SHARE', { ...wishes[0], operatorSignKey: hosted[1]!.signPublicKey });
    for (const wish of wishes) await done(root, 'RE_ENCRYPT_TVC_QUORUM_KEY_SHARE', wish, 'reEncryptTvcQuorumKeyShareResult');
    await fails(root, 'RE_ENCRYPT_TVC_QUORUM_KEY_SHARE', { ...wishes[0], extra: 1 });
    await rebuilt(world, runner, own);
    const outsiders = [new Outsider('one'), new Outsider('two')];
    const theirs = await newDeployment(root, { quorumPublicKey: outsideQuorumKey(outsiders), outsiders });
    for (const { share } of outsiders) secret('an operator’s share', share!.toString('hex'));
    await theirs.approve();
    await runner.leased(theirs.deploymentId);
    await runner.attest(theirs);
    for (const one of outsiders) {
      const parameters = one.posting(theirs, runner.ephemeralPublicKey);
      await done(root, 'POST_TVC_QUORUM_KEY_SHARE', parameters, 'postTvcQuorumKeyShareResult');
      await fails(root, 'POST_TVC_QUORUM_KEY_SHARE', { ...parameters, extra: 1 });
    }
    await rebuilt(world, runner, theirs);
  },
};
