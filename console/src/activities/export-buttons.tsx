import { useState } from 'react';
import { Button } from '../parts/button.tsx';
import { Failure } from '../parts/notice.tsx';
import { useSession } from '../session/state.ts';
import { exportActivities, type Format } from './export.ts';

export function ExportButtons({ filters }: { filters: object }) {
  const session = useSession();
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>();
  const [isCut, setCut] = useState(false);
  const run = async (format: Format) => {
    setBusy(true);
    setFailure(undefined);
    setCut(false);
    await exportActivities(session, filters, format).then(setCut, setFailure);
    setBusy(false);
  };
  return (
    <>
      <Button kind="quiet" isDisabled={busy} onPress={() => void run('csv')} aria-label="Export as CSV">
        CSV
      </Button>
      <Button kind="quiet" isDisabled={busy} onPress={() => void run('jsonl')} aria-label="Export as JSON lines">
        JSON lines
      </Button>
      {isCut && <span role="status">The file has the newest 1,000. Narrow the filters for older ones.</span>}
      {failure !== undefined && <Failure error={failure} doing="The export" />}
    </>
  );
}
