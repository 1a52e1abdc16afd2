import { Button } from './button.tsx';
import { Notice } from './notice.tsx';

export const OldPageNotice = () => (
  <Notice level="amber" title="This page is old, or offline">
    <p>A part of it could not be loaded, as after an upgrade of the service. So nothing was compared.</p>
    <Button onPress={() => location.reload()}>Reload it</Button>
  </Notice>
);
