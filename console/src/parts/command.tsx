/** The same action as a line of the command line. */
import { Copy } from './copy.tsx';

export const AsCommand = ({ line, title = 'As a command' }: { line: string; title?: string }) => (
  <details className="command">
    <summary>{title}</summary>
    <div className="command-line">
      <code>{line}</code>
      <Copy text={line} what="the command" />
    </div>
  </details>
);
