/** A dialog over the page. The focus comes back to what opened it. */
import type { ReactNode } from 'react';
import { Dialog as AriaDialog, Heading, Modal, ModalOverlay } from 'react-aria-components';

type Props = {
  title: string;
  isOpen: boolean;
  /** Absent: only the dialog's own buttons close it. */
  onClose?: (() => void) | undefined;
  children: ReactNode;
};

export const Dialog = ({ title, isOpen, onClose, children }: Props) => (
  <ModalOverlay
    className="overlay"
    isOpen={isOpen}
    isDismissable={onClose !== undefined}
    isKeyboardDismissDisabled={onClose === undefined}
    onOpenChange={(open) => !open && onClose?.()}
  >
    <Modal className="modal">
      <AriaDialog className="dialog">
        <Heading slot="title">{title}</Heading>
        {children}
      </AriaDialog>
    </Modal>
  </ModalOverlay>
);
