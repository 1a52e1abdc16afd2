import { z } from 'zod';
import { toHex } from '../../base/bytes.ts';
import { sparkLightningReceivePackage } from '../../chains/spark/policy-types.ts';
import { comparableAddress, sparkAccount } from '../../domain/spark/account.ts';
import { checkRecipients } from '../../domain/spark/check.ts';
import { packagesText, recipientsOf } from '../../domain/spark/packages.ts';
import { bySparkSigner } from '../../domain/spark/signer.ts';
import { recipientsView } from '../../domain/spark/views.ts';
import { TRANSFERS_BY_KIND } from '../../domain/transfers/kinds.ts';
import { taken } from '../../domain/transfers/taken.ts';
import { activity, STRING } from '../../engine/activity/declare.ts';
import { v1 } from '../../engine/activity/versions.ts';
import { SparkLightningParams, SparkOperatorPackages } from '../../wire/spark.ts';

export const sparkPrepareLightningReceive = activity({
  kind: 'SPARK_PREPARE_LIGHTNING_RECEIVE',
  ...bySparkSigner,
  takes: ({ ctx, subject }) => taken(ctx, subject, TRANSFERS_BY_KIND.SPARK_PREPARE_LIGHTNING_RECEIVE),
  usage: { signatures: 1 },
  summary: 'Make the preimage of a Lightning invoice, of which only Spark’s operators get shares',
  params: v1(SparkLightningParams),
  policyParams: {
    sign_with: [STRING, comparableAddress],
    lightning_receive: [sparkLightningReceivePackage, ({ lightningReceive }) => recipientsView(lightningReceive)],
  },
  result: {
    key: 'sparkPrepareLightningReceiveResult',
    shape: z.object({ operatorPackages: SparkOperatorPackages, paymentHash: z.string() }),
  },
  errors: [sparkAccount, checkRecipients],
  check: ({ intent: { lightningReceive } }) => checkRecipients(lightningReceive, 'parameters.lightningReceive'),
  async prepare({ ctx, intent: { signWith, lightningReceive } }) {
    // The preimage is no key of the account, but is made only for one that exists.
    await sparkAccount(ctx.read, ctx.organization, signWith);
    return ctx.vault.prepareLightningReceive(recipientsOf(lightningReceive));
  },
  async execute({ intent: { lightningReceive }, prepared: { packages, paymentHash } }) {
    return { operatorPackages: packagesText(lightningReceive, packages), paymentHash: toHex(paymentHash) };
  },
});
