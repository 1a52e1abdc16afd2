import { Button } from '../parts/button.tsx';
import { zoneName } from '../parts/time.tsx';
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
        aria-label={`Times in ${zoneName(zone)}: change to ${zoneName(other)}`}
        onPress={() => setLook({ zone: other })}
      >
        {zoneName(zone)}
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
