import { readFileSync } from 'node:fs';
import { zero } from '../base/bytes.ts';
import { CommandFailed } from '../base/command-failed.ts';
import { systemRandom } from '../base/random.ts';
import { openAttestation } from '../crypto/attestation.ts';
import { BundleError } from '../crypto/bundle.ts';
import { sealQuorumEnvelope } from '../crypto/quorum-envelope.ts';
import { quorumPublicHalves } from '../crypto/quorum-key.ts';
import { answer, ask, type Context, json, manifestIn, requireSame, type Told } from './apps-shared.ts';
import type { Deployment } from './apps-text.ts';
import { UsageError } from './client.ts';
import { clientOf, submit } from './operations.ts';
import { readOperatorKey } from './operator-key.ts';
import { printable } from './printable.ts';

type Details = { attestationDocument: string; provisioningState: string };
type Discovery = { keys: { name: string; publicKey: string }[] };
type Activity = { id: string; status: string };
type Member = Deployment['shareSet']['operators'][number];

/** The half to encrypt to, in hex. */
const POINT_DIGITS = 130;

async function attestationSigner({ options }: Context): Promise<Buffer> {
  const { baseUrl } = clientOf(options);
  const response = await fetch(`${baseUrl}/public/v1/discovery/keys`);
  const { keys } = (await response.json()) as Discovery;
  const found = keys.find(({ name }) => name === 'attestation-signer');
  if (found === undefined) throw new CommandFailed(`${baseUrl} publishes no key that signs attestation documents`);
  return Buffer.from(found.publicKey, 'hex');
}

/** The ephemeral key that the service vouches for, for this manifest alone. */
async function ephemeralKey(document: string, manifestHash: Buffer, context: Context): Promise<Buffer> {
  const attested = openAttestation(Buffer.from(document, 'base64'), await attestationSigner(context));
  if (attested === undefined)
    throw new CommandFailed('the attestation document is not signed by the service, so no share was posted');
  if (!attested.userData.equals(manifestHash))
    throw new CommandFailed('the attestation document is about another manifest, so no share was posted');
  return attested.publicKey;
}

/** The share, sealed to the ephemeral key instead of the operator's. */
function sealedAnew(file: string, ephemeral: Buffer, open: (sealed: Buffer) => Buffer): string {
  const text = readFileSync(file, 'utf8').trim();
  if (!/^([0-9a-fA-F]{2})+$/.test(text)) throw new UsageError(`${file} is no share: it must hold hex digits`);
  let plain: Buffer;
  try {
    plain = open(Buffer.from(text, 'hex'));
  } catch (error) {
    if (error instanceof BundleError) throw new CommandFailed(`${file} is no share that is sealed to this operator`);
    throw error;
  }
  try {
    return sealQuorumEnvelope(quorumPublicHalves(ephemeral)!.encrypt, plain, systemRandom).toString('hex');
  } finally {
    zero(plain);
  }
}

const memberOf = ({ shareSet }: Deployment, is: (one: Member) => boolean, wanted: string): Member => {
  const found = shareSet.operators.find(is);
  if (found === undefined) throw new CommandFailed(`${wanted} is no operator of the share set of this deployment`);
  return found;
};

/** `countersign apps post-share` */
export async function postShare(context: Context): Promise<Told> {
  const { operand: deploymentId, now, options } = context;
  const { key: keyFile, share, operator: name } = options;
  if ((name === undefined) === (keyFile === undefined) || (keyFile === undefined) !== (share === undefined))
    throw new UsageError(
      'name an operator: countersign apps post-share DEPLOYMENT_ID --operator NAME, or --key FILE --share FILE',
    );
  const { tvcDeployment } = await ask<{ tvcDeployment: Deployment }>('get_tvc_deployment', { deploymentId }, options);
  const { manifest, hash } = manifestIn(tvcDeployment);
  const manifestHash = hash.toString('hex');
  requireSame({ option: '--hash', wanted: options.hash, found: manifestHash, text: 'this is another manifest: its hash' });
  const { attestationDocument } = await ask<Details>('get_tvc_deployment_provisioning_details', { deploymentId }, options);
  const ephemeral = await ephemeralKey(attestationDocument, hash, context);
  const key = keyFile === undefined ? undefined : readOperatorKey(keyFile);
  const member =
    key === undefined
      ? memberOf(tvcDeployment, (one) => one.name === name, name!)
      : memberOf(tvcDeployment, (one) => one.publicKey === key.publicKey, keyFile!);
  const ephemeralPublicKeyHex = ephemeral.toString('hex');
  const seen = { deploymentId, manifestHash, ephemeralPublicKeyHex, operatorId: member.id };
  const who = printable(member.name);
  if (options['dry-run'])
    return { text: options.json ? json(seen) : `No share was posted: operator ${who} would post one.\n`, code: 0 };
  const [kind, parameters] =
    key === undefined
      ? ([
          're_encrypt_tvc_quorum_key_share',
          {
            deploymentId,
            attestationDocB64: attestationDocument,
            manifestB64: tvcDeployment.manifest.manifest,
            operatorEncryptKey: member.publicKey.slice(0, POINT_DIGITS),
            operatorSignKey: member.publicKey.slice(POINT_DIGITS),
            appQuorumKey: manifest.namespace.quorumKey,
          },
        ] as const)
      : ([
          'post_tvc_quorum_key_share',
          {
            deploymentId,
            ephemeralPublicKeyHex,
            shareApprovalBundle: {
              operatorId: member.id,
              reEncryptedShareHex: sealedAnew(share!, ephemeral, key.open),
              signature: key.sign(hash),
            },
          },
        ] as const);
  const { activity } = await answer<{ activity: Activity }>(submit(kind, JSON.stringify(parameters), now(), options));
  if (options.json) return { text: json({ ...seen, activityId: activity.id, status: activity.status }), code: 0 };
  const text =
    activity.status === 'ACTIVITY_STATUS_COMPLETED'
      ? `Operator ${who} has posted its share.\n`
      : `Activity ${activity.id} waits for approvals of users (${activity.status}). No share was posted yet.\n`;
  return { text, code: 0 };
}
