import { sameBytes } from '../../base/bytes.ts';
import { invalidTransaction } from '../shared/transaction.ts';
import type { Instruction, Message } from './message.ts';

export const withBlockhash = (message: Message, blockhash: Uint8Array): Message => ({ ...message, blockhash });

/** The same instructions, with their accounts at other indexes. */
const moved = (instructions: readonly Instruction[], to: (index: number) => number): Instruction[] =>
  instructions.map(({ program, accounts, data }) => ({ program: to(program), accounts: accounts.map(to), data }));

/**
 * Changes the account that pays the fee. The previous payer stays a signer with the same rights. No instruction may name the new
 * payer: it would have the payer's signature, and with it the payer's money.
 */
export function withFeePayer(message: Message, payer: Uint8Array): Message {
  const at = message.keys.findIndex((key) => sameBytes(key, payer));
  if (at > 0 || message.instructions.some(({ accounts }) => at === 0 && accounts.includes(0)))
    throw invalidTransaction('an instruction must not use the account that sponsors it');
  if (at === 0) return message;
  return {
    ...message,
    requiredSignatures: message.requiredSignatures + 1,
    keys: [payer, ...message.keys],
    instructions: moved(message.instructions, (index) => index + 1),
  };
}

type Added = Omit<Instruction, 'program'>;

/** Adds instructions of one program, before the instruction `before`. */
export function withInstructions(message: Message, program: Uint8Array, instructions: readonly Added[], before: number): Message {
  const known = message.keys.findIndex((key) => sameBytes(key, program));
  const { length } = message.keys;
  // A new key goes after the message's own, among those that are only read. Accounts from lookup tables come after it.
  const own = moved(message.instructions, (index) => (known < 0 && index >= length ? index + 1 : index));
  const added = instructions.map((each) => ({ program: known < 0 ? length : known, ...each }));
  return {
    ...message,
    ...(known < 0 ? { keys: [...message.keys, program], readonlyUnsigned: message.readonlyUnsigned + 1 } : {}),
    instructions: [...own.slice(0, before), ...added, ...own.slice(before)],
  };
}
