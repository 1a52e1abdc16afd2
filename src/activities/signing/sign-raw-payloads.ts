import { z } from 'zod';
import { hashBudget } from '../../chains/ethereum/eip712.ts';
import { payloadToSign, TYPED_DATA, unreadEncodings } from '../../chains/shared/payload.ts';
import { PAYLOAD_ROOTS, payloadView } from '../../chains/shared/policy-view.ts';
import { signatureText } from '../../chains/shared/signing.ts';
import { keyOf, lookUpSigner, schemeOf, usableSigner } from '../../domain/keys/signers.ts';
import { reviewTypedData } from '../../domain/keys/typed-data.ts';
import { SIGNER_ROOTS, viewOfSigner } from '../../domain/policies/policy-view.ts';
import { payloadsTaken } from '../../domain/transfers/taken.ts';
import { activity, STRING } from '../../engine/activity/declare.ts';
import { v1 } from '../../engine/activity/versions.ts';
import { Payload, payloadFields, Signature, SignWith } from '../../wire/signing.ts';

const MANY = 256;

export const signRawPayloads = activity({
  kind: 'SIGN_RAW_PAYLOADS',
  resource: 'PRIVATE_KEY',
  action: 'SIGN',
  summary: 'Sign several payloads with one wallet account or private key: all or none',
  custody: 'sign',
  writes: false,
  usage: { signatures: ({ payloads }) => payloads.length },
  params: v1(
    z.object({
      signWith: SignWith,
      payloads: z.array(Payload).min(1, 'must hold at least one payload').max(MANY),
      ...payloadFields,
    }),
  ),
  policyParams: {
    hash_function: [STRING, ({ hashFunction }) => hashFunction],
    encoding: [STRING, ({ encoding }) => encoding],
  },
  policyRoots: [...SIGNER_ROOTS, ...PAYLOAD_ROOTS],
  unread: { encoding: unreadEncodings },
  resolve: ({ ctx: { read, organization }, intent: { signWith } }) => lookUpSigner(read, organization.id, signWith),
  takes: ({ ctx, intent: { payloads, encoding }, subject }) =>
    payloadsTaken(
      ctx,
      subject,
      payloads.map((payload) => ({ payload, encoding })),
    ),
  async policyView({ ctx, intent: { payloads, encoding }, subject: found }) {
    const signer = await viewOfSigner(ctx, found);
    const budget = hashBudget();
    return payloads.map((payload) => ({ ...signer, ...payloadView(payload, encoding, budget) }));
  },
  result: { key: 'signRawPayloadsResult', shape: z.object({ signatures: z.array(Signature) }) },
  errors: [usableSigner],
  review({ ctx, intent: { payloads, encoding } }) {
    if (encoding === TYPED_DATA)
      for (const [i, payload] of payloads.entries()) reviewTypedData(ctx, payload, `parameters.payloads[${i}]`);
    return undefined;
  },
  async execute({ ctx, intent: { signWith, payloads, encoding, hashFunction }, subject: found }) {
    const signer = usableSigner(found, signWith);
    const key = keyOf(signer);
    const scheme = schemeOf(signer);
    const budget = hashBudget();
    const inputs = payloads.map((payload, i) =>
      payloadToSign({ payload, encoding, hashFunction, curve: key.curve, scheme, budget, field: `parameters.payloads[${i}]` }),
    );
    return { signatures: ctx.vault.sign(key, scheme, inputs).map(signatureText) };
  },
});
