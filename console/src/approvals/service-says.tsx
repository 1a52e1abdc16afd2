import type { Activity } from '../service/types.ts';

/** Replaced below. */
export const ServiceSays = (_: { activity: Activity }) => null;
