/** One spelling for each address: hex has the case of its checksum, which differs between writers. */
export const spelled = (address: string): string => (address.startsWith('0x') ? address.toLowerCase() : address);

/** The first and the last four characters, which people compare. A start that all addresses of a kind share is left out. */
export function endsOf(address: string): string {
  const text = spelled(address).replace(/^(?:0x|(?:bc|tb|bcrt)1[qp]?|T)/, '');
  return `${text.slice(0, 4)} ${text.slice(-4)}`;
}

/** Two addresses that begin and end alike, and are not the same. Attackers make such addresses. */
export const looksLike = (one: string, other: string): boolean =>
  endsOf(one) === endsOf(other) && spelled(one) !== spelled(other);
