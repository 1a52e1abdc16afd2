import { Notice } from '../parts/notice.tsx';

export const PasskeyWaits = () => (
  <Notice level="info" title="The passkey waits for the others: keep it">
    <p>
      The change is recorded, and counts when it has the approvals or further factors that it needs. Then the passkey signs in.
    </p>
  </Notice>
);
