import { base58 } from '@scure/base';

/** The script of a Bitcoin address (section 4 of the document). By a library, which the engine does not use. */
export function scriptOf(text: string): string | undefined {
  const [, data] = /^(?:bc|tb|bcrt)1([02-9ac-hj-np-z]+)[02-9ac-hj-np-z]{6}$/i.exec(text) ?? [];
  if (data !== undefined && text.length <= 90) return data.toLowerCase();
  if (!/^[1-9A-HJ-NP-Za-km-z]{26,35}$/.test(text)) return undefined;
  const bytes = Buffer.from(base58.decode(text));
  const kind = { 0: 'P2PKH', 111: 'P2PKH', 5: 'P2SH', 196: 'P2SH' }[bytes[0]!];
  return bytes.length === 25 && kind ? `${kind} ${bytes.toString('hex', 1, 21)}` : undefined;
}
