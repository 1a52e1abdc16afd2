import type { ReactNode } from 'react';
import { Input, Label, Text, TextField, type TextFieldProps } from 'react-aria-components';

type Props = Omit<TextFieldProps, 'className' | 'children'> & { label: string; help?: ReactNode; mono?: boolean };

export const Field = ({ label, help, mono = false, ...props }: Props) => (
  <TextField {...props} className="field">
    <Label>{label}</Label>
    <Input className={mono ? 'mono' : undefined} spellCheck="false" autoComplete="off" />
    {help && <Text slot="description">{help}</Text>}
  </TextField>
);
