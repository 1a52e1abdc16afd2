/** The types of a kind: all its versions, since a filter of the service names types exactly. */
const MOST_VERSIONS = 8;

export function typesOfActivities(kind: string): string[] {
  const name = kind
    .trim()
    .toUpperCase()
    .replace(/^ACTIVITY_TYPE_/, '')
    .replaceAll(/[^A-Z0-9]+/g, '_');
  const base = name.replace(/_V\d+$/, '');
  const later = Array.from({ length: MOST_VERSIONS - 1 }, (_, i) => `ACTIVITY_TYPE_${base}_V${i + 2}`);
  return base === name ? [`ACTIVITY_TYPE_${base}`, ...later] : [`ACTIVITY_TYPE_${name}`];
}
