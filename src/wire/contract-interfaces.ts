import { z } from 'zod';
import { wireTimestamp } from '../base/time.ts';
import type { ContractInterface as Model } from '../model/contract-interface.ts';
import { IdOut, Timestamp } from './common.ts';

export const ContractInterfaceType = z.enum(['SMART_CONTRACT_INTERFACE_TYPE_ETHEREUM', 'SMART_CONTRACT_INTERFACE_TYPE_SOLANA']);

export const ContractInterface = z.object({
  organizationId: IdOut,
  smartContractInterfaceId: IdOut,
  smartContractAddress: z.string(),
  smartContractInterface: z.string(),
  type: z.string(),
  label: z.string(),
  notes: z.string(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
});

export function viewContractInterface(c: Model): z.output<typeof ContractInterface> {
  return {
    organizationId: c.organizationId,
    smartContractInterfaceId: c.id,
    smartContractAddress: c.address,
    smartContractInterface: c.interface,
    type: c.type,
    label: c.label,
    notes: c.notes,
    createdAt: wireTimestamp(c.createdAt),
    updatedAt: wireTimestamp(c.updatedAt),
  };
}
