import { z } from 'zod';
import { hexBytes, toHex } from '../../base/bytes.ts';
import { invalid } from '../../base/errors.ts';
import { sparkSignatureRequest } from '../../chains/spark/policy-types.ts';
import { USER_IDENTIFIER } from '../../crypto/spark/frost.ts';
import type { SparkKey } from '../../crypto/spark/paths.ts';
import { comparableAddress, sparkAccount } from '../../domain/spark/account.ts';
import { checkPoint, checkUnique } from '../../domain/spark/check.ts';
import { bySparkSigner } from '../../domain/spark/signer.ts';
import { derivationView } from '../../domain/spark/views.ts';
import { TRANSFERS_BY_KIND } from '../../domain/transfers/kinds.ts';
import { taken } from '../../domain/transfers/taken.ts';
import { activity, listOf, STRING } from '../../engine/activity/declare.ts';
import { v1 } from '../../engine/activity/versions.ts';
import { type SparkDerivation, SparkFrostParams } from '../../wire/spark.ts';

type Request = SparkFrostParams['signatures'][number];

const USER = toHex(USER_IDENTIFIER);

export const sparkSignFrost = activity({
  kind: 'SPARK_SIGN_FROST',
  ...bySparkSigner,
  takes: ({ ctx, subject }) => taken(ctx, subject, TRANSFERS_BY_KIND.SPARK_SIGN_FROST),
  usage: { signatures: 1 },
  summary: 'Make a Spark account’s shares of FROST signatures, each with a fresh nonce',
  params: v1(SparkFrostParams),
  policyParams: {
    sign_with: [STRING, comparableAddress],
    signatures: [listOf(sparkSignatureRequest), ({ signatures }) => signatures.map(requestView)],
  },
  result: {
    key: 'sparkSignFrostResult',
    shape: z.object({ signatures: z.array(z.object({ signatureShare: z.string(), hiding: z.string(), binding: z.string() })) }),
  },
  errors: [sparkAccount, checkPoint, checkUnique],
  check({ intent: { signatures } }) {
    for (const [i, request] of signatures.entries()) checkRequest(request, `parameters.signatures[${i}]`);
  },
  async prepare({ ctx, intent: { signWith, signatures } }) {
    const account = await sparkAccount(ctx.read, ctx.organization, signWith);
    return ctx.vault.signFrost(account, signatures.map(requestOf));
  },
  async execute({ prepared }) {
    const signatures = prepared.map(({ share, hiding, binding }) => ({
      signatureShare: toHex(share),
      hiding: toHex(hiding),
      binding: toHex(binding),
    }));
    return { signatures };
  },
});

function checkRequest({ derivation, verifyingKey, operatorCommitments, adaptorPublicKey }: Request, field: string): void {
  if (derivation.htlcPreimage) throw invalid(`${field}.derivation`, 'must not be htlcPreimage: that key never signs');
  checkPoint(verifyingKey, `${field}.verifyingKey`);
  if (adaptorPublicKey !== undefined) checkPoint(adaptorPublicKey, `${field}.adaptorPublicKey`);
  const at = (i: number) => `${field}.operatorCommitments[${i}]`;
  for (const [i, { id, hiding, binding }] of operatorCommitments.entries()) {
    if (id === USER) throw invalid(`${at(i)}.id`, 'must be an operator’s id, not that of the user');
    checkPoint(hiding, `${at(i)}.hiding`);
    checkPoint(binding, `${at(i)}.binding`);
  }
  checkUnique(
    operatorCommitments.map(({ id }) => id),
    (i) => `${at(i)}.id`,
    'must differ from the other operators’ ids',
  );
}

function keyOf({ signingLeaf, deposit, staticDeposit }: SparkDerivation): SparkKey {
  if (signingLeaf) return { type: 'signingLeaf', ...signingLeaf };
  if (staticDeposit) return { type: 'staticDeposit', ...staticDeposit };
  return { type: deposit ? 'deposit' : 'identity' };
}

const requestOf = ({ derivation, message, verifyingKey, operatorCommitments, adaptorPublicKey }: Request) => ({
  key: keyOf(derivation),
  message: hexBytes(message),
  verifyingKey: hexBytes(verifyingKey),
  commitments: operatorCommitments.map(({ id, hiding, binding }) => ({
    id: hexBytes(id),
    hiding: hexBytes(hiding),
    binding: hexBytes(binding),
  })),
  adaptor: adaptorPublicKey === undefined ? undefined : hexBytes(adaptorPublicKey),
});

const requestView = ({ derivation, message, verifyingKey, operatorCommitments, adaptorPublicKey }: Request) => ({
  derivation: derivationView(derivation),
  message,
  verifying_key: verifyingKey,
  operator_commitments: operatorCommitments,
  adaptor_public_key: adaptorPublicKey ?? '',
});
