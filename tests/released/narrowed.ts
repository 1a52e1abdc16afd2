/** Bounds of requests that documents of a released version did not have, and the reasons. The list only gets shorter. */
export const NARROWED: readonly { readonly form: RegExp; readonly why: string }[] = [
  {
    form: /\/properties\/timestampMs has a new pattern$/,
    why: 'the service of 0.2.0 refused other texts too, and its document did not say so',
  },
];
