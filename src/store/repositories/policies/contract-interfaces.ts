import { characters } from '../../../base/characters.ts';
import type { ContractInterface } from '../../../model/contract-interface.ts';
import type { Page } from '../../page.ts';
import { pagesOf } from '../../pages.ts';
import { type Conn, statement } from '../../statement.ts';
import { values } from '../../table.ts';
import { contractInterfaces } from '../../tables/contract-interfaces.ts';
import type { Upkeep } from '../upkeep.ts';

const get = statement((db, p: { org: string; id: string }) =>
  db.selectFrom('contract_interfaces').select(contractInterfaces.all).where('organization_id', '=', p.org).where('id', '=', p.id),
);
const pages = pagesOf(contractInterfaces);
const at = statement((db, p: { org: string; type: string; address: string }) =>
  db
    .selectFrom('contract_interfaces')
    .select('id')
    .where('organization_id', '=', p.org)
    .where('address', '=', p.address)
    .where('type', '=', p.type),
);
const insert = statement((db, p: ContractInterface) =>
  db
    .insertInto('contract_interfaces')
    .values(values(contractInterfaces, p))
    .onConflict((c) => c.columns(['organization_id', 'label']).doNothing()),
);
const remove = statement((db, p: { org: string; id: string }) =>
  db.deleteFrom('contract_interfaces').where('organization_id', '=', p.org).where('id', '=', p.id),
);

export const contractInterfaceReads = (conn: Conn) => ({
  async get(org: string, id: string): Promise<ContractInterface | undefined> {
    return get.first(conn, { org, id });
  },
  /** In the order of creation. */
  async page(org: string, page: Page): Promise<ContractInterface[]> {
    return pages(conn, org, page);
  },
  /** The id of the oldest interface for an address, so that adding another one cannot change how policies decode calls. */
  async at(org: string, type: string, address: string): Promise<string | undefined> {
    const ids = (await at.all(conn, { org, type, address })).map(({ id }) => id);
    return ids.sort()[0];
  },
});

export const contractInterfaceWrites = (conn: Conn, { counts }: Upkeep) => ({
  /** False if the organization has an interface with this label. */
  async insert(c: ContractInterface): Promise<boolean> {
    if ((await insert.run(conn, c)) === 0) return false;
    counts.add(c.organizationId, 'contractInterfaceCharacters', characters(c.interface));
    return true;
  },
  async remove(org: string, id: string): Promise<boolean> {
    const found = await get.first(conn, { org, id });
    if (found === undefined) return false;
    await remove.run(conn, { org, id });
    counts.add(org, 'contractInterfaceCharacters', -characters(found.interface));
    return true;
  },
});
