import { Lru } from '../../base/lru.ts';
import type { Reader } from '../../store/types.ts';

/** Interfaces never change; they are only created and deleted. So each is read once. */
const texts = new Lru<string>(128);

/** The interfaces that the organization uploaded for these contracts, by address. */
export async function interfacesOf(
  read: Pick<Reader, 'contractInterfaces'>,
  organizationId: string,
  type: string,
  addresses: readonly string[],
): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const address of addresses) {
    const id = await read.contractInterfaces.at(organizationId, type, address);
    if (id === undefined) continue;
    const text = texts.get(id) ?? (await read.contractInterfaces.get(organizationId, id))?.interface;
    if (text === undefined) continue;
    texts.set(id, text);
    found.set(address, text);
  }
  return found;
}
