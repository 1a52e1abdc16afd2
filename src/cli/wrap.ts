const WIDTH = 120;

/** Breaks a text between words. The lines after the first begin with `indent` spaces. A longer word has a line alone. */
export function wrapped(text: string, indent: number, first = indent): string {
  const lines: string[] = [];
  let line = '';
  let room = WIDTH - first;
  for (const word of text.split(/\s+/)) {
    if (line !== '' && line.length + 1 + word.length > room) {
      lines.push(line);
      line = '';
      room = WIDTH - indent;
    }
    line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line].join(`\n${' '.repeat(indent)}`);
}

/** Two columns. */
export function columns(rows: readonly (readonly [string, string])[], widest = 34): string {
  const width = Math.min(widest, Math.max(0, ...rows.map(([name]) => name.length)));
  return rows
    .map(([name, text]) => `  ${name.padEnd(width)}  ${wrapped(text, width + 4, Math.max(width, name.length) + 4)}\n`)
    .join('');
}
