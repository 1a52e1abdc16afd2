/** A value as JSON with sorted members. Absent members and null are the same: the service leaves them out of its answers. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(
          Object.entries(member)
            .filter(([, each]) => each !== null && each !== undefined)
            .toSorted(([a], [b]) => (a < b ? -1 : 1)),
        )
      : member,
  );
}
