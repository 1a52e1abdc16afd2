import { ID, type Samples } from '../../support/samples.ts';

/** Well-formed parameters of each operation's newest version. */
export const contractInterfaces: Samples = {
  get_smart_contract_interface: () => ({ smartContractInterfaceId: ID }),
  list_smart_contract_interfaces: () => ({}),
};
