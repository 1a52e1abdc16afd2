/** Spark's activities by the published clients; a transfer goes from one account to the other. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { ApiKeyStamper } from '@turnkey/api-key-stamper';
import { TurnkeyClient } from '@turnkey/http';
import { type Turnkey, Turnkey as TurnkeyServer } from '@turnkey/sdk-server';
import {
  bytes,
  fields,
  keyOf,
  leafPath,
  operators,
  pointOf,
  type SparkWallet,
  sparkWallet,
  text,
  unseal,
} from '../activities/spark/support.ts';
import { freshTimestamp } from '../support/client.ts';
import { sharedInstance } from '../support/instance.ts';

const instance = await sharedInstance();
const { apiPublicKey, apiPrivateKey, organizationId } = instance.credentials;
const stamper = new ApiKeyStamper({ apiPublicKey, apiPrivateKey });

type Api = Pick<
  ReturnType<Turnkey['apiClient']>,
  'sparkSignFrost' | 'sparkPrepareTransfer' | 'sparkClaimTransfer' | 'sparkPrepareLightningReceive'
>;

/** The part of `@turnkey/core` that talks to a service. The rest of it needs a browser. */
async function coreClient(): Promise<Api> {
  const inside = new URL('./__generated__/sdk-client-base.mjs', pathToFileURL(import.meta.resolve('@turnkey/core').slice(7)));
  const { TurnkeySDKClientBase } = (await import(inside.href)) as { TurnkeySDKClientBase: new (config: object) => Api };
  return new TurnkeySDKClientBase({ apiBaseUrl: instance.url, organizationId, apiKeyStamper: stamper });
}

/** `@turnkey/http` takes whole bodies, and gives whole activities. */
function httpClient(): Api {
  const http = new TurnkeyClient({ baseUrl: instance.url }, stamper);
  const call =
    (name: 'SignFrost' | 'PrepareTransfer' | 'ClaimTransfer' | 'PrepareLightningReceive') => async (parameters: object) => {
      const type = `ACTIVITY_TYPE_SPARK${name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
      const body = { type, organizationId, timestampMs: freshTimestamp(), parameters };
      const { activity } = await http[`spark${name}`](body as never);
      return { activity, ...activity.result[`spark${name}Result`] };
    };
  return {
    sparkSignFrost: call('SignFrost'),
    sparkPrepareTransfer: call('PrepareTransfer'),
    sparkClaimTransfer: call('ClaimTransfer'),
    sparkPrepareLightningReceive: call('PrepareLightningReceive'),
  } as unknown as Api;
}

const clients: [string, () => Promise<Api> | Api][] = [
  [
    '@turnkey/sdk-server',
    () =>
      new TurnkeyServer({
        apiBaseUrl: instance.url,
        apiPublicKey,
        apiPrivateKey,
        defaultOrganizationId: organizationId,
      }).apiClient(),
  ],
  ['@turnkey/http', httpClient],
  ['@turnkey/core', coreClient],
];

let sender: SparkWallet;
let receiver: SparkWallet;
before(async () => {
  sender = await sparkWallet(instance.root);
  receiver = await sparkWallet(instance.root, 1);
});

const recipients = { threshold: 2, operatorRecipients: operators(3) };
const transferId = '019a0f3e-1111-7abc-8def-0123456789ab';

for (const [name, clientOf] of clients)
  test(`${name} signs, transfers, claims and receives`, async () => {
    const client = await clientOf();
    const commitment = { id: text(keyOf('id')), hiding: pointOf('hiding'), binding: pointOf('binding') };
    const signed = await client.sparkSignFrost({
      signWith: sender.address,
      signatures: [
        {
          derivation: { staticDeposit: { index: 0 } },
          message: text(keyOf('message')),
          verifyingKey: pointOf('verifying'),
          operatorCommitments: [commitment],
        },
      ],
    });
    assert.match(signed.signatures[0]!.signatureShare, /^[0-9a-f]{64}$/);
    assert.equal(signed.activity.status, 'ACTIVITY_STATUS_COMPLETED');

    const [old, next] = [{ signingLeaf: { leafId: 'old' } }, { signingLeaf: { leafId: 'next' } }];
    const sent = await client.sparkPrepareTransfer({
      signWith: sender.address,
      transfer: {
        transferId,
        leaves: [{ leafId: 'old', oldLeafDerivation: old, newLeafDerivation: next }],
        ...recipients,
        receiverPublicKey: receiver.publicKey,
      },
    });
    assert.deepEqual(
      sent.newLeafPublicKeys.map(({ leafId }) => leafId),
      ['next'],
    );
    const opened = unseal(keyOf('operator 1'), sent.operatorPackages[0]!.encryptedPackage);
    const tweak = fields(fields(opened)[1]![0]!);
    const ciphertext = text(tweak[4]![0]!);
    assert.deepEqual(unseal(receiver.keyAt("0'"), ciphertext), sender.keyAt(leafPath('next')));

    const claimed = await client.sparkClaimTransfer({
      signWith: receiver.address,
      claim: {
        leaves: [{ leafId: 'old', ciphertext, senderSignature: text(tweak[5]![0]!) }],
        ...recipients,
        transferId,
        senderIdentityPublicKey: sender.publicKey,
      },
    });
    assert.deepEqual([claimed.operatorPackages.length, claimed.newLeafPublicKeys.length], [3, 1]);

    const received = await client.sparkPrepareLightningReceive({ signWith: receiver.address, lightningReceive: recipients });
    assert.equal(received.operatorPackages.length, 3);
    assert.equal(bytes(received.paymentHash).length, 32);
  });
