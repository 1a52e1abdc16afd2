import { base58 } from '@scure/base';
import { HEX_ADDRESS, toChecksumAddress } from '../../chains/ethereum/address.ts';
import { ConfigError } from '../../config.ts';
import { COIN_DECIMALS, formatPrice } from '../../model/gas.ts';

export type Kind = keyof typeof COIN_DECIMALS;

/** The requested withdrawal, in the smallest unit. `amount` undefined: all that is free, and at most `atMost` if that is given. */
export type Wish = { to: string; amount: bigint | undefined; atMost?: bigint | undefined };

/** The same in coins, as decimal texts. */
export type Asking = { network: string; to: string; amount?: string | undefined };

export const coinsOf = (kind: Kind, units: bigint): string => formatPrice(units * 10n ** BigInt(18 - COIN_DECIMALS[kind]));

/** The reverse. */
export function unitsOf(kind: Kind, coins: string): bigint {
  const [whole = '', decimals = ''] = coins.split('.');
  return BigInt(whole + decimals.padEnd(COIN_DECIMALS[kind], '0'));
}

const AMOUNT = /^(\d{1,12})(?:\.(\d{1,18}))?$/;

function amountOf(kind: Kind, text: string): bigint {
  const digits = COIN_DECIMALS[kind];
  const [, whole, decimals = ''] = AMOUNT.exec(text) ?? [];
  if (whole === undefined || decimals.length > digits || /^[0.]*$/.test(text))
    throw new ConfigError(
      `--amount must be a number of coins above 0 with at most ${digits} decimals, such as 0.5, not "${text}"`,
    );
  return unitsOf(kind, text);
}

/** Lower case. */
function ethereumRecipient(text: string): string {
  if (!HEX_ADDRESS.test(text)) throw new ConfigError(`--to must be an address, 0x and 40 hex digits, not "${text}"`);
  const digits = text.slice(2);
  const isMixed = digits !== digits.toLowerCase() && digits !== digits.toUpperCase();
  if (isMixed && text !== toChecksumAddress(text))
    throw new ConfigError(`--to has a wrong checksum (EIP-55): a character of ${text} is wrong, so copy it again`);
  if (/^0+$/.test(digits)) throw new ConfigError('--to must not be the zero address: coins sent there are lost');
  return text.toLowerCase();
}

function solanaRecipient(text: string): string {
  let key: Uint8Array;
  try {
    key = base58.decode(text);
  } catch {
    key = new Uint8Array();
  }
  if (key.length !== 32) throw new ConfigError(`--to must be a Solana address, 32 bytes in base58, not "${text}"`);
  if (key.every((byte) => byte === 0))
    throw new ConfigError('--to must not be the address of the System program, 32 zero bytes: coins sent there are lost');
  return text;
}

/** Throws ConfigError. */
export const wishOf = (kind: Kind, { to, amount }: Asking): Wish => ({
  to: kind === 'eip155' ? ethereumRecipient(to) : solanaRecipient(to),
  amount: amount === undefined ? undefined : amountOf(kind, amount),
});
