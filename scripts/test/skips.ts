/** Skipped tests by reason: one that gives none is a mistake. */
export class Skips {
  readonly #byReason = new Map<string, Map<string, number>>();

  add(file: string, reason: string): void {
    const files = this.#byReason.get(reason) ?? new Map<string, number>();
    files.set(file, (files.get(file) ?? 0) + 1);
    this.#byReason.set(reason, files);
  }

  lines(): string[] {
    return [...this.#byReason].map(([reason, files]) => {
      const count = [...files.values()].reduce((a, b) => a + b, 0);
      const where = [...files].map(([file, n]) => (n === 1 ? file : `${file} (${n})`)).join(', ');
      return `skipped (${reason}): ${count} test${count === 1 ? '' : 's'} in ${where}`;
    });
  }
}
