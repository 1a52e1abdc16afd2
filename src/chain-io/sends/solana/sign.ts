import { base58 } from '@scure/base';
import { sameBytes } from '../../../base/bytes.ts';
import { withBlockhash } from '../../../chains/solana/change.ts';
import type { Message } from '../../../chains/solana/message.ts';
import { takenFromPayer } from '../../../chains/solana/programs.ts';
import { readTransaction, SIGNATURE, unsigned } from '../../../chains/solana/wire.ts';
import type { PaymasterVault, SigningVault } from '../../../custody/types.ts';
import { keyOf } from '../../../domain/keys/signers.ts';
import type { SolanaIntent } from '../../../model/solana-intent.ts';
import type { SealedSigner } from '../../../store/types.ts';

export type SolanaTools = { vault: SigningVault; paymaster: Pick<PaymasterVault, 'address' | 'signMessage'> };

/** `signers`: of `intent.signWiths`. `blockhash`: in place of the one that the service chose before. */
type Signing = {
  intent: SolanaIntent;
  sponsored: boolean;
  signers: readonly SealedSigner[];
  blockhash: string | undefined;
};

/** `hash`: the first signature in base58, which is the transaction’s name. */
export type SolanaSigned = { signed: Buffer; hash: string };

/** The paymaster signs for the fee, and for the counted rent. Whatever was judged, it signs for nothing else. */
function payerOf(paymaster: SolanaTools['paymaster'], message: Message, { rent }: SolanaIntent): string {
  const address = paymaster.address('solana');
  if (base58.encode(message.keys[0]!) !== address) throw new Error('its sponsor is not the payer of its fee');
  if (takenFromPayer(message) !== BigInt(rent)) throw new Error('an instruction uses the account that sponsors it');
  return address;
}

/** Signs the judged transaction. Awaits nothing. */
export function signSolana({ vault, paymaster }: SolanaTools, { intent, sponsored, signers, blockhash }: Signing): SolanaSigned {
  const given = Buffer.from(intent.transaction, 'base64');
  const signed =
    blockhash === undefined
      ? given
      : Buffer.from(unsigned(withBlockhash(readTransaction(given).message, base58.decode(blockhash))));
  const { slots, start, message } = readTransaction(signed);
  const toSign = signed.subarray(start);
  const slotOf = (address: string): number => {
    const key = base58.decode(address);
    const index = message.keys.slice(0, message.requiredSignatures).findIndex((each) => sameBytes(each, key));
    if (index < 0) throw new Error(`${address} is no signer of the transaction`);
    return slots + index * SIGNATURE;
  };
  const made = signers.map((signer): [number, Uint8Array] => {
    const [signature] = vault.sign(keyOf(signer), 'ed25519', [{ message: toSign }]);
    return [slotOf(signer.signer.address), Buffer.concat([signature!.r, signature!.s])];
  });
  if (sponsored) made.push([slotOf(payerOf(paymaster, message, intent)), paymaster.signMessage(toSign)]);
  for (const [slot, signature] of made) signed.set(signature, slot);
  return { signed, hash: base58.encode(signed.subarray(slots, slots + SIGNATURE)) };
}
