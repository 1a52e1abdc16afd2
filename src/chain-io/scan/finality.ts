/** The number of later blocks after which balances of a network count as final. */
const BLOCKS: Readonly<Record<string, number>> = {
  'eip155:1': 32,
  'eip155:11155111': 12,
  'eip155:8453': 10,
  'eip155:84532': 5,
  'eip155:137': 30,
  'eip155:80002': 12,
  'eip155:42161': 10,
  'eip155:421614': 5,
  'eip155:4217': 10,
  'eip155:42431': 5,
  'eip155:56': 15,
  'eip155:97': 15,
};

/** `otherwise`: SEND_FINALITY_BLOCKS. */
export const finalityOf = (caip2: string, otherwise: number): number => BLOCKS[caip2] ?? otherwise;
