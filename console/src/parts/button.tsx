import { Button as AriaButton, type ButtonProps } from 'react-aria-components';

type Kind = 'plain' | 'primary' | 'danger' | 'quiet';

export const Button = ({ kind = 'plain', ...props }: Omit<ButtonProps, 'className'> & { kind?: Kind }) => (
  <AriaButton {...props} className={`button ${kind}`} />
);
