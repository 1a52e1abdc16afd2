/** The same action as a line of the command line. */
import { Copy } from './copy.tsx';

export const AsCommand = ({ line }: { line: string }) => (
  <details className="command">
    <summary>As a command</summary>
    <div className="command-line">
      <code>{line}</code>
      <Copy text={line} what="the command" />
    </div>
  </details>
);
