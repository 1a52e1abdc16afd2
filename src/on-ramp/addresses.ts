import { base58, bech32, bech32m, createBase58check } from '@scure/base';
import { sha256 } from '../crypto/hash.ts';
import type { OnRampNetwork } from '../model/on-ramp.ts';

const base58check = createBase58check(sha256);

/** First bytes of addresses that are hashes, and beginnings of segwit addresses. Sandboxes use the test network too. */
const BITCOIN = { versions: [0x00, 0x05], segwit: /^bc1/i };
const BITCOIN_TEST = { versions: [0x00, 0x05, 0x6f, 0xc4], segwit: /^(?:bc|tb)1/i };

/** Version 0, which is written `q`, has the checksum of BIP-173. The others have that of BIP-350. Throws for other texts. */
function isSegwit(text: string): boolean {
  const codec = /^..1q/i.test(text) ? bech32 : bech32m;
  const [version = 17, ...program] = codec.decode(text as `${string}1${string}`).words;
  const { length } = codec.fromWords(program);
  return version === 0 ? length === 20 || length === 32 : version <= 16 && length >= 2 && length <= 40;
}

function isBitcoin(text: string, sandboxMode: boolean): boolean {
  const { versions, segwit } = sandboxMode ? BITCOIN_TEST : BITCOIN;
  if (segwit.test(text)) return isSegwit(text);
  const bytes = base58check.decode(text);
  return bytes.length === 21 && versions.includes(bytes[0]!);
}

const isEvm = (text: string): boolean => /^0x[0-9a-fA-F]{40}$/.test(text);

const FORMS: Readonly<Record<OnRampNetwork, (text: string, sandboxMode: boolean) => boolean>> = {
  FIAT_ON_RAMP_BLOCKCHAIN_NETWORK_BITCOIN: isBitcoin,
  FIAT_ON_RAMP_BLOCKCHAIN_NETWORK_ETHEREUM: isEvm,
  FIAT_ON_RAMP_BLOCKCHAIN_NETWORK_SOLANA: (text) => base58.decode(text).length === 32,
  FIAT_ON_RAMP_BLOCKCHAIN_NETWORK_BASE: isEvm,
};

const LONGEST = 90;

/** The form of an address. Whether one exists, only the provider can tell. */
export function isAddressOf(network: OnRampNetwork, text: string, sandboxMode: boolean): boolean {
  try {
    return text.length <= LONGEST && FORMS[network](text, sandboxMode);
  } catch {
    return false;
  }
}
