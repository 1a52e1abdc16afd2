import { id, index, int, table, text, unique } from './define.ts';

export const policies = [
  table(
    'policies',
    {
      organization_id: id,
      id,
      name: text,
      effect: text,
      condition: text,
      consensus: text,
      time: text,
      notes: text,
      created_at: int,
      updated_at: int,
    },
    ['organization_id', 'id'],
    unique('policies_name', 'organization_id', 'name'),
  ),
  table('policy_changes', { organization_id: id, version: int, policy_id: id }, ['organization_id', 'version', 'policy_id']),
  table(
    'contract_interfaces',
    {
      organization_id: id,
      id,
      address: text,
      type: text,
      label: text,
      notes: text,
      interface: text,
      created_at: int,
      updated_at: int,
    },
    ['organization_id', 'id'],
    index('contract_interfaces_by_address', 'organization_id', 'address', 'type'),
    unique('contract_interfaces_label', 'organization_id', 'label'),
  ),
];
