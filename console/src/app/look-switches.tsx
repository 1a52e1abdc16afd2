import { Button } from '../parts/button.tsx';
import { zoneName, zoneText } from '../parts/time.tsx';
import { setLook, type Theme, useLook } from './look.ts';

const NEXT: Readonly<Record<Theme, Theme>> = { system: 'light', light: 'dark', dark: 'system' };
const SIGNS: Readonly<Record<Theme, string>> = { system: '◐', light: '☀', dark: '☾' };

export function LookSwitches() {
  const { theme, zone } = useLook();
  const other = zone === 'utc' ? 'local' : 'utc';
  return (
    <>
      <Button
        kind="quiet"
        aria-label={`Times in ${zoneText(zone)}: change to ${zoneText(other)}`}
        onPress={() => setLook({ zone: other })}
      >
        {zoneName(zone)}
        {zone === 'local' && <span className="zone-whose"> (this browser’s zone)</span>}
      </Button>
      <Button
        kind="quiet"
        aria-label={`Theme ${theme}: change to ${NEXT[theme]}`}
        onPress={() => setLook({ theme: NEXT[theme] })}
      >
        <span aria-hidden="true">{SIGNS[theme]}</span>
      </Button>
    </>
  );
}
