/** Functions that only an interface of the service names. */
import type { Call, Warning } from './types.ts';

/** A taken-over service can search for a name that fits given bytes. */
export const ONLY_NAMED: Warning = {
  code: 'named-by-service',
  level: 'amber',
  text: 'Only the service names this function; another name may fit the same bytes',
};

/** An interface may name a function at any length. */
const LONGEST = 40;

/** The name of a call's function, for a title. */
export const shownName = (name: string, { named }: Call): string =>
  `${name.slice(0, LONGEST)}${named === undefined ? '' : ' (named by the service)'}`;
