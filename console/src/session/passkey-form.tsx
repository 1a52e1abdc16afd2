/** The form of pages that a link opens: it names a new passkey, and makes it. */
import { Link } from '@tanstack/react-router';
import type { FormEvent, ReactNode } from 'react';
import { Button } from '../parts/button.tsx';
import { Field } from '../parts/field.tsx';
import { Notice } from '../parts/notice.tsx';

type Props = {
  name: string;
  onName(name: string): void;
  /** The passkey has its name. */
  isMade: boolean;
  isBusy: boolean;
  /** What the button does next. */
  label: string;
  /** How often the browser asks, and for what. */
  prompts: string;
  onSubmit(event: FormEvent): void;
  children: ReactNode;
};

export const PasskeyForm = ({ name, onName, isMade, isBusy, label, prompts, onSubmit, children }: Props) => (
  <form onSubmit={onSubmit}>
    {children}
    <Field label="A name for this passkey" value={name} onChange={onName} maxLength={100} isDisabled={isMade} />
    <Button type="submit" kind="primary" isDisabled={isBusy}>
      {label}
    </Button>
    <p className="dim">{prompts}</p>
  </form>
);

export const SecondPasskey = () => (
  <Notice level="amber" title="Add a second passkey now">
    <p>One lost device would lock you out. A phone, a security key or another laptop can keep the second one.</p>
    <p>
      <Link to="/account">Add a second passkey</Link>
    </p>
  </Notice>
);
