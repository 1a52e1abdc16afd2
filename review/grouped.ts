/** A decimal number with its digits in groups: `1,234.5678`. Any other text as it is. */
export function grouped(number: string): string {
  const [, units, rest = ''] = /^(-?\d+)(\.\d+)?$/.exec(number) ?? [];
  return units === undefined ? number : `${units.replace(/\B(?=(?:\d{3})+$)/g, ',')}${rest}`;
}
