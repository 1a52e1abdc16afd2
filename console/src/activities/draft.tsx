/** A filter that is typed. It counts at Enter, or when the field is left: part of an id or kind finds nothing. */
import { type InputHTMLAttributes, useState } from 'react';

type Props = Pick<InputHTMLAttributes<HTMLInputElement>, 'type' | 'className' | 'placeholder'> & {
  id: string;
  /** Of the address. */
  value: string;
  fits(text: string): boolean;
  set(text: string): void;
};

export function Draft({ id, value, fits, set, ...input }: Props) {
  const [draft, setDraft] = useState({ of: value, text: value });
  if (draft.of !== value) setDraft({ of: value, text: value });
  const isWrong = draft.text !== '' && draft.text !== value && !fits(draft.text.trim());
  const apply = () => {
    const text = draft.text.trim();
    if (text !== value && (text === '' || fits(text))) set(text);
  };
  return (
    <input
      {...input}
      id={id}
      value={draft.text}
      aria-invalid={isWrong || undefined}
      spellCheck="false"
      autoComplete="off"
      onChange={({ currentTarget: { value: text } }) => {
        setDraft({ of: value, text });
        // A day that was chosen is whole.
        if (input.type === 'date' && text !== value && (text === '' || fits(text))) set(text);
      }}
      onBlur={apply}
      onKeyDown={({ key }) => key === 'Enter' && apply()}
    />
  );
}
