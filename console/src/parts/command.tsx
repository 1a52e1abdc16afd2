/** The same action as a line of the command line. */
import { shellQuoted } from '../../../src/base/shell.ts';
import { Copy } from './copy.tsx';

/** Words may come from an address or from the service, so each is quoted. */
export const commandOf = (...words: readonly string[]): string => ['./countersign', ...words].map(shellQuoted).join(' ');

export const AsCommand = ({ line, title = 'As a command' }: { line: string; title?: string }) => (
  <details className="command">
    <summary>{title}</summary>
    <div className="command-line">
      <code>{line}</code>
      <Copy text={line} what="the command" />
    </div>
  </details>
);
