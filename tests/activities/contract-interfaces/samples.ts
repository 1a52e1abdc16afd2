import { ID, type Samples } from '../../support/samples.ts';

/** Well-formed parameters of each operation's newest version. */
export const contractInterfaces: Samples = {
  CREATE_SMART_CONTRACT_INTERFACE: () => ({
    smartContractAddress: `0x${'1'.repeat(40)}`,
    smartContractInterface: '[]',
    type: 'SMART_CONTRACT_INTERFACE_TYPE_ETHEREUM',
    label: 'Sample',
  }),
  DELETE_SMART_CONTRACT_INTERFACE: () => ({ smartContractInterfaceId: ID }),
};
