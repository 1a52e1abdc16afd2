import { payloadToSign, TYPED_DATA, unreadEncodings } from '../../chains/shared/payload.ts';
import { PAYLOAD_ROOTS, payloadView } from '../../chains/shared/policy-view.ts';
import { signatureText } from '../../chains/shared/signing.ts';
import { keyOf, lookUpSigner, schemeOf, usableSigner } from '../../domain/keys/signers.ts';
import { reviewTypedData } from '../../domain/keys/typed-data.ts';
import { SIGNER_ROOTS, viewOfSigner } from '../../domain/policies/policy-view.ts';
import { payloadsTaken } from '../../domain/transfers/taken.ts';
import { activity, STRING } from '../../engine/activity/declare.ts';
import { Signature } from '../../wire/signing.ts';
import { params } from './sign-raw-payload.history.ts';

export const signRawPayload = activity({
  kind: 'SIGN_RAW_PAYLOAD',
  resource: 'PRIVATE_KEY',
  action: 'SIGN',
  summary: 'Sign a payload with a wallet account or private key',
  custody: 'sign',
  writes: false,
  usage: { signatures: 1 },
  params,
  policyParams: {
    hash_function: [STRING, ({ hashFunction }) => hashFunction],
    encoding: [STRING, ({ encoding }) => encoding],
  },
  policyRoots: [...SIGNER_ROOTS, ...PAYLOAD_ROOTS],
  unread: { encoding: unreadEncodings },
  resolve: ({ ctx: { read, organization }, intent: { signWith } }) => lookUpSigner(read, organization.id, signWith),
  takes: ({ ctx, intent, subject }) => payloadsTaken(ctx, subject, [intent]),
  async policyView({ ctx, intent: { payload, encoding }, subject: signer }) {
    return [{ ...(await viewOfSigner(ctx, signer)), ...payloadView(payload, encoding) }];
  },
  result: { key: 'signRawPayloadResult', shape: Signature },
  errors: [usableSigner],
  review({ ctx, intent: { payload, encoding } }) {
    if (encoding === TYPED_DATA) reviewTypedData(ctx, payload, 'parameters.payload');
    return undefined;
  },
  async execute({ ctx, intent: { signWith, ...payload }, subject: found }) {
    const signer = usableSigner(found, signWith);
    const key = keyOf(signer);
    const scheme = schemeOf(signer);
    const [signature] = ctx.vault.sign(key, scheme, [payloadToSign({ ...payload, curve: key.curve, scheme })]);
    return signatureText(signature!);
  },
});
