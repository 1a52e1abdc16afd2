import { type ErrorComponentProps, Link } from '@tanstack/react-router';
import { Button } from '../parts/button.tsx';
import { Failure } from '../parts/notice.tsx';
import { useTitle } from './title.ts';

export function NotFoundPage() {
  useTitle('Not found');
  return (
    <div className="narrow">
      <h1>This page does not exist</h1>
      <p>
        The address may be mistyped. <Link to="/approvals">Approvals</Link> and <Link to="/activities">activities</Link> exist.
      </p>
    </div>
  );
}

/** A page that failed while it was drawn. The others still work. */
export function CrashPage({ error }: ErrorComponentProps) {
  useTitle('Failed');
  return (
    <div className="narrow">
      <h1>This page failed</h1>
      <Failure error={error} doing="Drawing the page" />
      <Button onPress={() => location.reload()}>Load it again</Button>
    </div>
  );
}

/** Before there is a page: the service was not found, or the browser's store failed. */
export const NotStarted = ({ error }: { error: unknown }) => (
  <main className="narrow">
    <h1>The console did not start</h1>
    <Failure error={error} doing="Starting" />
    <Button onPress={() => location.reload()}>Load it again</Button>
  </main>
);
