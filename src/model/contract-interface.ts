/** The ABI or IDL of a contract. Policies use it to decode calls. */
export type ContractInterface = {
  organizationId: string;
  id: string;
  /** Lower case on Ethereum. */
  address: string;
  type: string;
  label: string;
  notes: string;
  /** As submitted. */
  interface: string;
  createdAt: number;
  updatedAt: number;
};
