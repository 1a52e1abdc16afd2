import type { SponsorshipPort } from '../../engine/ports.ts';

const later = (): never => {
  throw new Error('not yet');
};

export const sponsorship = (): SponsorshipPort => ({ stationOf: later, sponsorOf: later });
