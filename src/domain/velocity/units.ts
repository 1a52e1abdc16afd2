/** Whole units as people write them. */
export function shown(units: bigint, one: bigint): string {
  const fraction = String(one).length - 1;
  const digits = String(units < 0n ? 0n : units).padStart(fraction + 1, '0');
  const after = digits.slice(-fraction).replace(/0+$/, '');
  return after === '' ? digits.slice(0, -fraction) : `${digits.slice(0, -fraction)}.${after}`;
}
