/** The ABI or IDL of a contract, by which policies read its calls. */
export type ContractInterface = {
  organizationId: string;
  id: string;
  /** Lower case on Ethereum. */
  address: string;
  type: string;
  label: string;
  notes: string;
  /** As it was given. */
  interface: string;
  createdAt: number;
  updatedAt: number;
};
