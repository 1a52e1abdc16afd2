/** A stored policy. A part that is '' is always true. */
export type Policy = {
  organizationId: string;
  id: string;
  name: string;
  effect: 'EFFECT_ALLOW' | 'EFFECT_DENY';
  condition: string;
  consensus: string;
  time: string;
  notes: string;
  createdAt: number;
  updatedAt: number;
};
