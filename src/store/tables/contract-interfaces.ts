import { id, int, text } from '../columns.ts';
import { table } from '../table.ts';

export const contractInterfaces = table('contract_interfaces', {
  organizationId: id(),
  id: id(),
  address: text(),
  /** SMART_CONTRACT_INTERFACE_TYPE_… */
  type: text(),
  label: text(),
  notes: text(),
  /** The ABI or IDL as submitted. */
  interface: text(),
  createdAt: int(),
  updatedAt: int(),
});
